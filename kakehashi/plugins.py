"""Systems that other installed packages offer, by the entry points of one group; nothing is imported until used."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import msgspec

from kakehashi.errors import InputError, KakehashiError, Notice
from kakehashi.index.index import Index
from kakehashi.retrieve.adapted import adapted, one_line
from kakehashi.retrieve.inputs import NAME
from kakehashi.retrieve.sparse import Scope
from kakehashi.retrieve.system import IndexSystem, SystemSpec

GROUP = "kakehashi.systems"
Maker = Callable[[str, Index, Any, Scope], Any]


class AsGiven(msgspec.Struct, frozen=True):
    """Settings as they were given: whoever made the system reads them."""

    values: dict[str, Any] = {}


@dataclass(frozen=True)
class Plugin:
    """A system that a package offers."""

    name: str
    package: str  # with its version
    entry: EntryPoint

    def load(self) -> SystemSpec:
        """Import it; whatever goes wrong there is one line."""
        try:
            made = self.entry.load()
        except (Exception, SystemExit) as error:
            raise InputError(f"{self.name} of {self.package} cannot be loaded: {one_line(error)}") from error
        return spec_from(made, self.name, self.package)


@cache
def plugins(taken: frozenset[str]) -> dict[str, Plugin]:
    """All by name; one of a name that is taken is left out with a notice."""
    offers: dict[str, list[Plugin]] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value)):
        package = f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value
        offers.setdefault(entry.name, []).append(Plugin(entry.name, package, entry))
    found = {}
    for name, offered in offers.items():
        packages = " and ".join(plugin.package for plugin in offered)
        if not NAME.fullmatch(name):
            fault = "names are of lower-case letters, digits and hyphens"
        elif name in taken:
            fault = "kakehashi has a system of that name"
        elif len(offered) > 1:
            fault = "uninstall all but one"
        else:
            found[name] = offered[0]
            continue
        warnings.warn(f"system '{name}' of {packages} is left out: {fault}", Notice, stacklevel=2)
    return found


def spec_from(made: Any, name: str, package: str) -> SystemSpec:
    """From what a package offers: a `SystemSpec`, or a callable (name, index, settings, scope) -> system."""
    if isinstance(made, SystemSpec):
        return replace(made, name=name, build=_guarded(made.build, package))
    if not callable(made):
        kind = type(made).__name__
        raise InputError(f"{name} of {package} is a {kind}, neither a SystemSpec nor callable")

    def make(name: str, index: Index, settings: AsGiven, scope: Scope) -> Any:
        return made(name, index, settings.values, scope)

    return SystemSpec(name, "Outside", f"plug-in of {package}", AsGiven, _guarded(make, package))


def _guarded(make: Maker, package: str) -> Callable[[str, Index, Any, Scope], IndexSystem]:
    """The same, so that errors are one line and the system can do all that is asked of one."""

    def build(name: str, index: Index, settings: Any, scope: Scope) -> IndexSystem:
        try:
            system = make(name, index, settings, scope)
        except KakehashiError:
            raise
        except (Exception, SystemExit) as error:
            raise InputError(f"{name} of {package} cannot be opened: {one_line(error)}") from error
        return adapted(name, system, index, scope)

    return build
