"""Translations kept on disk, when the disk is full and when several write at once."""

import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from kakehashi.errors import FileError
from kakehashi.lexicon.remembered import Remembered
from kakehashi.lexicon.translator import Translation


class Long:
    """Every translation is some kilobytes long, more than a buffer holds."""

    identity = "long-1"

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []

    def translate(self, sentences: Sequence[Sequence[str]], n: int = 1) -> list[list[Translation]]:
        self.asked += [tuple(sentence) for sentence in sentences]
        return [[Translation((*sentence, "x" * 4000), (), -1.0)] for sentence in sentences]


def test_full_disk_is_one_line_and_leaves_whole_lines(tmp_path: Path) -> None:
    sentences = [[f"w{i}"] for i in range(48)]
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))  # room for one batch and a half
    try:
        with pytest.raises(FileError, match="cannot be saved: File too large; free disk space and rerun"):
            Remembered(Long(), tmp_path).translate(sentences)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    [path] = tmp_path.iterdir()
    assert path.read_bytes().endswith(b"]\n")
    rest = Long()
    assert len(Remembered(rest, tmp_path).translate(sentences)) == 48
    assert rest.asked == [(f"w{i}",) for i in range(16, 48)]


def test_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("a file in the folder's place")
    with pytest.raises(FileError, match="cannot be saved: "):
        Remembered(Long(), tmp_path / "kept").translate([["w"]])


WRITER = """
import sys
from pathlib import Path
from kakehashi.lexicon.remembered import Remembered
from tests.lexicon.test_remembered import Long

Remembered(Long(), Path(sys.argv[1])).translate([[sys.argv[2] + str(i)] for i in range(200)])
"""


def test_processes_that_write_at_once_do_not_mix_their_lines(tmp_path: Path) -> None:
    here = Path(__file__).parents[2]
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    running = [subprocess.Popen([*command, name], cwd=here) for name in ("a", "b", "c")]
    assert [each.wait(timeout=120) for each in running] == [0, 0, 0]
    again = Long()
    Remembered(again, tmp_path).translate([[f"{name}{i}"] for name in "abc" for i in range(200)])
    assert again.asked == []


def test_batches_are_as_large_as_asked(tmp_path: Path) -> None:
    sizes = []

    class Sized(Long):
        def translate(self, sentences: Sequence[Sequence[str]], n: int = 1) -> list[list[Translation]]:
            sizes.append(len(sentences))
            return super().translate(sentences, n)

    Remembered(Sized(), tmp_path, at_once=30).translate([[f"w{i}"] for i in range(70)])
    assert sizes == [30, 30, 10]


class Steps:
    """Progress, written down."""

    def __init__(self) -> None:
        self.seen: list[object] = []

    def start(self, what: str, total: int | None = None) -> None:
        self.seen.append((what, total))

    def advance(self, n: int = 1) -> None:
        self.seen.append(n)

    def finish(self) -> None:
        self.seen.append("end")


def test_progress_is_seen_after_every_batch_of_what_is_missing(tmp_path: Path) -> None:
    steps = Steps()
    kept = Remembered(Long(), tmp_path, at_once=30)
    kept.translate([["w0"], ["w1"]])
    kept.translate([[f"w{i}"] for i in range(70)], 1, steps)
    kept.translate([["w3"]], 1, steps)
    assert steps.seen == [("translating", 68), 30, 30, 8, "end"]


def test_lines_that_are_none_are_passed_over(tmp_path: Path) -> None:
    bad = [
        b"\xff",
        b"[]",
        b"null",
        b'[1,["w"],[]]',
        b'[1,["w"],[[["x"],[[0]],1.0]]]',
        b"[" * 5000,
        b"\0" * 99,
    ]
    (tmp_path / "long-1.jsonl").write_bytes(b"\n".join(bad))
    asked = Long()
    Remembered(asked, tmp_path).translate([["w"]])
    assert asked.asked == [("w",)]
