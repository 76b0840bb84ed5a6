"""External systems: run files, and the entry points of installed packages, imported when needed."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from kakehashi.corpus.collection import Collection
from kakehashi.corpus.trec import read_run
from kakehashi.errors import FileError, InputError, KakehashiError, Notice
from kakehashi.learn.asked import NAME
from kakehashi.retrieve.adapted import Adapted, adapted, one_line
from kakehashi.retrieve.run_file import RunFile
from kakehashi.retrieve.system import IndexSystem
from kakehashi.systems.spec import AsGiven, Opening, SystemSpec
from kakehashi.types import Ranking

GROUP = "kakehashi.systems"
SPLIT = "{split}"


class RunUse(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The run file: path = runs/other.run, or runs/other.{split}.run for one file per split.

    A relative path is relative to the collection's folder.
    """

    path: Annotated[
        str,
        Meta(
            description="Run file, such as `runs/other.run`, or `runs/other.{split}.run` for one file per split; "
            "relative to the collection's folder. Required."
        ),
    ] = ""


def open_run(opening: Opening) -> Adapted:
    rankings: dict[str, Ranking] = {}
    for path in _files(opening.holdings.folder, opening.settings.path):
        for query_id, ranking in read_run(path).rankings.items():
            if query_id in rankings:
                raise FileError(
                    path, None, f"contains query {query_id}, like the file of another split: keep it in one"
                )
            rankings[query_id] = ranking
    return Adapted(opening.name, RunFile(rankings), opening.holdings.index)


def _files(folder: Path, path: str) -> list[Path]:
    """One file, or those of the collection's splits that exist."""
    if not path:
        raise InputError(f"run needs a file: run(path=other.run), or run(path=other.{SPLIT}.run)")
    if SPLIT not in path:
        return [folder / path]
    splits = Collection.split_names(folder)
    files = [folder / path.replace(SPLIT, split) for split in splits]
    there = [file for file in files if file.is_file()]
    if not there:
        raise FileError(folder / path, None, f"there is no such file for {', '.join(splits) or 'any split'}")
    return there


# not among the systems, for it answers nothing by itself: what others found, as an input or to be filtered
RUN = SystemSpec("run", "Outside", "the lists of a TREC run file", RunUse, open_run)


@dataclass(frozen=True)
class Plugin:
    """A system offered by a package."""

    name: str
    package: str  # with its version
    entry: EntryPoint

    def load(self) -> SystemSpec:
        """Import it; any failure becomes a one-line error."""
        try:
            made = self.entry.load()
        except (Exception, SystemExit) as error:
            raise InputError(f"{self.name} of {self.package} cannot be loaded: {one_line(error)}") from error
        return spec_from(made, self.name, self.package)


@cache
def plugins(taken: frozenset[str]) -> dict[str, Plugin]:
    """All by name; one whose name is taken is skipped with a notice."""
    offers: dict[str, list[Plugin]] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value)):
        package = f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value
        offers.setdefault(entry.name, []).append(Plugin(entry.name, package, entry))
    found = {}
    for name, offered in offers.items():
        packages = " and ".join(plugin.package for plugin in offered)
        if not NAME.fullmatch(name):
            fault = "names may contain only lower-case letters, digits and hyphens"
        elif name in taken:
            fault = "kakehashi already has a system of that name"
        elif len(offered) > 1:
            fault = "uninstall all but one"
        else:
            found[name] = offered[0]
            continue
        warnings.warn(f"system '{name}' of {packages} is skipped: {fault}", Notice, stacklevel=2)
    return found


def spec_from(made: Any, name: str, package: str) -> SystemSpec:
    """From an entry point: a `SystemSpec`, or a callable (name, holdings, settings) -> system."""
    if isinstance(made, SystemSpec):
        return replace(made, name=name, open=guarded(made.open, package))
    if not callable(made):
        kind = type(made).__name__
        raise InputError(f"{name} of {package} is a {kind}, but must be a SystemSpec or callable")

    def make(opening: Opening) -> Any:
        return made(opening.name, opening.holdings, opening.settings.values)

    return SystemSpec(name, "Outside", f"plug-in of {package}", AsGiven, guarded(make, package))


def guarded(make: Callable[[Opening], Any], package: str) -> Callable[[Opening], IndexSystem]:
    """The same, with one-line errors and all methods of a system."""

    def open(opening: Opening) -> IndexSystem:
        try:
            system = make(opening)
        except KakehashiError:
            raise
        except (Exception, SystemExit) as error:
            raise InputError(f"{opening.name} of {package} cannot be opened: {one_line(error)}") from error
        return adapted(opening.name, system, opening.holdings.index)

    return open
