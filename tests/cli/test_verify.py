"""`verify` finds what was damaged."""

import shutil
from pathlib import Path

import pytest

from tests.cli.calling import CommandLine
from tests.toy import toy_collection


@pytest.fixture
def folder(kakehashi: CommandLine, tmp_path: Path) -> Path:
    made = toy_collection(tmp_path / "toy")
    kakehashi("index", made)
    kakehashi("train", "translation", made)
    return made


def test_what_was_written_is_whole(kakehashi: CommandLine, folder: Path) -> None:
    assert kakehashi("verify", folder).out == f"{folder}: index and models are as they were written\n"


@pytest.mark.parametrize("part", ["index", "models"])
def test_a_changed_byte_is_found(kakehashi: CommandLine, folder: Path, part: str) -> None:
    path = max((folder / part).rglob("*.npy"), key=lambda found: found.stat().st_size)
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(bytes(data))
    called = kakehashi("verify", folder, status=2)
    assert str(path) in called.out
    assert f"kakehashi build {folder}" in called.err


def test_a_missing_meta_file_is_found(kakehashi: CommandLine, folder: Path) -> None:
    (folder / "models/translation/table/meta.json").unlink()
    assert "translation/table: meta.json is missing" in kakehashi("verify", folder, status=2).out


def test_a_missing_segment_is_found(kakehashi: CommandLine, folder: Path) -> None:
    (folder / "index/segments/s1/meta.json").unlink()
    assert "segment s1 is missing" in kakehashi("verify", folder, status=2).out
    shutil.rmtree(folder / "index/segments/s1")
    assert f"{folder}/index: segment s1 is missing" in kakehashi("verify", folder, status=2).out


def test_a_broken_meta_file_is_found(kakehashi: CommandLine, folder: Path) -> None:
    (folder / "models/translation/table/meta.json").write_text("{", encoding="utf-8")
    assert "models/translation/table/meta.json" in kakehashi("verify", folder, status=2).out


def test_what_a_killed_process_did_not_finish_is_no_damage(kakehashi: CommandLine, folder: Path) -> None:
    shutil.copytree(folder / "index", folder / ".unpacked.999999.partial/index")
    (folder / ".unpacked.999999.partial/index/meta.json").write_text("{")
    assert kakehashi("verify", folder).status == 0
