"""Programs that are run: what they leave, and that nothing of them is left."""

import os
import shlex
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest

from kakehashi import programs

ENOUGH = 60.0  # seconds; far more than any program here needs
GLANCE = 0.02


def shell(code: str) -> list[str]:
    return ["sh", "-c", code]


def family(ids: Path) -> list[str]:
    """A program that starts another, writes the numbers of both and waits."""
    return shell(f"sleep 600 & echo $$ $! > {shlex.quote(str(ids))}; wait")


def is_written(path: Path) -> bool:
    return path.exists() and path.read_text().endswith("\n")


def wait_until(true: Callable[[], bool]) -> bool:
    """Whether it came true; it is given up only where something hangs."""
    for _ in range(int(ENOUGH / GLANCE)):
        if true():
            return True
        time.sleep(GLANCE)
    return False


def has_gone(number: str) -> bool:
    """One that has ended and that nobody has collected yet counts as gone."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()[0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


def assert_gone(ids: Path) -> None:
    numbers = ids.read_text().split()
    assert numbers
    assert wait_until(lambda: all(map(has_gone, numbers)))


def test_status_output_and_complaints_come_back() -> None:
    found = programs.run(shell("cat; echo err >&2; exit 3"), ENOUGH, b"given")
    assert found == programs.Outcome(3, b"given", b"err\n")
    assert programs.run(shell("kill -9 $$"), ENOUGH).status == -9


def test_environment_and_folder_are_the_programs(tmp_path: Path) -> None:
    found = programs.run(shell("echo $WORD; pwd -P"), ENOUGH, environment={"WORD": "x"}, folder=tmp_path)
    assert found.output.decode().split() == ["x", str(tmp_path.resolve())]


@pytest.mark.parametrize("grace", [0.0, 1.0])
def test_late_program_is_ended_with_its_children(grace: float, tmp_path: Path) -> None:
    with pytest.raises(programs.TooSlow, match="did not finish within 2 seconds"):
        programs.run(family(tmp_path / "ids"), 2, grace=grace)
    assert_gone(tmp_path / "ids")


def test_program_that_is_asked_to_stop_may_put_things_in_order(tmp_path: Path) -> None:
    code = (
        f"trap 'echo tidy > {shlex.quote(str(tmp_path / 'note'))}; exit 1' TERM; while :; do sleep 0.05; done"
    )
    with pytest.raises(programs.TooSlow):
        programs.run(shell(code), 2, grace=ENOUGH)
    assert (tmp_path / "note").read_text() == "tidy\n"


def test_program_that_does_not_stop_when_asked_is_killed(tmp_path: Path) -> None:
    ids = shlex.quote(str(tmp_path / "ids"))
    with pytest.raises(programs.TooSlow):
        programs.run(shell(f"trap '' TERM INT HUP; sleep 600 & echo $$ $! > {ids}; wait"), 2, grace=0.2)
    assert_gone(tmp_path / "ids")


@pytest.mark.parametrize("grace", [0.0, 1.0])
def test_child_left_behind_holds_nobody_up_and_is_ended(grace: float, tmp_path: Path) -> None:
    code = f"sleep 600 & echo $! > {shlex.quote(str(tmp_path / 'ids'))}; echo done"
    assert programs.run(shell(code), ENOUGH, grace=grace).output == b"done\n"
    assert_gone(tmp_path / "ids")
    (tmp_path / "ids").unlink()
    assert b"".join(programs.stream(shell(code), ENOUGH, grace=grace)) == b"done\n"
    assert_gone(tmp_path / "ids")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGALRM])
def test_interrupt_leaves_no_child_behind(number: signal.Signals, tmp_path: Path) -> None:
    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    def send_when_started() -> None:
        wait_until(lambda: is_written(tmp_path / "ids"))
        os.kill(os.getpid(), number)

    before = signal.signal(number, interrupt)
    sender = threading.Thread(target=send_when_started)
    sender.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            programs.run(family(tmp_path / "ids"), 2 * ENOUGH)
    finally:
        sender.join()
        signal.signal(number, before)
    assert_gone(tmp_path / "ids")


def test_output_beyond_its_limit_ends_the_program(tmp_path: Path) -> None:
    code = f"echo $$ > {shlex.quote(str(tmp_path / 'ids'))}; exec yes"
    with pytest.raises(programs.TooLong, match="wrote more than 1,000,000 bytes"):
        programs.run(shell(code), ENOUGH, most=1_000_000)
    assert_gone(tmp_path / "ids")


def test_of_endless_complaints_the_end_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "COMPLAINTS", 10)
    assert programs.run(shell("seq 1 300000 >&2"), ENOUGH).errors == b"99\n300000\n"


def test_stream_gives_all_bytes_and_is_no_success_where_the_program_failed() -> None:
    assert b"".join(programs.stream(shell("seq 1 300000"), ENOUGH)).count(b"\n") == 300_000
    with pytest.raises(programs.Failed, match="status 4"):
        list(programs.stream(shell("echo half; exit 4"), ENOUGH))
    with pytest.raises(programs.TooSlow):
        list(programs.stream(shell("echo half; sleep 600"), 0.5))


def test_stream_that_is_left_early_ends_its_program(tmp_path: Path) -> None:
    blocks = programs.stream(shell(f"echo $$ > {shlex.quote(str(tmp_path / 'ids'))}; exec yes"), ENOUGH)
    assert next(blocks).startswith(b"y\ny\n")
    blocks.close()
    assert_gone(tmp_path / "ids")


def test_program_that_cannot_be_started_says_why(tmp_path: Path) -> None:
    with pytest.raises(programs.NotStarted, match="No such file or directory"):
        programs.run([str(tmp_path / "absent")], ENOUGH)
