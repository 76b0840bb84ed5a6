"""Array files: read into memory they are checked, shared, and safe from whatever happens to the file."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kakehashi import store
from kakehashi.arrays import in_memory
from kakehashi.errors import FileError
from kakehashi.types import Array

ARRAYS = {
    "x": np.arange(100_000, dtype=np.float64),
    "square": np.arange(12, dtype=np.int32).reshape(3, 4),
    "empty": np.zeros((0, 3), dtype=np.int64),
    "one": np.array(7, dtype=np.uint8),
}
CUT = """
import os, sys
from contextlib import nullcontext
from pathlib import Path
from kakehashi import store
from kakehashi.arrays import in_memory

folder, mapped = Path(sys.argv[1]), sys.argv[2] == "mapped"
with nullcontext() if mapped else in_memory():
    array = store.read(folder, "test", 1).array("x")
    os.truncate(next(folder.glob("x.*.npy")), 0)
    print(int(array.sum()))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with store.Writer(tmp_path, "test", 1) as writer:
        writer.put(ARRAYS)
        writer.commit({})
    return tmp_path


def opened(folder: Path, name: str) -> Array:
    return store.read(folder, "test", 1).array(name)


@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_in_memory_is_the_mapped_one(folder: Path, name: str) -> None:
    with in_memory():
        array = opened(folder, name)
    mapped = opened(folder, name)
    assert np.array_equal(array, mapped)
    assert (array.dtype, array.shape) == (mapped.dtype, mapped.shape)
    assert array.flags.c_contiguous
    assert array.flags.aligned
    with pytest.raises(ValueError, match="read-only"):
        array[...] = 5


def test_only_a_mapped_array_dies_with_its_file(folder: Path) -> None:
    def ended(how: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([sys.executable, "-c", CUT, folder, how], capture_output=True, text=True)

    survived = ended("read")
    assert (survived.returncode, survived.stdout) == (0, f"{99_999 * 50_000}\n")
    with store.Writer(folder, "test", 1) as writer:
        writer.put(ARRAYS)
        writer.commit({})
    assert ended("mapped").returncode < 0


def test_what_was_read_is_shared_as_long_as_its_file_is_the_same(folder: Path) -> None:
    with in_memory():
        first, second = opened(folder, "x"), opened(folder, "x")
        assert first is second
        with store.Writer(folder, "test", 1) as writer:
            writer.put({**ARRAYS, "x": ARRAYS["x"] + 1})
            writer.commit({})
        third = opened(folder, "x")
    assert third is not first
    assert (first[0], third[0]) == (0.0, 1.0)


@pytest.mark.parametrize("damage", ["byte", "cut", "gone"])
def test_damage_is_found_when_an_array_is_read(folder: Path, damage: str) -> None:
    path = next(folder.glob("x.*.npy"))
    if damage == "byte":
        with path.open("r+b") as file:
            file.seek(-1, os.SEEK_END)
            file.write(b"\x55")
    elif damage == "cut":
        os.truncate(path, 1000)
    else:
        path.unlink()
    with in_memory(), pytest.raises(FileError, match=r"build it again"):
        opened(folder, "x")
