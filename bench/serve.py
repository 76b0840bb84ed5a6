"""The service under load, against calling the library directly from as many threads, in processes of their own.

Both do the same: the ten best documents with passages and reasons, as JSON. They take turns, so that a noisy moment
of the machine hits both alike. With `updates`, the index changes all the while, in a process of its own.
"""

import http.client
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from harness import world
from load_clients import Taken, load

from kakehashi.progress import Progress

CLIENTS, QUERIES = 64, 500
TURN = 20.0  # seconds that the service is asked before the library has its turn
DIRECT_TURN, DIRECT_TURN_UPDATES = 10.0, 2.0  # of the library: short where it is the service that is watched
SECONDS, WARM = 40.0, 2.0
THREADS = max(2, os.cpu_count() or 1)
CHANGED = 100  # documents that an update adds, or removes again
PAUSE = 5.0  # seconds between updates
MAIN = "import sys; from kakehashi.cli.main import main; sys.argv[0] = 'kakehashi'; main()"
DIRECT = """
import json, sys, threading, time
import msgspec
from kakehashi.library import Library

folder, n_threads = sys.argv[1], int(sys.argv[2])
texts, library = json.loads(sys.stdin.readline()), Library(folder)

def answer(number):
    text = texts[number % len(texts)]
    return msgspec.json.encode(library.search(text, 10, "bm25", lang="en", threads=1).as_dict())

def work(place, until, done):
    while time.monotonic() < until:
        answer(place + n_threads * done[place])
        done[place] += 1

for number in range(20):
    answer(number)
print("ready", flush=True)
for line in sys.stdin:
    began, done = time.monotonic(), [0] * n_threads
    threads = [threading.Thread(target=work, args=(i, began + float(line), done)) for i in range(n_threads)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    print(json.dumps([sum(done), time.monotonic() - began]), flush=True)
"""
UPDATES = """
import sys, time
from pathlib import Path
from kakehashi.library import Library

folder, extra, pause = Path(sys.argv[1]), Path(sys.argv[2]).read_bytes(), float(sys.argv[3])
texts = folder / "documents.jsonl"
size = texts.stat().st_size
while True:
    for added in (True, False):
        whole = texts.read_bytes()[:size] + (extra if added else b"")
        part = texts.with_name(".documents")
        part.write_bytes(whole)
        part.replace(texts)
        Library(folder).update_index(keep_settings=True)
        print("updated", flush=True)
        time.sleep(pause)
"""


def run(
    folder: Path,
    documents: int,
    progress: Progress,
    seconds: float | None = None,
    updates: bool = False,
    clients: int | None = None,
) -> dict[str, Any]:
    library, wanted, many = world(folder, documents, progress), seconds or SECONDS, clients or CLIENTS
    library.update_index(keep_settings=True, progress=progress)
    texts = [text.text for _, text in zip(range(QUERIES), library.collection.originals(), strict=False)]
    place = _copy(library.folder) if updates else library.folder
    served, direct, memory, changes = Taken(), Taken(), list[float](), 0
    with _direct(library.folder, texts) as called, _service(place) as service:
        requests = [service.request(text) for text in texts]
        load(service.place, requests, many, WARM)
        memory.append(service.resident())
        with _updating(place, updates) as count:
            while served.seconds < wanted:
                turn = min(TURN, wanted - served.seconds)
                served.add(load(service.place, requests, many, turn))
                memory.append(service.resident())
                whole = DIRECT_TURN_UPDATES if updates else DIRECT_TURN
                direct.add(called.turn(whole * turn / TURN))
            changes = count()
        opened = service.metric("reopened_total")
    if updates:
        shutil.rmtree(place)
    return {
        "figures": {
            "collection": f"synthetic, {documents} documents",
            "clients": many,
            "threads": THREADS,
            "seconds served": round(served.seconds, 1),
            "direct, searches a second": round(_rate(direct), 1),
            "served, searches a second": round(_rate(served), 1),
            **{f"served, p{p} ms": round(1000 * _percentile(served.times, p), 1) for p in (50, 95, 99)},
            "answers": len(served.times),
            "errors": len(served.errors),
            **({"first error": served.errors[0][:200]} if served.errors else {}),
            **({"updates of the index": changes, "times it was opened again": opened} if updates else {}),
            "memory, MiB": " ".join(str(round(found / 2**20)) for found in _some(memory, 12)),
        },
        "ratios": {"served_vs_direct": round(_rate(served) / _rate(direct), 3)},
    }


class _Called:
    """The library in a process that searches when it is told to."""

    def __init__(self, process: "subprocess.Popen[str]"):
        self._process = process

    def turn(self, seconds: float) -> Taken:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(seconds, file=self._process.stdin, flush=True)
        answers, took = json.loads(self._process.stdout.readline())
        return Taken(took, [took / max(answers, 1)] * answers)


@contextmanager
def _direct(folder: Path, texts: list[str]) -> Iterator[_Called]:
    command = [sys.executable, "-c", DIRECT, str(folder), str(THREADS)]
    with _process(command, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        print(json.dumps(texts), file=process.stdin, flush=True)
        process.stdout.readline()
        yield _Called(process)


class _Service:
    def __init__(self, address: str, collection: str):
        parts = urlsplit(address)
        self.place = (str(parts.hostname), int(parts.port or 0))
        self._path = f"/api/v1/collections/{collection}/search"

    def request(self, text: str) -> bytes:
        body = json.dumps({"text": text, "lang": "en", "system": "bm25", "k": 10}).encode()
        head = (
            f"POST {self._path} HTTP/1.1\r\nHost: {self.place[0]}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body

    def resident(self) -> float:
        return self.metric("resident_bytes")

    def metric(self, name: str) -> float:
        """The sum over its labels."""
        connection = http.client.HTTPConnection(*self.place, timeout=120)
        connection.request("GET", "/metrics")
        lines = connection.getresponse().read().decode().splitlines()
        connection.close()
        return sum(float(line.split()[-1]) for line in lines if line.startswith(f"kakehashi_{name}"))


@contextmanager
def _service(folder: Path) -> Iterator[_Service]:
    limits = ["rate=1000000", "burst=1000000", f"threads={THREADS}", f"waiting={2 * CLIENTS}"]
    options = [word for limit in limits for word in ("--limit", limit)]
    with _process([sys.executable, "-c", MAIN, "serve", str(folder), "--port", "0", *options]) as process:
        assert process.stdout is not None
        yield _Service(process.stdout.readline().strip(), folder.name)


@contextmanager
def _updating(folder: Path, wanted: bool) -> Iterator[Any]:
    """Yields a function that says how many updates there were."""
    if not wanted:
        yield lambda: 0
        return
    with (folder / "documents.jsonl").open("rb") as file:
        lines = [file.readline() for _ in range(CHANGED)]
    extra, log = folder / ".extra", folder / ".updates"
    extra.write_bytes(b"".join(line.replace(b'"id":"', b'"id":"NEW-', 1) for line in lines))
    command = [sys.executable, "-c", UPDATES, str(folder), str(extra), str(PAUSE)]
    with log.open("w") as said, _process(command, stdout=said):
        yield lambda: len(log.read_text(encoding="utf-8").splitlines())


@contextmanager
def _process(command: list[str], **settings: Any) -> Iterator["subprocess.Popen[str]"]:
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, **settings}
    process = subprocess.Popen(command, text=True, **given)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def _copy(folder: Path) -> Path:
    """What updates may change."""
    place = folder.with_name(f"{folder.name}-updates")
    shutil.rmtree(place, ignore_errors=True)
    return Path(shutil.copytree(folder, place))


def _rate(taken: Taken) -> float:
    return len(taken.times) / taken.seconds if taken.seconds else float("nan")


def _some(values: list[float], most: int) -> list[float]:
    """Evenly chosen, the first and the last among them."""
    if len(values) <= most:
        return values
    return [values[round(i * (len(values) - 1) / (most - 1))] for i in range(most)]


def _percentile(times: list[float], p: int) -> float:
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, len(ordered) * p // 100)] if ordered else float("nan")
