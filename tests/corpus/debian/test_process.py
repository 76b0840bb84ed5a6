"""Debian's programs: what they leave is text, what goes wrong is one line."""

import pytest

from kakehashi.corpus.debian import process
from kakehashi.errors import InputError, KakehashiError


def test_output_errors_and_status_come_back() -> None:
    outcome = process.run(["sh", "-c", "echo out; echo err >&2; exit 3"], 10)
    assert outcome == process.Outcome(3, "out\n", "err\n")


def test_bytes_that_are_no_text_stop_nothing() -> None:
    assert process.run(["printf", r"a\377b"], 10).output == "a\ufffdb"


def test_no_shell_reads_the_words() -> None:
    assert process.run(["echo", "$HOME; ls"], 10).output == "$HOME; ls\n"


def test_a_slow_program_is_named() -> None:
    with pytest.raises(
        KakehashiError, match=r"sleep did not finish within 0\.5 seconds: rerun the command to resume"
    ):
        process.run(["sleep", "60"], 0.5)


def test_a_stream_gives_all_bytes() -> None:
    assert b"".join(process.stream(["sh", "-c", "seq 1 300000"], 30)).count(b"\n") == 300_000


def test_a_stream_that_fails_or_is_too_slow_raises() -> None:
    with pytest.raises(KakehashiError, match="sh failed with status 4: rerun the command"):
        list(process.stream(["sh", "-c", "echo half; exit 4"], 10))
    with pytest.raises(KakehashiError, match="did not finish"):
        list(process.stream(["sh", "-c", "echo half; sleep 30"], 0.5))


def test_a_missing_program_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(InputError, match="apt-get is not installed"):
        process.find_program("apt-get")


def test_a_program_that_cannot_be_started_is_named() -> None:
    with pytest.raises(KakehashiError, match=r"absent cannot be started \(No such file or directory\)"):
        process.run(["/nowhere/absent"], 10)
