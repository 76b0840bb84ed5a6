"""Array files: read into memory they are checked, shared, and safe from whatever happens to the file."""

import errno
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
import xxhash

from kakehashi import store
from kakehashi.arrays import in_memory, open_array
from kakehashi.errors import FileError, UnreadableError
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


LIES = {
    "a type that is code": b"{'descr': __import__('os').system('x'), 'fortran_order': False, 'shape': (1,), }",
    "objects": b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
    "another order of bytes": b"{'descr': '>i4', 'fortran_order': False, 'shape': (250,), }",
    "more than there is": b"{'descr': '<f8', 'fortran_order': False, 'shape': (100001,), }",
    "less than there is": b"{'descr': '<f8', 'fortran_order': False, 'shape': (99999,), }",
    "a negative length": b"{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }",
    "columns first": b"{'descr': '<f8', 'fortran_order': True, 'shape': (100000,), }",
    "deep brackets": b"(" * 110,
}


@pytest.mark.parametrize("reading", ["mapped", "in memory"])
@pytest.mark.parametrize("lie", LIES)
def test_header_that_is_not_that_of_plain_numbers_is_refused(folder: Path, lie: str, reading: str) -> None:
    path, header = next(folder.glob("x.*.npy")), LIES[lie]
    data = path.read_bytes()
    path.write_bytes(data[:10] + header + b" " * (117 - len(header)) + b"\n" + data[128:])
    sealed = path.read_bytes()
    assert len(sealed) == len(data)
    with (
        nullcontext() if reading == "mapped" else in_memory(),
        pytest.raises(FileError, match="build it again"),
    ):
        open_array(path, len(sealed), xxhash.xxh3_128_hexdigest(sealed))


def test_arrays_are_opened_by_many_threads_at_once(folder: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda _: opened(folder, "square").sum(), range(400)))
    assert set(found) == {66}


def test_a_file_that_cannot_be_read_now_is_not_called_damaged(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = next(folder.glob("x.*.npy"))

    def too_many(*args: object, **kwargs: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    size = path.stat().st_size
    monkeypatch.setattr(Path, "open", too_many)
    with pytest.raises(UnreadableError, match="cannot be read now: Too many open files"):
        open_array(path, size, "")
