import os
import signal
import sys
import time
from pathlib import Path
from types import FrameType

import pytest

from kakehashi.corpus.debian import process
from kakehashi.errors import InputError, KakehashiError

# a child that starts a grandchild, writes both ids and waits
FAMILY = (
    "import subprocess, sys, os, time;"
    "p = subprocess.Popen(['sleep', '60']);"
    "open(sys.argv[1], 'w').write(f'{os.getpid()} {p.pid}');"
    "print('ready', flush=True); time.sleep(60)"
)


def family(path: Path) -> list[str]:
    return [sys.executable, "-c", FAMILY, str(path)]


def assert_gone(path: Path) -> None:
    numbers = [int(number) for number in path.read_text().split()]
    deadline = time.time() + 5
    while time.time() < deadline and any(map(alive, numbers)):
        time.sleep(0.05)
    assert not any(map(alive, numbers))


def alive(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    # a dead orphan that nobody has collected yet is dead
    state = Path(f"/proc/{number}/stat")
    return not state.exists() or state.read_text().rsplit(")")[-1].split()[0] != "Z"


def test_output_errors_and_status_come_back() -> None:
    outcome = process.run(["sh", "-c", "echo out; echo err >&2; exit 3"], 10)
    assert outcome == process.Outcome(3, "out\n", "err\n")


def test_no_shell_reads_the_words() -> None:
    assert process.run(["echo", "$HOME; ls"], 10).output == "$HOME; ls\n"


def test_a_slow_program_is_ended_with_its_children(tmp_path: Path) -> None:
    with pytest.raises(KakehashiError, match="did not finish within 2 seconds"):
        process.run(family(tmp_path / "ids"), 2)
    assert_gone(tmp_path / "ids")


def test_an_interrupt_leaves_no_child_behind(tmp_path: Path) -> None:
    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 2)
    try:
        with pytest.raises(KeyboardInterrupt):
            process.run(family(tmp_path / "ids"), 30)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert_gone(tmp_path / "ids")


def test_a_stream_that_is_left_early_ends_its_program(tmp_path: Path) -> None:
    blocks = process.stream(["sh", "-c", f"echo $$ > {tmp_path}/ids; exec yes"], 30)
    assert next(blocks).startswith(b"y\ny\n")
    blocks.close()
    assert_gone(tmp_path / "ids")


def test_a_stream_gives_all_bytes() -> None:
    assert b"".join(process.stream(["sh", "-c", "seq 1 300000"], 30)).count(b"\n") == 300_000


def test_a_stream_that_fails_or_is_too_slow_raises() -> None:
    with pytest.raises(KakehashiError, match="status 4"):
        list(process.stream(["sh", "-c", "echo half; exit 4"], 10))
    with pytest.raises(KakehashiError, match="did not finish"):
        list(process.stream(["sh", "-c", "echo half; sleep 30"], 0.5))


def test_a_missing_program_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(InputError, match="apt-get is not installed"):
        process.find_program("apt-get")
