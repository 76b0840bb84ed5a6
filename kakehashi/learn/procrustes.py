"""Maps the word vectors of one language onto those of another, by a rotation that keeps all angles within a language.

    W = argmin ‖X·W - Y‖, W orthogonal = U·Vᵀ, with U·Σ·Vᵀ the singular value decomposition of Xᵀ·Y

The rows of X and Y are the vectors of words that are known to translate each other (Schönemann 1966; for word
vectors Artetxe et al. 2016).
"""

import numpy as np
from threadpoolctl import threadpool_limits

from kakehashi.errors import InputError
from kakehashi.lexicon.neighbours import unit_vectors
from kakehashi.types import Floats, Floats32, Longs


def rotation(source: Floats32, target: Floats32) -> Floats:
    """(dimensions, dimensions) W, from (pairs, dimensions) of each language."""
    if source.shape != target.shape:
        raise InputError(
            f"vectors of {source.shape[1]} and of {target.shape[1]} dimensions cannot be mapped onto each other"
        )
    with threadpool_limits(1, user_api="blas"):  # on several threads, sums would come in another order
        u, _, vt = np.linalg.svd(source.astype(np.float64).T @ target.astype(np.float64))
        return np.asarray(u @ vt)


def centred(vectors: Floats32) -> Floats32:
    """Vectors of unit length less their mean, so that one of zeros stays as it is."""
    units = unit_vectors(vectors)
    used = np.einsum("ij,ij->i", units, units) > 0.0
    if used.any():
        units[used] -= units[used].mean(axis=0, dtype=np.float64).astype(np.float32)
    return units


def mapped(source: Floats32, target: Floats32, pairs: tuple[Longs, Longs]) -> tuple[Floats32, Floats32]:
    """The vectors of both languages in one space; `pairs` are rows of words that translate each other."""
    own, other = centred(source), centred(target)
    turned = rotation(unit_vectors(own[pairs[0]]), unit_vectors(other[pairs[1]]))
    with threadpool_limits(1, user_api="blas"):
        return np.asarray(own @ turned.astype(np.float32)), other
