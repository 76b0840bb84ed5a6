"""`kill -9` during requests and during reloads: whatever it hits, the next start answers as the index says."""

import io
import json
import multiprocessing
import os
import random
import signal
import threading
import time
import urllib.request
from contextlib import suppress
from http.client import HTTPException
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from kakehashi.library import Library
from tests.serve.serving import UNHURRIED
from tests.serve.test_shelf import add_document

QUERY = "燃料電池の電極"
KILLS = int(os.environ.get("KAKEHASHI_KILLS", "200"))
CLIENTS = 4
SOON = 0.3, 2.0  # seconds after a change in which the service opens the new index
Answer = tuple[tuple[str, float], ...]


class Forked:
    """A service in a process of its own; all of them share the time that Python takes to import everything."""

    _processes = multiprocessing.get_context("forkserver")
    _processes.set_forkserver_preload(["kakehashi.serve.server", "kakehashi.retrieve.sparse"])

    def __init__(self, folder: Path):
        said, says = self._processes.Pipe(duplex=False)
        self._process = self._processes.Process(target=_serve, args=(folder, says))
        self._process.start()
        says.close()
        self.address = said.recv()

    def ask(self) -> Answer:
        asked = json.dumps({"text": QUERY, "k": 20}).encode()
        address = f"{self.address}/api/v1/collections/toy/search"
        request = urllib.request.Request(address, asked, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=120) as answer:
            return tuple((hit["id"], hit["score"]) for hit in json.load(answer)["hits"])

    def kill(self) -> int | None:
        self._process.kill()
        self._process.join()
        return self._process.exitcode


def _serve(folder: Path, says: "Connection[str, str]") -> None:
    from kakehashi.serve.guard import Access
    from kakehashi.serve.logs import Log
    from kakehashi.serve.server import serve

    serve([folder], "127.0.0.1", 0, Access(), UNHURRIED, Log(io.StringIO()), ready=says.send)


class Clients:
    """Ask until the service is gone, and keep every whole answer."""

    def __init__(self, service: Forked):
        self._service, self._gone = service, threading.Event()
        self.answers: list[Answer] = []
        self._threads = [threading.Thread(target=self._ask) for _ in range(CLIENTS)]
        for thread in self._threads:
            thread.start()

    def _ask(self) -> None:
        while not self._gone.is_set():
            with suppress(OSError, HTTPException):  # it was killed before its answer, or in the middle of it
                self.answers.append(self._service.ask())

    def stop(self) -> None:
        self._gone.set()
        for thread in self._threads:
            thread.join(120)


def expected(folder: Path) -> Answer:
    return tuple((hit.id, hit.score) for hit in Library(folder).search(QUERY, 20, threads=1))


def change(folder: Path, before: bytes) -> None:
    """Add a document, or take it away again."""
    texts = folder / "documents.jsonl"
    if texts.read_bytes() == before:
        add_document(folder)
    else:
        texts.write_bytes(before)
    Library(folder).update_index(keep_settings=True)


@pytest.mark.slow
def test_no_kill_spoils_what_comes_after(folder: Path) -> None:
    rng, before, right, whole = (
        random.Random(16),
        (folder / "documents.jsonl").read_bytes(),
        expected(folder),
        0,
    )
    for kill in range(KILLS):
        service = Forked(folder)
        try:
            assert service.ask() == right, f"after {kill} kills"
            clients, allowed = Clients(service), {right}
            if kill % 2:  # while the service opens a changed index
                change(folder, before)
                right = expected(folder)
                time.sleep(rng.uniform(*SOON))
            else:
                time.sleep(rng.uniform(0.0, 0.2))
        finally:
            ended = service.kill()
        clients.stop()
        assert ended == -signal.SIGKILL
        assert {*clients.answers} <= allowed | {right}
        whole += len(clients.answers)
    assert whole > KILLS
