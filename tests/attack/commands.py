"""The command line, attacked: killed, interrupted, without room, with odd options, in odd surroundings."""

import contextlib
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kakehashi.cli.main import main
from kakehashi.library import Library
from tests.attack.outcomes import OTHER, PATIENCE, REFUSED, SAME, is_one_line
from tests.toy import toy_collection

ROOT = Path(__file__).parents[2]
SMALL = ("--set", "pairs=300", "--set", "epochs=1")
# what a collection needs to be set up, in this order; each is a stage that may be broken off
STAGES: dict[str, tuple[str, ...]] = {
    "index": ("index", "DIR"),
    "translation": ("train", "translation", "DIR"),
    "decoder": ("train", "translation", "DIR", "--set", "decoder=true"),
    "examples": ("train", "examples", "DIR"),
    "topics": ("train", "topics", "DIR", "--set", "topics=3", *SMALL),
    "lowrank": ("train", "lowrank", "DIR", "--set", "rank=4", "--set", "hard=0", "--set", "bags=1", *SMALL),
    "bilinear": ("train", "bilinear", "DIR", *SMALL),
    "boosted": ("train", "boosted", "DIR", "--set", "samples=2", "--set", "rounds=5"),
    "fused": ("train", "fused", "DIR", "--set", "inputs=psq examples", "--set", "folds=0"),
    "rank": ("rank", "psq", "DIR", "--split", "test", "--out", "DIR/out.run"),
    "world": ("data", "get", "world", "DIR/world", "--documents", "500"),
    "pack": ("model", "pack", "DIR", "DIR/packed.zip"),
    "export": ("data", "export", "trec", "DIR", "DIR/exported"),
}
SEARCH = ("search", "DIR", "電池の電極", "--system", "psq", "--json")
SERVICE = "service"


@dataclass(frozen=True)
class Called:
    """How a command ended."""

    status: int  # negative: by this signal; or the patience ran out
    out: str
    err: str

    def outcome(self, expected: "Called | None" = None) -> str:
        """By what a user sees."""
        if self.status == -signal.SIGALRM:
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


def set_up(folder: Path) -> dict[str, float]:
    """The toy collection with everything trained; how long each stage took, once everything was compiled."""
    toy_collection(folder)
    durations = {}
    for _ in range(2):
        for name, stage in STAGES.items():
            before = time.monotonic()
            for made in ("exported", "world"):
                shutil.rmtree(folder / made, ignore_errors=True)
            called = forked(words(stage, folder), folder.parent, patience=1200)
            assert called.status == 0, (name, called)
            durations[name] = time.monotonic() - before
    shutil.rmtree(folder / "exported")
    return durations


def forked(
    argv: Sequence[str],
    place: Path,
    prepare: Callable[[], None] = lambda: None,
    disturb: Callable[[int], None] = lambda pid: None,
    patience: float = PATIENCE,
) -> Called:
    """A command in a copy of this process; `disturb` gets its number while it runs."""
    out, err = place / f"out.{os.getpid()}", place / f"err.{os.getpid()}"
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        status = 70
        try:
            for number, path in ((1, out), (2, err)):
                os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
            sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)  # noqa: SIM115
            signal.alarm(int(patience))
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
    disturb(child)
    _, ended = os.waitpid(child, 0)
    status = -os.WTERMSIG(ended) if os.WIFSIGNALED(ended) else os.WEXITSTATUS(ended)
    found = Called(status, out.read_text(errors="replace"), err.read_text(errors="replace"))
    out.unlink()
    err.unlink()
    return found


class Kills:
    """kill -9 at a random moment of every stage: what was there answers as before, and the stage can be run again."""

    def __init__(self, ground: Path, durations: dict[str, float]):
        self._ground, self._durations = ground, durations

    def case(self, place: Path, seed: int, number: int = signal.SIGKILL) -> tuple[str, str]:
        rng = random.Random(seed)
        stage = rng.choice(list(STAGES))
        shutil.copytree(self._ground, place)
        if stage == "index":  # otherwise there is nothing to do
            _change_documents(place, rng)
        after = rng.uniform(0, 1.1) * self._durations[stage]
        case = f"seed {seed}: {stage} after {after:.2f} s"

        def kill(child: int) -> None:
            time.sleep(after)
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, number)

        called = forked(words(STAGES[stage], place), place.parent, disturb=kill)
        if number != signal.SIGKILL and called.status not in (0, 128 + number):
            return case, called.outcome()
        return case, _state_after(place, stage)


def _state_after(place: Path, stage: str) -> str:
    """Nothing is damaged, and the stage runs to its end."""
    faults = [fault for fault in Library(place).faults() if "was never written" not in fault]
    if faults:
        return f"damaged: {faults[0]}"
    again = forked(words(STAGES[stage], place), place.parent)
    is_there = "exists" in again.err or "already contains" in again.err  # it was done before it was disturbed
    if again.status != 0 and not is_there:
        return f"cannot be run again: {again.outcome()}: {again.err[-200:]}"
    found = forked(words(SEARCH, place), place.parent)
    left = [path.name for path in place.rglob(".*") if path.name.endswith((".tmp", ".partial"))]
    return found.outcome() if found.status or not left else f"left behind: {left}"


def _change_documents(place: Path, rng: random.Random) -> None:
    path = place / "documents.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    kept = [line.replace("battery", "battery cell") for line in lines if rng.random() < 0.8]
    path.unlink()
    path.write_text("\n".join(kept or lines) + "\n", encoding="utf-8")


def disk_full(ground: Path, place: Path, seed: int) -> tuple[str, str]:
    """No file may grow beyond a random size: an error of one line, and what was there answers as before."""
    rng = random.Random(seed)
    stage = rng.choice([name for name in STAGES if name != "rank"])
    shutil.copytree(ground, place)
    if stage == "index":
        _change_documents(place, rng)
    most = int(10 ** rng.uniform(0, 5))

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        # what is printed goes to pipes, which have no size
        for number in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), number)

    called = forked(words(STAGES[stage], place), place.parent, limit)
    case = f"seed {seed}: {stage} with files of at most {most} bytes"
    if called.status not in (0, 1, 2):
        return case, called.outcome()
    state = _state_after(place, stage)
    return case, REFUSED if state == SAME and called.status else state


ODD = (
    "", " ", "/", "..", "\n", "\x1b[31m", "-1", "0", "1e308", "nan", "inf", "-inf", "9" * 400, "\udcff", "a" * 5000,
    "/dev/null", "/dev/full", "名", "{}", "[]", "=", "==", "w0=w1:1e308", "null", "*", "date<", "x=|", "(((", "AND",
    "NOT NOT", "d01", "psq", "bm25", "fused", "dense", "all",
)  # fmt: skip
CALLS: tuple[tuple[str, ...], ...] = (
    ("search", "DIR", "?"),
    ("search", "DIR", "電池", "--system", "?"),
    ("search", "DIR", "電池", "--system", "psq", "--set", "?"),
    ("search", "DIR", "電池", "--system", "psq", "--set", "scale=?"),
    ("search", "DIR", "電池", "--system", "psq-hmm", "--set", "alpha=?"),
    ("search", "DIR", "電池", "--system", "bm25", "--set", "k1=?", "--set", "b=?"),
    ("search", "DIR", "電池", "--system", "examples", "--where", "?"),
    ("search", "DIR", "電池", "--system", "psq", "--boolean", "?"),
    ("search", "DIR", "電池", "--system", "psq", "--before", "?", "-k", "?"),
    ("search", "DIR", "電池", "--system", "psq", "--boost", "?", "--add", "?"),
    ("search", "DIR", "--id", "?", "--system", "psq"),
    ("search", "DIR", "--file", "?", "--system", "psq"),
    ("search", "DIR", "電池", "--lang", "?", "--system", "bm25"),
    ("rank", "?", "DIR", "--out", "DIR/x.run"),
    ("rank", "psq", "DIR", "--out", "?"),
    ("rank", "psq", "DIR", "--split", "?", "--out", "DIR/x.run"),
    ("rank", "psq", "DIR", "--queries", "?", "--out", "DIR/x.run"),
    ("fuse", "linear", "DIR/out.run", "DIR/out.run", "--weight", "?", "--weight", "?", "--out", "DIR/x.run"),
    ("fuse", "?", "DIR/out.run", "DIR/out.run", "--out", "?"),
    ("evaluate", "DIR/qrels/test.tsv", "DIR/out.run", "-m", "?"),
    ("evaluate", "?", "DIR/out.run"),
    ("compare", "DIR/qrels/test.tsv", "DIR/out.run", "?"),
    ("show", "document", "DIR", "?"),
    ("show", "translations", "DIR", "?"),
    ("train", "fused", "DIR", "--set", "?"),
    ("train", "translation", "DIR", "--parallel", "?"),
    ("index", "DIR", "--target", "?"),
    ("data", "check", "?"),
    ("verify", "?"),
    ("model", "show", "?"),
    ("remember", "DIR", "電池", "?"),
)


def options(ground: Path, place: Path, seed: int) -> tuple[str, str]:
    """A command with odd values."""
    rng = random.Random(seed)
    shutil.copytree(ground, place)
    argv = [word.replace("?", rng.choice(ODD)) for word in words(rng.choice(CALLS), place)]
    if any(word in ("/", "..") for word in argv) and argv[0] in ("data", "verify", "train"):
        argv = [
            word if word not in ("/", "..") else str(place / "qrels") for word in argv
        ]  # not the whole machine
    called = forked(argv, place.parent, lambda: os.chdir(place))
    shown = " ".join(ascii(word)[:60] for word in argv).replace(str(place), "DIR")
    return f"seed {seed}: {shown}", called.outcome()


# Python itself, before it comes to us, knows no other answer to a signal than a trace
STARTED = """
import os, pathlib, sys
pathlib.Path(sys.argv.pop(1)).touch()
try:
    from kakehashi.cli.main import main
except KeyboardInterrupt:
    os._exit(130)
main()
"""
PROGRAM = [sys.executable, "-c", "from kakehashi.cli.main import main; main()"]


def surroundings(ground: Path, place: Path, seed: int) -> tuple[str, str]:
    """A process of its own with something missing around it: the same answer, or one line that says what is missing."""
    rng = random.Random(seed)
    shutil.copytree(ground, place)
    gone, closed = place.parent / f"gone{seed}", rng.random() < 0.3
    shared = place.parent / f"shared{seed}"
    shared.mkdir(mode=0o777)
    shared.chmod(0o777)
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "LANG": rng.choice(("C", "C.UTF-8", "xx")),
    }
    cache = rng.choice(("own", "own", "gone", "file", "shared"))
    environment["XDG_CACHE_HOME"] = {
        "own": os.environ.get("XDG_CACHE_HOME") or str(Path("~/.cache").expanduser()),
        "gone": str(gone / "deep"), "file": "/dev/null", "shared": str(shared),
    }[cache]  # fmt: skip
    home, temporary = rng.choice((None, "/dev/null", str(gone))), rng.choice((None, "/dev/null"))
    environment |= {name: value for name, value in (("HOME", home), ("TMPDIR", temporary)) if value}
    where = place.parent / f"where{seed}"
    where.mkdir()
    script = f'cd "{where}"; rmdir "{where}"; exec "$@"' + (" >&- 2>&-" if closed else "")
    command = ["evaluate", str(place / "qrels/test.tsv"), str(place / "out.run"), "--json"]
    if cache == "own":
        command = words(SEARCH, place)
    case = f"seed {seed}: {command[0]}, cache {cache}, HOME {home}, TMPDIR {temporary}, closed {closed}"
    done = subprocess.run(
        ["/bin/sh", "-c", script, "sh", *PROGRAM, *command],
        env=environment,
        capture_output=True,
        timeout=300,
        check=False,
    )
    called = Called(
        done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    )
    if closed and called.status in (0, 1, 2):
        return case, SAME
    return case, called.outcome()


def signals(ground: Path, place: Path, seed: int) -> tuple[str, str]:
    """A signal at any moment of a process of its own, from its first import on: one line, and its status."""
    rng = random.Random(seed)
    number = rng.choice((signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
    after = rng.uniform(0.15, 4.0)
    command = rng.choice((["--help"], words(SEARCH, ground), ["verify", str(ground)]))
    ready = place.parent / f"ready{seed}"
    process = subprocess.Popen(
        [sys.executable, "-c", STARTED, str(ready), *command],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    while not ready.exists() and process.poll() is None:
        time.sleep(0.005)
    time.sleep(after)
    process.send_signal(number)
    out, err = process.communicate(timeout=120)
    called = Called(process.returncode, out.decode(errors="replace"), err.decode(errors="replace"))
    case = f"seed {seed}: {signal.Signals(number).name} after {after:.2f} s of {command[0]}"
    if called.status in (128 + number, -number):
        fine = called.err.count("\n") <= 1 and "Traceback" not in called.err
        return case, REFUSED if fine else f"trace: {called.err[-500:]}"
    return case, called.outcome()
