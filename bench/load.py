"""How long an index takes to open, and how much memory searching it takes, each in a fresh process.

Opening is measured for the whole index and for one with a hundredth of the documents, against each other and
against reading the same bytes: it maps arrays and reads none, so it must not depend on size. Memory is what
becomes resident while 500 queries are answered, against the postings they may touch (whole pages of documents
and codes, each counted once): no copies, no hidden structures.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
from harness import world

from kakehashi.progress import Progress

OPEN = """
import json, sys, time
from pathlib import Path
from kakehashi.index.index import Index

def open_index():
    Index(sys.argv[1]).vocabulary.number("circuit")

def read_bytes():
    for path in Path(sys.argv[1]).rglob("*.npy"):
        path.read_bytes()

def median(work):
    work()  # imports, compiled code and files not yet in memory are not what is measured
    times = []
    for _ in range(9):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return sorted(times)[4] * 1000

print(json.dumps({"open": median(open_index), "read": median(read_bytes)}))
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
    small, large = world(folder, max(documents // 100, 500), progress), world(folder, documents, progress)
    for library in (small, large):
        library.update_index(progress=progress)
    few, many = (msgspec.json.decode(_python(OPEN, library.index.folder)) for library in (small, large))
    memory = msgspec.json.decode(_python(MEMORY, small.folder, large.folder))
    return {
        "figures": {
            "documents_small": small.collection.info.made_with.get("documents"),
            "documents_large": large.collection.info.made_with.get("documents"),
            "open_small_ms": round(few["open"], 2),
            "open_large_ms": round(many["open"], 2),
            "read_large_ms": round(many["read"], 2),
            "resident_growth_mib": round(memory["grown"] / 2**20, 2),
            "touched_postings_mib": round(memory["touched"] / 2**20, 2),
        },
        "ratios": {
            "open_large_vs_50_ms": round(50 / many["open"], 1),
            "open_large_vs_small": round(few["open"] / many["open"], 2),
            "open_vs_reading_the_same_bytes": round(many["read"] / many["open"], 1),
            "resident_vs_touched_postings": round(memory["grown"] / memory["touched"], 2),
        },
    }


def _python(script: str, *arguments: Path) -> str:
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=600).stdout
