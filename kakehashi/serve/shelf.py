"""The collections that are served, each opened once; one that changed on disk is opened again beside the old one.

An opened library never changes, so a request that began with one ends with it, whatever happens on disk meanwhile.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any
from weakref import ReferenceType, ref

from kakehashi.building.record import index_state
from kakehashi.errors import InputError, KakehashiError
from kakehashi.lexicon.related import RelatedWords
from kakehashi.library import Library
from kakehashi.serve.folder_state import State, damaged, differ, models_fingerprint, state_of
from kakehashi.serve.memory import give_back
from kakehashi.serve.problems import Problem
from kakehashi.systems.models import has_model
from kakehashi.systems.registry import spec_of
from kakehashi.systems.related import MODEL as RELATED
from kakehashi.systems.related import read_related

EVERY = 1.0  # seconds between two looks at the folders
TRIES = 3  # to open a system while models are being written
_NAME = re.compile(r"[\w.-]{1,100}", re.ASCII)
Report = Callable[[str, str, str], None]  # (event, collection, what)


@dataclass(frozen=True)
class Volume:
    """A collection as it was when it was opened."""

    name: str
    library: Library
    state: State = field(repr=False)
    fingerprints: Mapping[str, str]  # of the index and of the models
    systems: set[str] = field(default_factory=set)  # those that are open
    counts: dict[Any, Any] = field(
        default_factory=dict, repr=False
    )  # of the page's filters, by what was chosen

    @cached_property
    def related_words(self) -> RelatedWords | None:
        """Those of the model `related`; a page can do without one that is missing or does not fit the index."""
        if not has_model(RELATED)(self.library):
            return None
        try:
            return read_related(self.library)
        except KakehashiError:
            return None


class Shelf:
    """Collections by name."""

    def __init__(self, folders: Sequence[Path], report: Report = lambda event, name, what: None):
        self.folders = _named(folders)
        self._report = report
        self._volumes: dict[str, Volume] = {}
        self._faults: dict[str, str] = {}
        self._replaced: list[ReferenceType[Library]] = []  # that may still be in memory
        self._looking = {name: Lock() for name in self.folders}
        self._stop = Event()
        self._thread: Thread | None = None

    def open(self) -> None:
        """Open everything; what cannot be opened is an error now, and a fault later."""
        for name in self.folders:
            self._volumes[name] = self._opened(name)

    def start(self) -> None:
        """Look after the folders from now on."""
        self._stop.clear()
        self._thread = Thread(target=self._watch, name="shelf", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    @property
    def faults(self) -> Mapping[str, str]:
        """What is wrong with collections that cannot be used at the moment."""
        return dict(self._faults)

    def take(self, name: str) -> Volume:
        """The collection as it was last opened."""
        if name not in self.folders:
            known = ", ".join(self.folders)
            raise Problem("not-found", f"there is no collection '{name[:100]}': there is {known}")
        if fault := self._faults.get(name):
            raise Problem("unavailable", self.shown(fault), retry=5)
        return self._volumes[name]

    def shown(self, detail: str) -> str:
        """As a client may see it: without paths of this machine."""
        for name, folder in self.folders.items():
            detail = detail.replace(str(folder), name)
        return detail

    def take_with(self, name: str, system: str, lang: str = "") -> tuple[Volume, str]:
        """The collection and the system that answers, opened from the very models the fingerprints are of."""
        for _ in range(TRIES):
            volume = self.take(name)
            chosen = volume.library.choice(system, lang).system
            if chosen in volume.systems:
                return volume, chosen
            volume.library.system(chosen)
            if not differ(volume.state, state_of(volume.library.folder)):
                volume.systems.add(chosen)
                return volume, chosen
            self.look(name)  # what was read may be newer than this volume
        raise Problem("unavailable", f"{name} is being built: try again later", retry=5)

    def look(self, name: str) -> None:
        """Open the collection again if its files changed."""
        with self._looking[name]:
            before, now = self._volumes[name], state_of(self.folders[name])
            if not differ(before.state, now) and name not in self._faults:
                return
            try:
                if faults := damaged(self.folders[name], before.state, now):
                    raise InputError(f"{faults[0]} (kakehashi index {self.folders[name]} --rebuild)")
                self._volumes[name] = self._opened(name, before.systems)
                self._replaced.append(ref(before.library))
            except (KakehashiError, OSError) as error:
                if self._faults.get(name) != str(error):
                    self._report("unavailable", name, str(error))
                self._faults[name] = str(error)
            else:
                self._faults.pop(name, None)
                self._report("opened", name, self._volumes[name].fingerprints["index"])

    def _opened(self, name: str, in_use: Sequence[str] | set[str] = ()) -> Volume:
        """With the systems that are in use, so that no request waits for them."""
        folder = self.folders[name]
        state = state_of(folder)
        library = Library(folder)
        library.collection  # noqa: B018  a folder that is not a collection is refused here
        library.class_titles  # noqa: B018  read now, so that a fault of the file is known
        fingerprints = {"index": index_state(library.index), "models": models_fingerprint(folder)}
        best = library.choice().system
        _try_out(library, best)
        systems = {best}
        for system in {*in_use} - systems:
            with suppress(KakehashiError):  # its model may be gone; whoever asks for it is told
                library.system(system)
                systems.add(system)
        return Volume(name, library, state, fingerprints, systems)

    def _forget(self) -> None:
        """Free what was replaced as soon as no request needs it."""
        if self._replaced:
            give_back()
        for gone in [one for one in self._replaced if one() is None]:
            self._replaced.remove(gone)

    def _watch(self) -> None:
        while not self._stop.wait(EVERY):
            self._forget()
            for name in self.folders:
                try:
                    self.look(name)
                except Exception as error:  # the next look may succeed; this thread must not end
                    self._report("failed", name, type(error).__name__)


def _try_out(library: Library, system: str) -> None:
    """Search once, so that the first to ask does not wait for what is loaded on first use."""
    needs = spec_of(system).queries
    queries = library.collection.texts(needs) if library.collection.has(needs) else iter(())
    query = next(queries, library.query("1"))
    library.search(query, 1, system, threads=1).as_dict()


def _named(folders: Sequence[Path]) -> dict[str, Path]:
    """Collections are called like their folders."""
    named: dict[str, Path] = {}
    for folder in folders:
        name = folder.resolve().name
        if not _NAME.fullmatch(name):
            raise InputError(
                f"{folder}: '{name}' becomes part of addresses: rename it with letters, digits, _, - and ."
            )
        if name in named:
            raise InputError(f"{folder} and {named[name]} are both called '{name}': rename one of them")
        named[name] = folder
    return named
