"""The model `related`, shared by the extended systems: which words of the documents are related to which."""

from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
import xxhash
from msgspec import Meta

from kakehashi import store
from kakehashi.errors import FileError, InputError
from kakehashi.index.holdings import Holdings
from kakehashi.learn.retrofit import Form
from kakehashi.learn.skipgram import SkipGramSettings, Texts, train_skipgram
from kakehashi.learn.vectors import Words, take
from kakehashi.learn.word_vectors import LsiSettings, lsi_vectors
from kakehashi.lexicon.related import KIND, VERSION, RelatedWords, related_of
from kakehashi.lexicon.relations import parse_lexicons, read_lexicon
from kakehashi.systems.models import check_analyzers, read_model
from kakehashi.systems.spec import Trainer
from kakehashi.training.job import Job
from kakehashi.training.outcome import Outcome
from kakehashi.training.relating import SKIPGRAM, Relating, frequent_terms, parse_kind, read_texts
from kakehashi.training.settings import combined, part
from kakehashi.types import Floats32

MODEL = "related"


class RelatedSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which words are related, and where that is learned or read from."""

    kinds: Annotated[
        str,
        Meta(
            description="Kinds of related words to make: `skipgram`, `lsi`, the name of a lexicon, `retro-` and a "
            "lexicon or LSI from a threshold on (`retro-ppdb`, `retro-lsi@0.7`), `extretro-` and two of them."
        ),
    ] = "skipgram lsi"
    least: Annotated[
        float,
        Meta(
            description="Keep pairs of words from this similarity on; searches can use any threshold above it."
        ),
    ] = 0.5
    least_count: Annotated[
        int, Meta(description="Words that occur less often in the text have no vectors.")
    ] = 5
    lexicons: Annotated[
        str,
        Meta(
            description="Lexicons as `name=path`, with blanks in between: files whose lines are a word and its "
            "related words, or the folder of WordNet's data files, as in `wordnet=wordnet/dict`. A name that ends "
            "with + takes hypernyms and hyponyms from WordNet, too."
        ),
    ] = ""
    text: Annotated[
        str,
        Meta(
            description="Further files of text in the documents' language, one text per line; skip-gram learns from "
            "them, too."
        ),
    ] = ""
    gamma: Annotated[
        float, Meta(description="`extretro`: weight of the first resource; the second has the rest.")
    ] = 0.5
    form: Annotated[
        Form,
        Meta(
            description="`extretro`: whether the weights of the resources also stand in the denominator "
            "(`consistent`) or not (`printed`, as in the paper, which shortens vectors)."
        ),
    ] = "consistent"
    seed: Annotated[int, Meta(description="Seed of the random numbers.")] = 1


RelatedTraining = combined(
    "RelatedTraining", "Training settings of `related`.", RelatedSettings, SkipGramSettings, LsiSettings
)


def train(job: Job) -> Outcome:
    """Learn vectors, or reuse those of the model where nothing they depend on has changed, and relate words."""
    holdings, settings, progress = job.holdings, job.settings, job.progress
    kinds = [parse_kind(name) for name in settings.kinds.split()]
    lexicons = parse_lexicons(settings.lexicons)
    if not kinds:
        raise InputError("kinds names nothing to make: write kinds=skipgram, or kinds=lsi")
    for name in sorted({name for kind in kinds for name in kind.lexicons} - {*lexicons}):
        raise InputError(f"there is no lexicon '{name}': give one with --set lexicons={name}=PATH")
    files = [Path(path) for path in settings.text.split()]
    texts = read_texts(holdings, files, progress)
    terms = frequent_terms(texts, settings.least_count)
    if len(terms) < 2:
        raise InputError(f"no words occur {settings.least_count} times: set a lower least_count")
    made_of = {name: _made_of(name, texts, terms, settings) for name in ("skipgram", "lsi")}
    numbers = {term: number for number, term in enumerate(terms)}
    relating = Relating(
        len(terms),
        settings.least,
        lambda name: _vectors(name, job, texts, terms, made_of[name]),
        lambda name: read_lexicon(name, lexicons[name], numbers, holdings.index.analyzer.terms),
        settings.gamma,
        settings.form,
        job.threads,
        progress,
    )
    found = {kind.name: relating.make(kind) for kind in kinds}
    vectors = {name: each for name, each in relating.vectors.items() if name in found}
    n_entries = sum(each.n_entries for each in found.values())
    made_from = {**holdings.origin, "texts": len(texts.ends), "words": len(terms), "vectors": made_of}
    model = RelatedWords(terms, found, vectors, settings.least, holdings.fingerprints)
    model.save(job.folder, msgspec.to_builtins(settings), made_from, settings.seed)
    told = [f"{name}: {each.n_entries} pairs of {len(terms)} words" for name, each in found.items()]
    return Outcome(0, [], [], n_entries, made_from, told, counted="pairs of related words")


def _made_of(name: str, texts: Texts, terms: tuple[str, ...], settings: Any) -> str:
    """A checksum of all that vectors depend on."""
    own = part(settings, SkipGramSettings if name == SKIPGRAM else LsiSettings)
    digest = xxhash.xxh3_128(
        msgspec.json.encode([msgspec.to_builtins(own), settings.seed, terms, texts.terms])
    )
    digest.update(texts.words.tobytes())
    digest.update(texts.ends.tobytes())
    return digest.hexdigest()


def _vectors(name: str, job: Job, texts: Texts, terms: tuple[str, ...], made_of: str) -> Floats32:
    try:
        kept = store.read(job.folder, KIND, VERSION)
        if kept.meta.made_from["vectors"].get(name) == made_of and f"{name}.vectors" in kept:
            return np.array(kept.array(f"{name}.vectors"))
    except (FileError, KeyError):  # none yet, or of an older format: it is made below
        pass
    if name == SKIPGRAM:
        own = part(job.settings, SkipGramSettings)
        return train_skipgram(texts, terms, own, job.settings.seed, job.progress)
    index = job.holdings.index
    counted = Words(terms, np.ones(len(terms), np.float32), "tf", unit=False).document_rows(index)
    counts = take(counted, np.flatnonzero(index.numbering.live))
    rng = np.random.default_rng(job.settings.seed)
    return lsi_vectors(counts, len(terms), part(job.settings, LsiSettings), rng)


def read_related(holdings: Holdings, model: str = MODEL) -> RelatedWords:
    def read(folder: Path) -> RelatedWords:
        return related_of(check_analyzers(store.read(folder, KIND, VERSION), holdings))

    return read_model(MODEL, holdings, model, read)


TRAINER = Trainer(
    MODEL,
    "Learn which words of the documents are related: by skip-gram, by LSI, by a lexicon, or by several of them.",
    RelatedTraining,
    train,
    turn=6,
    needs=("one language", "gensim"),
)
