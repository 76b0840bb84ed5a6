"""A running service whose files are cut short, removed, or on a disk that is full: it answers, and it recovers."""

import json
import os
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from tests.serve.running import Running, running

QUERY = "燃料電池の電極"
PATIENCE = 120.0  # seconds: only a service that never recovers takes as long


def problem_of(work: Callable[[], Any]) -> tuple[int, dict[str, Any]]:
    """The status of an answer, and the problem if it is one."""
    try:
        work()
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())
    return 200, {}


def wait_for(status: int, service: Running) -> dict[str, Any]:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        found, problem = problem_of(lambda: service.ask(text=QUERY))
        if found == status:
            return problem
        time.sleep(0.1)
    raise AssertionError(f"never answered with {status}")


class Asking(Thread):
    """Asks the same again and again; keeps every answer that is neither right nor a clear refusal."""

    def __init__(self, service: Running, right: Any):
        super().__init__(daemon=True)
        self.service, self.right = service, right
        self.wrong: list[Any] = []
        self.times, self.done = 0, Event()

    def run(self) -> None:
        while not self.done.is_set():
            self.times += 1
            try:
                answer = self.service.ask(text=QUERY)
                if answer["hits"] != self.right["hits"]:
                    self.wrong.append(answer)
            except urllib.error.HTTPError as error:
                problem = json.loads(error.read())
                if error.code != 503 or not problem["type"].endswith(":unavailable"):
                    self.wrong.append(problem)
            except OSError as error:
                self.wrong.append(repr(error))


@pytest.mark.parametrize("damaged", ["index/segments/*/post.docs*.npy", "models/translation/*/*.npy"])
def test_a_file_that_is_cut_short_does_not_end_the_service(folder: Path, damaged: str) -> None:
    with running(folder, "--limit", "rate=100000", "--limit", "burst=100000") as service:
        right = service.ask(text=QUERY)
        asking = Asking(service, right)
        asking.start()
        paths = list(folder.glob(damaged))
        assert paths
        for path in paths:
            whole = path.read_bytes()
            os.truncate(path, 0)
            problem = wait_for(503, service)
            assert path.name in problem["detail"]
            assert str(folder) not in problem["detail"]
            path.write_bytes(whole)  # in place, as a copy from elsewhere does it
            wait_for(200, service)
            if asking.times > 50:
                break
        asking.done.set()
        asking.join(PATIENCE)
        assert asking.wrong == []
        assert asking.times > 1
        assert service.process.poll() is None


def test_what_is_removed_or_cut_comes_back(folder: Path, tmp_path: Path) -> None:
    with running(folder, "--limit", "rate=100000", "--limit", "burst=100000") as service:
        right = service.ask(text=QUERY)
        texts = (folder / "documents.jsonl").read_bytes()
        os.truncate(folder / "documents.jsonl", len(texts) // 2)
        status, problem = problem_of(lambda: service.ask(text=QUERY))
        assert status in (200, 503), problem  # what is left of the texts, or that a line is damaged
        (folder / "documents.jsonl").write_bytes(texts)
        assert service.ask(text=QUERY) == right
        shutil.move(folder / "index", tmp_path / "away")
        assert "kakehashi index toy" in wait_for(503, service)["detail"]
        shutil.move(tmp_path / "away", folder / "index")
        wait_for(200, service)
        assert service.ask(text=QUERY) == right
        assert [line["event"] for line in service.log if line["event"] != "request"] == [
            "serving", "unavailable", "opened",
        ]  # fmt: skip


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 8 MiB."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", place], capture_output=True)
    if mounted.returncode:
        pytest.skip(f"a small file system cannot be mounted here: {mounted.stderr.decode().strip()}")
    yield place
    subprocess.run(["umount", place], check=True)


def test_a_full_disk_is_said_and_searching_goes_on(built_toy: Path, small_disk: Path) -> None:
    folder = Path(shutil.copytree(built_toy, small_disk / "toy"))
    shutil.rmtree(folder / "index" / "texts", ignore_errors=True)
    filler, log = small_disk / "filler", small_disk / "log"
    with running(folder, log=log, TMPDIR=str(small_disk), PYTHONDONTWRITEBYTECODE="1") as service:
        fill(filler)
        hits = service.ask(text=QUERY, system="psq")["hits"]
        assert hits
        for name in ("text.txt", "page.html", "word.docx"):
            status, problem = problem_of(lambda name=name: upload(service, name))  # type: ignore[misc]
            assert (status, problem.get("type")) == (507, "urn:kakehashi:problem:full"), (name, problem)
        assert service.ask(text=QUERY, system="psq-hmm")["hits"]
        filler.unlink()
        upload(service, "page.html")
        assert service.ask(text=QUERY, system="psq")["hits"] == hits
        assert service.log[-1]["event"] == "request"  # the log goes on, too


def fill(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        for size in (1 << 16, 1 << 12, 1):
            try:
                while file.write(bytes(size)):
                    pass
            except OSError:
                continue


def upload(service: Running, name: str) -> None:
    """More than is kept in memory while it arrives."""
    mark = "----------part"
    head = f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    data = ("<p>fuel cell electrode</p>" + " " * (3 << 20)).encode()
    body = head.encode() + data + f"\r\n--{mark}--\r\n".encode()
    request = urllib.request.Request(
        f"{service.address}/c/toy", body, {"Content-Type": f"multipart/form-data; boundary={mark}"}
    )
    with urllib.request.urlopen(request, timeout=120) as answer:
        answer.read()
