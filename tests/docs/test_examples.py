"""What the pages show can be typed, and prints what they show."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kakehashi import __version__
from kakehashi.corpus.world.build import build_world
from tests.docs.pages import PAGES, ROOT, command_tree, members, name_of, options, read, resolve, script

examples = script("examples")
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("name", examples.PAGES)
def test_shown_output_is_what_the_commands_print(name: str, tmp_path: Path) -> None:
    page = read(name)
    assert "```console\n$ kakehashi" in page
    assert examples.with_outputs(page, tmp_path) == page, f"run python docs/examples.py {name}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_shown_command_exists_with_its_options(page: Path) -> None:
    for words in examples.commands(page.read_text(encoding="utf-8")):
        program, *rest = words
        if program == "make":
            assert re.search(rf"^{rest[0]}:", read("Makefile"), re.M), f"make has no target {rest[0]}"
        elif program == "python":
            assert (ROOT / rest[0]).is_file(), f"there is no {rest[0]}"
        else:
            assert program == "kakehashi", f"unknown program {program}"
            command, arguments = resolve(rest)
            assert not members(command), f"{' '.join(words)}: names no command"
            unknown = {word for word in arguments if word.startswith("-")} - options(command)
            assert not unknown, f"{' '.join(words)}: {unknown}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_options_in_plain_code_exist(page: Path) -> None:
    """Forms such as `kakehashi data get help DIR --lang de|fr|ja [--short]`, in any code on the page."""
    for line in re.findall(r"(?:^ *|`)kakehashi ([^`\n]+)", page.read_text(encoding="utf-8"), re.M):
        command, arguments = resolve(line.replace("[", "").replace("]", "").split())
        unknown = {word for word in arguments if word.startswith("--")} - options(command)
        assert not unknown or command is command_tree(), f"kakehashi {line}: {unknown}"


def test_readme_has_a_line_for_every_command() -> None:
    page = read("README.md")
    assert [name for name in members(command_tree()) if f"| `kakehashi {name}` |" not in page] == []


PAGES = [
    "README.md",
    "docs/correlated.md",
    "docs/evaluation.md",
    "docs/fusion.md",
    "docs/learning.md",
    "docs/plugins.md",
    "docs/searching.md",
    "docs/text.md",
]


@pytest.mark.parametrize("name", PAGES)
def test_python_examples_run(name: str, tmp_path: Path) -> None:
    build_world(tmp_path / "patents", documents=500)
    codes = PYTHON.findall(read(name))
    assert codes
    for code in codes:
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr


def test_values_in_comments_of_the_text_guide_are_right() -> None:
    """A line `# [...]` after an expression is what it gives."""
    for code in PYTHON.findall(read("docs/text.md")):
        names: dict[str, object] = {}
        lines = code.splitlines()
        for line, following in zip(lines, [*lines[1:], ""], strict=True):
            if following.startswith("# ["):
                assert repr(eval(line, names)) == following.removeprefix("# ")
            elif line and not line.startswith("#"):
                exec(line, names)


def test_changelog_has_the_version_of_the_package() -> None:
    assert f"\n## {__version__}" in read("CHANGELOG.md")
    assert f'version = "{__version__}"' in read("pyproject.toml")


@pytest.mark.parametrize(
    "path", sorted(ROOT.glob("kakehashi/**/*.py")), ids=lambda path: str(path.relative_to(ROOT))
)
def test_files_stay_small(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 350
