"""How long an index takes to open, and how much memory searching it takes, each in a fresh process.

Opening is measured for the whole index and for one with a twentieth of the documents: it must not depend on
size. Memory is what becomes resident while 500 queries are answered, against the postings they may touch
(whole pages of documents and codes, each counted once): no copies, no hidden structures.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
from harness import world

from kakehashi.progress import Progress

OPEN = """
import sys, time
from kakehashi.index.index import Index
Index(sys.argv[1])  # imports and compiled code are not the index's
times = []
for _ in range(9):
    start = time.perf_counter()
    index = Index(sys.argv[1])
    index.vocabulary.number("circuit")
    times.append(time.perf_counter() - start)
print(sorted(times)[4] * 1000)
"""

MEMORY = """
import json, sys
import numpy as np
from kakehashi.index.holdings import Holdings
from kakehashi.query.terms import Untranslated
from kakehashi.retrieve.sparse import Sparse
from kakehashi.retrieve.weighting import Bm25

def resident():
    with open("/proc/self/status") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith(("RssAnon", "RssFile"))) * 1024

def compiled(index, texts):
    compiler = Untranslated(index)
    return [compiler.compile(text) for text in texts]

small, large = Holdings(sys.argv[1]), Holdings(sys.argv[2])
warm = small.index  # compiles, imports, analyses: all that is not this index's memory
texts = list(small.collection.originals())[:20]
system = Sparse("bm25", Untranslated(warm), Bm25(), warm)
list(system.rank_compiled(compiled(warm, texts), 10, threads=1))
texts = [text for _, text in zip(range(500), large.collection.originals())]
index = large.index
queries = compiled(index, texts)
before = resident()
system = Sparse("bm25", Untranslated(index), Bm25(), index)
for ranking in system.rank_compiled(queries, 10, threads=1):
    pass  # results are the caller's to keep
grown = resident() - before
segment, touched = index.segments[0], 0
rows = np.unique(segment.rows(np.concatenate([query.terms for query in queries])))
for width in (4, segment.codes.dtype.itemsize):
    ends = segment.starts * width // 4096
    pages = [np.arange(ends[r], ends[r + 1] + 1) for r in rows if r >= 0]
    touched += len(np.unique(np.concatenate(pages))) * 4096
print(json.dumps({"grown": grown, "touched": touched}))
"""


def run(folder: Path, documents: int, progress: Progress) -> dict[str, Any]:
    small, large = world(folder, max(documents // 20, 500), progress), world(folder, documents, progress)
    for library in (small, large):
        library.build(progress=progress)
    sizes = {"small": small, "large": large}
    opened = {name: float(_python(OPEN, library.index.folder)) for name, library in sizes.items()}
    memory = msgspec.json.decode(_python(MEMORY, small.folder, large.folder))
    return {
        "figures": {
            "documents_small": small.collection.info.made_with.get("documents"),
            "documents_large": large.collection.info.made_with.get("documents"),
            "open_small_ms": round(opened["small"], 2),
            "open_large_ms": round(opened["large"], 2),
            "resident_growth_mib": round(memory["grown"] / 2**20, 2),
            "touched_postings_mib": round(memory["touched"] / 2**20, 2),
        },
        "ratios": {
            "open_large_vs_50_ms": round(50 / opened["large"], 1),
            "resident_vs_touched_postings": round(memory["grown"] / memory["touched"], 2),
        },
    }


def _python(script: str, *arguments: Path) -> str:
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=600).stdout
