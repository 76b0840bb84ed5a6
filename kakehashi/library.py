"""The opened collection: its index, models and texts as one object; search, rank, train and measure from here.

library = Library("patents")
hits = library.search("疎水性の磁性合金", system="psq", before="2004-01-01")
hits[0].title, hits[0].why
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import RLock
from typing import Any, Literal

import msgspec

from kakehashi.corpus.pools import POOL
from kakehashi.corpus.splits import QUERIES
from kakehashi.errors import InputError
from kakehashi.evaluate.measures import parse_all
from kakehashi.evaluate.scores import Scores
from kakehashi.hits import Hits
from kakehashi.index.bibliography import PATENT_FIELDS, Bibliography, Fields
from kakehashi.index.holdings import Holdings
from kakehashi.index.index import Index
from kakehashi.index.metadata import parse_condition
from kakehashi.index.prepare import index_collection
from kakehashi.index.update import Changes
from kakehashi.progress import SILENT, Progress
from kakehashi.query.edits import Edit, with_edits
from kakehashi.retrieve.prior_art import PriorArt, Rules
from kakehashi.retrieve.system import IndexSystem, takes_edits
from kakehashi.systems.linear import trained_settings
from kakehashi.systems.opening import Opened, job_of, open_system, train_model
from kakehashi.systems.registry import spec_of
from kakehashi.tabular import frame_of
from kakehashi.training.ablation import MEASURES, AblationRow, ablate
from kakehashi.training.job import Job
from kakehashi.training.measuring import measure_run, measure_system
from kakehashi.training.outcome import Outcome
from kakehashi.types import Condition, Qrels, Run, Scope, Text

DEFAULT = "bm25"  # the system that searches unless another is named
Settings = Mapping[str, Any]


class Library(Holdings):
    """A collection, opened once, for any number of threads; systems are opened when first asked for, and kept."""

    def __init__(self, folder: Path | str):
        super().__init__(folder)
        self._opened: Opened = {}
        self._bibliographies: dict[tuple[Index, Fields], Bibliography] = {}
        self._opening = RLock()

    def __repr__(self) -> str:
        return f"Library({str(self.folder)!r})"

    def build(
        self,
        target: Settings | None = None,
        source: Settings | None = None,
        rebuild: bool = False,
        progress: Progress = SILENT,
    ) -> Changes:
        """Index the collection, or bring its index in line with what changed.

        `target` and `source` are analyzer settings for documents and queries.
        """
        changes = index_collection(self.collection, target, source, rebuild, progress)
        self._forget()
        return changes

    def train(
        self,
        name: str,
        settings: Settings | None = None,
        *,
        model: str = "",
        parallel: Sequence[str] = (),
        threads: int = 0,
        progress: Progress = SILENT,
    ) -> tuple[Job, Outcome]:
        """Train a system, or the translation that several share; `model` is what to call it."""
        trained = train_model(name, self, settings, model, parallel, threads, progress)
        with self._opening:
            self._opened.clear()
        return trained

    def system(self, name: str = DEFAULT, settings: Settings | None = None) -> IndexSystem:
        """A system by its short name, ready to search; opened once for the same settings."""
        with self._opening:
            return open_system(name, self, settings, self._opened)

    def search(
        self,
        query: str | Text,
        k: int = 10,
        system: str = DEFAULT,
        *,
        settings: Settings | None = None,
        lang: str = "",
        where: Sequence[str] = (),
        boolean: str = "",
        before: str = "",
        rules: Rules | None = None,
        edits: Sequence[Edit] = (),
        threads: int = 0,
    ) -> Hits:
        """The k best documents for a text, in the language of the collection's queries unless `lang` says another.

        `where` are conditions on metadata such as `ipc=A01B*`, `boolean` a Boolean expression over words, `before` a
        date that documents must be older than; `rules` are those of prior-art search in full.
        """
        asked = query if isinstance(query, Text) else self.query(query, lang)
        found = self.asked(system, settings, rules or self.rules(before=before), edits)
        scope = self.scope(where, boolean)
        [ranking] = found.search([with_edits(asked, edits)], k, scope, threads=threads).rankings.values()
        return Hits(with_edits(asked, edits), ranking, found, self, scope)

    def rank(
        self,
        system: str = DEFAULT,
        split: str = "test",
        k: int = 1000,
        *,
        settings: Settings | None = None,
        where: Sequence[str] = (),
        boolean: str = "",
        pool: str = "",
        rules: Rules | None = None,
        edits: Sequence[Edit] = (),
        threads: int = 0,
        progress: Progress = SILENT,
    ) -> Run:
        """The k best documents for every query judged in a split, among those the split is ranked against."""
        found = self.asked(system, settings, rules, edits)
        queries = [with_edits(query, edits) for query in self.split_queries(split, system, rules)]
        scope = self.scope(where, boolean, pool or split)
        return found.search(queries, k, scope, threads=threads, progress=progress)

    def measure(
        self, system: str | Run, split: str = "test", measures: Sequence[str] = ("MAP",), **settings: Any
    ) -> Scores:
        """Scores of a system, or of a run, on the judged queries of a split; `-mate` measures know the mates."""
        wanted = parse_all(list(measures))
        if isinstance(system, Run):
            return measure_run(system, self.split(split), wanted)
        judged = self.split(split, queries=spec_of(system).queries)
        return measure_system(self.system(system, settings), judged, wanted)

    def ablate(
        self,
        system: str,
        model: str = "",
        measures: Sequence[str] = MEASURES,
        groups: Sequence[Sequence[str]] = (),
        progress: Progress = SILENT,
    ) -> tuple[Job, list[AblationRow]]:
        """What `knowledge` or `dense` loses without each input and each group of features."""
        settings = trained_settings(system, self, model)
        job = job_of(system, self, settings, model or system, progress=progress)
        return job, ablate(job, measures, groups)

    def qrels(self, split: str) -> Qrels:
        return self.collection.qrels(split)

    def query(self, text: str, lang: str = "", id: str = "query") -> Text:
        """A text to search with."""
        return Text(id, lang or self.collection.info.source_language, text)

    def known_query(self, query_id: str, system: str = DEFAULT) -> Text:
        """A query of the collection, in the words and with the metadata that the system asks with."""
        name = spec_of(system).queries
        for found in self.collection.texts(name):
            if found.id == query_id:
                return found
        raise InputError(f"{self.collection.path(name)} has no query '{query_id}'")

    def split_queries(self, split: str, system: str = DEFAULT, rules: Rules | None = None) -> list[Text]:
        """The queries of a split as a system asks them."""
        name = spec_of(system).queries
        if not self.collection.has(name):
            raise InputError(f"{system} needs {name}, which {self.folder} does not have")
        queries = self.collection.split_queries(split, name)
        return self.with_bibliography(queries) if rules else queries

    def with_bibliography(self, queries: Sequence[Text]) -> list[Text]:
        """Queries in other words, such as originals, have the dates and family of the collection's query of that id."""
        wanted = {query.id for query in queries}
        known = {query.id: query.meta for query in self.collection.texts(QUERIES) if query.id in wanted}
        return [
            msgspec.structs.replace(query, meta={**known.get(query.id, {}), **query.meta})
            for query in queries
        ]

    def scope(self, where: Sequence[str] = (), boolean: str = "", pool: str = "all") -> Scope:
        """The documents that satisfy all conditions; of one pool, where the collection has pools."""
        conditions = [parse_condition(text) for text in where]
        if pool != "all" and POOL in self.collection.info.fields:
            conditions.append(Condition(POOL, "=", pool))
        return Scope(tuple(conditions), boolean, self.collection.info.exclude_self)

    @staticmethod
    def rules(
        prior_art: bool = False,
        before: str = "",
        one_per_family: bool = False,
        undated: Literal["keep", "drop"] = "keep",
        fields: Fields = PATENT_FIELDS,
    ) -> Rules | None:
        """What prior-art search leaves out; None for a plain search."""
        by_date = prior_art or bool(before)
        if not (by_date or one_per_family):
            return None
        return Rules(by_date, prior_art, prior_art or one_per_family, before, undated, fields)

    def asked(
        self,
        name: str,
        settings: Settings | None = None,
        rules: Rules | None = None,
        edits: Sequence[Edit] = (),
    ) -> IndexSystem:
        """A system under the rules of one question; nothing is opened again for another question."""
        system = self.system(name, settings)
        if edits and not takes_edits(system):
            raise InputError(
                f"{name} does not look for words by their translations: there is nothing to edit"
            )
        return PriorArt(system, rules, self._bibliography(system, rules.fields)) if rules else system

    def transform(self, topics: Any, system: str = DEFAULT, k: int = 1000, **settings: Any) -> Any:
        """Queries in, results out, as pandas frames with PyTerrier's columns: qid, query → qid, docno, score, rank."""
        texts = zip(topics["qid"].astype(str), topics["query"].astype(str), strict=True)
        run = self.system(system, settings).search(
            [self.query(text, id=qid) for qid, text in texts], k, self.scope()
        )
        return frame_of(
            [
                {"qid": qid, "docno": doc, "score": score, "rank": rank}
                for qid, ranking in run.rankings.items()
                for rank, (doc, score) in enumerate(zip(ranking.docs, ranking.scores.tolist(), strict=True))
            ]
        )

    def _bibliography(self, system: IndexSystem, fields: Fields) -> Bibliography:
        """By the index that a system answers from: it may number documents in its own way."""
        key = system.index, fields
        with self._opening:
            return self._bibliographies.setdefault(key, Bibliography(*key))

    def _forget(self) -> None:
        """What was opened over the index as it was."""
        with self._opening:
            self._opened.clear()
            self._bibliographies.clear()
            self.__dict__.pop("index", None)
            self.__dict__.pop("collection", None)
