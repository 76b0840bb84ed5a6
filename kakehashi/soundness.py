"""Checks of what a kernel will index by: whoever made a file, no number in it leads outside another array.

Each is a pass over an array that runs at the speed of memory. What is wrong is raised as `Unsound`; the store says in
which artifact it was. Meaning is not checked: a wrong weight gives a wrong score, not a crash.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from kakehashi.types import Array

LARGEST = 1e30
MOST = 1 << 31  # documents, words or rows


class Unsound(ValueError):
    """Data that do not hold together."""


def typed(name: str, array: Array, types: tuple[DTypeLike, ...], *shape: int | None) -> Array:
    """The array, of one of these types and of this shape; None stands for any length."""
    if array.dtype not in [np.dtype(one) for one in types]:
        raise Unsound(f"{name} has numbers of type {array.dtype}")
    fits = len(shape) == array.ndim and all(
        wanted is None or wanted == found for wanted, found in zip(shape, array.shape, strict=True)
    )
    if not fits:
        raise Unsound(f"{name} has shape {array.shape}")
    return array


def within(name: str, array: Array, below: int, least: int = 0) -> Array:
    """The array, whose whole numbers are all in least .. below - 1."""
    if array.size and (int(array.min()) < least or int(array.max()) >= below):
        raise Unsound(f"{name} has a number outside {least} to {below - 1}")
    return array


def finite(name: str, array: Array) -> Array:
    """The array, without numbers so large that sums of their products are none, and without those that are none."""
    if array.size and not (array.min() >= -LARGEST and array.max() <= LARGEST):
        raise Unsound(f"{name} has a number beyond {LARGEST:g}, or none")
    return array


def ascending(name: str, array: Array) -> Array:
    """The array, in which a binary search finds what it holds."""
    if (array[1:] < array[:-1]).any():
        raise Unsound(f"{name} is not in ascending order")
    return array


def starts(name: str, array: Array, n: int, total: int) -> Array:
    """The array: where each of n rows begins in another of length `total`, and the end of the last."""
    typed(name, array, (np.int64,), n + 1)
    if int(array[0]) != 0 or int(array[-1]) != total or (array[1:] < array[:-1]).any():
        raise Unsound(f"{name} does not divide {total} entries")
    return array


def setting_count(settings: Mapping[str, Any], name: str, below: int = MOST, least: int = 0) -> int:
    """A setting that is a whole number in least .. below - 1."""
    value = settings[name]
    if type(value) is not int or not least <= value < below:
        raise Unsound(f"{name} is {str(value)[:40]!r}")
    return value


def setting_number(settings: Mapping[str, Any], name: str) -> float:
    """A setting that is a finite number."""
    value = settings[name]
    if type(value) not in (int, float) or not abs(value) < 1e300:
        raise Unsound(f"{name} is {str(value)[:40]!r}")
    return float(value)


def text_ends(name: str, ends: Array, data: Array) -> None:
    """Where strings end in their bytes."""
    typed(name, data, (np.uint8,), None)
    typed(name, ends, (np.int64,), None)
    last = int(ends[-1]) if len(ends) else 0
    if last != len(data) or (len(ends) and int(ends[0]) < 0) or (ends[1:] < ends[:-1]).any():
        raise Unsound(f"{name} does not divide {len(data)} bytes")
