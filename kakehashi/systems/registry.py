"""Every system and every trainer by its short name; nothing else lists them.

A family's file is imported when one of its systems is first asked for, so that a search with BM25 waits for no
learner. What it then offers must be what is listed here; a test compares them.
"""

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from functools import partial
from importlib import import_module
from typing import TypeVar

from kakehashi.errors import InputError
from kakehashi.systems.outside import RUN, Plugin, plugins
from kakehashi.systems.spec import SystemSpec, Trainer

T = TypeVar("T")

FAMILIES = {
    "lexical": ("bm25", "lm", "tfidf", "hmm", "passthrough", "monolingual", "monolingual-hmm"),
    "translated": ("dt", "psq", "psq-hmm", "psq-nbest"),
    "titles": ("titles",),
    "extended": ("extended-bm25", "extended-lm", "psq-related"),
    "mapped": ("psq-mapped",),
    "bilinear": ("bilinear",),
    "boosted": ("boosted",),
    "lowrank": ("lowrank",),
    "topics": ("topics",),
    "encoder": ("encoder",),
    "examples": ("examples",),
    "linear": ("knowledge", "dense"),
    "cnn": ("cnn-text", "cnn-meta", "cnn-joint", "cnn-stacked"),
    "fused": ("fused",),
}
TRAINED = {  # by the system whose spec names the trainer
    "bilinear": "bilinear",
    "boosted": "boosted",
    "cnn-joint": "cnn-joint",
    "cnn-meta": "cnn-meta",
    "cnn-stacked": "cnn-stacked",
    "cnn-text": "cnn-text",
    "dense": "dense",
    "encoder": "encoder",
    "examples": "examples",
    "fused": "fused",
    "knowledge": "knowledge",
    "lowrank": "lowrank",
    "mapped": "psq-mapped",
    "related": "extended-bm25",
    "topics": "topics",
    "translation": "psq",
}


class Lazily(MutableMapping[str, T]):
    """A mapping whose keys are known and whose values are looked up when they are first asked for."""

    def __init__(self, find: Mapping[str, Callable[[], T]]):
        self._find, self._found = dict(find), dict[str, T]()

    def __getitem__(self, name: str) -> T:
        if name not in self._found:
            self._found[name] = self._find[name]()
        return self._found[name]

    def __setitem__(self, name: str, value: T) -> None:
        self._find[name], self._found[name] = (lambda: value), value

    def __delitem__(self, name: str) -> None:
        del self._find[name]
        self._found.pop(name, None)

    def __contains__(self, name: object) -> bool:
        return name in self._find

    def __iter__(self) -> Iterator[str]:
        return iter(self._find)

    def __len__(self) -> int:
        return len(self._find)


def _spec(family: str, name: str) -> SystemSpec:
    specs: tuple[SystemSpec, ...] = import_module(f"kakehashi.systems.{family}").SPECS
    return next(spec for spec in specs if spec.name == name)


def _trainer(system: str) -> Trainer:
    trainer = SYSTEMS[system].trainer
    assert trainer is not None, f"{system} is not trained"
    return trainer


SYSTEMS: MutableMapping[str, SystemSpec] = Lazily(
    {name: partial(_spec, family, name) for family, names in FAMILIES.items() for name in names}
)
TRAINERS: MutableMapping[str, Trainer] = Lazily(
    {name: partial(_trainer, system) for name, system in TRAINED.items()}
)


def offered() -> Mapping[str, Plugin]:
    """The systems of other packages, not loaded yet."""
    return plugins(frozenset({*SYSTEMS, RUN.name}))


def spec_of(name: str) -> SystemSpec:
    others = offered()  # checked even if not needed, so that a name clash is always reported
    if name in SYSTEMS:
        return SYSTEMS[name]
    if name == RUN.name:
        return RUN
    if name in others:
        return others[name].load()
    raise InputError(f"there is no system '{name}': choose one of {', '.join([*SYSTEMS, RUN.name, *others])}")


def trainer_of(name: str) -> Trainer:
    if name not in TRAINERS:
        raise InputError(f"'{name}' cannot be trained: choose one of {', '.join(TRAINERS)}")
    return TRAINERS[name]
