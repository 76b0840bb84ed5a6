"""Word co-occurrence: counts over documents, and for every word the most correlated frequent words.

DICE(i, j) = 2·together(i, j) / (occurrences(i) + occurrences(j)), where `together` is summed over documents:
1 (binary), the smaller (min) or the larger (max) of the two frequencies in every document that contains both.
Memory contains the counts three times and one number per target, never a matrix of words by words.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import chain, pairwise
from typing import Annotated, Any, Literal, NamedTuple, get_args

import msgspec
import numpy as np
from msgspec import Meta

from kakehashi.compiled import inline_kernel, kernel
from kakehashi.errors import InputError
from kakehashi.index.builder import transpose
from kakehashi.index.index import Index
from kakehashi.index.vocabulary import UNKNOWN
from kakehashi.progress import SILENT, Progress, track
from kakehashi.types import Array, Bools, Condition, Floats32, Ints, Longs

Count = Literal["binary", "min", "max"]
_BINARY, _MIN, _MAX = 0, 1, 2  # as in `Count`, for kernels
MAX_WORDS, MAX_K = 10_000_000, 100
_BLOCKS = 100  # one progress step each, at which an interrupt is noticed


class CfhSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Mapping of words: to `k` each of the `words` most frequent ones, by DICE under `count`."""

    words: Annotated[int, Meta(description="How many of the most frequent words may replace others.")] = (
        30_000
    )
    k: Annotated[int, Meta(description="Correlated words that replace each word.")] = 5
    count: Annotated[
        Count,
        Meta(
            description="What a document with both words adds to their co-occurrence: `min` the smaller of the two "
            "frequencies, `max` the larger, `binary` 1."
        ),
    ] = "min"

    def __post_init__(self) -> None:
        if not 1 <= self.words <= MAX_WORDS:
            raise InputError(f"words = {self.words} is not between 1 and {MAX_WORDS}")
        if not 1 <= self.k <= MAX_K:
            raise InputError(f"k = {self.k} is not between 1 and {MAX_K}")
        if self.count not in get_args(Count):
            raise InputError(f"count = '{self.count}' is not one of {', '.join(get_args(Count))}")


class Counts(NamedTuple):
    """Sparse rows: document d contains terms[starts[d]:starts[d + 1]], each once, with tfs at the same positions."""

    starts: Array  # (documents + 1,)
    terms: Array  # (entries,)
    tfs: Array  # (entries,)


class Company:
    """Which words occur in documents together, for some words or for all."""

    def __init__(
        self, terms: Sequence[str], counts: Counts, settings: CfhSettings, chosen: Bools | None = None
    ):
        self.settings = settings
        chosen = np.ones(len(counts.starts) - 1, dtype=bool) if chosen is None else chosen
        self.n_docs = int(chosen.sum())
        occurrences = _occurrences(*counts, chosen, len(terms))
        order = np.flatnonzero(occurrences).tolist()
        order.sort(key=lambda i: (-occurrences[i], terms[i]))
        self.terms = [terms[i] for i in order]
        self._occurrences = occurrences[order]
        numbers = np.full(len(terms), UNKNOWN, dtype=np.int32)
        numbers[order] = np.arange(len(order), dtype=np.int32)
        self._n_targets = min(settings.words, len(order))
        starts, columns, tfs = _renumbered(*counts, chosen, numbers)
        self._postings = transpose(starts[1:], columns, tfs, len(order))
        numbers[numbers >= self._n_targets] = UNKNOWN
        self._rows = _renumbered(*counts, chosen, numbers)

    @cached_property
    def numbers(self) -> dict[str, int]:
        return {term: number for number, term in enumerate(self.terms)}

    def row(self, term: str) -> list[tuple[str, float]]:
        """Like `Correlated.row`, without computing any other word."""
        number = self.numbers.get(term)
        if number is None:
            return []
        targets, dice = self.nearest(np.array([number], dtype=np.int64))
        return named(self.terms, targets[0], dice[0])

    def nearest(self, words: Longs, progress: Progress = SILENT) -> tuple[Ints, Floats32]:
        """(words, k) targets and their DICE for the words with these numbers."""
        targets = np.full((len(words), self.settings.k), UNKNOWN, dtype=np.int32)
        dice = np.zeros((len(words), self.settings.k), dtype=np.float32)
        count = get_args(Count).index(self.settings.count)
        lengths = np.diff(self._postings[0])[words]
        for block in track(_blocks(lengths), "correlating words", None, progress):
            _nearest(
                words[block],
                *self._postings,
                *self._rows,
                self._occurrences,
                self._n_targets,
                count,
                targets[block],
                dice[block],
            )
        return targets, dice


def named(terms: Sequence[str], targets: Ints, dice: Floats32) -> list[tuple[str, float]]:
    """One word's targets in readable form."""
    pairs = zip(targets.tolist(), dice.tolist(), strict=True)
    return [(terms[target], value) for target, value in pairs if target != UNKNOWN]


def index_counts(index: Index, conditions: Sequence[Condition] = ()) -> tuple[Counts, Bools]:
    """The rows of all documents, segment by segment, and which of them are live and satisfy the conditions."""
    forward = [segment.forward for segment in index.segments]
    sizes = [np.diff(starts) for starts, _, _ in forward]
    masks = [index.allowed(i, conditions) for i in range(len(forward))]
    chosen = [
        np.ones(len(size), dtype=bool) if mask is None else mask
        for size, mask in zip(sizes, masks, strict=True)
    ]
    starts = np.append(0, np.cumsum(_joined(sizes, np.int64)))
    terms = _joined([terms for _, terms, _ in forward], np.int32)
    return Counts(starts, terms, _joined([tfs for _, _, tfs in forward], np.uint8)), _joined(chosen, np.bool_)


def text_counts(texts: Iterable[Sequence[str]]) -> tuple[list[str], Counts]:
    """The distinct terms of analysed texts, and a row per text."""
    numbers: dict[str, int] = {}
    rows = [[numbers.setdefault(term, len(numbers)) for term in terms] for terms in texts]
    width = max(len(numbers), 1)
    flat = np.fromiter(chain.from_iterable(rows), dtype=np.int64)
    owners = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    cells, tfs = np.unique(owners * width + flat, return_counts=True)
    starts = np.searchsorted(cells, np.arange(len(rows) + 1) * width)
    return list(numbers), Counts(starts, (cells % width).astype(np.int32), tfs.astype(np.int32))


def _joined(parts: Sequence[Array], dtype: Any) -> Array:
    """One array from several; the array itself if there is only one, which may be mapped and large."""
    if len(parts) == 1:
        return parts[0]
    return np.concatenate([*parts, np.zeros(0, dtype=dtype)])


def _blocks(lengths: Array) -> list[slice]:
    """Neighbouring words with about the same total number of postings."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    cuts = np.searchsorted(ends, np.arange(1, _BLOCKS) * (total / _BLOCKS))
    edges = np.unique(np.concatenate([[0], cuts, [len(lengths)]])).tolist()
    return [slice(first, last) for first, last in pairwise(edges)]


@kernel
def _occurrences(starts: Array, terms: Array, tfs: Array, chosen: Array, n_terms: int) -> Array:
    found = np.zeros(n_terms, np.int64)
    for doc in range(len(starts) - 1):
        if chosen[doc]:
            for i in range(starts[doc], starts[doc + 1]):
                found[terms[i]] += tfs[i]
    return found


@kernel
def _renumbered(starts: Array, terms: Array, tfs: Array, chosen: Array, numbers: Array) -> Any:
    """Rows over new numbers, without documents that are not chosen and terms without a number."""
    new_starts = np.zeros(len(starts), np.int64)
    for doc in range(len(starts) - 1):
        new_starts[doc + 1] = new_starts[doc]
        if chosen[doc]:
            for i in range(starts[doc], starts[doc + 1]):
                new_starts[doc + 1] += numbers[terms[i]] >= 0
    columns, new_tfs = np.empty(new_starts[-1], np.int32), np.empty(new_starts[-1], tfs.dtype)
    n = 0
    for doc in range(len(starts) - 1):
        if chosen[doc]:
            for i in range(starts[doc], starts[doc + 1]):
                if numbers[terms[i]] >= 0:
                    columns[n], new_tfs[n] = numbers[terms[i]], tfs[i]
                    n += 1
    return new_starts, columns, new_tfs


@kernel
def _nearest(
    words: Array, starts: Array, docs: Array, tfs: Array, row_starts: Array, row_words: Array, row_tfs: Array,
    occurrences: Array, n_targets: int, count: int, targets: Array, dice: Array,
) -> None:  # fmt: skip
    """Walk the postings of each word, count its co-occurrences in one array over the targets, keep the best."""
    together = np.zeros(n_targets, np.int64)
    met = np.empty(
        n_targets + 1, np.int32
    )  # distinct targets found; one place more, for a write that does not count
    scores = np.empty(targets.shape[1])
    for w in range(len(words)):
        word = words[w]
        n_met = 0
        for p in range(starts[word], starts[word + 1]):
            first, last = row_starts[docs[p]], row_starts[docs[p] + 1]
            n_met = _add(
                together, met, n_met, row_words[first:last], row_tfs[first:last], np.int64(tfs[p]), count
            )
        scores[:] = 0.0
        for i in range(n_met):
            target = met[i]
            score = 2.0 * together[target] / (occurrences[word] + occurrences[target])
            together[target] = 0
            if score >= scores[-1]:
                _place(word, target, score, targets[w], scores)
        dice[w] = scores


@inline_kernel
def _add(together: Array, met: Array, n_met: int, words: Array, tfs: Array, tf: int, count: int) -> int:
    """Count one document for a word that occurs tf times in it. Branch-free, for speed."""
    if count == _BINARY or (count == _MIN and tf == 1):
        for i in range(len(words)):
            before = together[words[i]]
            met[n_met] = words[i]
            n_met += before == 0
            together[words[i]] = before + 1
    else:
        for i in range(len(words)):
            before = together[words[i]]
            met[n_met] = words[i]
            n_met += before == 0
            both = min(tf, np.int64(tfs[i])) if count == _MIN else max(tf, np.int64(tfs[i]))
            together[words[i]] = before + both
    return n_met


@kernel
def _place(word: int, target: int, score: float, targets: Array, scores: Array) -> None:
    """Equal scores: the word itself comes first, then by number, which is descending frequency, then string."""
    place = len(scores)
    while place > 0:
        other = targets[place - 1]
        ahead = score > scores[place - 1] or (
            score == scores[place - 1] and other != word and (target == word or target < other)
        )
        if not ahead:
            break
        if place < len(scores):
            targets[place], scores[place] = other, scores[place - 1]
        place -= 1
    if place < len(scores):
        targets[place], scores[place] = target, score
