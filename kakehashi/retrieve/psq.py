"""The systems `psq` and `psq-hmm`: every word of the query as the set of its translations, over the inverted index."""

from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Annotated

from msgspec import Meta

from kakehashi import store
from kakehashi.errors import FileError
from kakehashi.index.index import Index
from kakehashi.lexicon.translations import KIND, VERSION, Translations, translations_of
from kakehashi.progress import Progress
from kakehashi.query.psq import Psq
from kakehashi.retrieve.models import check_analyzers, model_folder, read_model
from kakehashi.retrieve.source_index import RowQueries, Stored, source_index, stored_arrays
from kakehashi.retrieve.sparse import Explanation, Scope, Sparse
from kakehashi.retrieve.system import IndexSystem
from kakehashi.retrieve.weighting import Bm25, Hmm, Weighting
from kakehashi.settings import ModelName
from kakehashi.types import Floats, Run, Text

TABLE, REVERSED = "table", "reversed"  # folders inside a translation model: p(e | f) and p(f | e)


class PsqSettings(Bm25, frozen=True, forbid_unknown_fields=True):
    """BM25 over translated words; which translations of a word count."""

    model: ModelName = "translation"
    least: Annotated[
        float,
        Meta(
            description="Drop translations of this probability or below; the most probable one always stays."
        ),
    ] = 0.01
    mass: Annotated[
        float,
        Meta(
            description="Drop a word's translations after the one at which their probabilities, in descending "
            "order, add up to this."
        ),
    ] = 0.95
    indexed: Annotated[
        bool,
        Meta(
            description="Answer from documents indexed in the words of queries: same scores, faster, for more disk "
            "and memory."
        ),
    ] = False


class PsqHmmSettings(Hmm, frozen=True, forbid_unknown_fields=True):
    """A language model over translated words; which words of a query a document's word counts for."""

    model: ModelName = "translation"
    least: Annotated[
        float,
        Meta(
            description="Drop query words that a document word stands for with this probability or below; the most "
            "probable one always stays."
        ),
    ] = 0.01
    mass: Annotated[
        float,
        Meta(
            description="Drop query words of a document word after the one at which their probabilities, in "
            "descending order, add up to this."
        ),
    ] = 0.95
    indexed: Annotated[
        bool,
        Meta(
            description="Answer from documents indexed in the words of queries: same scores, faster, for more disk "
            "and memory."
        ),
    ] = False


class IndexedPsq:
    """Structured queries answered from documents indexed in the query's words.

    Scores and reasons of single documents come from the same query over the plain index, which gives the same.
    """

    def __init__(self, plain: Sparse, psq: Psq, folder: Path | None):
        self._plain, self._psq, self._folder = plain, psq, folder
        self._stored: Sparse | None = None
        self._making = Lock()
        self.name, self.index = plain.name, plain.index
        self.threads, self.progress = plain.threads, plain.progress

    def search(self, queries: Sequence[Text], k: int = 1000) -> Run:
        """The documents are indexed by the first search that finds no index that fits."""
        stored = self.stored(self.progress)
        stored.threads, stored.progress = self.threads, self.progress
        return stored.search(queries, k)

    def stored(self, progress: Progress) -> Sparse:
        """The system over the documents indexed in the query's words; made once, however many threads ask."""
        with self._making:
            if self._stored is None:
                statistics = self._plain.statistics or self.index.statistics
                found = source_index(self._psq, self.index, statistics, self._folder, progress)
                weighting = Stored(self._plain.weighting)
                compiler, scope = RowQueries(self._psq), self._plain.scope
                self._stored = Sparse(self.name, compiler, weighting, found, scope, arrays=stored_arrays)
        return self._stored

    def score(self, query: Text, doc_ids: Sequence[str]) -> Floats:
        return self._plain.score(query, doc_ids)

    def score_all(self, query: Text) -> Floats:
        return self._plain.score_all(query)

    def explain(self, query: Text, doc_id: str) -> Explanation:
        return self._plain.explain(query, doc_id)


def open_psq(name: str, index: Index, settings: PsqSettings, scope: Scope) -> IndexSystem:
    table = read_model("translation", index, settings.model, read_table)
    psq = Psq(index, table.pruned(settings.least, settings.mass))
    return psq_system(name, psq, plain_bm25(settings), settings, index, scope)


def open_psq_hmm(name: str, index: Index, settings: PsqHmmSettings, scope: Scope) -> IndexSystem:
    table = read_model("translation", index, settings.model, read_reversed)
    psq = Psq(index, table.pruned(settings.least, settings.mass).turned())
    return psq_system(name, psq, Hmm(settings.alpha), settings, index, scope)


def psq_system(
    name: str,
    psq: Psq,
    weighting: Weighting,
    settings: PsqSettings | PsqHmmSettings,
    index: Index,
    scope: Scope,
) -> IndexSystem:
    plain = Sparse(name, psq, weighting, index, scope)
    if not settings.indexed:
        return plain
    return IndexedPsq(plain, psq, model_folder(index, settings.model) / f"indexed-{name}")


def plain_bm25(settings: Bm25) -> Bm25:
    """The BM25 part of settings that hold more."""
    return Bm25(settings.k1, settings.b, settings.k3, settings.idf, settings.saturation)


def read_table(folder: Path, index: Index) -> Translations:
    artifact = store.read(folder / TABLE, KIND, VERSION)
    check_analyzers(artifact, index)
    return translations_of(artifact)


def read_reversed(folder: Path, index: Index) -> Translations:
    """p(f | e), of the same training as the table beside it."""
    table, artifact = (store.read(folder / name, KIND, VERSION) for name in (TABLE, REVERSED))
    check_analyzers(table, index)
    if artifact.meta.made_from != table.meta.made_from:
        raise FileError(artifact.folder, None, "was not made with the table beside it: train it again")
    return translations_of(artifact)
