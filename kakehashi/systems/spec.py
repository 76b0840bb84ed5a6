"""How a system is named, described, configured, opened and trained; the file of a family ends with its specs."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_type_hints

import msgspec
from msgspec import Meta

from kakehashi.corpus.splits import QUERIES
from kakehashi.errors import InputError
from kakehashi.index.holdings import Holdings

if TYPE_CHECKING:  # a search waits for nothing that only training imports
    from kakehashi.learn.asked import Asked
    from kakehashi.retrieve.inputs import Input
    from kakehashi.retrieve.system import IndexSystem
    from kakehashi.training.job import Job
    from kakehashi.training.outcome import Outcome

ORIGINALS: Literal["originals.jsonl"] = "originals.jsonl"
Need = Literal[
    "parallel text",
    "train judgments",
    "dev judgments",
    "metadata",
    "one language",
    "gensim",
    "torch",
    "engine",
]

INFINITE = "infinite"  # in the extra of a setting's meaning: it may be infinity
LARGEST = 1e15  # of a setting: beyond it sums and powers overflow, and nothing has such a size


@dataclass(frozen=True)
class Opening:
    """The input for opening a system."""

    name: str  # its own name: psq, or psq(k1=0.9) as part of another
    holdings: Holdings
    settings: Any  # the system's own
    inputs: "Callable[[Sequence[Asked]], list[Input]]"  # opens the systems that this one is made of


@dataclass(frozen=True)
class Trainer:
    """How models are trained for a system, or for several that share them."""

    name: str  # as in `kakehashi train NAME`, and the default name of its models
    summary: str
    settings: type[msgspec.Struct]
    train: "Callable[[Job], Outcome]"
    turn: int = 0  # when `build` trains it: what pays most for its time comes first, combinations last
    needs: Sequence[Need] = ()  # without these there is nothing to learn from
    parts: tuple[str, ...] = (
        "",
    )  # the artifacts inside a model's folder that make it up; the first is written last
    takes_text: bool = False  # further parallel text helps
    travels: bool = True  # whether its models are of use beside other documents
    asked: bool = False  # whether `build` trains it only where it is named

    @property
    def combines(self) -> bool:
        """Whether it learns how to combine other systems, so that these must be trained before it."""
        return self._has("inputs")

    @property
    def compares(self) -> bool:
        """Whether it learns from what another system finds, which must be trained before it."""
        return self._has("hard_from") or self._has("first")

    def _has(self, setting: str) -> bool:
        return any(field.name == setting for field in msgspec.structs.fields(self.settings))


@dataclass(frozen=True)
class SystemSpec:
    """Everything that commands, help, docs and contract tests know about a system."""

    name: str
    kind: Literal["Sparse", "Vectors", "Rerank", "Fused", "Examples", "Outside"]  # Outside: external
    summary: str
    settings: type[msgspec.Struct]
    open: "Callable[[Opening], IndexSystem]"
    queries: Literal["queries.jsonl", "originals.jsonl"] = QUERIES
    trainer: Trainer | None = None  # without one it needs no training
    is_trained: Callable[[Holdings], bool] = lambda holdings: (
        False
    )  # whether its default model exists, or none is needed
    quick: bool = False  # fast enough to be an input of combinations by default
    either_language: bool = False  # whether queries may be in the documents' language although it has a model

    @property
    def source_only(self) -> bool:
        """Whether it rejects queries in the documents' language: a model knows the words of the source language."""
        return self.trainer is not None and not self.either_language


class AsGiven(msgspec.Struct, frozen=True):
    """Settings as given: the author of the system reads them."""

    values: dict[str, Any] = {}


def read_settings(spec: SystemSpec, values: Mapping[str, Any]) -> msgspec.Struct:
    """A system's settings from `--set name=value` strings; unknown names and wrong values are rejected."""
    if spec.settings is AsGiven:
        return AsGiven(dict(values))
    return read_values(spec.name, spec.settings, values)


def read_values(system: str, kind: type[msgspec.Struct], values: Mapping[str, Any]) -> msgspec.Struct:
    known = {field.name for field in msgspec.structs.fields(kind)}
    for name in values:
        if name not in known:
            raise InputError(f"{system} has no setting '{name}': it has {', '.join(sorted(known))}")
    try:
        found = msgspec.convert(dict(values), kind, strict=False)
    except msgspec.ValidationError as error:
        raise InputError(f"{system}: {error}") from None
    except UnicodeEncodeError:  # half a character, as a terminal with another encoding may send it
        raise InputError(f"{system}: a setting is not valid Unicode text: give it as UTF-8") from None
    for name in known:
        value = getattr(found, name)
        if isinstance(value, float) and not (abs(value) <= LARGEST or _is_infinite(kind, name, value)):
            if not math.isfinite(value):
                raise InputError(f"{system}: {name} must be a number, not {value:g}")
            raise InputError(f"{system}: {name}={value:g} is not a number up to {LARGEST:g}")
    return found


def _is_infinite(kind: type[msgspec.Struct], name: str, value: float) -> bool:
    """For a setting that says that infinity means something to it."""
    told = getattr(get_type_hints(kind, include_extras=True)[name], "__metadata__", ())
    return value == math.inf and any((one.extra or {}).get(INFINITE) for one in told if isinstance(one, Meta))
