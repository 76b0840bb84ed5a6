"""From documents to a verdict: rank, evaluate, compare and fuse one after another, and how failures look."""

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kakehashi import __version__
from kakehashi.cli import search
from kakehashi.corpus.collection import Collection
from kakehashi.errors import FileError
from tests.cli.calling import CommandLine
from tests.lexicon.test_command import gone
from tests.toy import toy_collection

ROOT = Path(__file__).parents[2]
PROGRAM = [sys.executable, "-c", "from kakehashi.cli.main import main; main()"]


def test_rank_evaluate_compare_fuse(kakehashi: CommandLine, indexed_toy: Collection, tmp_path: Path) -> None:
    folder, qrels = indexed_toy.folder, indexed_toy.folder / "qrels" / "train.tsv"
    good, poor, fused = (tmp_path / f"{name}.run" for name in ("good", "poor", "fused"))
    kakehashi("rank", "monolingual", folder, "--split", "train", "--out", good)
    kakehashi("rank", "passthrough", folder, "--split", "train", "--out", poor)
    assert poor.read_text() == ""  # Japanese words pass through in vain
    kakehashi("rank", "monolingual", folder, "--split", "train", "--set", "b=0", "-k", 1, "--out", poor)

    found = kakehashi("evaluate", qrels, good, poor, "--json").json
    assert list(found) == ["runs"]
    assert list(found["runs"]) == ["good.run", "poor.run"]
    means = found["runs"]["good.run"]
    assert {"MAP", "PRES@1000"} <= means.keys()
    # j1 finds d01 d04 d03 d02: AP (1 + 2/3 + 3/4) / 3; the cut-off run finds the mates alone
    per_query = kakehashi("evaluate", qrels, good, "-m", "MAP", "--per-query", "--json").json["queries"]
    assert per_query["good.run"]["j1"]["MAP"] == pytest.approx((1 + 2 / 3 + 3 / 4) / 3)
    assert found["runs"]["poor.run"]["MAP"] == pytest.approx((1 / 3 + 1 / 3 + 1 / 4) / 3)

    pairs = kakehashi("compare", qrels, good, poor, "--json", "--rounds", 1000).json
    assert list(pairs) == ["measure", "pairs"]
    [pair] = pairs["pairs"]
    assert (pairs["measure"], pair["a"], pair["b"]) == ("MAP", "good.run", "poor.run")
    assert pair["difference"] == pytest.approx(means["MAP"] - found["runs"]["poor.run"]["MAP"])
    assert 0 < pair["p"] <= 1

    assert (
        "3 queries by rrf(monolingual+monolingual)"
        in kakehashi("fuse", "rrf", good, poor, "--out", fused).out
    )
    assert kakehashi("evaluate", qrels, fused, "-m", "MRR", "--json").json["runs"]["fused.run"]["MRR"] == 1.0


def test_fuse_refuses_a_single_run_and_unknown_rules(kakehashi: CommandLine, tmp_path: Path) -> None:
    run, out = tmp_path / "a.run", tmp_path / "out.run"
    run.write_text("q Q0 d 1 1.0 x\n")
    assert (
        kakehashi.refused("fuse", "rrf", run, "--out", out) == "fuse needs at least 2 runs: add another one"
    )
    assert "there is no rule 'max'" in kakehashi.refused("fuse", "max", run, run, "--out", out)
    assert "missing.run" in kakehashi.refused("fuse", "rrf", run, tmp_path / "missing.run", "--out", out)
    assert not out.exists()


def test_version_and_help(kakehashi: CommandLine) -> None:
    assert kakehashi("--version").out == f"kakehashi {__version__}\n"
    help_text = kakehashi("--help").out
    for command in ("data", "index", "rank", "search", "fuse", "evaluate", "compare"):
        assert command in help_text
        assert "Usage: kakehashi" in kakehashi(command, "--help").out
    assert "--debug" in help_text


LOADED = """
import sys
from kakehashi.cli.main import main
sys.argv = ["kakehashi", "--help"]
try:
    main()
except SystemExit as stop:
    assert not stop.code, stop.code
print("loaded:", *sys.modules)
"""


def test_help_is_quick_because_nothing_heavy_is_loaded_for_it() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED], env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True,
        text=True, check=True, timeout=60,
    )  # fmt: skip
    shown, _, loaded = done.stdout.partition("loaded:")
    assert "Usage: kakehashi" in shown
    heavy = {"numpy", "numba", "scipy", "matplotlib", "kakehashi.systems.registry", "kakehashi.library"}
    assert not heavy & {*loaded.split()}


@pytest.mark.parametrize(
    "words", [["nonsense"], ["rank"], ["rank", "bm25"], ["search"], ["data", "nonsense"]]
)
def test_wrong_use_is_one_line_and_status_2(kakehashi: CommandLine, words: list[str]) -> None:
    message = kakehashi.refused(*words)
    assert "(see kakehashi" in message
    assert message.endswith(" --help)")


def test_debug_shows_the_trace(kakehashi: CommandLine, tmp_path: Path) -> None:
    with pytest.raises(FileError, match="is not a collection"):
        kakehashi("--debug", "index", tmp_path)


def test_fault_of_the_system_is_one_line_and_status_1(
    kakehashi: CommandLine, monkeypatch: pytest.MonkeyPatch, indexed_toy: Collection
) -> None:
    def no_space(*arguments: object) -> None:
        raise OSError(28, "No space left on device", "some/file")

    monkeypatch.setattr(search, "_query", no_space)
    message = kakehashi.refused("search", indexed_toy.folder, "x", status=1)
    assert message == "some/file: No space left on device"


def start(*words: object, hangup: signal.Handlers = signal.SIG_DFL) -> subprocess.Popen[str]:
    """A process of its own; whether it ignores a hangup does not depend on who runs the tests."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    before = signal.signal(signal.SIGHUP, hangup)  # children inherit what is ignored
    try:
        return subprocess.Popen(
            [*PROGRAM, *map(str, words)],
            env=environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize(
    ("number", "status", "message"),
    [
        (signal.SIGINT, 130, "interrupted"),
        (signal.SIGTERM, 143, "ended by SIGTERM"),
        (signal.SIGHUP, 129, "ended by SIGHUP"),
    ],
)
def test_signal_is_one_line_and_a_status(number: int, status: int, message: str, tmp_path: Path) -> None:
    """A named pipe for a query holds the program up where it reads."""
    folder = toy_collection(tmp_path / "toy")
    os.mkfifo(folder / "pipe")
    process = start("search", folder, "--file", folder / "pipe")
    with (folder / "pipe").open("w"):  # returns once the program has opened the other end
        time.sleep(0.2)
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (status, "", f"kakehashi: {message}\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signal_ends_a_translator_and_its_children(number: int, toy_copy: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pid")
    code = f"sleep 600 & echo $$ $! > {shlex.quote(str(tmp_path / 'pid'))}; wait"
    program = f"translator=command:{shlex.join(['sh', '-c', code])}"
    process = start("search", toy_copy, "電池", "--system", "dt", "--set", program)
    pids = [int(pid) for pid in (tmp_path / "pid").read_text().split()]  # waits till they are written
    process.send_signal(number)
    process.communicate(timeout=30)
    assert process.returncode == 128 + number
    assert len(pids) == 2
    assert all(gone(pid) for pid in pids)


def test_hangup_that_is_ignored_stays_ignored(tmp_path: Path) -> None:
    folder = toy_collection(tmp_path / "toy")
    os.mkfifo(folder / "pipe")
    process = start("search", folder, "--file", folder / "pipe", hangup=signal.SIG_IGN)  # as nohup does
    with (folder / "pipe").open("w") as pipe:
        process.send_signal(signal.SIGHUP)
        time.sleep(0.2)
        pipe.write("x")
    _, err = process.communicate(timeout=30)
    assert process.returncode == 2
    assert "no index here" in err


def test_real_process_fails_in_one_line(tmp_path: Path) -> None:
    process = start("index", tmp_path)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, "")
    assert err.startswith(f"kakehashi: {tmp_path}: is not a collection")
    assert err.count("\n") == 1
    debugged = start("--debug", "index", tmp_path)
    out, err = debugged.communicate(timeout=60)
    assert debugged.returncode != 0
    assert "Traceback (most recent call last)" in err


@pytest.mark.parametrize("more", [[], ["--rebuild"], ["--target", "stem=false"]])
def test_documents_that_vanished_are_not_deleted_unasked(
    kakehashi: CommandLine, toy_copy: Path, more: list[str]
) -> None:
    (toy_copy / "documents.jsonl").write_bytes(b"")
    assert kakehashi.refused("index", toy_copy, *more) == (
        f"{toy_copy}/documents.jsonl holds no documents, the index has 12: run kakehashi index {toy_copy} "
        "--allow-empty to delete them all"
    )
    assert "d01" in kakehashi("search", toy_copy, "battery", "--system", "monolingual", "--lang", "en").out
    assert "12 deleted" in kakehashi("index", toy_copy, "--allow-empty").out
    assert "0 added, 0 replaced, 0 deleted" in kakehashi("index", toy_copy).out
