"""Skip-gram word vectors with negative sampling, trained by gensim on one thread, so that a seed fixes the result."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta

from kakehashi.errors import InputError
from kakehashi.progress import SILENT, Progress
from kakehashi.types import Floats32, Ints, Longs

LONGEST = 10_000  # gensim cuts longer sentences off


class SkipGramSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How word vectors are learned from the words around a word."""

    dimensions: Annotated[int, Meta(description="Length of the skip-gram vectors.")] = 300
    window: Annotated[int, Meta(description="Words on each side of a word that it is learned from.")] = 5
    negative: Annotated[int, Meta(description="Random words that each word is distinguished from.")] = 10
    sample: Annotated[
        float,
        Meta(description="Words with a larger share of the text than this are partly skipped; 0 skips none."),
    ] = 1e-4
    epochs: Annotated[int, Meta(description="Passes over the text.")] = 20

    def __post_init__(self) -> None:
        if min(self.dimensions, self.window, self.negative, self.epochs) < 1 or not 0 <= self.sample < 1:
            raise InputError(
                "skip-gram needs dimensions, window, negative and epochs of at least 1, and 0 <= sample < 1"
            )


@dataclass(frozen=True)
class Texts:
    """Analysed texts as numbers of terms, which gensim reads once per epoch."""

    terms: list[str]
    words: Ints  # (tokens,)
    ends: Longs  # (texts,)

    def __iter__(self) -> Iterator[list[str]]:
        start, terms = 0, self.terms
        for end in self.ends.tolist():
            for first in range(start, end, LONGEST):
                yield [terms[word] for word in self.words[first : min(first + LONGEST, end)].tolist()]
            start = end

    def counts(self) -> Longs:
        return np.bincount(self.words, minlength=len(self.terms)).astype(np.int64)


def has_gensim() -> bool:
    from importlib.util import find_spec

    return find_spec("gensim") is not None


def train_skipgram(
    texts: Texts, terms: tuple[str, ...], settings: SkipGramSettings, seed: int, progress: Progress = SILENT
) -> Floats32:
    """(terms, dimensions) vectors of the given terms, which all occur; all other words are dropped from the text."""
    try:
        from gensim.models import Word2Vec
        from gensim.models.callbacks import CallbackAny2Vec
    except ImportError:
        raise InputError(
            "skip-gram vectors need the package gensim: pip install 'kakehashi[related]', or --set kinds=lsi"
        ) from None

    class Epochs(CallbackAny2Vec):  # type: ignore[misc]
        def on_epoch_end(self, model: Any) -> None:
            progress.advance()

    counts = dict(zip(texts.terms, texts.counts().tolist(), strict=True))
    model = Word2Vec(
        vector_size=settings.dimensions,
        window=settings.window,
        negative=settings.negative,
        sample=settings.sample,
        sg=1,
        hs=0,
        min_count=1,
        workers=1,
        seed=seed,
    )
    model.build_vocab_from_freq({term: counts[term] for term in terms}, corpus_count=len(texts.ends))
    progress.start("training skip-gram vectors", settings.epochs)
    try:
        model.train(
            texts,
            total_examples=len(texts.ends),
            total_words=int(sum(counts[term] for term in terms)),
            epochs=settings.epochs,
            callbacks=[Epochs()],
        )
    finally:
        progress.finish()
    places = [model.wv.key_to_index[term] for term in terms]
    return np.ascontiguousarray(model.wv.vectors[places], dtype=np.float32)
