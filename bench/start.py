"""How long a newcomer waits: importing, help, opening a collection, a first answer, each in a fresh process.

The rivals are a Python that does nothing and one that imports NumPy, which every array library pays for. For whole
commands the processor's time is taken, too, which says more on a machine that does other things.
"""

import resource
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

from harness import best_of, fastest, world

from kakehashi.library import Library
from kakehashi.progress import Progress
from kakehashi.systems.registry import spec_of

OPEN = "import kakehashi as kk; library = kk.open({folder!r}); library.collection"
SEARCH = "{open}; library.search('ultrasound', lang='en')"
HELP = "import sys; sys.argv = ['kakehashi', '--help']; from kakehashi.cli.main import main; main()"
COMMAND = "import sys; sys.argv = {words!r}; from kakehashi.cli.main import main; main()"
TEXT = ["ultrasound", "--lang", "en", "--system", "bm25"]
ROUNDS = 5


def run(folder: Path, documents: int, progress: Progress) -> dict[str, Any]:
    library = world(folder, documents, progress)
    library.update_index(progress=progress)
    opening = OPEN.format(folder=str(library.folder))
    programs = {
        "python": "pass",
        "numpy": "import numpy",
        "import": "import kakehashi",
        "help": HELP,
        "open": opening,
        "search": SEARCH.format(open=opening),
    }
    _python(programs["search"])  # compiles, once
    seconds = best_of(ROUNDS, {name: partial(_python, code) for name, code in programs.items()})
    busy = fastest(ROUNDS, {name: partial(_busy, words) for name, words in _commands(library).items()})
    return {
        "figures": {
            **{f"{name}_ms": round(1000 * value) for name, value in seconds.items()},
            **{f"{name}_cpu_ms": round(1000 * value) for name, value in busy.items()},
        },
        "ratios": {
            "import_vs_python": round(seconds["import"] / seconds["python"], 2),
            "open_vs_numpy": round(seconds["open"] / seconds["numpy"], 2),
            "help_vs_numpy": round(seconds["help"] / seconds["numpy"], 2),
            "search_vs_numpy": round(seconds["search"] / seconds["numpy"], 2),
        },
    }


def _commands(library: Library) -> dict[str, list[str]]:
    """`search` on the command line; with `dense` where `kakehashi bench combined` has trained it."""
    search = ["kakehashi", "search", str(library.folder)]
    found = {"command_brief": [*search, *TEXT, "--brief"], "command": [*search, *TEXT]}
    if spec_of("dense").is_trained(library):
        query = [*search, "--id", library.split("test", 1).queries[0].id, "--system", "dense"]
        found |= {"command_dense_brief": [*query, "--brief"], "command_dense": query}
    for words in found.values():
        _busy(words)  # compiles, once
    return found


def _busy(words: list[str]) -> float:
    """Seconds of the processor."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _python(COMMAND.format(words=words))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _python(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
