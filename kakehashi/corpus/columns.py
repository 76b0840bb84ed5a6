"""Arrays on disk that grow at the end, block by block; does not read them."""

from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import DTypeLike

from kakehashi.types import Array


class Column:
    """A one-dimensional .npy file whose length is not known in advance; no part of it stays in memory."""

    def __init__(self, path: Path, dtype: DTypeLike):
        self._dtype, self._length = np.dtype(dtype), 0
        self._file = path.open("wb")
        self._write_header()

    def __enter__(self) -> "Column":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._file:
            self._file.seek(0)  # numpy's header has room for any length, so the array does not move
            self._write_header()

    def append(self, block: Array) -> None:
        self._file.write(np.ascontiguousarray(block, dtype=self._dtype).data)
        self._length += len(block)

    def _write_header(self) -> None:
        descr = np.lib.format.dtype_to_descr(self._dtype)
        header = {"descr": descr, "fortran_order": False, "shape": (self._length,)}
        np.lib.format.write_array_header_1_0(self._file, header)
