"""Array files (.npy): mapped, or read whole into memory.

A mapped file that somebody cuts short ends the process that reads it: the system has no other answer. A command can
live with that. A service must not die of it, so it reads the files into memory of its own and checks them.
"""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from weakref import WeakValueDictionary

import numpy as np
import xxhash

from kakehashi.errors import FileError
from kakehashi.types import Array

_in_memory = False
# by file and checksum: a collection that is opened again shares what did not change with the one opened before
_read: "WeakValueDictionary[tuple[object, ...], Array]" = WeakValueDictionary()
_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
HEADER = 1 << 16  # bytes that hold the header of any array of plain numbers


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
    found = path.stat().st_size if path.is_file() else -1
    if found != size:
        said = f"has {found} bytes instead of {size}" if found >= 0 else "is missing"
        raise FileError(path, None, f"{said}: the artifact is damaged, build it again")
    try:
        if not _in_memory:
            # a plain array over the mapped bytes: slices of NumPy's own class for them take several times as long
            mapped: Array = np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
            return mapped
        state = path.stat()
        key = (state.st_dev, state.st_ino, state.st_mtime_ns, size, xxh3)
        array = _read.get(key)
        if array is None:
            array = _read[key] = _whole(path, size, xxh3)
    except FileError:
        raise
    except Exception as error:  # a damaged header can make numpy raise almost anything
        raise FileError(path, None, f"cannot be read ({error}): build it again") from error
    return array


def _whole(path: Path, size: int, xxh3: str) -> Array:
    data = np.fromfile(path, np.uint8)
    if len(data) != size or xxhash.xxh3_128_hexdigest(data.data) != xxh3:
        raise FileError(path, None, "does not match its checksum: the artifact is damaged, build it again")
    head = io.BytesIO(data[:HEADER].tobytes())
    shape, is_fortran, dtype = _HEADERS[np.lib.format.read_magic(head)](head)
    data.setflags(write=False)
    return data[head.tell() :].view(dtype).reshape(shape, order="F" if is_fortran else "C")
