"""A private apt root in the user's cache: indices and packages of this machine's archive, without root.

Sources, keys and proxies are the system's; lists, downloads and logs are ours, so the system does not change.
Nothing here installs anything.
"""

import hashlib
import os
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kakehashi.corpus.debian import process
from kakehashi.corpus.debian.apt_config import config_text
from kakehashi.corpus.debian.stanzas import read_stanzas
from kakehashi.corpus.folders import hidden_folder
from kakehashi.errors import InputError, KakehashiError
from kakehashi.store import locked, replace_file

FRESH = 24 * 3600  # seconds for which an index counts as up to date
QUICK, UPDATE, DOWNLOAD, UNPACK, READ = 60.0, 900.0, 1800.0, 300.0, 900.0  # time limits in seconds
HELPERS = "/usr/lib/apt:/usr/libexec/apt"
ADDRESS = re.compile(r"[a-z+]+://\S+|'[^']*\.[a-z]+'|\S+:https?\b", re.IGNORECASE)
NO_NETWORK = re.compile(
    r"could not resolve|failure resolving|could not connect|unable to connect"
    r"|connection (failed|refused|timed out)|network is unreachable"
    r"|cannot initiate the connection|could not handshake",
    re.IGNORECASE,
)
TARGET_FIELDS = ("Identifier", "Language", "Filename", "Origin", "Codename", "Version")


@dataclass(frozen=True)
class Index:
    """One index file of the archive."""

    file: Path
    release: str  # such as "Debian bookworm 12.5"


def cache_folder() -> Path:
    """Where the private root lives: $XDG_CACHE_HOME or ~/.cache."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    start = Path(given) if given.startswith("/") else _home() / ".cache"
    return start / "kakehashi" / "apt"


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:
        raise InputError("there is no home folder: set XDG_CACHE_HOME to a folder for downloads") from None


class StaleIndex(KakehashiError):
    """The index names a file that the archive no longer has."""


class AptRoot:
    """The private root; `notes` collects warnings for the user."""

    def __init__(self) -> None:
        self.folder = cache_folder()
        self.notes: list[str] = []
        self._languages: Sequence[str] = ()
        self._config = self.folder / "apt.conf"
        self._apt_get = process.find_program("apt-get")
        process.find_program("dpkg")

    def update(self, languages: Sequence[str], force: bool = False) -> None:
        """Download the package index and the given translations, unless that was done within the last day."""
        self._languages = languages
        # one file per set of languages, so that two concurrent builds do not change each other's
        self._config = self.folder / ("-".join(["apt", *languages]) + ".conf")
        self._prepare(languages)
        stamp = self.folder / "stamps" / "-".join(["packages", *languages])
        if not force and _is_fresh(stamp) and self._has_all(languages):
            return
        with locked(self.folder):
            outcome = self._run("update", seconds=UPDATE)
            failed = outcome.status != 0 or "Failed to fetch" in outcome.errors
            if failed and not self._has_all(languages):
                raise _failure("apt-get update", outcome)
            if failed:
                self.notes.append("some package indices could not be refreshed: older ones are used")
            else:
                replace_file(stamp, b"")

    def _has_all(self, languages: Sequence[str]) -> bool:
        return bool(self.indices("Packages")) and all(
            self.indices("Translations", name) for name in languages
        )

    def indices(self, identifier: str, language: str = "") -> list[Index]:
        """The files of one kind of index (Packages, Translations) that are on disk."""
        outcome = self._run("indextargets", seconds=QUICK)
        if outcome.status != 0:
            raise _failure("apt-get indextargets", outcome)
        found = []
        for target in read_stanzas([outcome.output.encode()], TARGET_FIELDS):
            file = Path(target.get("Filename", ""))
            if (
                target.get("Identifier") == identifier
                and target.get("Language", "") == language
                and file.is_file()
            ):
                found.append(Index(file, " ".join(target.get(key, "") for key in TARGET_FIELDS[3:]).strip()))
        return found

    def require(self, identifier: str, language: str = "") -> list[Index]:
        """Like `indices`, but a missing one is an error that names it."""
        found = self.indices(identifier, language)
        if not found:
            name = f"Translation-{language}" if language else identifier
            raise InputError(
                f"the archive this machine uses has no {name} index: add a Debian or Ubuntu source to apt"
            )
        return found

    def read(self, index: Index) -> Iterator[bytes]:
        """The index in blocks, decompressed whatever format apt stores it in."""
        command = [process.find_program("apt-helper", HELPERS), "cat-file", str(index.file)]
        return process.stream(command, READ, self._environment)

    def package(self, name: str, largest: int | None = None) -> Path:
        """The folder of an unpacked package, downloaded if necessary; `largest` limits its size in bytes."""
        try:
            with locked(self.folder):
                return self._unpack(self._download(name, largest))
        except StaleIndex:  # the archive has a newer version than the index
            self.update(self._languages, force=True)
        with locked(self.folder):
            return self._unpack(self._download(name, largest))

    def _download(self, name: str, largest: int | None = None) -> Path:
        """The verified .deb; a broken or incomplete one is downloaded again."""
        file, size, method, digest = self._expected(name)
        if largest is not None and size > largest:
            raise InputError(f"package {name} has {size >> 20} MiB, more than {largest >> 20}: skipped")
        path = self.folder / "debs" / file
        if path.is_file() and hashlib.new(method, path.read_bytes()).hexdigest() == digest:
            return path
        path.unlink(missing_ok=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        outcome = self._run("download", name, seconds=DOWNLOAD, folder=path.parent)
        if outcome.status != 0 or not path.is_file():
            raise _failure(f"apt-get download {name}", outcome)
        return path

    def _expected(self, name: str) -> tuple[str, int, str, str]:
        """File name, size, hash method and hash of the version apt would download."""
        # apt prints nothing if the file is in the current folder, so it runs in an empty one
        outcome = self._run("download", "--print-uris", name, seconds=QUICK, folder=self.folder / "parts")
        line = re.search(
            r"^'[^']*' ([^/\s]+) (\d+) (SHA256|SHA512):([0-9a-f]+)$", outcome.output, re.MULTILINE
        )
        if line is None and (outcome.status == 0 or "Unable to locate package" in outcome.errors):
            raise InputError(
                f"package {name} is not in the archive this machine uses: add a source that has it to apt"
            )
        if line is None:
            raise _failure(f"apt-get download {name}", outcome)
        return line[1], int(line[2]), line[3].lower(), line[4]

    def _unpack(self, deb: Path) -> Path:
        """Extract next to the target and rename, so that an incomplete package is never mistaken for a complete one."""
        target = self.folder / "unpacked" / deb.name.removesuffix(".deb")
        if target.is_dir():
            return target
        target.parent.mkdir(parents=True, exist_ok=True)
        with hidden_folder(target) as partial:
            outcome = process.run([process.find_program("dpkg-deb"), "-x", str(deb), str(partial)], UNPACK)
            if outcome.status != 0:
                raise KakehashiError(
                    f"{deb.name} cannot be unpacked ({_last_line(outcome.errors)}): delete it and try again"
                )
            partial.rename(target)
        return target

    def _prepare(self, languages: Sequence[str]) -> None:
        for name in ("state/lists/partial", "cache/archives/partial", "log", "parts", "debs"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        (self.folder / "status").touch()
        outcome = process.run([process.find_program("dpkg"), "--print-architecture"], QUICK)
        text = config_text(self.folder, languages, outcome.output.strip(), os.environ.get("APT_CONFIG"))
        replace_file(self._config, text.encode())

    @property
    def _environment(self) -> dict[str, str]:
        return {**os.environ, "APT_CONFIG": str(self._config), "LC_ALL": "C"}

    def _run(self, *words: str, seconds: float, folder: Path | None = None) -> process.Outcome:
        return process.run([self._apt_get, "-q", *words], seconds, self._environment, folder)


def _is_fresh(stamp: Path) -> bool:
    return stamp.exists() and 0 <= time.time() - stamp.stat().st_mtime < FRESH


def _failure(what: str, outcome: process.Outcome) -> KakehashiError:
    if NO_NETWORK.search(outcome.errors):
        return KakehashiError(
            "the package archive cannot be reached: check the network, then rerun the command"
        )
    kind = StaleIndex if re.search(r"\b404\b", outcome.errors) else KakehashiError
    return kind(f"{what} failed ({_last_line(outcome.errors)}): rerun the command")


def _last_line(errors: str) -> str:
    """The first error apt names, otherwise the last line; without addresses, which do not belong in a log."""
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    chosen = next((line for line in lines if line.startswith("E:")), lines[-1] if lines else "no message")
    return ADDRESS.sub("the archive", chosen).removeprefix("E:").strip()[:200]
