"""The systems `dt`, translate the query, then BM25, and `psq-nbest`, structured queries from lists of translations."""

from pathlib import Path

from kakehashi import store
from kakehashi.index.index import Index
from kakehashi.lexicon.decoder import KIND, LONGEST, VERSION, Decoder
from kakehashi.lexicon.remembered import Remembered
from kakehashi.lexicon.translator import Translator
from kakehashi.query.nbest import NbestPsq
from kakehashi.query.translated import Translated
from kakehashi.retrieve.models import check_analyzers, read_model
from kakehashi.retrieve.psq import plain_bm25, read_table
from kakehashi.retrieve.sparse import Scope, Sparse
from kakehashi.retrieve.weighting import Bm25

DECODER, KEPT = "decoder", "translated"  # folders inside a translation model


class DtSettings(Bm25, frozen=True, forbid_unknown_fields=True):
    """BM25 over a translated query; how it is translated."""

    model: str = "translation"
    beam: int = 10  # hypotheses the decoder follows
    reorder: int = 0  # how many words a phrase may jump; 0: word order stays


def open_dt(name: str, index: Index, settings: DtSettings, scope: Scope) -> Sparse:
    translator = open_decoder(index, settings)
    return Sparse(name, Translated(index, translator, LONGEST), plain_bm25(settings), index, scope)


class NbestSettings(DtSettings, frozen=True, forbid_unknown_fields=True):
    """BM25 over groups of expected translations; how lists are made and read."""

    beam: int = 50
    reorder: int = 0
    n: int = 100  # translations of a sentence, before duplicates are merged
    scale: float = 1.0  # of the decoder's scores: below 1, a list counts more evenly
    least: float = 0.005
    mass: float = 0.95
    share: float = 1.0  # of the list, the rest being that of the lexical table


def open_nbest(name: str, index: Index, settings: NbestSettings, scope: Scope) -> Sparse:
    compiler = NbestPsq(
        index,
        open_decoder(index, settings),
        LONGEST,
        settings.n,
        settings.scale,
        settings.least,
        settings.mass,
        settings.share,
        read_model("translation", index, settings.model, read_table) if settings.share < 1.0 else None,
    )
    return Sparse(name, compiler, plain_bm25(settings), index, scope)


def open_decoder(index: Index, settings: DtSettings) -> Translator:
    """What was translated before is kept beside the decoder."""

    def read(folder: Path, index: Index) -> Translator:
        artifact = store.read(folder / DECODER, KIND, VERSION)
        check_analyzers(artifact, index)
        return Remembered(Decoder(artifact, settings.beam, settings.reorder), folder / KEPT)

    return read_model("translation", index, settings.model, read)
