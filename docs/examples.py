"""Runs the examples of the pages and puts what they print into the page, so that no shown output is invented.

    python docs/examples.py            run them all, update the pages
    python docs/examples.py README.md  only this page

A block marked `console` is run: a line after `$ ` is a command, what follows is its output, both streams. The
blocks of a page share one empty folder. A block marked `bash` shows commands that are not run, because they
need the network or much time; tests still hold their options against the program.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "docs/searching.md")
COLUMNS = "100"
_BLOCK = re.compile(r"^```(console|bash)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_MAIN = "import sys; from kakehashi.cli.main import main; sys.argv[0] = 'kakehashi'; main()"


def commands(page: str, kinds: tuple[str, ...] = ("console", "bash")) -> Iterator[list[str]]:
    """The words of every command a page shows."""
    for kind, block in _BLOCK.findall(page):
        for line in block.replace("\\\n", " ").splitlines():
            if kind in kinds and (kind == "bash" or line.startswith("$ ")):
                words = shlex.split(line.removeprefix("$ "), comments=True)
                if words:
                    yield words


def with_outputs(page: str, folder: Path) -> str:
    """The page with every console block run anew in `folder`."""

    def run_block(match: re.Match[str]) -> str:
        if match[1] != "console":
            return match[0]
        lines = [line for line in match[2].splitlines() if line.startswith("$ ")]
        return "".join(["```console\n", *(f"{line}\n{output(line[2:], folder)}" for line in lines), "```"])

    return _BLOCK.sub(run_block, page)


def output(command: str, folder: Path) -> str:
    """What a person at a terminal of fixed width would see, without blanks at the ends of lines."""
    words = shlex.split(command, comments=True)
    if words[0] == "kakehashi":
        words = [sys.executable, "-c", _MAIN, *words[1:]]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": COLUMNS, "NO_COLOR": "1"}
    done = subprocess.run(
        words, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    lines = done.stdout.decode().splitlines()
    return "".join(f"{line.rstrip()}\n" for line in lines)


def main() -> None:
    for name in sys.argv[1:] or PAGES:
        path = ROOT / name
        with tempfile.TemporaryDirectory() as folder:
            page = with_outputs(path.read_text(encoding="utf-8"), Path(folder))
        if page != path.read_text(encoding="utf-8"):
            path.write_text(page, encoding="utf-8")
            print(f"{name} written")


if __name__ == "__main__":
    main()
