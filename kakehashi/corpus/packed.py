"""The contents of .gz and .zst files, and the members of .tar files; a file that was cut short is refused."""

import gzip
import io
import tarfile
import zlib
from typing import Any, BinaryIO, Self

import zstandard

DAMAGED = (zlib.error, zstandard.ZstdError)  # what broken .gz and .zst files raise, besides OSError
CUT = "the compressed file is cut short: copy it again"
STEP = (
    4096  # packed bytes taken at once: they become 128 MiB at most, because four bytes can stand for 128 KiB
)


def decompressed(file: BinaryIO, suffix: str) -> BinaryIO:
    """The contents of a compressed file, with the format given by its suffix; closing it closes the file."""
    if suffix == ".zst":
        return io.BufferedReader(_Frames(file), 1 << 20)
    if suffix == ".gz":
        return io.BufferedReader(_Members(file), 1 << 20)
    return file


class _Frames(io.RawIOBase):
    """The frames of a .zst file; the library's own stream takes the end of the file for the end of a frame."""

    def __init__(self, file: BinaryIO):
        self._below = file
        self._frame: Any = None  # the one that is being read
        self._packed, self._plain = b"", memoryview(b"")  # what was taken from the file and not yet used
        self._found = False  # a frame, complete or not

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._plain:
            self._packed = self._packed or self._below.read(STEP)
            if not self._packed:
                if self._frame is not None or not self._found:
                    raise EOFError(CUT)
                return 0
            self._advance()
        n = min(len(buffer), len(self._plain))
        buffer[:n], self._plain = self._plain[:n], self._plain[n:]
        return n

    def _advance(self) -> None:
        if self._frame is None:
            self._frame = zstandard.ZstdDecompressor().decompressobj()
            self._found = True
        self._plain = memoryview(self._frame.decompress(self._packed))
        self._packed = b""
        if self._frame.eof:
            self._packed, self._frame = self._frame.unused_data, None

    def close(self) -> None:
        super().close()
        self._below.close()


class _Members(gzip.GzipFile):
    """A .gz file that has at least one member, and closes the file below; `gzip` does so only for a name."""

    def __init__(self, file: Any):
        self._below, self._begun = io.BufferedReader(file), False
        super().__init__(fileobj=self._below, mode="rb")

    def readinto(self, buffer: Any) -> int:
        if not self._begun and not self._below.peek(1):
            raise EOFError(CUT)
        self._begun = True
        return super().readinto(buffer)

    def close(self) -> None:
        super().close()
        self._below.close()


class WholeTar(tarfile.TarInfo):
    """Members up to the mark at the end of an archive; tarfile takes a damaged header or the file's end for it."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        if len(buf) != tarfile.BLOCKSIZE:
            raise tarfile.ReadError("the archive is cut short: copy it again")
        try:
            return super().frombuf(buf, encoding, errors)
        except tarfile.HeaderError as error:
            if not any(buf):
                raise
            raise tarfile.ReadError(str(error)) from None
