"""The system `dt`: translate the query, then BM25."""

from pathlib import Path

from kakehashi import store
from kakehashi.index.index import Index
from kakehashi.lexicon.decoder import KIND, LONGEST, VERSION, Decoder
from kakehashi.lexicon.remembered import Remembered
from kakehashi.lexicon.translator import Translator
from kakehashi.query.translated import Translated
from kakehashi.retrieve.models import check_analyzers, read_model
from kakehashi.retrieve.sparse import Scope, Sparse
from kakehashi.retrieve.weighting import Bm25

DECODER, KEPT = "decoder", "translated"  # folders inside a translation model


class DtSettings(Bm25, frozen=True, forbid_unknown_fields=True):
    """BM25 over a translated query; how it is translated."""

    model: str = "translation"
    beam: int = 10  # hypotheses the decoder follows
    reorder: int = 0  # how many words a phrase may jump; 0: word order stays


def open_dt(name: str, index: Index, settings: DtSettings, scope: Scope) -> Sparse:
    def read(folder: Path, index: Index) -> Translator:
        return read_decoder(folder, index, settings.beam, settings.reorder)

    translator = read_model("translation", index, settings.model, read)
    bm25 = Bm25(settings.k1, settings.b, settings.k3, settings.idf, settings.saturation)
    return Sparse(name, Translated(index, translator, LONGEST), bm25, index, scope)


def read_decoder(folder: Path, index: Index, beam: int, reorder: int) -> Translator:
    """What was translated before is kept beside the decoder."""
    artifact = store.read(folder / DECODER, KIND, VERSION)
    check_analyzers(artifact, index)
    return Remembered(Decoder(artifact, beam, reorder), folder / KEPT)
