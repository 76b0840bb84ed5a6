"""Searches with vectors of passages: a document is as near to a query as its nearest passage.

    score(q, d) = mean or max over windows w of q of  max over passages p of d  cos(w, p)

or, with one vector for the whole query, the mean of the vectors of its windows takes their place. All passages are
compared, so that no approximate index stands between an encoder and its ranking.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from threading import Lock
from typing import Literal, NamedTuple

import msgspec
import numpy as np

from kakehashi.errors import InputError
from kakehashi.index.index import Index
from kakehashi.progress import SILENT, Progress
from kakehashi.query.terms import check_either
from kakehashi.retrieve.passage_kernels import best_passages
from kakehashi.retrieve.passage_vectors import WORDS, Passages, rounded
from kakehashi.retrieve.probed import Probed
from kakehashi.retrieve.vector_probe import PRODUCT
from kakehashi.text.windows import windows
from kakehashi.types import (
    EVERYTHING,
    PASSAGE,
    Explanation,
    Floats,
    Floats32,
    Longs,
    Scope,
    Share,
    Text,
    largest_first,
)

Combine = Literal["vector", "mean", "max"]
BLOCK = 32  # queries encoded together
KEPT = 4096  # queries whose vectors are kept: every input of a combination, and every explanation, asks again
PIECES = 8  # of a query, whose parts of a score are estimated
WORD = 12  # characters; where words are longer, there are no gaps between them


class Asked(NamedTuple):
    """A query as vectors of whole numbers."""

    numbers: Floats  # (windows, dimensions)
    scales: Floats  # (windows,) 0: the window says nothing

    @property
    def is_known(self) -> bool:
        return bool((self.scales > 0.0).any())


@dataclass(frozen=True)
class QueryEncoder:
    """How a query becomes vectors."""

    encode: Callable[[Sequence[str]], Floats32]  # texts -> unit vectors
    cut: Callable[[Text], list[str]]  # a query -> its windows
    combine: Combine

    def asked(self, vectors: Floats32) -> Asked:
        """From the vectors of all windows."""
        if self.combine == "vector" and len(vectors) > 1:
            mean = vectors.astype(np.float64).sum(axis=0, keepdims=True)
            vectors = (mean / max(float(np.sqrt((mean * mean).sum())), 1e-300)).astype(np.float32)
        return Asked(*rounded(vectors, WORDS))


class PassageSearch(Probed):
    """Searched by its probes."""

    block = BLOCK

    def __init__(
        self,
        name: str,
        index: Index,
        encoder: QueryEncoder,
        passages: Passages,
        passage: Callable[[str, int], str],
    ):
        """`passage` finds the text of a document's passage, by the document's id and the passage's place in it."""
        super().__init__(name, index)
        self._encoder, self._passages, self._passage = encoder, passages, passage
        self._kept: OrderedDict[str, Asked] = OrderedDict()
        self._keeping = Lock()

    def prepare(self, queries: Sequence[Text], progress: Progress = SILENT) -> None:
        """Encode queries together, which is faster than one after the other."""
        for query in queries:
            check_either(self.index, query)
        missing = {query.content: query for query in queries if query.content not in self._kept}
        waiting = list(missing.values())
        starts = range(0, len(waiting), BLOCK)
        if len(waiting) > BLOCK:
            progress.start("encoding queries", len(waiting))
        for start in starts:
            some = waiting[start : start + BLOCK]
            for query, asked in zip(some, self._encoded(some), strict=True):
                self._keep(query.content, asked)
            if len(waiting) > BLOCK:
                progress.advance(len(some))
        if len(waiting) > BLOCK:
            progress.finish()

    def _encoded(self, queries: Sequence[Text]) -> list[Asked]:
        windows = [self._encoder.cut(query) for query in queries]
        vectors = self._encoder.encode([window for own in windows for window in own])
        wanted = self._passages.numbers.shape[1]
        if len(self._passages.numbers) and vectors.shape[1] != wanted:
            raise InputError(
                f"the encoder made vectors of {vectors.shape[1]} dimensions, documents have {wanted}: train it again"
            )
        ends = np.cumsum([0, *map(len, windows)]).tolist()
        return [self._encoder.asked(vectors[start:end]) for start, end in pairwise(ends)]

    def _keep(self, content: str, asked: Asked) -> None:
        with self._keeping:
            self._kept[content] = asked
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)

    def _asked(self, query: Text) -> Asked:
        check_either(self.index, query)
        asked = self._kept.get(query.content)
        if asked is None:
            [asked] = self._encoded([query])
            self._keep(query.content, asked)
        return asked

    def probe(self, query: Text) -> "PassageProbe":
        return self._put(self._asked(query))

    def _put(self, asked: Asked) -> "PassageProbe":
        return PassageProbe(self.index, self._passages, asked, self._encoder.combine)

    def explain(self, query: Text, doc_ids: Sequence[str], scope: Scope = EVERYTHING) -> list[Explanation]:
        """The passage that is nearest to the query, and about how much each piece of the query gave.

        A piece gave what the score loses without it. This is an estimate, as an encoder reads a text as a whole.
        """
        for doc_id in doc_ids:
            self.index.known_place(doc_id)
        numbers = self.index.numbering.of(doc_ids)
        scores, best = self.probe(query).matched(numbers)
        if np.isnan(scores).all():
            return [Explanation(0.0, []) for _ in doc_ids]
        pieces = pieces_of(query.content, PIECES)
        parts = self._parts(query, pieces, numbers)
        firsts = self._passages.starts[numbers]
        return [
            self._explained(doc_id, score, place, dict(zip(pieces, part, strict=True)))
            for doc_id, score, place, part in zip(
                doc_ids, scores.tolist(), (best - firsts).tolist(), parts.T.tolist(), strict=True
            )
        ]

    def _explained(self, doc_id: str, score: float, place: int, parts: dict[str, float]) -> Explanation:
        if np.isnan(score):
            return Explanation(0.0, [])
        met = f"{PASSAGE}{self._passage(doc_id, place)})"
        shares = [Share(piece, met, score * part) for piece, part in parts.items() if part]
        return Explanation(score, largest_first(shares))

    def _parts(self, query: Text, pieces: list[str], docs: Longs) -> Floats:
        """(pieces, documents) the part of each piece in the score of each document; all parts of one add up to 1."""
        if len(pieces) == 1:
            return np.ones((1, len(docs)))
        kept = [pieces, *(pieces[:i] + pieces[i + 1 :] for i in range(len(pieces)))]
        asked = self._encoded(
            [msgspec.structs.replace(query, title="", text=" ".join(some)) for some in kept]
        )
        scores = np.array([np.nan_to_num(self._put(one).some(docs)) for one in asked])
        lost = np.maximum(scores[0] - scores[1:], 0.0)
        lost[:, ~lost.any(axis=0)] = 1.0  # no piece is missed: they all say the same
        # row by row, so that parts do not depend on which documents are explained together
        found: Floats = lost / sum(lost, np.zeros(len(docs)))
        return found


def pieces_of(text: str, most: int) -> list[str]:
    """A few words each; of a text without gaps, stretches of equal width."""
    words = text.split()
    if len(words) < most and len(text) > WORD * len(words):
        return windows(text, max(WORD, -(-2 * len(text) // most)))
    each = -(-len(words) // most)
    return list(dict.fromkeys(" ".join(words[i : i + each]) for i in range(0, len(words), each)))


@dataclass
class PassageProbe:
    """See `probe.Probe`."""

    index: Index
    passages: Passages
    asked: Asked
    combine: Combine
    finds_all = True

    @property
    def cost(self) -> float:
        live = self.index.numbering.live
        n_passages = int(np.diff(self.passages.starts)[live].sum())
        return PRODUCT * self.asked.numbers.size * n_passages / max(int(live.sum()), 1)

    @cached_property
    def every(self) -> Floats:
        return self.index.without_dead(self.matched(np.arange(len(self.index.numbering)))[0])

    def some(self, docs: Longs) -> Floats:
        return self.every[docs] if "every" in self.__dict__ else self.matched(docs)[0]

    def matched(self, docs: Longs) -> tuple[Floats, Longs]:
        """(scores, the passage nearest to any window of the query, -1 where there is none)"""
        sums, most = np.zeros(len(docs)), np.full(len(docs), np.nan)
        best = np.full(len(docs), -1, np.int64)
        said = np.flatnonzero(self.asked.scales > 0.0).tolist()
        for window in said:
            scores, nearest = best_passages(
                docs, *self.passages[1:], self.asked.numbers[window], self.asked.scales[window]
            )
            sums += scores
            nearer = ~(scores <= most) & ~np.isnan(scores)
            most[nearer], best[nearer] = scores[nearer], nearest[nearer]
        if not said or self.combine == "max":
            return most, best
        return sums / len(said), best
