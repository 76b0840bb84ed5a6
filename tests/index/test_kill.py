"""kill -9 at any moment of indexing leaves the old index or the new one, whole."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from kakehashi.corpus.collection import Collection, CollectionInfo
from kakehashi.corpus.writing import CollectionWriter
from kakehashi.index.index import Index
from kakehashi.index.prepare import index_collection, index_folder
from kakehashi.systems.opening import open_system
from kakehashi.types import Text
from tests.index.building import holdings_of, zipfian

ROOT = Path(__file__).parents[2]
PROGRAM = [sys.executable, "-c", "from kakehashi.cli.main import main; main()"]
QUERY = Text("q", "en", "w0 w3 w11 w40 changed")
INFO = CollectionInfo("killed", "de", "en", fields={"version": "number"})

Answer = tuple[list[str], list[float], int]


class Versions:
    """A collection whose documents.jsonl is exchanged between two versions."""

    def __init__(self, folder: Path, n_docs: int):
        self.folder = folder
        self.files, self.answers = [], []
        documents = zipfian(np.random.default_rng(n_docs), n_docs, mean_length=100)
        for version in (0, 1):
            part = folder.with_name(f"{folder.name}-{version}")
            with CollectionWriter(part, INFO) as writer:
                for i, (id, text) in enumerate(documents.items()):
                    if i % 10 != version:  # a tenth goes, a tenth comes, the rest changes
                        words = text + " changed" * (version * (i % 7))
                        writer.document(Text(id, "en", words, meta={"version": version}))
                writer.query(Text("q", "de", "w0"))
            self.files.append((part / "documents.jsonl").read_bytes())
            index_collection(Collection(part))
            self.answers.append(answer(part))
        shutil.copytree(folder.with_name(f"{folder.name}-0"), folder)
        assert self.answers[0] != self.answers[1]

    def put(self, version: int) -> None:
        (self.folder / "documents.jsonl").write_bytes(self.files[version])


def answer(folder: Path) -> Answer:
    index = Index(index_folder(Collection(folder)))
    assert index.faults() == []
    ranking = open_system("bm25", holdings_of(index)).search([QUERY], 100).rankings["q"]
    return list(ranking.docs), ranking.scores.round(5).tolist(), index.n_docs


def start(folder: Path) -> subprocess.Popen[bytes]:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    words = [*PROGRAM, "index", str(folder)]
    return subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def finish(folder: Path, after_lock: bool = False) -> float:
    """Index to the end; how long it took."""
    before = time.perf_counter()
    process = start(folder)
    if after_lock:
        wait_for_lock(process)
        before = time.perf_counter()
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return time.perf_counter() - before


def wait_for_lock(process: subprocess.Popen[bytes]) -> None:
    """Until the process has begun to write: before, it imports modules, and a kill can do no harm."""
    folder = Path(f"/proc/{process.pid}/fd")
    while process.poll() is None:
        with contextlib.suppress(OSError):
            if any(path.readlink().name == ".lock" for path in folder.iterdir()):
                return
        time.sleep(0.001)


def kill_often(versions: Versions, n: int, after_lock: bool) -> list[bool]:
    """Whether the new version was found after each kill; kills are spread evenly over the run."""
    rng = np.random.default_rng(n)
    versions.put(1)
    duration = finish(versions.folder, after_lock)
    assert answer(versions.folder) == versions.answers[1]
    too_late, current = [], 1
    for i in rng.permutation(n).tolist():
        versions.put(1 - current)
        process = start(versions.folder)
        if after_lock:
            wait_for_lock(process)
        time.sleep(duration * (i + float(rng.random())) / n)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)
        state = answer(versions.folder)
        assert state in versions.answers
        too_late.append(state == versions.answers[1 - current])
        current = versions.answers.index(state)
    check_that_nothing_is_left_behind(versions, 1 - current)
    return too_late


def check_that_nothing_is_left_behind(versions: Versions, version: int) -> None:
    versions.put(version)
    finish(versions.folder)
    assert answer(versions.folder) == versions.answers[version]
    index = Index(index_folder(Collection(versions.folder)))
    left = {path.name for path in index.folder.glob("segments/s*")}
    assert left == {segment.name for segment in index.segments}
    assert len(list(index.folder.glob("df.*.npy"))) == 1


@pytest.mark.parametrize("after_lock", [False, True], ids=["at any moment", "while writing"])
def test_killed_indexing_leaves_a_whole_index(tmp_path: Path, after_lock: bool) -> None:
    assert len(kill_often(Versions(tmp_path / "small", 300), 3, after_lock)) == 3


@pytest.mark.slow
@pytest.mark.parametrize("after_lock", [False, True], ids=["at any moment", "while writing"])
def test_indexing_killed_fifty_times_leaves_a_whole_index_each_time(tmp_path: Path, after_lock: bool) -> None:
    too_late = kill_often(Versions(tmp_path / "large", 6000), 50, after_lock)
    assert len(too_late) == 50
    assert too_late.count(False) >= 10  # else this showed nothing


SLOW_WRITER = """
import sys
from pathlib import Path
from kakehashi.corpus.collection import Collection
from kakehashi.index import prepare
from kakehashi.systems.opening import open_system
from kakehashi.types import Text

class Slow(Collection):
    def documents(self):
        for i, text in enumerate(super().documents()):
            if i == 10:
                print("in the middle", flush=True)
                sys.stdin.readline()
            yield text

print(prepare.index_collection(Slow(Path(sys.argv[1]))))
"""


def test_second_run_at_the_same_time_is_refused_in_one_line(tmp_path: Path) -> None:
    versions = Versions(tmp_path / "twice", 50)
    folder = versions.folder
    versions.put(1)
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-c", SLOW_WRITER, str(folder)]
    first = subprocess.Popen(words, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert first.stdout is not None
    assert first.stdout.readline() == b"in the middle\n"
    second = start(folder)
    out, err = second.communicate(timeout=60)
    assert (second.returncode, out) == (2, b"")
    assert err.decode() == (
        f"kakehashi: {folder}/index/segments is being written by another process: wait for it or stop it\n"
    )
    assert answer(folder) == versions.answers[0]  # reading is possible all the time
    first.communicate(b"\n", timeout=60)
    assert first.returncode == 0
    assert answer(folder) == versions.answers[1]
