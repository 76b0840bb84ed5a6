"""Unsupervised topic vectors, LSI and LDA, and the learned matrix W that compares them: f(q, d) = qᵀWd.

The two sides may have different topics, as two languages do; W then says which correspond.
"""

from collections.abc import Callable, Iterable
from typing import Any

import msgspec
import numpy as np

from kakehashi.compiled import inline_kernel, kernel
from kakehashi.corpus.pairs import PairBlock
from kakehashi.errors import InputError
from kakehashi.learn.lowrank import UNSHARED, LowRank, LowRankSettings, OnEpoch, train_lowrank
from kakehashi.learn.steps import StepSettings
from kakehashi.learn.vectors import Rows
from kakehashi.progress import SILENT, Progress
from kakehashi.types import Array, Floats, Floats32


def lsi(rows: Rows, n_words: int, topics: int, rng: np.random.Generator) -> Floats32:
    """(words, topics) right singular vectors, strongest first; a text's topic vector is its vector times them."""
    return np.ascontiguousarray(singular_vectors(rows, n_words, topics, rng)[0], dtype=np.float32)


def singular_vectors(rows: Rows, n_words: int, n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """((words, n) right singular vectors, (n,) singular values), strongest first.

    The sign of each vector is such that its largest component is positive.
    """
    shape = (len(rows.starts) - 1, n_words)
    if not 1 <= n < min(shape):
        raise InputError(
            f"LSI of {shape[0]} texts and {n_words} words has fewer than {n} topics: set fewer topics"
        )
    from scipy.sparse import csr_array  # slow to import, and a search does not need it
    from scipy.sparse.linalg import svds

    matrix = csr_array((rows.values.astype(np.float64), rows.columns, rows.starts), shape=shape)
    start = rng.standard_normal(min(shape))
    _, strengths, found = svds(matrix, k=n, v0=start)
    order = np.argsort(-strengths, kind="stable")
    directions = found[order].T
    largest = directions[np.abs(directions).argmax(axis=0), np.arange(n)]
    return directions * np.where(largest < 0, -1.0, 1.0), strengths[order]


def lda(
    rows: Rows,
    n_words: int,
    topics: int,
    rng: np.random.Generator,
    alpha: float = 0.1,
    beta: float = 0.01,
    rounds: int = 100,
    progress: Progress = SILENT,
) -> Floats32:
    """(words, topics) p(word | topic), from the last round of collapsed Gibbs sampling; rows hold counts."""
    if topics < 1 or rounds < 1 or not (alpha > 0 and beta > 0):
        raise InputError("LDA needs topics and rounds of at least 1, alpha and beta above 0")
    owners, words = _tokens(rows)
    assigned = rng.integers(topics, size=len(words)).astype(np.int32)
    by_word = np.zeros((n_words, topics), np.int32)
    np.add.at(by_word, (words, assigned), 1)
    state = rng.integers(1, 1 << 63, size=1).astype(np.uint64)
    progress.start(f"LDA of {topics} topics", rounds)
    try:
        for _ in range(rounds):
            _gibbs_round(owners, words, assigned, by_word, alpha, beta, state)
            progress.advance()
    finally:
        progress.finish()
    smoothed = by_word + beta
    return np.asarray(smoothed / smoothed.sum(axis=0), dtype=np.float32)


def fold_in(rows: Rows, word_given_topic: Floats32, alpha: float = 0.1, rounds: int = 30) -> Floats32:
    """(texts, topics) topic mixtures of texts that may be new to the model; rows contain counts.

    The random numbers of each text depend only on its own words, so it always gets the same mixture.
    """
    mixtures: Floats32 = _fold_in(rows, word_given_topic, alpha, rounds)
    return mixtures


def train_topic_matrix(
    blocks: Callable[[], Iterable[PairBlock]],
    queries: Floats32,
    documents: Floats32,
    settings: StepSettings | None,
    same_topics: bool = False,
    on_epoch: OnEpoch | None = None,
    progress: Progress = SILENT,
) -> LowRank:
    """U is W (query topics, document topics); it starts as the identity if both sides have the same topics,
    otherwise at 0. Without settings it keeps this value.

    This is the low-rank learner with V fixed to the identity; nothing is random.
    """
    shape = (queries.shape[1], documents.shape[1])
    if same_topics and shape[0] != shape[1]:
        raise InputError(f"{shape[0]} and {shape[1]} topics cannot be tied: use the same number")
    w = np.eye(*shape, dtype=np.float32) if same_topics else np.zeros(shape, np.float32)
    fixed = np.eye(shape[1], dtype=np.float32)
    if settings is None:
        return LowRank(w, fixed, UNSHARED, 0, [], [])
    return train_lowrank(
        blocks, as_rows(queries), as_rows(documents), *shape, LowRankSettings(**msgspec.structs.asdict(settings)),
        np.random.default_rng(0), on_epoch=on_epoch, progress=progress, start=(w, fixed), keep_v=True,
    )  # fmt: skip


def as_rows(matrix: Floats32) -> Rows:
    """Dense vectors in the shape of sparse ones."""
    n, width = matrix.shape
    columns = np.tile(np.arange(width, dtype=np.int32), n)
    return Rows(np.arange(n + 1, dtype=np.int64) * width, columns, matrix.ravel().astype(np.float32))


def unit_length(matrix: Floats32) -> Floats32:
    lengths = np.sqrt((matrix.astype(np.float64) ** 2).sum(axis=1, keepdims=True))
    return np.asarray(matrix / np.where(lengths > 0, lengths, 1.0), dtype=np.float32)


def _tokens(rows: Rows) -> tuple[Array, Array]:
    """(owner, word) of every token, text after text."""
    counts = np.rint(rows.values).astype(np.int64)
    owners = np.repeat(np.arange(len(rows.starts) - 1), np.diff(rows.starts))
    return np.repeat(owners, counts), np.repeat(rows.columns, counts)


@inline_kernel
def _random(state: Array) -> Any:
    """The next number in [0, 1) of a xorshift generator; state (1,) uint64 is never zero."""
    x = state[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    state[0] = x
    return np.float64(x >> np.uint64(11)) * (1.0 / (1 << 53))


@inline_kernel
def _draw(cumulated: Array, total: float, state: Array) -> Any:
    wanted = _random(state) * total
    topic = 0
    while topic < len(cumulated) - 1 and cumulated[topic] <= wanted:
        topic += 1
    return topic


@kernel
def _gibbs_round(
    owners: Array, words: Array, assigned: Array, by_word: Array, alpha: float, beta: float, state: Array
) -> None:
    """Every token leaves its topic and gets one drawn from p(topic | all others)."""
    n_words, topics = by_word.shape
    by_topic = by_word.sum(axis=0)
    here, cumulated = np.zeros(topics, np.int64), np.empty(topics)
    end = 0
    for i in range(len(words)):
        if i == end:  # a new text begins: count its topics
            here[:] = 0
            while end < len(words) and owners[end] == owners[i]:
                here[assigned[end]] += 1
                end += 1
        row, old = by_word[words[i]], assigned[i]
        here[old] -= 1
        row[old] -= 1
        by_topic[old] -= 1
        total = 0.0
        for k in range(topics):
            total += (here[k] + alpha) * (row[k] + beta) / (by_topic[k] + beta * n_words)
            cumulated[k] = total
        new = _draw(cumulated, total, state)
        assigned[i] = new
        here[new] += 1
        row[new] += 1
        by_topic[new] += 1


@kernel
def _fold_in(rows: Rows, word_given_topic: Array, alpha: float, rounds: int) -> Array:
    starts, columns, values = rows.starts, rows.columns, rows.values
    topics, state = word_given_topic.shape[1], np.zeros(1, np.uint64)
    mixtures = np.zeros((len(starts) - 1, topics), np.float32)
    here, cumulated, sums = np.zeros(topics, np.int64), np.empty(topics), np.empty(topics)
    for r in range(len(mixtures)):
        words, counts = columns[starts[r] : starts[r + 1]], values[starts[r] : starts[r + 1]]
        state[0] = np.uint64(0x9E3779B97F4A7C15)
        n = 0
        for i in range(len(words)):
            n += int(np.rint(counts[i]))
            state[0] ^= np.uint64(words[i] + 1) * np.uint64(0xBF58476D1CE4E5B9) + np.uint64(n)
            _random(state)
            state[0] |= np.uint64(1)
        tokens, assigned, at = np.empty(n, np.int32), np.empty(n, np.int32), 0
        here[:] = 0
        sums[:] = 0.0
        for i in range(len(words)):
            for _ in range(int(np.rint(counts[i]))):
                tokens[at], assigned[at] = words[i], int(_random(state) * topics)
                here[assigned[at]] += 1
                at += 1
        for t in range(rounds):
            for i in range(n):
                row = word_given_topic[tokens[i]]
                here[assigned[i]] -= 1
                total = 0.0
                for k in range(topics):
                    total += (here[k] + alpha) * row[k]
                    cumulated[k] = total
                assigned[i] = _draw(cumulated, total, state)
                here[assigned[i]] += 1
            if 2 * t >= rounds:  # the second half of the rounds counts
                for k in range(topics):
                    sums[k] += here[k] + alpha
        mixtures[r] = (sums / max(sums.sum(), 1e-300)).astype(np.float32)
    return mixtures
