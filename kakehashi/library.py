"""The opened collection: its index, models and texts as one object; search, rank, train and measure from here.

library = Library("patents")
hits = library.search("疎水性の磁性合金", system="psq", before="2004-01-01")
hits[0].title, hits[0].why
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, Literal

from kakehashi.errors import InputError
from kakehashi.index.holdings import Holdings
from kakehashi.progress import SILENT, Progress
from kakehashi.types import Condition, Qrels, Run, Scope, Text

if TYPE_CHECKING:  # opening a collection takes milliseconds: compiled code is imported by what needs it
    from kakehashi.building.build import Built, Done
    from kakehashi.building.choice import Choice
    from kakehashi.evaluation.scores import Scores
    from kakehashi.hits import Hits
    from kakehashi.index.bibliography import Bibliography, Fields
    from kakehashi.index.index import Index
    from kakehashi.index.update import Changes
    from kakehashi.query.edits import Edit
    from kakehashi.retrieve.prior_art import Rules
    from kakehashi.retrieve.system import IndexSystem
    from kakehashi.systems.opening import Opened
    from kakehashi.systems.own_searches import OwnSearches
    from kakehashi.training.ablation import AblationRow
    from kakehashi.training.job import Job
    from kakehashi.training.outcome import Outcome

UNTRAINED = "bm25"  # searches where nothing was built: it finds the words both languages write alike
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
        *,
        only: Collection[str] = (),
        without: Collection[str] = (),
        budget: float | None = None,
        measure: str = "MAP",
        again: bool = False,
        lender: "Path | str | None" = None,
        threads: int = 0,
        progress: Progress = SILENT,
        report: "Callable[[Done], None]" = lambda done: None,
    ) -> "Built":
        """Set the collection up: index it, train what its data allow, measure on dev, choose the best system.

        `only` and `without` name trainings, `budget` is a limit in seconds; what is up to date is kept unless
        `again` is set. Run it again after an interruption, or after documents changed. `lender` is another
        collection, or a file of packed models, whose models are used where this one lacks data to train its own.
        """
        from kakehashi.building.build import Wanted, build
        from kakehashi.building.lending import lent_analyzers
        from kakehashi.building.packing import opened_lender
        from kakehashi.index.prepare import index_collection

        with opened_lender(lender) as other:
            analyzers = lent_analyzers(other, self) if other else None
            index_collection(self.collection, progress=progress, keep_settings=True, analyzers=analyzers)
            self._forget()
            wanted = Wanted(only, without, budget, measure, again, threads, other, str(lender))
            built = build(self, wanted, progress, report)
        self._forget()
        return built

    def update_index(
        self,
        target: Settings | None = None,
        source: Settings | None = None,
        rebuild: bool = False,
        progress: Progress = SILENT,
        *,
        keep_settings: bool = False,
        allow_empty: bool = False,
    ) -> "Changes":
        """Index the collection, or bring its index in line with what changed.

        `target` and `source` are analyzer settings for documents and queries; `keep_settings` keeps those of
        an index that is there already; `allow_empty` deletes all documents of it where the collection has none.
        """
        from kakehashi.index.prepare import index_collection

        changes = index_collection(
            self.collection, target, source, rebuild, progress, keep_settings, allow_empty=allow_empty
        )
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
    ) -> "tuple[Job, Outcome]":
        """Train a system, or the translation that several share; `model` is what to call it."""
        from kakehashi.systems.opening import train_model

        trained = train_model(name, self, settings, model, parallel, threads, progress)
        with self._opening:
            self._opened.clear()
        return trained

    @property
    def searches(self) -> "OwnSearches":
        """Finished searches of one's own, from which `examples` answers at once: `add`, `forget` or list them."""
        from kakehashi.systems import own_searches

        return own_searches.OwnSearches(self, self._opened.clear)

    def choice(self, system: str = "", lang: str = "") -> "Choice":
        """The system that answers: the one that is named, else the collection's best, and what to know about it."""
        from kakehashi.building.choice import choose

        return choose(self, system, lang, UNTRAINED)

    def system(self, name: str = "", settings: Settings | None = None) -> "IndexSystem":
        """A system by its short name, ready to search; the collection's best where none is named."""
        from kakehashi.systems.opening import open_system

        with self._opening:
            return open_system(name or self.choice().system, self, settings, self._opened)

    def search(
        self,
        query: str | Text,
        k: int = 10,
        system: str = "",
        *,
        settings: Settings | None = None,
        lang: str = "",
        where: Sequence[str] = (),
        boolean: str = "",
        before: str = "",
        rules: "Rules | None" = None,
        edits: "Sequence[Edit]" = (),
        threads: int = 0,
    ) -> "Hits":
        """The k best documents for a text, in the language of the collection's queries unless `lang` says another.

        `where` are conditions on metadata such as `ipc=A01B*`, `boolean` a Boolean expression over words, `before` a
        date that documents must be older than; `rules` are those of prior-art search in full.
        """
        from kakehashi.hits import Hits
        from kakehashi.query.edits import with_edits

        asked = query if isinstance(query, Text) else self.query(query, lang)
        name = self.choice(system, asked.lang).system
        found = self.asked(name, settings, rules or self.rules(before=before), edits)
        scope = self.scope(where, boolean, not_itself=self.is_document(asked))
        [ranking] = found.search([with_edits(asked, edits)], k, scope, threads=threads).rankings.values()
        return Hits(with_edits(asked, edits), ranking, found, self, scope, settings or {})

    def rank(
        self,
        system: str = "",
        split: str = "test",
        k: int = 1000,
        *,
        settings: Settings | None = None,
        where: Sequence[str] = (),
        boolean: str = "",
        pool: str = "",
        rules: "Rules | None" = None,
        edits: "Sequence[Edit]" = (),
        queries: Sequence[Text] | None = None,
        threads: int = 0,
        progress: Progress = SILENT,
    ) -> Run:
        """The k best documents for every query judged in a split, among those the split is ranked against.

        Other `queries`, judged or not, are ranked against all documents unless `pool` names some.
        """
        from kakehashi.query.edits import with_edits

        system = self.choice(system).system
        found = self.asked(system, settings, rules, edits)
        texts = self.split_queries(split, system, rules) if queries is None else queries
        scope = self.scope(where, boolean, pool or (split if queries is None else "all"))
        asked = [with_edits(text, edits) for text in texts]
        return found.search(asked, k, scope, threads=threads, progress=progress)

    def measure(
        self, system: str | Run, split: str = "test", measures: Sequence[str] = ("MAP",), **settings: Any
    ) -> "Scores":
        """Scores of a system, or of a run, on the judged queries of a split, with `-mate`, `:cited` and `:new` too."""
        from kakehashi.evaluation.measures import parse_all
        from kakehashi.systems.registry import spec_of
        from kakehashi.training.measuring import measure_run, measure_system

        wanted = parse_all(list(measures))
        if isinstance(system, Run):
            return measure_run(system, self.split(split), wanted)
        judged = self.split(split, queries=spec_of(system).queries)
        return measure_system(self.system(system, settings), judged, wanted)

    def ablate(
        self,
        system: str,
        model: str = "",
        measures: Sequence[str] = (),
        groups: Sequence[Sequence[str]] = (),
        progress: Progress = SILENT,
    ) -> "tuple[Job, list[AblationRow]]":
        """What `knowledge` or `dense` loses without each input and each group of features."""
        from kakehashi.systems.linear import trained_settings
        from kakehashi.systems.opening import job_of
        from kakehashi.training.ablation import ablate

        settings = trained_settings(system, self, model)
        job = job_of(system, self, settings, model or system, progress=progress)
        return job, ablate(job, measures, groups)

    def qrels(self, split: str) -> Qrels:
        return self.collection.qrels(split)

    def query(self, text: str, lang: str = "", id: str = "query") -> Text:
        """A text to search with."""
        return Text(id, lang or self.collection.info.source_language, text)

    def known_query(self, query_id: str, system: str = "") -> Text:
        """A query of the collection, in the words and with the metadata that the system asks with; else a document."""
        from kakehashi.systems.registry import spec_of

        name = spec_of(self.choice(system).system).queries
        own = self.collection.texts(name) if self.collection.has(name) else iter(())
        query = next((text for text in own if text.id == query_id), None)
        if query := query or self.some_texts([query_id]).get(query_id):
            return query
        raise InputError(f"{self.folder / name} has no query '{query_id}', nor is there such a document")

    def split_queries(self, split: str, system: str = "", rules: "Rules | None" = None) -> list[Text]:
        """The queries of a split as a system asks them."""
        from kakehashi.systems.registry import spec_of

        name = spec_of(self.choice(system).system).queries
        if not self.collection.has(name):
            raise InputError(f"{system} needs {name}, which {self.folder} does not have")
        queries = self.collection.split_queries(split, name)
        if not queries:
            raise InputError(f"{self.folder} has no judged queries in '{split}': nothing can be ranked")
        return self.with_bibliography(queries) if rules else queries

    def with_bibliography(self, queries: Sequence[Text]) -> list[Text]:
        """Queries in other words, such as originals, have the dates and family of the collection's query of that id."""
        from msgspec.structs import replace

        wanted = {query.id for query in queries}
        own = self.collection.queries() if self.collection.has("queries.jsonl") else ()
        known = {query.id: query.meta for query in own if query.id in wanted}
        return [replace(query, meta={**known.get(query.id, {}), **query.meta}) for query in queries]

    def scope(
        self, where: Sequence[str] = (), boolean: str = "", pool: str = "all", not_itself: bool = False
    ) -> Scope:
        """The documents that satisfy all conditions; of one pool, where the collection has pools."""
        from kakehashi.corpus.pools import POOL
        from kakehashi.index.metadata import parse_condition

        conditions = [parse_condition(text) for text in where]
        if pool != "all" and POOL in self.collection.info.fields:
            conditions.append(Condition(POOL, "=", pool))
        return Scope(tuple(conditions), boolean, not_itself or self.collection.info.exclude_self)

    @staticmethod
    def rules(
        prior_art: bool = False,
        before: str = "",
        one_per_family: bool = False,
        undated: Literal["keep", "drop"] = "keep",
        fields: "Fields | None" = None,
    ) -> "Rules | None":
        """What prior-art search leaves out; None for a plain search."""
        from kakehashi.index.bibliography import PATENT_FIELDS
        from kakehashi.retrieve.prior_art import Rules

        by_date = prior_art or bool(before)
        if not (by_date or one_per_family):
            return None
        return Rules(
            by_date, prior_art, prior_art or one_per_family, before, undated, fields or PATENT_FIELDS
        )

    def asked(
        self,
        name: str,
        settings: Settings | None = None,
        rules: "Rules | None" = None,
        edits: "Sequence[Edit]" = (),
    ) -> "IndexSystem":
        """A system under the rules of one question; nothing is opened again for another question."""
        from kakehashi.retrieve.prior_art import PriorArt
        from kakehashi.retrieve.system import takes_edits

        system = self.system(name, settings)
        if edits and not takes_edits(system):
            why = "does not look for words by their translations"
            raise InputError(f"{name} {why}: there is nothing to edit")
        return PriorArt(system, rules, self._bibliography(system, rules.fields)) if rules else system

    def transform(self, topics: Any, system: str = "", k: int = 1000, **settings: Any) -> Any:
        """Queries in, results out, as pandas frames with PyTerrier's columns: qid, query → qid, docno, score, rank."""
        from kakehashi.tabular import frame_of

        texts = zip(topics["qid"].astype(str), topics["query"].astype(str), strict=True)
        queries = [self.query(text, id=qid) for qid, text in texts]
        run = self.system(system, settings).search(queries, k, self.scope())
        return frame_of(
            [
                {"qid": qid, "docno": doc, "score": score, "rank": rank}
                for qid, ranking in run.rankings.items()
                for rank, (doc, score) in enumerate(zip(ranking.docs, ranking.scores.tolist(), strict=True))
            ]
        )

    def _bibliography(self, system: "IndexSystem", fields: "Fields") -> "Bibliography":
        """By the index that a system answers from: it may number documents in its own way."""
        from kakehashi.index.bibliography import Bibliography

        with self._opening:
            return self._bibliographies.setdefault((system.index, fields), Bibliography(system.index, fields))

    def _forget(self) -> None:
        """What was opened over the index as it was."""
        with self._opening:
            self._opened.clear()
            self._bibliographies.clear()
            self.__dict__.pop("index", None)
            self.__dict__.pop("collection", None)
