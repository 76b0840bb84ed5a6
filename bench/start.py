"""How long a newcomer waits: importing, help, opening a collection, a first answer, each in a fresh process.

The rivals are a Python that does nothing and one that imports NumPy, which every array library pays for.
"""

import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

from harness import best_of, world

from kakehashi.progress import Progress

OPEN = "import kakehashi as kk; library = kk.open({folder!r}); library.collection"
SEARCH = "{open}; library.search('ultrasound', lang='en')"
HELP = "import sys; sys.argv = ['kakehashi', '--help']; from kakehashi.cli.main import main; main()"
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
    return {
        "figures": {f"{name}_ms": round(1000 * value) for name, value in seconds.items()},
        "ratios": {
            "import_vs_python": round(seconds["import"] / seconds["python"], 2),
            "open_vs_numpy": round(seconds["open"] / seconds["numpy"], 2),
            "help_vs_numpy": round(seconds["help"] / seconds["numpy"], 2),
            "search_vs_numpy": round(seconds["search"] / seconds["numpy"], 2),
        },
    }


def _python(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
