"""The systems `dt`, translate the query, then BM25, and `psq-nbest`, structured queries from lists of translations."""

from pathlib import Path
from typing import Annotated

from msgspec import Meta

from kakehashi import store
from kakehashi.corpus.parallel_text.sentence_pair import Languages
from kakehashi.errors import InputError
from kakehashi.index.index import Index
from kakehashi.lexicon.decoder import KIND, LONGEST, VERSION, Decoder
from kakehashi.lexicon.linking import Linker
from kakehashi.lexicon.remembered import Remembered
from kakehashi.lexicon.translations import Translations
from kakehashi.lexicon.translator import BatchTranslator
from kakehashi.lexicon.translators import open_external
from kakehashi.query.nbest import NbestPsq
from kakehashi.query.translated import Translated
from kakehashi.retrieve.models import check_analyzers, model_folder, read_model
from kakehashi.retrieve.psq import TABLE, plain_bm25, read_table
from kakehashi.retrieve.sparse import Scope, Sparse
from kakehashi.retrieve.weighting import Bm25
from kakehashi.settings import ModelName

DECODER, KEPT = "decoder", "translated"  # folders inside a translation model


class DtSettings(Bm25, frozen=True, forbid_unknown_fields=True):
    """BM25 over a translated query; how it is translated."""

    model: ModelName = "translation"
    beam: Annotated[
        int,
        Meta(
            description="Hypotheses the decoder follows; more is slower and seldom better. Also the beam of a "
            "CTranslate2 model."
        ),
    ] = 10
    reorder: Annotated[
        int,
        Meta(
            description="How many words a phrase may jump; 0 keeps the order of the source and is about ten times "
            "faster than 2."
        ),
    ] = 0
    translator: Annotated[
        str,
        Meta(
            description="Translator to use instead of the collection's decoder: `command:PROGRAM ARGUMENTS`, "
            "`ctranslate2:FOLDER`, or the http(s) address of a chat-completions service. Empty: the "
            "decoder."
        ),
    ] = ""
    translator_model: Annotated[
        str,
        Meta(
            description="Model to ask a service for; with a program, a label that keeps its translations apart."
        ),
    ] = ""
    timeout: Annotated[
        float,
        Meta(
            description="Seconds that a program may take for a batch, or a service for a sentence; at most 86400."
        ),
    ] = 60.0
    batch: Annotated[
        int, Meta(description="Sentences translated at once and then saved to disk, 1 to 10,000.")
    ] = 16

    def __post_init__(self) -> None:
        Bm25.__post_init__(self)
        if not 0 < self.timeout <= 86_400:
            raise InputError(f"timeout must be above 0 and at most 86400 seconds, not {self.timeout}")
        if not 1 <= self.batch <= 10_000:
            raise InputError(f"batch must be 1 to 10000, not {self.batch}")


def open_dt(name: str, index: Index, settings: DtSettings, scope: Scope) -> Sparse:
    translator, linker = open_translator(index, settings)
    return Sparse(name, Translated(index, translator, LONGEST, linker), plain_bm25(settings), index, scope)


class NbestSettings(DtSettings, frozen=True, forbid_unknown_fields=True):
    """BM25 over groups of expected translations; how lists are made and read."""

    n: Annotated[int, Meta(description="Translations per sentence, before duplicates are merged.")] = 100
    scale: Annotated[
        float,
        Meta(
            description="Factor for the decoder's scores before they become shares of the list; below 1 makes the "
            "shares more even."
        ),
    ] = 1.0
    least: Annotated[
        float,
        Meta(
            description="Drop translations of a word of this probability or below; the most probable one always "
            "stays."
        ),
    ] = 0.005
    mass: Annotated[
        float,
        Meta(
            description="Drop a word's translations after the one at which their probabilities, in descending "
            "order, add up to this."
        ),
    ] = 0.95
    share: Annotated[float, Meta(description="Weight of the list; the lexical table has the rest.")] = 1.0


def open_nbest(name: str, index: Index, settings: NbestSettings, scope: Scope) -> Sparse:
    translator, linker = open_translator(index, settings, must_link=True)
    compiler = NbestPsq(
        index,
        translator,
        LONGEST,
        settings.n,
        settings.scale,
        settings.least,
        settings.mass,
        settings.share,
        read_model("translation", index, settings.model, read_table) if settings.share < 1.0 else None,
        linker,
    )
    return Sparse(name, compiler, plain_bm25(settings), index, scope)


def open_translator(
    index: Index, settings: DtSettings, must_link: bool = False
) -> tuple[BatchTranslator, Linker | None]:
    """The translator that remembers, and a linker if it gives no links; what it translated lies with the model."""
    if not settings.translator:
        return _open_decoder(index, settings), None
    languages = Languages(index.source_analyzer.settings.lang, index.analyzer.settings.lang)
    external = open_external(
        settings.translator, settings.translator_model, settings.timeout, settings.beam, languages
    )
    linker = Linker(index.source_analyzer, index.analyzer, _linking_table(index, settings.model, must_link))
    kept = model_folder(index, settings.model) / KEPT
    return Remembered(external, kept, settings.batch), linker


def _open_decoder(index: Index, settings: DtSettings) -> BatchTranslator:
    def read(folder: Path, index: Index) -> BatchTranslator:
        artifact = store.read(folder / DECODER, KIND, VERSION)
        check_analyzers(artifact, index)
        decoder = Decoder(artifact, settings.beam, settings.reorder)
        return Remembered(decoder, folder / KEPT, settings.batch)

    return read_model("translation", index, settings.model, read)


def _linking_table(index: Index, model: str, must_link: bool) -> Translations | None:
    """None only where no table was ever trained: one that cannot be used is an error."""
    folder = model_folder(index, model)
    if (folder / TABLE).exists():
        return read_model("translation", index, model, read_table)
    if must_link:
        own = "" if model == "translation" else f" --name {model}"
        train = f"kakehashi train translation {index.folder.parent} --set decoder=false{own}"
        raise InputError(f"{folder} has no table to link words with: run {train}")
    return None
