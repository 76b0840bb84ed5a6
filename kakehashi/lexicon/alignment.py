"""Word alignment of parallel sentences in both directions, symmetrised; the models are those of sil-thot.

Sentences are given as words; the caller decides what a word is. Nothing here reads or writes files.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
import numpy as np
from msgspec import Meta
from thot import alignment as thot
from threadpoolctl import threadpool_limits

from kakehashi.errors import InputError
from kakehashi.progress import SILENT, Progress, track
from kakehashi.types import Floats, Ints, Longs

Aligner = Literal["fast", "hmm", "ibm4"]
HEURISTICS = {
    "intersection": thot.SymmetrizationHeuristic.INTERSECTION,
    "union": thot.SymmetrizationHeuristic.UNION,
    "grow-diag": thot.SymmetrizationHeuristic.GROW_DIAG,
    "grow-diag-final-and": thot.SymmetrizationHeuristic.GROW_DIAG_FINAL_AND,
}


class AlignmentSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How words of parallel sentences are linked."""

    aligner: Annotated[
        Aligner,
        Meta(
            description="Alignment model: `fast` is FastAlign; `hmm` follows IBM model 1, and `ibm4` follows both. "
            "The latter two are slower and not always better."
        ),
    ] = "fast"
    rounds: Annotated[
        int, Meta(description="Rounds of expectation maximisation for each model of the chain, 1 to 100.")
    ] = 5
    symmetrize: Annotated[
        Literal["intersection", "union", "grow-diag", "grow-diag-final-and"],
        Meta(description="How the alignments of the two directions are merged."),
    ] = "grow-diag-final-and"
    longest: Annotated[
        int, Meta(description="Skip sentence pairs with more words than this on either side; at most 1024.")
    ] = 200

    def __post_init__(self) -> None:
        if not 1 <= self.rounds <= 100:
            raise InputError(f"rounds must be 1 to 100, not {self.rounds}")
        if not 1 <= self.longest <= 1024:
            raise InputError(f"longest must be 1 to 1024, the aligner's limit, not {self.longest}")


class Pair(NamedTuple):
    """A sentence and its translation, split into words; a pair that counts twice has a weight of 2."""

    source: Sequence[str]
    target: Sequence[str]
    weight: float = 1.0
    is_entry: bool = False  # a dictionary entry: words that are not a sentence

    @property
    def copies(self) -> int:
        """How often an aligner reads the pair: thot ignores weights, so it gets whole copies.

        A pair with a weight below 1 is read once. In link counts and phrases, weights are exact.
        """
        return max(1, round(self.weight))

    def turned(self) -> "Pair":
        return self._replace(source=self.target, target=self.source)


class Links(NamedTuple):
    """Which word of a sentence is linked to which word of its translation, pair by pair."""

    pairs: Longs  # (links,) number of the pair
    sources: Ints  # (links,) position of the word in its sentence
    targets: Ints  # (links,)


def unusable(pair: Pair, settings: AlignmentSettings) -> str:
    """Why a pair cannot be aligned; empty if it can."""
    if not pair.source or not pair.target:
        return "without words"
    return "too long" if max(len(pair.source), len(pair.target)) > settings.longest else ""


def align(
    pairs: Sequence[Pair], settings: AlignmentSettings | None = None, progress: Progress = SILENT
) -> Links:
    """Links of every pair; the same pairs in the same order give the same links."""
    settings = settings or AlignmentSettings()
    if not pairs:
        raise InputError("there are no sentence pairs to align: give parallel text")
    progress.start("aligning words, both directions")
    try:
        backwards = [pair.turned() for pair in pairs]
        with ThreadPoolExecutor(2) as pool:
            direct, inverse = pool.map(lambda side: train_aligner(side, settings), (pairs, backwards))
    finally:
        progress.finish()
    both = thot.SymmetrizedAlignmentModel(direct, inverse)
    both.heuristic = HEURISTICS[settings.symmetrize]
    found, place = [], 0
    for n, pair in enumerate(track(pairs, "reading links", len(pairs), progress)):
        rows, columns = np.nonzero(both.get_training_alignment(place)[1].to_numpy())
        place += pair.copies
        found.append((np.full(len(rows), n), rows, columns))
    numbers, sources, targets = (np.concatenate(part) for part in zip(*found, strict=True))
    return Links(numbers.astype(np.int64), sources.astype(np.int32), targets.astype(np.int32))


def train_aligner(pairs: Sequence[Pair], settings: AlignmentSettings) -> Any:
    """A model of one direction that stores how it aligned its training pairs."""
    model: Any = thot.FastAlignModel() if settings.aligner == "fast" else thot.Ibm1AlignmentModel()
    for pair in pairs:
        for _ in range(pair.copies):
            model.add_sentence_pair(list(pair.source), list(pair.target))
    if settings.aligner == "fast":
        return _run(model, settings.rounds, last=True)
    model = thot.HmmAlignmentModel(_run(model, settings.rounds))
    if settings.aligner == "hmm":
        return _run(model, settings.rounds, last=True)
    model = thot.Ibm4AlignmentModel(thot.Ibm3AlignmentModel(_run(model, settings.rounds)))
    return _run(model, settings.rounds, last=True)


def _run(model: Any, rounds: int, last: bool = False) -> Any:
    model.emit_training_alignments = last
    with threadpool_limits(1, user_api="openmp"):  # threads would add in any order: other sums, other links
        model.start_training()
        for _ in range(rounds):
            model.train()
        model.end_training()
    return model


def alignment_error_rate(found: set[Any], sure: set[Any], possible: set[Any] | None = None) -> float:
    """AER = 1 - (|A∩S| + |A∩P|) / (|A| + |S|); lower is better."""
    possible = sure if possible is None else possible | sure
    return 1.0 - (len(found & sure) + len(found & possible)) / (len(found) + len(sure))


def link_weights(pairs: Sequence[Pair], links: Links) -> Floats:
    """(links,) the weight of the pair of each link."""
    return np.array([pair.weight for pair in pairs])[links.pairs]
