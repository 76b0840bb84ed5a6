"""Retrofitting: word vectors drawn towards the vectors of related words.

    v_t = (Σ_t' β_tt'·v_t' + α·v̂_t) / (Σ_t' β_tt' + α)        β_tt' = s_tt' / Σ_t'' s_tt''

with the original vector v̂ and the similarity s of the resource. With two resources, their sums are weighted γ and
1 - γ; in the denominator, the `consistent` form weights them the same way, and the `printed` form not at all, which
shortens vectors. Words without related words keep their vectors.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from kakehashi.errors import InputError
from kakehashi.lexicon.neighbours import Related
from kakehashi.types import Floats, Floats32

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Form = Literal["consistent", "printed"]
ALPHA = 1.0
CONVERGED = 1e-6  # the largest change of any component; steps shrink by half or more
ROUNDS = 200


def retrofit(
    vectors: Floats32,
    resources: Sequence[Related],
    gamma: float = 0.5,
    form: Form = "consistent",
    rounds: int = ROUNDS,
) -> Floats32:
    """(words, dimensions) from vectors of unit length, iterated until nothing changes; one resource or two."""
    weights = {1: [1.0], 2: [gamma, 1.0 - gamma]}.get(len(resources))
    if weights is None or not 0.0 <= gamma <= 1.0:
        raise InputError("retrofitting takes one resource, or two and a gamma from 0 to 1")
    shares = [shares_of(each) for each in resources]
    pull: Any = sum(weight * share for weight, share in zip(weights, shares, strict=True))
    masses = [np.asarray(share.sum(axis=1)).ravel() for share in shares]
    # printed: the sums stand in the denominator without their weights
    counted = weights if form == "consistent" else [1.0] * len(weights)
    whole: Floats = sum((w * mass for w, mass in zip(counted, masses, strict=True)), np.zeros(len(vectors)))
    moved = sum(masses, np.zeros(len(vectors))) > 0
    original = vectors.astype(np.float64)
    current = original.copy()
    for _ in range(rounds):
        following = (pull @ current + ALPHA * original) / (whole + ALPHA)[:, None]
        following[~moved] = original[~moved]
        change = float(np.abs(following - current).max(initial=0.0))
        current = following
        if change < CONVERGED:
            break
    return current.astype(np.float32)


def shares_of(related: Related) -> "csr_array":
    """(words, words) β: each row sums to 1, or is empty."""
    from scipy.sparse import csr_array  # slow to import, and a search does not need it

    sizes = np.diff(related.starts)
    similarities = np.asarray(related.similarities, dtype=np.float64)
    sums = np.zeros(len(related))
    filled = sizes > 0
    if filled.any():
        sums[filled] = np.add.reduceat(similarities, related.starts[:-1][filled])
    return csr_array(
        (similarities / np.repeat(sums, sizes), related.words, related.starts),
        shape=(len(related), len(related)),
    )
