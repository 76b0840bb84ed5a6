"""The service under load, against calling the library directly from as many threads, in processes of their own.

Both do the same: the ten best documents with passages and reasons, as JSON. Clients keep their connections and ask
again as soon as they have an answer; they run on the same machine, so their own work counts against the service.
`SECONDS` is short; for a soak, set it in this file or call `run` from Python.
"""

import http.client
import json
import os
import subprocess
import sys
import threading
import time
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from harness import world

from kakehashi.progress import Progress

SECONDS, CLIENTS, QUERIES = 10.0, 64, 500
THREADS = max(2, os.cpu_count() or 1)
MAIN = "import sys; from kakehashi.cli.main import main; sys.argv[0] = 'kakehashi'; main()"
DIRECT = """
import json, sys, threading, time
import msgspec
from kakehashi.library import Library

folder, n_threads, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
texts, library = json.load(sys.stdin), Library(folder)

def answer(number):
    text = texts[number % len(texts)]
    return msgspec.json.encode(library.search(text, 10, "bm25", lang="en", threads=1).as_dict())

for number in range(20):
    answer(number)
until, done = time.monotonic() + seconds, [0] * n_threads

def work(place):
    while time.monotonic() < until:
        answer(place + n_threads * done[place])
        done[place] += 1

threads = [threading.Thread(target=work, args=(place,)) for place in range(n_threads)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(sum(done) / seconds)
"""


def run(folder: Path, documents: int, progress: Progress) -> dict[str, Any]:
    library = world(folder, documents, progress)
    library.update_index(keep_settings=True, progress=progress)
    texts = [text.text for _, text in zip(range(QUERIES), library.collection.originals(), strict=False)]
    direct = _direct(library.folder, texts)
    served = _served(library.folder, texts)
    times = sorted(served.pop("times"))
    return {
        "figures": {
            "documents": documents,
            "clients": CLIENTS,
            "threads": THREADS,
            "direct, searches a second": round(direct, 1),
            "served, searches a second": round(len(times) / SECONDS, 1),
            **{f"served, p{p} ms": round(1000 * _percentile(times, p), 1) for p in (50, 95, 99)},
            **served,
        },
        "ratios": {"served_vs_direct": round(len(times) / SECONDS / direct, 3)},
    }


def _direct(folder: Path, texts: list[str]) -> float:
    command = [sys.executable, "-c", DIRECT, str(folder), str(THREADS), str(SECONDS)]
    done = subprocess.run(command, input=json.dumps(texts).encode(), stdout=subprocess.PIPE, check=True)
    return float(done.stdout)


def _served(folder: Path, texts: list[str]) -> dict[str, Any]:
    limits = ["rate=1000000", "burst=1000000", f"threads={THREADS}", f"waiting={2 * CLIENTS}"]
    options = [word for limit in limits for word in ("--limit", limit)]
    command = [sys.executable, "-c", MAIN, "serve", str(folder), "--port", "0", *options]
    service = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert service.stdout is not None
        place = urlsplit(service.stdout.readline().strip())
        load = _Load(str(place.hostname), int(place.port or 0), folder.name, texts)
        load.ask(http.client.HTTPConnection(load.host, load.port, timeout=120), 0)
        before = load.resident()
        load.run()
        grown = load.resident() - before
    finally:
        service.terminate()
        service.wait()
    return {"times": load.times, "errors": load.errors, "memory grown, MiB": round(grown / 2**20, 1)}


class _Load:
    """Clients that ask one after the other until time is up."""

    def __init__(self, host: str, port: int, collection: str, texts: list[str]):
        self.host, self.port = host, port
        self.times: list[float] = []
        self.errors = 0
        self._path = f"/api/v1/collections/{collection}/search"
        asked = [{"text": text, "lang": "en", "system": "bm25", "k": 10} for text in texts]
        self._bodies = [json.dumps(one).encode() for one in asked]
        self._next = count()

    def ask(self, connection: http.client.HTTPConnection, number: int) -> bool:
        body = self._bodies[number % len(self._bodies)]
        connection.request("POST", self._path, body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        return answer.status == 200

    def run(self) -> None:
        until = time.monotonic() + SECONDS
        threads = [threading.Thread(target=self._client, args=(until,)) for _ in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _client(self, until: float) -> None:
        connection = http.client.HTTPConnection(self.host, self.port, timeout=120)
        while time.monotonic() < until:
            began = time.perf_counter()
            if self.ask(connection, next(self._next)):
                self.times.append(time.perf_counter() - began)
            else:
                self.errors += 1
        connection.close()

    def resident(self) -> float:
        connection = http.client.HTTPConnection(self.host, self.port, timeout=120)
        connection.request("GET", "/metrics")
        lines = connection.getresponse().read().decode().splitlines()
        connection.close()
        return float(next(line.split()[1] for line in lines if line.startswith("kakehashi_resident_bytes")))


def _percentile(times: list[float], p: int) -> float:
    return times[min(len(times) - 1, len(times) * p // 100)] if times else float("nan")
