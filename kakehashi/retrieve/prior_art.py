"""Any system, asked for prior art: nothing published too late, nothing of the query's own family, each family once.

The wrapped system is asked for a longer list where too much of it had to be left out, until k documents are found
or the list ends. A short list of any system is the beginning of its long one, so this loses nothing.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal, NamedTuple

import numpy as np

from kakehashi.errors import InputError, KakehashiError
from kakehashi.index.bibliography import PATENT_FIELDS, Bibliography, Fields
from kakehashi.index.families import Families
from kakehashi.index.metadata import NO_DATE, as_day
from kakehashi.index.numbering import UNKNOWN
from kakehashi.progress import SILENT, Progress
from kakehashi.query.edits import Edit
from kakehashi.retrieve.system import IndexSystem, takes_edits, used_edits
from kakehashi.types import EVERYTHING, Bools, Explanation, Floats, Ints, Longs, Ranking, Run, Scope, Text

DEEPER = 4  # times as many documents are asked for where a list was too short
ROOM = 1 << 22  # documents in the lists of one call
NAMED = 3  # queries that a warning names
NEVER = np.iinfo(np.int32).max


@dataclass(frozen=True)
class Rules:
    """What is left out; without a date of its own a query is dated by `filing`, then by `publication`."""

    by_date: bool = True  # only documents published before the query's priority date
    not_own_family: bool = True  # no document of the query's family, nor the query itself
    one_per_family: bool = True  # the best of each family only
    before: str = ""  # a date in place of the queries' own
    undated: Literal["keep", "drop"] = "keep"  # documents that do not say when they were published
    fields: Fields = PATENT_FIELDS


class QueryDate(NamedTuple):
    """Documents must be older than this."""

    day: int
    field: str  # where it stands in the query; empty: it was given

    def __str__(self) -> str:
        return date.fromordinal(self.day).isoformat()


@dataclass(frozen=True)
class About:
    """What is known of a listed document."""

    published: str | None  # None: not known
    family: list[str]  # the other documents of its family that would do as well, by id


class _Asked(NamedTuple):
    before: int
    own: Ints  # families


@dataclass
class PriorArt:
    """A system like the one it wraps, under rules that differ by query; scores are those of the wrapped one."""

    system: IndexSystem
    rules: Rules = Rules()
    bibliography: Bibliography | None = None  # of the system's index; made here unless it is at hand

    def __post_init__(self) -> None:
        self.name, self.index = self.system.name, self.system.index
        rules, names = self.rules, self.rules.fields
        self._before = _given_date(rules.before)
        self._date_fields = (names.priority, names.filing, names.publication)
        self._numbering = self.index.numbering
        self._known = self.bibliography or Bibliography(self.index, names)
        by_family = rules.not_own_family or rules.one_per_family
        self._days: Ints | None = self._known.days if rules.by_date else None
        self._families: Families | None = self._known.families if by_family else None

    @property
    def takes_edits(self) -> bool:
        return takes_edits(self.system)

    def used_edits(self, query: Text) -> set[Edit]:
        return used_edits([self.system], query)

    def search(
        self,
        queries: Sequence[Text],
        k: int = 1000,
        scope: Scope = EVERYTHING,
        *,
        threads: int = 0,
        progress: Progress = SILENT,
    ) -> Run:
        """The k best documents of each query that the rules allow; fewer only where there are no more."""
        if k < 1:
            raise InputError(f"k must be at least 1, not {k}")
        self._check_dates(queries)
        asked = [self._asked(query) for query in queries]
        waiting: dict[int, list[int]] = {}  # depth -> queries, by place
        for i, one in enumerate(asked):
            waiting.setdefault(self._first_depth(one, k), []).append(i)
        found: dict[int, Ranking] = {}
        while waiting:
            depth = min(waiting)
            for i, ranking in self._ranked(queries, waiting.pop(depth), depth, scope, threads, progress):
                found[i] = self._kept(asked[i], ranking, k)
                if len(found[i]) < k and len(ranking) == depth < self.index.n_docs:
                    waiting.setdefault(min(DEEPER * depth, self.index.n_docs), []).append(i)
        return Run(self.name, {query.id: found[i] for i, query in enumerate(queries)})

    def score(self, query: Text, doc_ids: Sequence[str], scope: Scope = EVERYTHING) -> Floats:
        """NaN also for what the rules leave out; each document of a family has its own score."""
        self._check_dates([query])
        scores = self.system.score(query, doc_ids, scope)
        numbers = self._numbering.of(doc_ids)
        known = np.flatnonzero(numbers != UNKNOWN)
        scores[known[~self._may(self._asked(query), numbers[known])]] = np.nan
        return scores

    def score_all(self, query: Text, scope: Scope = EVERYTHING) -> Floats:
        """NaN for what the rules leave out; a system with an index of its own may number documents otherwise."""
        numbering = self.index.numbering
        scores = self.score(query, numbering.ids, scope)
        scores[~numbering.live] = np.nan
        return scores

    def explain(self, query: Text, doc_ids: Sequence[str], scope: Scope = EVERYTHING) -> list[Explanation]:
        return self.system.explain(query, doc_ids, scope)

    def allowed(self, query: Text) -> Bools:
        """(documents,) which the rules let a search list, numbered through all segments."""
        numbers = np.arange(len(self._numbering), dtype=np.int64)
        return self._numbering.live & self._may(self._asked(query), numbers)

    def about(self, query: Text, doc_id: str) -> About:
        """When a listed document was published, and what stands behind it."""
        [number] = self._numbering.of([doc_id]).tolist()
        if number == UNKNOWN:
            raise InputError(f"there is no document '{doc_id}' in the index")
        day = NO_DATE if self._days is None else int(self._days[number])
        family: list[str] = []
        if self._families is not None and self.rules.one_per_family:
            members = self._families.members(int(self._families.of_documents[number]))
            members = members[self._may(self._asked(query), members) & (members != number)]
            family = sorted(map(self._numbering.id, members.tolist()))
        return About(None if day == NO_DATE else date.fromordinal(day).isoformat(), family)

    def facts(self, query: Text, doc_id: str) -> dict[str, Any]:
        """What the rules looked at in a listed document."""
        about = self.about(query, doc_id)
        dated: dict[str, Any] = {"publication": about.published} if self.rules.by_date else {}
        return dated | ({"family": about.family} if self.rules.one_per_family else {})

    def summary(self, query: Text, ranking: Ranking) -> dict[str, Any]:
        """What the rules came to for a query."""
        found = self.date_of(query) if self.rules.by_date else None
        return {
            "before": str(found) if found else None,
            "by": (found.field or None) if found else None,
            "not_of": self.families_of(query) if self.rules.not_own_family else [],
            "warnings": self.warnings([query], Run(self.name, {query.id: ranking})),
        }

    def headline(self, query: Text) -> str:
        """The same for a person."""
        found = self.date_of(query) if self.rules.by_date else None
        own = self.families_of(query) if self.rules.not_own_family else []
        parts = [
            f"documents published before {found}{f' ({found.field})' if found.field else ''}"
            if found
            else "",
            f"none of family {', '.join(own)}" if own else "",
            "the best document of each family" if self.rules.one_per_family else "",
        ]
        return "only " + ", ".join(part for part in parts if part)

    def date_of(self, query: Text) -> QueryDate | None:
        """The date that documents must be older than; None where the query has none."""
        if self._before is not None:
            return self._before
        for field in self._date_fields:
            try:
                day = as_day(field, query.meta.get(field))
            except InputError as error:
                raise InputError(f"query '{query.id}': {error}") from None
            if day != NO_DATE:
                return QueryDate(day, field)
        return None

    def families_of(self, query: Text) -> list[str]:
        """By name: none, one or several; an empty name is none."""
        value = query.meta.get(self.rules.fields.family)
        values: Iterable[Any] = value if isinstance(value, list | tuple) else (value,)
        return [str(one) for one in values if one not in (None, "")]

    def warnings(self, queries: Sequence[Text], run: Run) -> list[str]:
        """What a reader of these rankings should know about dates and families that are missing."""
        names, said = self.rules.fields, []
        if self.rules.by_date and self._before is None:
            dates = {query.id: found.field for query in queries if (found := self.date_of(query))}
            for field in dict.fromkeys(self._date_fields[1:]):
                by_it = [query_id for query_id, used in dates.items() if used == field != names.priority]
                if by_it:
                    said.append(f"{_named(by_it)} without {names.priority}: dated by {field}")
        if self.rules.not_own_family:
            alone = [query.id for query in queries if not self.families_of(query)]
            if alone:
                said.append(f"{_named(alone)} without {names.family}: no relative could be left out")
        return said + list(self._undated_warnings(run))

    def _undated_warnings(self, run: Run) -> Iterator[str]:
        field = self.rules.fields.publication
        n_undated = 0 if self._days is None else self._known.n_undated
        if n_undated and self.rules.undated == "drop":
            yield f"{n_undated} of {self.index.n_docs} documents have no {field} and were left out"
        elif n_undated and self._days is not None:
            listed = [doc_id for ranking in run.rankings.values() for doc_id in ranking.docs]
            n_listed = int((self._days[self._numbering.of(listed)] == NO_DATE).sum())
            if n_listed:
                yield (
                    f"{n_listed} of {len(listed)} hits have no {field} and may be too late "
                    "(--undated drop leaves them out)"
                )

    def _ranked(
        self,
        queries: Sequence[Text],
        places: Sequence[int],
        depth: int,
        scope: Scope,
        threads: int,
        progress: Progress,
    ) -> Iterator[tuple[int, Ranking]]:
        step = max(1, ROOM // depth)
        for start in range(0, len(places), step):
            some = places[start : start + step]
            asked = [queries[i] for i in some]
            run = self.system.search(asked, depth, scope, threads=threads, progress=progress)
            yield from ((i, run.rankings[queries[i].id]) for i in some)

    def _kept(self, asked: _Asked, ranking: Ranking, k: int) -> Ranking:
        numbers = self._numbering.of(ranking.docs)
        if (numbers == UNKNOWN).any():
            strange = ranking.docs[int((numbers == UNKNOWN).argmax())]
            raise KakehashiError(f"{self.name} lists '{strange}', which the index does not have")
        kept = np.flatnonzero(self._may(asked, numbers))
        if self._families is not None and self.rules.one_per_family:
            _, firsts = np.unique(self._families.of_documents[numbers[kept]], return_index=True)
            kept = kept[np.sort(firsts)]
        kept = kept[:k]
        return Ranking([ranking.docs[i] for i in kept.tolist()], ranking.scores[kept])

    def _may(self, asked: _Asked, numbers: Longs) -> Bools:
        """Which documents may be listed for a query."""
        may = np.ones(len(numbers), dtype=bool)
        if self._days is not None:
            days = self._days[numbers]
            may &= days < asked.before  # so is NO_DATE
            if self.rules.undated == "drop":
                may &= days != NO_DATE
        if self._families is not None and len(asked.own):
            may &= ~np.isin(self._families.of_documents[numbers], asked.own)
        return may

    def _asked(self, query: Text) -> _Asked:
        own = np.zeros(0, dtype=np.int32)
        if self._families is not None and self.rules.not_own_family:
            itself = self._numbering.of([query.id])
            named = self._families.of_names(self.families_of(query))
            own = np.union1d(named, self._families.of_documents[itself[itself != UNKNOWN]])
        found = self.date_of(query) if self.rules.by_date else None
        return _Asked(found.day if found else NEVER, own)

    def _first_depth(self, asked: _Asked, k: int) -> int:
        """Where k documents should be found if dates and families were spread evenly, and some more."""
        n_docs, expected = self.index.n_docs, float(k)
        if self._days is not None:
            n_allowed = int(np.searchsorted(self._known.sorted_days, asked.before))
            n_allowed -= self._known.n_undated if self.rules.undated == "drop" else 0
            expected *= n_docs / max(n_allowed, 1)
        if self._families is not None and self.rules.one_per_family:
            expected *= n_docs / max(self._known.n_families, 1)
        depth = int(1.25 * expected) + 16
        step = 1 << max(0, depth.bit_length() - 3)  # few different depths, so that queries share a call
        return max(1, min(n_docs, -(-depth // step) * step))

    def _check_dates(self, queries: Sequence[Text]) -> None:
        if self.rules.by_date:
            missing = [query.id for query in queries if self.date_of(query) is None]
            if missing:
                fields = " or ".join(dict.fromkeys(self._date_fields))
                raise InputError(f"{_named(missing)} without {fields}: give a date with --before 2006-12-31")


def _given_date(text: str) -> QueryDate | None:
    return QueryDate(as_day("before", text), "") if text else None


def _named(ids: Sequence[str]) -> str:
    """Some of the queries by name."""
    if len(ids) == 1:
        return f"query '{ids[0]}'"
    more = f" and {len(ids) - NAMED} more" if len(ids) > NAMED else ""
    return f"{len(ids)} queries ({', '.join(ids[:NAMED])}{more})"
