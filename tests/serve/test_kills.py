"""`kill -9` during requests and during reloads: whatever it hits, the next start answers as the index says."""

import os
import random
import signal
import threading
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest

from kakehashi.library import Library
from tests.serve.running import Running, running
from tests.serve.test_shelf import add_document

QUERY = "燃料電池の電極"
KILLS = int(os.environ.get("KAKEHASHI_KILLS", "200"))
CLIENTS = 4
SOON = 0.3, 2.5  # seconds after a change in which the service opens the new index


def asked(service: Running) -> list[tuple[str, float]]:
    return [(hit["id"], hit["score"]) for hit in service.ask(text=QUERY, k=20)["hits"]]


def expected(folder: Path) -> list[tuple[str, float]]:
    return [(hit.id, hit.score) for hit in Library(folder).search(QUERY, 20, threads=1)]


class Clients:
    """Ask until they are told to stop; every whole answer must be one of the right ones."""

    def __init__(self, service: Running, right: list[Any]):
        self._service, self._right, self._done = service, right, threading.Event()
        self.answers, self.wrong = 0, list[Any]()
        self._threads = [threading.Thread(target=self._ask) for _ in range(CLIENTS)]
        for thread in self._threads:
            thread.start()

    def _ask(self) -> None:
        while not self._done.is_set():
            with suppress(
                OSError, HTTPException
            ):  # the process is gone, in the middle of an answer or before
                answer = asked(self._service)
                self.answers += 1
                if answer not in self._right:
                    self.wrong.append(answer)

    def stop(self) -> None:
        self._done.set()
        for thread in self._threads:
            thread.join(120)


@pytest.mark.slow
def test_no_kill_spoils_what_comes_after(folder: Path) -> None:
    rng, texts, right = random.Random(16), folder / "documents.jsonl", [expected(folder)]
    before, answers = texts.read_bytes(), 0
    for kill in range(KILLS):
        with running(folder, "--limit", "rate=100000", "--limit", "burst=100000") as service:
            assert asked(service) == right[-1], f"after kill {kill}"
            clients = Clients(service, right)
            if (
                kill % 2
            ):  # during a reload: the index changes, and the service opens it in the next second or so
                if len(texts.read_bytes()) == len(before):
                    add_document(folder)
                else:
                    texts.write_bytes(before)
                Library(folder).update_index(keep_settings=True)
                right.append(expected(folder))
                threading.Event().wait(rng.uniform(*SOON))
            else:
                threading.Event().wait(rng.uniform(0.0, 0.2))
            assert service.stop(signal.SIGKILL) == -signal.SIGKILL
            clients.stop()
            assert clients.wrong == [], f"kill {kill}"
            answers += clients.answers
            del right[:-1]
    assert answers > KILLS
    assert right[0] == expected(folder)
