"""The pages, the scripts beside them, and what they say in code."""

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import typer

from kakehashi.cli.commands import app

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
_CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.DOTALL | re.MULTILINE)


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def script(name: str) -> ModuleType:
    """A script of the docs folder as a module; the folder is no package."""
    spec = importlib.util.spec_from_file_location(f"docs_{name}", ROOT / "docs" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def without_code(page: str) -> str:
    return _CODE.sub("", page)


def command_tree() -> Any:
    return typer.main.get_command(app)


def all_commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield path, command
    for name, member in members(command).items():
        yield from all_commands(member, (*path, name))


def members(command: Any) -> dict[str, Any]:
    """The commands of a group, by name; `train` makes its own when it is asked."""
    if not hasattr(command, "list_commands"):
        return {}
    return {name: command.get_command(None, name) for name in command.list_commands(None)}


def resolve(words: list[str]) -> tuple[Any, list[str]]:
    """The command that the words after `kakehashi` call, and its arguments."""
    command = command_tree()
    while words and (member := members(command).get(words[0])):
        command, words = member, words[1:]
    return command, words


def options(command: Any) -> set[str]:
    return {"--help", *(name for parameter in command.params for name in parameter.opts if name[0] == "-")}
