"""Artifact folders: meta.json beside plain arrays, committed atomically, read by memory map.

meta.json is the commit point. New arrays get names no earlier generation used; only when all of them
are on disk does a rename put the new meta.json in place. A crash at any moment leaves the old artifact
or the new one. Nothing here is ever pickled, so loading cannot run code.
"""

import fcntl
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import msgspec
import numpy as np
import xxhash

from kakehashi.arrays import open_array
from kakehashi.errors import FileError, InputError, UnreadableError, one_line
from kakehashi.strings import Strings as Strings
from kakehashi.strings import read_strings
from kakehashi.strings import strings_arrays as strings_arrays
from kakehashi.types import Array

T = TypeVar("T")
Check = Callable[["Artifact", str, Array], None]
META = "meta.json"
# what reading data that make no sense can raise, by NumPy, msgspec and libraries in C++
BROKEN = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, AssertionError, RuntimeError)


class ArrayEntry(msgspec.Struct, frozen=True):
    """One array's file, size in bytes and checksum (xxh3, 128 bits)."""

    file: str
    size: int
    xxh3: str


class Meta(msgspec.Struct, frozen=True):
    """The contents of meta.json: how the artifact was made and whether it is complete."""

    kind: str
    version: int
    generation: int
    settings: dict[str, Any]
    made_from: dict[str, Any]
    seed: int | None
    arrays: dict[str, ArrayEntry]


class Artifact:
    """A finished artifact folder; arrays are mapped when first used."""

    def __init__(self, folder: Path, meta: Meta, check: Check | None = None):
        """`check` looks at each array before its first use, see `soundness`."""
        self.folder, self.meta, self._check = folder, meta, check
        self._mapped: dict[str, Array] = {}
        self._sound: set[str] = set()

    def __contains__(self, name: str) -> bool:
        return name in self.meta.arrays

    def array(self, name: str) -> Array:
        """The named array, read-only; its length is checked, its checksum only by `faults` where it is mapped."""
        array = self._mapped_array(name)
        if self._check and name not in self._sound:
            with reading(self.folder):
                self._check(self, name, array)
            self._sound.add(name)
        return array

    def _mapped_array(self, name: str) -> Array:
        if name not in self._mapped:
            self._mapped[name] = self._map(name)
        return self._mapped[name]

    def _map(self, name: str) -> Array:
        entry = self.meta.arrays.get(name)
        if entry is None:
            raise FileError(self.folder / META, None, f"has no array '{name}': build it again")
        return open_array(self.folder / entry.file, entry.size, entry.xxh3)

    def length(self, name: str) -> int:
        """How many rows an array has, without looking at them."""
        with reading(self.folder):
            return len(self._mapped_array(name))

    def map_all(self) -> None:
        """Map every array now, so that a later commit cannot remove one that is still needed."""
        for name in self.meta.arrays:
            self._mapped_array(name)

    def strings(self, name: str) -> Strings:
        with reading(self.folder):
            return read_strings(name, self.array)

    def faults(self) -> list[str]:
        """Every array whose bytes differ from what was written; empty if the artifact is intact."""
        return [fault for name, entry in self.meta.arrays.items() for fault in self._faults_of(name, entry)]

    def verify(self) -> None:
        """Refuse an artifact whose bytes differ from what was written, before anything is derived from it.

        A mapped file that is gone was replaced by a later commit: what is mapped of it stays as it was checked in.
        """
        for name, entry in self.meta.arrays.items():
            path = self.folder / entry.file
            if name in self._mapped and not path.is_file():
                continue
            for fault in self._faults_of(name, entry):
                raise FileError(self.folder, None, f"is damaged ({fault}): build it again")

    def _faults_of(self, name: str, entry: ArrayEntry) -> list[str]:
        path = self.folder / entry.file
        if not path.is_file():
            return [f"{path}: missing"]
        wrong = checksum(path) != entry.xxh3
        return [f"{path}: array '{name}' does not match its checksum"] if wrong else []


class _Settings(dict[str, Any]):
    """The settings of an artifact; one that is missing is the fault of the file."""

    def __init__(self, path: Path, values: Mapping[str, Any]):
        super().__init__(values)
        self._path = path

    def __missing__(self, name: str) -> Any:
        raise FileError(self._path, None, f"has no setting '{name}': build it again")


@contextmanager
def reading(folder: Path) -> Iterator[None]:
    """What an artifact's contents break in its reader is the fault of the artifact; an error of the system is not."""
    try:
        yield
    except (OSError, MemoryError) as error:
        raise UnreadableError(folder, None, f"cannot be read now: {one_line(error)}") from error
    except BROKEN as error:
        raise FileError(
            folder, None, f"does not hold together ({one_line(error)}): build it again"
        ) from error


def read(folder: Path, kind: str, version: int, check: Check | None = None) -> Artifact:
    """Open an artifact of the given kind and format version, or say in one line why not."""
    try:
        artifact = read_any(folder, check)
    except FileNotFoundError:
        raise FileError(folder, None, f"no {kind} here: build it first") from None
    meta, path = artifact.meta, folder / META
    if meta.kind != kind:
        raise FileError(path, None, f"is of kind '{meta.kind}', not '{kind}'")
    if meta.version != version:
        raise FileError(
            path, None, f"has format {meta.version}, this program reads {version}: build it again"
        )
    return artifact


def read_any(folder: Path, check: Check | None = None) -> Artifact:
    """Open an artifact of any kind; FileNotFoundError where there is none."""
    path = folder / META
    try:
        meta = msgspec.json.decode(path.read_bytes(), type=Meta)
    except NotADirectoryError:
        raise FileNotFoundError(path) from None
    except FileNotFoundError:
        raise
    except OSError as error:
        raise UnreadableError(path, None, f"cannot be read now: {one_line(error)}") from error
    except (ValueError, msgspec.MsgspecError, RecursionError) as error:
        raise FileError(
            path, None, f"is not a readable artifact ({one_line(error)}): build it again"
        ) from error
    if not all(_is_plain_name(entry.file) for entry in meta.arrays.values()):
        raise FileError(path, None, "names an array outside its own folder: build it again")
    settings = _Settings(path, meta.settings)
    return Artifact(folder, msgspec.structs.replace(meta, settings=settings), check)


def read_kept(
    folder: Path, kind: str, version: int, made_from: Mapping[str, Any], read_arrays: Callable[[Artifact], T]
) -> T | None:
    """What `read_arrays` makes of the artifact made from exactly this; None if there is none and it must be built."""
    for _ in range(2):
        try:
            artifact = read(folder, kind, version)
            if artifact.meta.made_from != made_from:
                return None
            artifact.map_all()
            with reading(folder):
                return read_arrays(artifact)
        except UnreadableError:  # perhaps for a moment; else it is made again, in memory at least
            continue
        except InputError:  # none yet, damaged, or just being replaced: it can be rebuilt
            return None
    return None


def _is_plain_name(name: str) -> bool:
    return Path(name).name == name and name.isprintable() and len(name.encode()) < 256


class Writer:
    """Collects arrays in a folder and commits them together; without `commit` nothing changes."""

    def __init__(self, folder: Path, kind: str, version: int):
        self.folder, self.kind, self.version = folder, kind, version
        self._files: dict[str, str] = {}
        self._generation = 0

    def __enter__(self) -> "Writer":
        self.folder.mkdir(parents=True, exist_ok=True)
        self._lock = _lock(self.folder)
        self._generation = _next_generation(self.folder)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._lock)

    def path(self, name: str) -> Path:
        """The file of a new array, for callers that write it themselves before `commit`."""
        self._files[name] = f"{name}.{self._generation}.npy"
        return self.folder / self._files[name]

    def put(self, arrays: Mapping[str, Array]) -> None:
        for name, array in arrays.items():
            np.save(self.path(name), np.ascontiguousarray(array), allow_pickle=False)

    def commit(
        self,
        settings: Mapping[str, Any],
        made_from: Mapping[str, Any] | None = None,
        seed: int | None = None,
    ) -> Meta:
        """Replace the old generation by the new one."""
        entries = {}
        for name, file in self._files.items():
            path = self.folder / file
            sync(path)
            entries[name] = ArrayEntry(file, path.stat().st_size, checksum(path))
        meta = Meta(
            self.kind, self.version, self._generation, dict(settings), dict(made_from or {}), seed, entries
        )
        replace_file(self.folder / META, msgspec.json.format(msgspec.json.encode(meta), indent=1) + b"\n")
        _remove_unused(self.folder, {entry.file for entry in entries.values()})
        return meta


def replace_file(path: Path, data: bytes) -> None:
    """Write a whole file or nothing: write to a temporary name, flush to disk, rename."""
    path.parent.mkdir(parents=True, exist_ok=True)
    remove_leftovers(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    sync(path.parent)


def remove_leftovers(path: Path) -> None:
    """Remove what killed writers of this file left beside it; a living one still has its process."""
    with suppress(OSError):
        for left in path.parent.glob(f".{escape(path.name)}.*.tmp"):
            number = left.name.split(".")[-2]
            if number.isdecimal() and not Path(f"/proc/{number}").exists() and Path("/proc/self").exists():
                left.unlink(missing_ok=True)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder's writer lock; it is released by the system even if the process is killed."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = _lock(folder)
    try:
        yield
    finally:
        os.close(descriptor)


def checksum(path: Path) -> str:
    digest = xxhash.xxh3_128()
    with path.open("rb") as file:
        while block := file.read(1 << 22):
            digest.update(block)
    return digest.hexdigest()


def _lock(folder: Path) -> int:
    descriptor = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise InputError(f"{folder} is being written by another process: wait for it or stop it") from None
    return descriptor


def _next_generation(folder: Path) -> int:
    """One more than any existing generation, so that not even a leftover of a killed writer is overwritten."""
    generations = [0]
    for path in folder.glob("*.npy"):
        number = path.name.split(".")[-2]
        generations.append(int(number) if number.isdecimal() else 0)
    return 1 + max(generations)


def _remove_unused(folder: Path, used: set[str]) -> None:
    for path in folder.glob("*.npy"):
        if path.name not in used:
            path.unlink(missing_ok=True)


def sync(path: Path) -> None:
    """Wait until a file or folder is on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
