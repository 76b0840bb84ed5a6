"""The system `psq`: every word of the query as the set of its translations, over the inverted index."""

from pathlib import Path

from kakehashi import store
from kakehashi.index.index import Index
from kakehashi.lexicon.translations import KIND, VERSION, Translations, translations_of
from kakehashi.query.psq import Psq
from kakehashi.retrieve.models import check_analyzers, read_model
from kakehashi.retrieve.sparse import Scope, Sparse
from kakehashi.retrieve.weighting import Bm25

TABLE = "table"  # the folder inside a translation model


class PsqSettings(Bm25, frozen=True, forbid_unknown_fields=True):
    """BM25 over translated words; which translations of a word count."""

    model: str = "translation"
    least: float = 0.01  # translations below this probability are left out
    mass: float = 0.95  # so are those after the one at which probabilities add up to this


def open_psq(name: str, index: Index, settings: PsqSettings, scope: Scope) -> Sparse:
    table = read_model("translation", index, settings.model, read_table)
    return psq_system(name, index, table, settings, scope)


def psq_system(name: str, index: Index, table: Translations, settings: PsqSettings, scope: Scope) -> Sparse:
    compiler = Psq(index, table.pruned(settings.least, settings.mass))
    return Sparse(name, compiler, plain_bm25(settings), index, scope)


def plain_bm25(settings: Bm25) -> Bm25:
    """The BM25 part of settings that hold more."""
    return Bm25(settings.k1, settings.b, settings.k3, settings.idf, settings.saturation)


def read_table(folder: Path, index: Index) -> Translations:
    artifact = store.read(folder / TABLE, KIND, VERSION)
    check_analyzers(artifact, index)
    return translations_of(artifact)
