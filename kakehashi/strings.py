"""Lists of strings as two arrays, so that any number of them is opened at once and read one by one."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kakehashi.errors import InputError
from kakehashi.soundness import text_ends
from kakehashi.types import Array


class Strings(Sequence[str]):
    """A list of strings as two arrays: concatenated UTF-8 bytes, and where each string ends."""

    def __init__(self, data: Array, ends: Array):
        self._data, self._ends = data, ends

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [_decoded(self.encoded(j)) for j in range(*i.indices(len(self)))]
        return _decoded(self.encoded(i))

    def encoded(self, i: int) -> bytes:
        i = i + len(self) if i < 0 else i
        if not 0 <= i < len(self):
            raise IndexError(f"string {i} of {len(self)}")
        start = int(self._ends[i - 1]) if i else 0
        return self._data[start : int(self._ends[i])].tobytes()

    def leading(self, first: int) -> NDArray[np.uint64]:
        """(strings,) eight bytes of each from its byte `first` on, as numbers that sort as the bytes do; zeros
        follow its end."""
        ends = np.asarray(self._ends)
        starts, keys = np.append(0, ends[:-1])[: len(ends)], np.zeros(len(ends), np.uint64)
        data = np.append(self._data, np.uint8(0)).astype(np.uint64)
        for place in range(first, first + 8):
            inside = starts + place < ends
            keys = (keys << np.uint64(8)) | data[np.where(inside, starts + place, -1)]
        return keys

    def __iter__(self) -> Iterator[str]:
        data, start = self._data.tobytes(), 0
        for end in self._ends.tolist():
            yield _decoded(data[start:end])
            start = end


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise InputError(
            f"a stored text is not UTF-8 ({data[:20]!r}): the artifact is damaged, build it again"
        ) from None


def strings_arrays(name: str, items: Sequence[str]) -> dict[str, Array]:
    """The two arrays behind `Artifact.strings(name)`."""
    encoded = [item.encode() for item in items]
    ends = np.cumsum(np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded)), dtype=np.int64)
    return {f"{name}.bytes": np.frombuffer(b"".join(encoded), dtype=np.uint8), f"{name}.ends": ends}


def read_strings(name: str, array: Callable[[str], Array]) -> Strings:
    """From the arrays of that name, whose ends are looked through."""
    data, ends = array(f"{name}.bytes"), array(f"{name}.ends")
    text_ends(name, ends, data)
    return Strings(data, ends)
