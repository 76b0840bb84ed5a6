"""Folders import only themselves and folders before them in one line."""

import ast
from pathlib import Path

import pytest

from kakehashi.compiled import LATER

ORDER = [
    "errors", "progress", "settings", "tabular", "programs", "compiled", "types", "arrays", "soundness", "strings",
    "store", "text", "corpus", "index", "lexicon", "learn", "query", "features", "retrieve", "fuse", "training",
    "systems", "building", "export", "hits", "library", "front", "experiments", "scale", "serve", "cli",
]  # fmt: skip
PACKAGE = Path(__file__).parents[1] / "kakehashi"
FILES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_rooms(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: write imports in full"
            names = [node.module or ""] + [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        found |= {name.split(".")[1] for name in names if name.startswith("kakehashi.")}
    return found & {*ORDER, "evaluation"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_data_flows_in_one_direction(path: Path) -> None:
    here = room(path)
    if here == "evaluation":
        allowed = {"evaluation", "types", "errors", "progress", "tabular", "compiled"}
    else:
        allowed = {*ORDER[: ORDER.index(here) + 1]}
        if ORDER.index(here) >= ORDER.index("fuse"):
            allowed.add("evaluation")
    assert imported_rooms(path) <= allowed, f"{here} reaches into {imported_rooms(path) - allowed}"


def test_no_kernel_depends_on_a_source_that_its_cache_ignores() -> None:
    later = [name.removesuffix(".py") for name in LATER]
    assert later == ORDER[-len(later) :], "rooms before one with kernels can change what kernels do"
    assert [path for path in FILES if room(path) in later and "compiled" in imported_rooms(path)] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_rooms_have_telling_names(path: Path) -> None:
    assert not {"utils", "util", "base", "common", "helpers", "manager"} & {*path.with_suffix("").parts}
