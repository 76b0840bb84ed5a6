"""Systems that translate the query: structured queries from a table or from n-best lists, and direct translation."""

from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from kakehashi import store
from kakehashi.corpus.parallel_text.sentence_pair import Languages
from kakehashi.errors import InputError
from kakehashi.index.holdings import Holdings
from kakehashi.lexicon.decoder import KIND, LONGEST, VERSION, Decoder
from kakehashi.lexicon.linking import Linker
from kakehashi.lexicon.remembered import Remembered
from kakehashi.lexicon.translations import Translations
from kakehashi.lexicon.translator import BatchTranslator
from kakehashi.lexicon.translators import open_external
from kakehashi.query.nbest import NbestPsq
from kakehashi.query.psq import Psq
from kakehashi.query.translated import Translated
from kakehashi.retrieve.indexed_psq import IndexedPsq
from kakehashi.retrieve.sparse import Sparse
from kakehashi.retrieve.system import IndexSystem
from kakehashi.retrieve.weighting import Bm25, Hmm, Weighting
from kakehashi.settings import ModelName
from kakehashi.systems.models import check_analyzers, has_model, read_model
from kakehashi.systems.spec import Opening, SystemSpec
from kakehashi.systems.translation import (
    DECODER,
    MODEL,
    REVERSED,
    TABLE,
    TRAINER,
    LeastProbability,
    ProbabilityMass,
    read_reversed,
    read_table,
)

KEPT = "translated"  # the folder of cached translations inside a model


Indexed = Annotated[
    bool,
    Meta(
        description="Answer from documents indexed in the words of queries: same scores, faster, for more disk "
        "and memory."
    ),
]


class PsqSettings(Bm25, frozen=True, forbid_unknown_fields=True):
    """BM25 over translated words, and which translations of a word are used."""

    model: ModelName = "translation"
    least: LeastProbability = 0.01
    mass: ProbabilityMass = 0.95
    indexed: Indexed = False


class PsqHmmSettings(Hmm, frozen=True, forbid_unknown_fields=True):
    """A language model over translated words, and which query words a document word counts for."""

    model: ModelName = "translation"
    least: Annotated[
        float,
        Meta(
            description="Drop query words that a document word translates with this probability or below; the most "
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
    indexed: Indexed = False


class DtSettings(Bm25, frozen=True, forbid_unknown_fields=True):
    """BM25 over a translated query, and how it is translated."""

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
            description="Name of the model of a service; for a program, a label that keeps its cached "
            "translations separate."
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


class NbestSettings(DtSettings, frozen=True, forbid_unknown_fields=True):
    """BM25 over groups of expected translations, and how n-best lists are made and read."""

    n: Annotated[int, Meta(description="Translations per sentence, before `lists` merges duplicates.")] = 100
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
    mass: ProbabilityMass = 0.95
    lists: Annotated[
        Literal["unique", "standard"],
        Meta(
            description="`unique` counts translations of the same words once, with the best score; `standard` counts "
            "every way in which the translator found them."
        ),
    ] = "unique"
    share: Annotated[
        float, Meta(description="Weight of the n-best list; the rest goes to the lexical table.")
    ] = 1.0


def open_psq(opening: Opening) -> IndexSystem:
    settings = opening.settings
    table = read_table(opening.holdings, settings.model).pruned(settings.least, settings.mass)
    return _psq(opening, "indexed-psq", table, plain_bm25(settings))


def open_psq_hmm(opening: Opening) -> IndexSystem:
    settings = opening.settings
    table = read_reversed(opening.holdings, settings.model).pruned(settings.least, settings.mass)
    return _psq(opening, "indexed-psq-hmm", table.turned(), Hmm(settings.alpha))


def _psq(opening: Opening, kept: str, table: Translations, weighting: Weighting) -> IndexSystem:
    """`kept` is the folder of the precomputed index inside the model's folder."""
    holdings = opening.holdings
    psq = Psq(holdings.index, table)
    plain = Sparse(opening.name, psq, weighting, holdings.index)
    if not opening.settings.indexed:
        return plain
    return IndexedPsq(plain, psq, holdings.model_folder(opening.settings.model) / kept)


def open_dt(opening: Opening) -> Sparse:
    index, settings = opening.holdings.index, opening.settings
    translator, linker = open_translator(opening.holdings, settings)
    return Sparse(opening.name, Translated(index, translator, LONGEST, linker), plain_bm25(settings), index)


def open_nbest(opening: Opening) -> Sparse:
    holdings, settings = opening.holdings, opening.settings
    unique = settings.lists == "unique"
    translator, linker = open_translator(holdings, settings, must_link=True, unique=unique)
    compiler = NbestPsq(
        holdings.index,
        translator,
        LONGEST,
        settings.n,
        settings.scale,
        settings.least,
        settings.mass,
        settings.share,
        read_table(holdings, settings.model) if settings.share < 1.0 else None,
        linker,
        unique,
    )
    return Sparse(opening.name, compiler, plain_bm25(settings), holdings.index)


def open_translator(
    holdings: Holdings, settings: DtSettings, must_link: bool = False, unique: bool = True
) -> tuple[BatchTranslator, Linker | None]:
    """The caching translator, and a linker if it returns no links; translations are cached in the model's folder."""
    if not settings.translator:
        return _open_decoder(holdings, settings, unique), None
    source, target = holdings.index.source_analyzer, holdings.index.analyzer
    external = open_external(
        settings.translator,
        settings.translator_model,
        settings.timeout,
        settings.beam,
        Languages(source.settings.lang, target.settings.lang),
    )
    linker = Linker(source, target, _linking_table(holdings, settings.model, must_link))
    kept = holdings.model_folder(settings.model) / KEPT
    return Remembered(external, kept, settings.batch), linker


def _open_decoder(holdings: Holdings, settings: DtSettings, unique: bool) -> BatchTranslator:
    def read(folder: Path) -> BatchTranslator:
        artifact = store.read(folder / DECODER, KIND, VERSION)
        check_analyzers(artifact, holdings)
        decoder = Decoder(artifact, settings.beam, settings.reorder, unique)
        return Remembered(decoder, folder / KEPT, settings.batch)

    return read_model(MODEL, holdings, settings.model, read, "decoder=true")


def _linking_table(holdings: Holdings, model: str, must_link: bool) -> Translations | None:
    """None only if no table was ever trained: one that cannot be used is an error."""
    folder = holdings.model_folder(model)
    if (folder / TABLE).exists():
        return read_table(holdings, model)
    if must_link:
        own = "" if model == MODEL else f" --name {model}"
        train = f"kakehashi train {MODEL} {holdings.folder}{own}"
        raise InputError(f"{folder} has no translation table to link words with: run {train}")
    return None


def plain_bm25(settings: Bm25) -> Bm25:
    """The BM25 part of larger settings."""
    return Bm25(settings.k1, settings.b, settings.k3, settings.idf, settings.saturation)


SPECS = (
    SystemSpec(
        "dt",
        "Sparse",
        "direct translation with a phrase-based decoder or any other translator, then BM25",
        DtSettings,
        open_dt,
        trainer=TRAINER,
        is_trained=has_model(MODEL, DECODER),
    ),
    SystemSpec(
        "psq",
        "Sparse",
        "probabilistic structured query: BM25 over the set of translations of every word",
        PsqSettings,
        open_psq,
        trainer=TRAINER,
        is_trained=has_model(MODEL, TABLE),
        quick=True,
    ),
    SystemSpec(
        "psq-hmm",
        "Sparse",
        "probabilistic structured query with a language model smoothed by the collection",
        PsqHmmSettings,
        open_psq_hmm,
        trainer=TRAINER,
        is_trained=has_model(MODEL, REVERSED),
        quick=True,
    ),
    SystemSpec(
        "psq-nbest",
        "Sparse",
        "structured query: BM25 over the n best translations of each sentence",
        NbestSettings,
        open_nbest,
        trainer=TRAINER,
        is_trained=has_model(MODEL, DECODER),
    ),
)
