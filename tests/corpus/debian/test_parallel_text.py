"""Parallel text from packages, on a root of our own making."""

from pathlib import Path
from typing import Any

import pytest

from kakehashi.corpus import lines
from kakehashi.corpus.debian import parallel_text
from kakehashi.corpus.debian.apt import AptRoot
from kakehashi.corpus.debian.parallel_text import build_parallel_text
from kakehashi.errors import FileError, InputError
from tests.corpus.parallel_text.files import catalogue


class Archive(AptRoot):
    """A root whose packages are folders; it has no others."""

    def __init__(self, packages: dict[str, Path]):
        self.notes: list[str] = []
        self._packages = packages

    def update(self, languages: Any, force: bool = False) -> None:
        pass

    def package(self, name: str, largest: int | None = None) -> Path:
        if name not in self._packages:
            raise InputError(f"package {name} is not in the archive this machine uses")
        return self._packages[name]


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Archive:
    monkeypatch.setattr(parallel_text, "PROGRAMS", ["lamp", "missing", "wick"])
    for name, messages in (
        ("lamp", {"_Light": "_Licht", "USB": "USB", "Burn": "Brennen"}),
        ("wick", {"Light": "Licht"}),
    ):
        folder = tmp_path / name / "usr/share/locale/de/LC_MESSAGES"
        folder.mkdir(parents=True)
        (folder / f"{name}.mo").write_bytes(catalogue(messages))
    ding = tmp_path / "trans-de-en/usr/share/trans/de-en"
    ding.parent.mkdir(parents=True)
    ding.write_text("Lampe {f} :: lamp; light\nLicht {n} :: Light\nUsb :: USB\n", encoding="utf-8")
    return Archive({name: tmp_path / name for name in ("lamp", "wick", "trans-de-en")})


def test_messages_and_entries_become_one_table_with_weights(archive: Archive, tmp_path: Path) -> None:
    counts = build_parallel_text(tmp_path / "x.tsv.gz", "de", root=archive)
    rows = [line.split("\t") for _, line in lines.read_lines(tmp_path / "x.tsv.gz")]
    assert sorted(rows) == [
        ["Brennen", "Burn", "1"],
        ["Lampe", "lamp", "0.5", "entry"],
        ["Lampe", "light", "0.5", "entry"],
        ["Licht", "Light", "1"],
        ["Usb", "USB", "1", "entry"],
    ]
    assert [*counts.values()] == [2, 3, 1, 2]
    assert archive.notes == ["package missing is not in the archive this machine uses"]


def test_a_broken_catalogue_becomes_a_note(archive: Archive, tmp_path: Path) -> None:
    broken = tmp_path / "lamp/usr/share/locale/de/LC_MESSAGES/a.mo"
    broken.write_bytes(b"nothing")
    assert build_parallel_text(tmp_path / "x.tsv", "de", root=archive)["pairs of messages"] == 2
    assert archive.notes[0].startswith(f"{broken}: is not a complete gettext catalogue")


def test_a_file_in_use_is_kept(archive: Archive, tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_text("mine", encoding="utf-8")
    with pytest.raises(FileError, match="already exists"):
        build_parallel_text(tmp_path / "x.tsv", "de", root=archive)
    assert (tmp_path / "x.tsv").read_text(encoding="utf-8") == "mine"
    with pytest.raises(InputError, match=r"name the file X\.tsv"):
        build_parallel_text(tmp_path / "x.csv", "de", root=archive)
    assert build_parallel_text(tmp_path / "x.tsv", "de", force=True, root=archive)["pairs of messages"] == 2
