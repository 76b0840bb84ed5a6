"""The command line, attacked: killed, interrupted, without room, with odd options, in odd surroundings."""

import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from kakehashi.library import Library
from tests.attack.outcomes import REFUSED, SAME
from tests.attack.stages import (
    NAMES,
    SEARCH,
    SERVICE,
    Called,
    argv,
    change_documents,
    clear,
    disturbed,
    done,
    forked,
    ground_of,
    prepare,
    words,
)

ROOT = Path(__file__).parents[2]


class Kills:
    """kill -9 at a random moment of every stage: what was there answers as before, and the stage can be run again."""

    def __init__(self, ground: Path, durations: dict[str, float]):
        self._ground, self._durations = ground, durations

    def case(self, place: Path, seed: int, number: int = signal.SIGKILL) -> tuple[str, str]:
        rng = random.Random(seed)
        stage = rng.choice(NAMES)
        _copy(self._ground, place, stage, rng)
        after = rng.uniform(0, 1.1) * self._durations[stage]
        case = f"seed {seed}: {stage} after {after:.2f} s"
        called = disturbed(stage, place, after, number)
        if number != signal.SIGKILL and called.status not in (0, 128 + number):
            return case, called.outcome()
        return case, _state_after(place, stage)


def _copy(ground: Path, place: Path, stage: str, rng: random.Random) -> None:
    """A copy in which the stage has something to do."""
    shutil.copytree(ground / ground_of(stage), place)
    clear(place, stage)
    if stage in ("index", "index again", "build"):
        change_documents(place, rng)


def _state_after(place: Path, stage: str) -> str:
    """Nothing is damaged, and the stage runs to its end."""
    faults = [fault for fault in Library(place).faults() if "was never written" not in fault]
    if faults:
        return f"damaged: {faults[0]}"
    again = done(stage, place)
    is_there = "exists" in again.err or "already contains" in again.err  # it was done before it was disturbed
    if again.status != 0 and not is_there:
        return f"cannot be run again: {again.outcome()}: {again.err[-200:]}"
    found = forked(words(SEARCH, place), place.parent)
    left = [path.name for path in place.rglob(".*") if path.name.endswith((".tmp", ".partial"))]
    return found.outcome() if found.status or not left else f"left behind: {left}"


def disk_full(ground: Path, place: Path, seed: int) -> tuple[str, str]:
    """No file may grow beyond a random size: an error of one line, and what was there answers as before."""
    rng = random.Random(seed)
    stage = rng.choice([name for name in NAMES if name not in ("rank", SERVICE)])
    _copy(ground, place, stage, rng)
    most = int(10 ** rng.uniform(0, 5))

    def limit() -> None:
        prepare()
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        # what is printed goes to pipes, which have no size
        for number in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), number)

    called = forked(argv(stage, place), place.parent, limit)
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
    given = [word.replace("?", rng.choice(ODD)) for word in words(rng.choice(CALLS), place)]
    if any(word in ("/", "..") for word in given) and given[0] in ("data", "verify", "train"):
        given = [
            word if word not in ("/", "..") else str(place / "qrels") for word in given
        ]  # not the whole machine
    called = forked(given, place.parent, lambda: os.chdir(place))
    shown = " ".join(ascii(word)[:60] for word in given).replace(str(place), "DIR")
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
