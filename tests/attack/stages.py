"""Everything that takes long enough to be broken off: commands, and the collections they work on."""

import contextlib
import json
import os
import random
import shutil
import signal
import sys
import time
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from threading import Thread

from kakehashi.cli.main import main
from kakehashi.corpus.debian import apt
from tests.attack.outcomes import BUSY, OTHER, PATIENCE, REFUSED, SAME, is_one_line, limit_work
from tests.corpus.debian.test_build import Archive
from tests.toy import toy_collection

SMALL = ("--set", "pairs=300", "--set", "epochs=1")
VECTORS = ("--set", "epochs=2", "--set", "dimensions=16")
SERVICE = "service"
SEARCH = ("search", "DIR", "電池の電極", "--system", "psq", "--json")
CNN = {
    "cnn-text": (
        "train", "cnn-text", "DIR", "--set", "first=psq", "--set", "word_dimensions=8", "--set", "filters=4",
        "--set", "epochs=1", "--set", "word_epochs=1",
    )
} if find_spec("torch") else {}  # fmt: skip
# by collection: what it needs to be set up, in this order; each is a stage that may be broken off
STAGES: dict[str, dict[str, tuple[str, ...]]] = {
    "toy": {
        "index": ("index", "DIR"),
        "translation": ("train", "translation", "DIR"),
        "decoder": ("train", "translation", "DIR", "--set", "decoder=true"),
        "examples": ("train", "examples", "DIR"),
        "topics": ("train", "topics", "DIR", "--set", "topics=3", *SMALL),
        "lowrank": (
            "train", "lowrank", "DIR", "--set", "rank=4", "--set", "hard=0", "--set", "bags=1", *SMALL,
        ),
        "bilinear": ("train", "bilinear", "DIR", *SMALL),
        "boosted": ("train", "boosted", "DIR", "--set", "samples=2", "--set", "rounds=5"),
        "fused": ("train", "fused", "DIR", "--set", "inputs=psq examples", "--set", "folds=0"),
        **CNN,
        "rank": ("rank", "psq", "DIR", "--split", "test", "--out", "DIR/out.run"),
        "indexed": ("rank", "psq", "DIR", "--set", "indexed=true", "--split", "test", "--out", "DIR/indexed.run"),
        "translate": ("rank", "dt", "DIR", "--split", "test", "--out", "DIR/dt.run"),
        "remember": ("remember", "DIR", "電池の電極", "d01"),
        "world": ("data", "get", "world", "DIR/world", "--documents", "500"),
        "packages": ("data", "get", "packages", "DIR/packages", "--lang", "de"),
        "pack": ("model", "pack", "DIR", "DIR/packed.zip"),
        "unpack": ("model", "unpack", "DIR/packed.zip", "DIR/unpacked"),
        "export": ("data", "export", "trec", "DIR", "DIR/exported"),
        SERVICE: ("serve", "DIR", "--port", "0"),
    },
    "world": {
        "index again": ("index", "DIR"),
        "translation again": ("train", "translation", "DIR"),
        "examples again": ("train", "examples", "DIR"),
        "knowledge": ("train", "knowledge", "DIR", "--set", "folds=2", "--set", "fields=ipc"),
        "dense": ("train", "dense", "DIR", "--set", "folds=2", "--set", "fields=ipc", "--set", "inputs=psq"),
        "related": ("train", "related", "DIR", *VECTORS, "--set", "kinds=skipgram lsi", "--set", "lsi_dimensions=8"),
        "mapped": ("train", "mapped", "DIR", *VECTORS, "--set", "least=0.6"),
        "build": ("build", "DIR", "--only", "examples,knowledge"),
    },
}  # fmt: skip
NAMES = [name for stages in STAGES.values() for name in stages]
REMOVED = {  # so that there is something to do again
    "translate": ("models/translation/translated",), "indexed": ("models/translation/indexed-psq",),
    "world": ("world",), "packages": ("packages",), "unpack": ("unpacked",), "export": ("exported",),
    "build": ("models/examples", "models/knowledge"),
}  # fmt: skip


@dataclass(frozen=True)
class Called:
    """How a command ended."""

    status: int  # negative: by this signal; or the patience ran out
    out: str
    err: str

    def outcome(self, expected: "Called | None" = None) -> str:
        """By what a user sees."""
        if self.status in (-signal.SIGALRM, -signal.SIGXCPU):
            return "hang"
        if self.status < 0:
            return f"crash: {signal.Signals(-self.status).name}: {self.err[-300:]}"
        if "Traceback" in self.err or "unexpected" in self.err:
            return f"trace: {self.err[-700:]}"
        if self.status == 0:
            return SAME if expected is None or self.out == expected.out else OTHER
        lines = [line for line in self.err.splitlines() if line.startswith("kakehashi: ")]
        return (
            REFUSED
            if len(lines) == 1 and is_one_line(lines[0])
            else f"status {self.status}: {self.err[-500:]!r}"
        )


def words(stage: Sequence[str], folder: Path) -> list[str]:
    return [word.replace("DIR", str(folder)) for word in stage]


def argv(name: str, folder: Path) -> list[str]:
    return words(STAGES[ground_of(name)][name], folder)


def ground_of(name: str) -> str:
    return next(ground for ground, stages in STAGES.items() if name in stages)


def set_up(folder: Path) -> dict[str, float]:
    """Collections with everything trained; how long each stage took, once everything was compiled."""
    folder.mkdir(parents=True)
    toy_collection(folder / "toy")
    world = forked(["data", "get", "world", str(folder / "world"), "--documents", "500"], folder)
    assert world.status == 0, world
    durations = {}
    for _ in range(2):
        for name in NAMES:
            at = folder / ground_of(name)
            clear(at, name)
            before = time.monotonic()
            called = done(name, at, patience=1200)
            assert called.outcome() == SAME, (name, called)
            durations[name] = time.monotonic() - before
    for name in ("world", "exported", "packages", "unpacked"):
        shutil.rmtree(folder / "toy" / name)
    return durations


def clear(place: Path, name: str) -> None:
    """Remove what the stage made, where it would find nothing to do or refuse."""
    for made in REMOVED.get(name, ()):
        shutil.rmtree(place / made, ignore_errors=True)


def done(name: str, place: Path, patience: float = PATIENCE) -> Called:
    """The stage from its start to its end; the service answers a search and is asked to stop."""
    if name != SERVICE:
        return forked(argv(name, place), place.parent, prepare, patience=patience)
    answered: list[bool] = []

    def ask_and_stop(child: int) -> None:
        try:
            answered.append(ask(said_address(place.parent, patience), place.name))
        finally:
            os.kill(child, signal.SIGTERM)

    called = forked(argv(name, place), place.parent, disturb=ask_and_stop, patience=patience)
    fine = answered == [True] and called.status in (0, 128 + signal.SIGTERM)
    return Called(0 if fine else 70, "", called.err)


def disturbed(name: str, place: Path, after: float, number: int) -> Called:
    """The stage, sent this signal after so many seconds; a service is asked without pause until then."""

    def disturb(child: int) -> None:
        if name == SERVICE:
            Thread(target=_ask_on, args=(place, after), daemon=True).start()
        time.sleep(after)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, number)

    return forked(argv(name, place), place.parent, prepare, disturb)


def _ask_on(place: Path, seconds: float) -> None:
    with contextlib.suppress(Exception):  # it is killed before, during or after its answer
        address = said_address(place.parent, seconds)
        while ask(address, place.name):
            pass


def said_address(place: Path, patience: float) -> str:
    """Where the service of this process listens, as soon as it says so."""
    out, end = place / f"out.{os.getpid()}", time.monotonic() + patience
    while time.monotonic() < end:
        said = out.read_text() if out.exists() else ""
        if said.endswith("\n"):
            return said.strip()
        time.sleep(0.01)
    raise TimeoutError


def ask(address: str, collection: str) -> bool:
    """Whether a search over the network finds something."""
    data = json.dumps({"text": SEARCH[2], "system": "psq"}).encode()
    asked = f"{address}/api/v1/collections/{collection}/search"
    request = urllib.request.Request(asked, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return bool(json.load(answer)["hits"])


def prepare() -> None:
    """An archive without a network stands in for Debian's."""
    apt.AptRoot = Archive  # type: ignore[misc]


def forked(
    argv: Sequence[str],
    place: Path,
    prepare: Callable[[], None] = lambda: None,
    disturb: Callable[[int], None] = lambda pid: None,
    patience: float = PATIENCE,
) -> Called:
    """A command in a copy of this process; `disturb` gets its number while it runs."""
    out, err = place / f"out.{os.getpid()}", place / f"err.{os.getpid()}"
    out.touch()  # it may be killed before it opens them
    err.touch()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        status = 70
        try:
            for number, path in ((1, out), (2, err)):
                os.dup2(os.open(path, os.O_WRONLY | os.O_TRUNC), number)
            sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)  # noqa: SIM115
            limit_work(patience)
            signal.alarm(int(BUSY * patience))
            prepare()
            sys.argv = ["kakehashi", *argv]
            main()
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
        except BaseException:
            import traceback

            traceback.print_exc()
        finally:
            with contextlib.suppress(BaseException):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(status)
    try:
        disturb(child)
    finally:
        _, ended = os.waitpid(child, 0)
    status = -os.WTERMSIG(ended) if os.WIFSIGNALED(ended) else os.WEXITSTATUS(ended)
    found = Called(status, out.read_text(errors="replace"), err.read_text(errors="replace"))
    out.unlink()
    err.unlink()
    return found


def change_documents(place: Path, rng: random.Random) -> None:
    path = place / "documents.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    kept = [line.replace("battery", "battery cell") for line in lines if rng.random() < 0.8]
    path.unlink()
    path.write_text("\n".join(kept or lines) + "\n", encoding="utf-8")
