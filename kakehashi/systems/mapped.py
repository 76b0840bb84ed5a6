"""The model `mapped`, words of both languages in one space, and `psq` with the nearest words among the translations."""

from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from kakehashi import store
from kakehashi.errors import InputError
from kakehashi.index.holdings import Holdings
from kakehashi.learn.procrustes import mapped
from kakehashi.learn.skipgram import SkipGramSettings, train_skipgram
from kakehashi.lexicon.mapped import KIND, VERSION, MappedWords, mapped_of
from kakehashi.lexicon.neighbours import nearest
from kakehashi.lexicon.related import RelatedWords
from kakehashi.lexicon.translations import interpolated
from kakehashi.query.psq import Psq
from kakehashi.retrieve.sparse import Sparse
from kakehashi.retrieve.weighting import Bm25
from kakehashi.settings import ModelName
from kakehashi.systems.models import check_analyzers, has_model, read_model
from kakehashi.systems.related import MODEL as RELATED
from kakehashi.systems.related import read_related
from kakehashi.systems.spec import Opening, SystemSpec, Trainer
from kakehashi.systems.translation import MODEL as TRANSLATION
from kakehashi.systems.translation import TABLE, LeastProbability, ProbabilityMass, read_reversed, read_table
from kakehashi.training.job import Job
from kakehashi.training.mapping import confident_pairs, source_texts
from kakehashi.training.outcome import Outcome
from kakehashi.training.relating import SKIPGRAM, frequent_terms
from kakehashi.training.settings import combined, part
from kakehashi.types import Floats32

MODEL = "mapped"
FEWEST = 10  # pairs of words without which a rotation is arbitrary

TableName = Annotated[
    str, Meta(description="Name of the translation table, as given to `kakehashi train translation`.")
]


class MappedSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How word vectors of the queries' language are learned and mapped onto those of the documents' language."""

    related: Annotated[
        str,
        Meta(
            description="Name of the related words whose skip-gram vectors are those of the documents' language, as "
            "given to `kakehashi train related`."
        ),
    ] = RELATED
    translation: TableName = TRANSLATION
    confidence: Annotated[
        float,
        Meta(
            description="The mapping is learned from words that are each other's most probable translation, with at "
            "least this probability."
        ),
    ] = 0.5
    links: Annotated[
        float, Meta(description="The mapping is learned from words that were linked at least this often.")
    ] = 5.0
    least: Annotated[
        float,
        Meta(description="Keep words from this similarity on; searches can use any threshold above it."),
    ] = 0.3
    most: Annotated[int, Meta(description="Keep this many of the nearest words of each word.")] = 50
    least_count: Annotated[
        int, Meta(description="Words that occur less often in the text have no vectors.")
    ] = 5
    text: Annotated[
        str,
        Meta(
            description="Further files of text in the queries' language, one text per line; vectors are learned from "
            "them, too."
        ),
    ] = ""
    seed: Annotated[int, Meta(description="Seed of the random numbers.")] = 1


MappedTraining = combined(
    "MappedTraining", "Training settings of `mapped`.", MappedSettings, SkipGramSettings
)


def train(job: Job) -> Outcome:
    """Learn vectors of the queries' language and rotate them onto those of the documents' language."""
    holdings, settings, progress = job.holdings, job.settings, job.progress
    related = read_related(holdings, settings.related)
    targets = _vectors_of(related, settings)
    table = read_table(holdings, settings.translation)
    reverse = read_reversed(holdings, settings.translation)
    files = [Path(path) for path in settings.text.split()]
    texts = source_texts(holdings, job.parallel, files, progress)
    sources = frequent_terms(texts, settings.least_count)
    numbers = {word: number for number, word in enumerate(sources)}
    pairs = confident_pairs(table, reverse, (numbers, related.numbers), settings.confidence, settings.links)
    if len(pairs[0]) < FEWEST:
        raise InputError(
            f"only {len(pairs[0])} pairs of words are sure translations, too few to map vectors by: lower confidence "
            "or links, or train the translation with more text"
        )
    own = part(settings, SkipGramSettings)
    vectors = train_skipgram(texts, sources, own, settings.seed, progress)
    both = mapped(vectors, targets, pairs)
    near = nearest(*both, settings.least, settings.most, threads=job.threads, progress=progress)
    model = MappedWords(sources, related.terms, near, settings.least, holdings.fingerprints)
    made_from = {
        **holdings.origin,
        "texts": len(texts.ends),
        "words": len(sources),
        "pairs": len(pairs[0]),
    }
    model.save(job.folder, msgspec.to_builtins(settings), made_from, settings.seed)
    told = [f"mapped {len(sources)} words by {len(pairs[0])} pairs of sure translations"]
    return Outcome(0, [], [], near.n_entries, made_from, told, counted="pairs of near words")


def _vectors_of(related: RelatedWords, settings: Any) -> Floats32:
    """The documents' side; checked before anything is learned."""
    name, dimensions = settings.related, settings.dimensions
    vectors = related.vectors.get(SKIPGRAM)
    if vectors is None:
        raise InputError(
            f"the related words '{name}' have no skip-gram vectors: kakehashi train related DIR --name {name} "
            "--set 'kinds=skipgram'"
        )
    if vectors.shape[1] != dimensions:
        raise InputError(
            f"the vectors of '{name}' have {vectors.shape[1]} dimensions: set dimensions={vectors.shape[1]}"
        )
    return vectors


def read_mapped(holdings: Holdings, model: str = MODEL) -> MappedWords:
    def read(folder: Path) -> MappedWords:
        return mapped_of(check_analyzers(store.read(folder, KIND, VERSION), holdings))

    return read_model(MODEL, holdings, model, read)


class PsqMappedSettings(Bm25, frozen=True, forbid_unknown_fields=True):
    """BM25 over translated words and the words nearest to each word of the query."""

    model: ModelName = MODEL
    translation: TableName = TRANSLATION
    least: LeastProbability = 0.01
    mass: ProbabilityMass = 0.95
    threshold: Annotated[float, Meta(description="Words are near from this similarity on.")] = 0.4
    most: Annotated[int, Meta(description="Use this many of the nearest words of each word.")] = 3
    share: Annotated[
        float,
        Meta(
            description="Share of a word's probability that goes to its nearest words; its translations get the rest. "
            "1 uses translations only for words without near words."
        ),
    ] = 0.5
    untranslated: Annotated[
        bool,
        Meta(
            description="Whether a word without translations is searched for by its nearest words; otherwise it is "
            "searched for as it is."
        ),
    ] = False


def open_psq_mapped(opening: Opening) -> Sparse:
    holdings, settings = opening.holdings, opening.settings
    model = read_mapped(holdings, settings.model)
    table = read_table(holdings, settings.translation).pruned(settings.least, settings.mass)
    words = None if settings.untranslated else table.numbers
    near = model.as_table(settings.threshold, settings.most, words)
    mixed = interpolated(near, table, settings.share)
    return Sparse(opening.name, Psq(holdings.index, mixed), part(settings, Bm25), holdings.index)


def _has_both(holdings: Holdings) -> bool:
    return has_model(MODEL)(holdings) and has_model(TRANSLATION, TABLE)(holdings)


TRAINER = Trainer(
    MODEL,
    "Map word vectors of the queries' language onto those of the documents' language.",
    MappedTraining,
    train,
    turn=7,
    needs=("parallel text", "gensim"),
    takes_text=True,
    asked=True,
)

SPECS = (
    SystemSpec(
        "psq-mapped",
        "Sparse",
        "psq that also searches for the words nearest to each word in a space of both languages",
        PsqMappedSettings,
        open_psq_mapped,
        trainer=TRAINER,
        is_trained=_has_both,
    ),
)
