"""Cross-language prior-art search that learns from citations.

    import kakehashi as kk

    library = kk.open("patents")
    hits = library.search("疎水性の磁性合金", system="psq", k=10, before="2004-01-01")
    hits[0].title, hits[0].why

Nothing heavy is imported before it is used.
"""

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from kakehashi.front import compare, evaluate, open
    from kakehashi.library import Library

_HOMES = {
    "open": "kakehashi.front",
    "evaluate": "kakehashi.front",
    "compare": "kakehashi.front",
    "Library": "kakehashi.library",
}
__all__ = ["Library", "__version__", "compare", "evaluate", "open"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'kakehashi' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__


class _Package(ModuleType):
    """Importing a room sets it as an attribute here; `kakehashi.evaluate` must not hide `kk.evaluate`."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
