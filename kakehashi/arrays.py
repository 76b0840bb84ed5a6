"""Array files (.npy): mapped, or read whole into memory.

A mapped file that somebody cuts short ends the process that reads it: the system has no other answer. A command can
live with that. A service must not die of it, so it reads the files into memory of its own and checks them.
"""

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import xxhash

from kakehashi.errors import FileError, UnreadableError
from kakehashi.types import Array

_in_memory = False
# by file and checksum: a collection that is opened again shares what did not change with the one opened before
_read: "WeakValueDictionary[tuple[object, ...], Array]" = WeakValueDictionary()
HEADER = 1 << 10  # bytes that hold the header of any array of plain numbers
_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '(?P<type>\|b1|\|[iu]1|<[iu][248]|<f[48])', "
    rb"'fortran_order': False, "
    rb"'shape': \((?P<shape>[0-9]{0,18}|(?:[0-9]{1,18}, ?){1,8}(?:[0-9]{1,18})?)\), \} *\n",
    re.DOTALL,
)


@contextmanager
def in_memory() -> Iterator[None]:
    """Read arrays instead of mapping them, in the whole process, until the block ends; what was opened stays so."""
    global _in_memory
    before, _in_memory = _in_memory, True
    try:
        yield
    finally:
        _in_memory = before


def open_array(path: Path, size: int, xxh3: str) -> Array:
    """The array of a file with this size and checksum, which cannot be written to.

    Where it is only mapped, its checksum is left to whoever verifies an artifact: mapping must not read all of it.
    """
    try:
        found = path.stat().st_size if path.is_file() else -1
        if found != size:
            said = f"has {found} bytes instead of {size}" if found >= 0 else "is missing"
            raise FileError(path, None, f"{said}: the artifact is damaged, build it again")
        return _shared(path, size, xxh3) if _in_memory else _mapped(path, size)
    except FileNotFoundError:
        raise FileError(path, None, "is missing: the artifact is damaged, build it again") from None
    except OSError as error:  # too many open files, no more memory to map to, a disk that does not answer
        raise UnreadableError(path, None, f"cannot be read now: {error.strerror or error}") from error
    except ValueError as error:
        raise FileError(path, None, f"cannot be read ({error}): build it again") from error


def _mapped(path: Path, size: int) -> Array:
    with path.open("rb") as file:
        dtype, shape, start = _header(file.read(HEADER), size)
        # a plain array over the mapped bytes: slices of NumPy's own class for them take several times as long
        mapped: Array = np.asarray(np.memmap(file, dtype, "r", start, shape))
    return mapped


def _shared(path: Path, size: int, xxh3: str) -> Array:
    state = path.stat()
    key = (state.st_dev, state.st_ino, state.st_mtime_ns, size, xxh3)
    array = _read.get(key)
    if array is None:
        array = _read[key] = _whole(path, size, xxh3)
    return array


def _whole(path: Path, size: int, xxh3: str) -> Array:
    data = np.fromfile(path, np.uint8)
    if len(data) != size or xxhash.xxh3_128_hexdigest(data.data) != xxh3:
        raise FileError(path, None, "does not match its checksum: the artifact is damaged, build it again")
    dtype, shape, start = _header(data[:HEADER].tobytes(), size)
    data.setflags(write=False)
    return data[start:].view(dtype).reshape(shape)


def _header(data: bytes, size: int) -> tuple[np.dtype[Any], tuple[int, ...], int]:
    """(type, shape, where the numbers begin) of a file of this size.

    NumPy would hand the header to Python's parser, which some versions cannot use from several threads at once.
    """
    found = _HEADER.match(data)
    if found is None:
        raise ValueError("it does not begin as an array of numbers does")
    start = 10 + int.from_bytes(data[8:10], "little")
    shape = tuple(int(n) for n in found["shape"].split(b",") if n.strip())
    dtype = np.dtype(found["type"].decode())
    if start % 64 or found.end() > start or start + dtype.itemsize * math.prod(shape) != size:
        raise ValueError(f"its length does not fit the shape {shape}")
    return dtype, shape, start
