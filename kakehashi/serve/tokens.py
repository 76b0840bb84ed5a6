"""Tokens of people and programs that may use the service: kept as hashes, shown once, revoked at once."""

import fcntl
import hashlib
import hmac
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Literal

import msgspec

from kakehashi.corpus.lines import write_file
from kakehashi.errors import FileError, InputError

Role = Literal["reader", "reviewer", "admin"]
ROLES: tuple[Role, ...] = ("reader", "reviewer", "admin")  # each may do what those before it may
PREFIX = "kkh_"  # so that a token that leaked is recognised as one
LONGEST = 128


class Token(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A token without its secret. The secret is 256 random bits: guessing its hash is as hard as guessing it."""

    name: str
    role: Role
    sha256: str
    added: str  # the day, as 2006-12-31

    def may(self, role: Role) -> bool:
        return ROLES.index(self.role) >= ROLES.index(role)


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    tokens: list[Token] = []


def default_path() -> Path:
    home = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    try:
        return Path(home).expanduser() / "kakehashi" / "tokens.json"
    except RuntimeError:
        raise InputError("there is no home folder: set XDG_CONFIG_HOME to a folder for tokens") from None


class Tokens:
    """The file of tokens, read again whenever it changed."""

    def __init__(self, path: Path):
        self.path = path
        self._read: tuple[tuple[int, int, int] | None, list[Token]] = (None, [])

    def all(self) -> list[Token]:
        state = self._state()
        if state is None:
            return []
        if self._read[0] != state:
            self._read = state, _read(self.path)
        return self._read[1]

    def find(self, secret: str) -> Token | None:
        """The token with this secret; every one is compared, in the same time."""
        if not secret or len(secret) > LONGEST:
            return None
        digest, found = _digest(secret), None
        for token in self.all():
            if hmac.compare_digest(token.sha256, digest):
                found = token
        return found

    def named(self, name: str) -> Token | None:
        return next((token for token in self.all() if token.name == name), None)

    def add(self, name: str, role: Role) -> str:
        """Make a token; its secret is returned here and kept nowhere."""
        if not name.isprintable() or not name.strip() or len(name) > 100:
            raise InputError("a token needs a name of at most 100 characters: that of a person or a program")
        secret = PREFIX + secrets.token_urlsafe(32)
        with self._changing() as tokens:
            if any(token.name == name for token in tokens):
                raise InputError(f"there is a token '{name}' already: revoke it, or choose another name")
            tokens.append(Token(name, role, _digest(secret), date.today().isoformat()))
        return secret

    def revoke(self, name: str) -> None:
        with self._changing() as tokens:
            left = [token for token in tokens if token.name != name]
            if len(left) == len(tokens):
                raise InputError(f"{self.path} has no token '{name}': see kakehashi token list")
            tokens[:] = left

    @contextmanager
    def _changing(self) -> Iterator[list[Token]]:
        """One at a time; the file is only for its owner, and appears whole."""
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with (self.path.parent / ".tokens.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            tokens = _read(self.path) if self.path.exists() else []
            yield tokens
            before = os.umask(0o077)
            try:
                with write_file(self.path) as file:
                    file.write(msgspec.json.format(msgspec.json.encode(_File(tokens)), indent=1) + b"\n")
            finally:
                os.umask(before)

    def _state(self) -> tuple[int, int, int] | None:
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns


def _read(path: Path) -> list[Token]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=_File).tokens
    except (OSError, msgspec.MsgspecError) as error:
        raise FileError(path, None, f"is not a file of tokens ({error}): remove it and add tokens") from None


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
