"""The model `translation`, shared by several systems: tables of both directions, and a decoder over words."""

import shutil
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from kakehashi import store
from kakehashi.errors import FileError, InputError
from kakehashi.index.holdings import Holdings
from kakehashi.lexicon.alignment import AlignmentSettings, align
from kakehashi.lexicon.decoder import DecoderSettings, train_decoder
from kakehashi.lexicon.translations import KIND, VERSION, Translations, translations_of
from kakehashi.systems.models import check_analyzers, read_model
from kakehashi.systems.spec import Trainer
from kakehashi.training.job import Job
from kakehashi.training.linked_terms import tables_of
from kakehashi.training.outcome import Outcome
from kakehashi.training.parallel_text import TextSettings, gather
from kakehashi.training.settings import combined, part

MODEL = "translation"
TABLE, REVERSED = "table", "reversed"  # folders inside a model: p(e | f) and p(f | e)
DECODER = "decoder"

LeastProbability = Annotated[
    float,
    Meta(description="Drop translations of this probability or below; the most probable one always stays."),
]
ProbabilityMass = Annotated[
    float,
    Meta(
        description="Drop a word's translations after the one at which their probabilities, in descending order, "
        "add up to this."
    ),
]


class WithDecoder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is trained in addition to the tables."""

    decoder: Annotated[
        bool,
        Meta(
            description="Also train a phrase-based decoder, which `dt` and `psq-nbest` need; it takes several times "
            "as long as the tables."
        ),
    ] = False


class WordSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is aligned: terms, after stop list and stemming, or words, whose links become links of terms."""

    words: Annotated[
        Literal["terms", "surface"],
        Meta(
            description="What is aligned: `terms`, after stop list and stemming, or `surface`, the words as "
            "written, whose links then become links of their terms; a word of two terms links both, a "
            "stop word none."
        ),
    ] = "terms"


TranslationTraining = combined(
    "TranslationTraining",
    "Training settings of translation.",
    AlignmentSettings,
    WordSettings,
    TextSettings,
    WithDecoder,
    DecoderSettings,
)


def train(job: Job) -> Outcome:
    """Write the tables of both directions, and a decoder where one is wanted, into the model's folder."""
    holdings, folder, settings, progress = job.holdings, job.folder, job.settings, job.progress
    source, target = holdings.index.source_analyzer, holdings.index.analyzer
    own, by_surface = part(settings, AlignmentSettings), settings.words == "surface"
    if not (source.is_chunk_local and target.is_chunk_local):
        raise InputError("translation links single words: index the collection with ngrams=1 on both sides")
    text = gather(holdings.collection, job.parallel, part(settings, TextSettings), progress)
    read = (source.surface, target.surface) if by_surface else (source, target)
    pairs = text.words(*read, own, text.tallies, progress)
    if not pairs:
        raise InputError(
            f"{holdings.folder} has no parallel.tsv with words on both sides: give text with --parallel"
        )
    links = align(pairs, own, progress)
    terms = (source.chunk_terms, target.chunk_terms) if by_surface else None
    table, reverse = tables_of(pairs, links, holdings.fingerprints, terms)
    made_from = {
        **holdings.origin,
        "sentence_pairs": len(pairs),
        "parallel_text": [tally.record() for tally in text.tallies],
        "links": len(links.pairs),
        "words": len(table),
        "entries": table.n_entries,
    }
    values = msgspec.to_builtins(settings)
    if settings.decoder:
        surface = pairs if by_surface else text.words(source.surface, target.surface, own)
        sizes = part(settings, DecoderSettings)
        made_from["decoder"] = train_decoder(
            folder / DECODER, surface, sizes, own, holdings.fingerprints, progress
        )
    else:
        shutil.rmtree(folder / DECODER, ignore_errors=True)  # an old one does not match these tables
    reverse.save(folder / REVERSED, values, made_from)
    table.save(folder / TABLE, values, made_from)
    told = [tally.told() for tally in text.tallies]
    return Outcome(0, [], [], table.n_entries, made_from, told)


def read_table(holdings: Holdings, model: str = MODEL) -> Translations:
    """p(e | f)"""

    def read(folder: Path) -> Translations:
        return translations_of(check_analyzers(store.read(folder / TABLE, KIND, VERSION), holdings))

    return read_model(MODEL, holdings, model, read)


def read_reversed(holdings: Holdings, model: str = MODEL) -> Translations:
    """p(f | e), from the same training as the table next to it."""

    def read(folder: Path) -> Translations:
        table, artifact = (store.read(folder / name, KIND, VERSION) for name in (TABLE, REVERSED))
        check_analyzers(table, holdings)
        if artifact.meta.made_from != table.meta.made_from:
            raise FileError(artifact.folder, None, "was not trained together with its table: train it again")
        return translations_of(artifact)

    return read_model(MODEL, holdings, model, read)


TRAINER = Trainer(
    MODEL,
    "Align the words of parallel sentences and estimate translation probabilities.",
    TranslationTraining,
    train,
    turn=1,
    needs=("parallel text",),
    parts=(TABLE, REVERSED, DECODER),
    takes_text=True,
)
