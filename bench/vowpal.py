"""Vowpal Wabbit on our pairs: the same examples as text, a learning pass from its binary cache, its weights.

An example is one pair: namespace q holds the query's vector, namespace d holds d⁺ - d⁻, the label is 1, and only
the crossed features of `-q qd` have weights. Words are called w0, w1, …, so that Vowpal Wabbit hashes their names,
or just 0, 1, …: it takes numbers as they are, and then the weights of one query word lie side by side. That is
faster, and pairs collide far more often.
"""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from vowpalwabbit.pyvw import Workspace

from kakehashi.compiled import kernel
from kakehashi.corpus.pairs import PairBlock
from kakehashi.learn.vectors import Rows
from kakehashi.types import Array, Floats32, Ints

# without limits, predictions would be clipped to the labels seen so far, and all our labels are 1
TASK = (
    "-q qd --noconstant --ignore_linear q --ignore_linear d --loss_function hinge "
    "--min_prediction -1000 --max_prediction 1000 --quiet --no_stdin"
)
FNV_PRIME = 16777619  # the place of a crossed feature is (FNV_PRIME · hash of one) XOR (hash of the other)
FLOATS_PER_PAGE = 1024


def write_examples(
    path: Path, blocks: Iterable[PairBlock], queries: Rows, documents: Rows, prefix: str = "w"
) -> None:
    """One line per pair, in order; a word is called by the prefix and its number."""
    with path.open("w", encoding="ascii") as file:
        for block in blocks:
            file.writelines(_lines(block, queries, documents, prefix))


def _lines(block: PairBlock, queries: Rows, documents: Rows, prefix: str) -> Iterator[str]:
    matrix = scipy.sparse.csr_matrix((documents.values, documents.columns, documents.starts))
    differences = matrix[block.positives] - matrix[block.negatives]
    differences.eliminate_zeros()
    words, values, starts = (
        differences.indices.tolist(),
        differences.data.tolist(),
        differences.indptr.tolist(),
    )
    for g, q in enumerate(block.queries.tolist()):
        part = slice(queries.starts[q], queries.starts[q + 1])
        query = _features(queries.columns[part].tolist(), queries.values[part].tolist(), prefix)
        for p in range(block.starts[g], block.starts[g + 1]):
            part = slice(starts[p], starts[p + 1])
            yield f"1 |q {query} |d {_features(words[part], values[part], prefix)}\n"


def _features(words: list[int], values: list[float], prefix: str) -> str:
    return " ".join(f"{prefix}{word}:{value:.9g}" for word, value in zip(words, values, strict=True))


@dataclass(frozen=True)
class Learned:
    """What a learning pass left behind, and how long it took."""

    seconds: float
    weights: "CrossedWeights | None"


class Vowpal:
    """Examples as a binary cache for 2^bits weights; every `learn` starts from nothing."""

    def __init__(self, examples: Path, bits: int, prefix: str = "w"):
        self.bits, self._prefix, self._folder = bits, prefix, examples.parent
        self._cache = examples.with_suffix(f".{bits}.cache")
        make = Workspace(f"{TASK} -b {bits} -t -d {examples} --cache_file {self._cache} -k")
        make.run_parser()
        make.finish()

    def learn(self, options: str, sizes: tuple[int, int] | None = None) -> Learned:
        """One pass; its weights are read back where the number of words on each side is given.

        The clock is that of the learning thread, so reading the cache, which is another thread's, costs nothing.
        Weights are touched before it starts, as ours are.
        """
        task = f"{TASK} -b {self.bits} {options} --cache_file {self._cache}"
        model = self._folder / "learned.model"
        if sizes is not None:
            task += f" --predict_only_model -f {model}"
        learner = Workspace(task)
        for place in range(0, 1 << self.bits, FLOATS_PER_PAGE // learner.get_stride()):
            learner.set_weight(place, 0, 0.0)
        start = time.thread_time()
        learner.run_parser()
        seconds = time.thread_time() - start
        if sizes is None:
            learner.finish()
            return Learned(seconds, None)
        queries, documents = (self._hashes(learner, *side) for side in zip("qd", sizes, strict=True))
        learner.finish()  # writes the model
        return Learned(seconds, CrossedWeights(queries, documents, self._read(model, options)))

    def predict(self, lines: list[str]) -> list[float]:
        """By the model last read back."""
        learner = Workspace(f"--quiet --no_stdin -t -i {self._folder / 'learned.model'}")
        found = [learner.predict(line) for line in lines]
        learner.finish()
        return found

    def _hashes(self, learner: Any, namespace: str, n_words: int) -> Array:
        space = learner.hash_space(namespace)
        hashes = [learner.hash_feature(f"{self._prefix}{word}", space) for word in range(n_words)]
        return np.array(hashes, dtype=np.uint64)

    def close(self) -> None:
        """Remove the cache."""
        self._cache.unlink()

    def _read(self, model: Path, options: str) -> Floats32:
        """A model is a header and (place, weight) of all weights that are not 0."""
        untrained = self._folder / "untrained.model"
        Workspace(f"{TASK} -b {self.bits} {options} --predict_only_model -f {untrained}").finish()
        header = untrained.stat().st_size
        entries = np.memmap(model, [("place", "<u4"), ("weight", "<f4")], mode="r", offset=header)
        weights = np.zeros(1 << self.bits, np.float32)
        weights[entries["place"]] = entries["weight"]
        return weights


@dataclass(frozen=True)
class CrossedWeights:
    """Weights of crossed features, as something a `Bilinear` can project a query with."""

    query_hashes: Array
    document_hashes: Array
    places: Floats32  # (2^bits,)

    def project(self, words: Ints, values: Floats32) -> Floats32:
        projected: Floats32 = _project(
            self.query_hashes[words] * np.uint64(FNV_PRIME), values, self.document_hashes, self.places
        )
        return projected


@kernel
def _project(halves: Array, values: Array, hashes: Array, places: Array) -> Array:
    projected = np.zeros(len(hashes), np.float32)
    mask = np.uint64(len(places) - 1)
    for e in range(len(halves)):
        for j in range(len(hashes)):
            projected[j] += values[e] * places[(halves[e] ^ hashes[j]) & mask]
    return projected


def predictions(weights: CrossedWeights, lines: Iterable[str]) -> list[float]:
    """What the weights say of examples, read from their text."""
    out = []
    for line in lines:
        query, document = (_parsed(part) for part in line.split("|")[1:])
        projected = weights.project(*query)
        out.append(float((projected[document[0]] * document[1]).sum(dtype=np.float64)))
    return out


def _parsed(part: str) -> tuple[Array, Array]:
    features = [feature.removeprefix("w").split(":") for feature in part.split()[1:]]
    words = np.array([int(word) for word, _ in features], np.int32)
    return words, np.array([float(value) for _, value in features], np.float32)


@dataclass(frozen=True)
class Variant:
    """A way to run it."""

    options: str
    prefix: str
    rates: tuple[float, ...]

    def at(self, rate: float) -> str:
        return f"{self.options} -l {rate}"


SGD = "--sgd --power_t 0"  # a fixed rate, of the same meaning as ours
VARIANTS = {
    "sgd": Variant(SGD, "w", (0.2, 0.4, 0.6, 1.0)),
    "default": Variant("", "w", (0.05, 0.1, 0.2, 0.5)),
    "sgd_numbered": Variant(SGD, "", (0.2, 0.4, 0.6, 1.0)),
}
