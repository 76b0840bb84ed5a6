"""Artifact folders: committed whole, checked, never overwritten by half."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kakehashi import store
from kakehashi.errors import FileError, InputError

KIND, VERSION = "test", 1
ROOT = Path(__file__).parents[1]


def write(folder: Path, value: float = 1.0) -> store.Meta:
    with store.Writer(folder, KIND, VERSION) as writer:
        writer.put({"x": np.full(1000, value), "empty": np.zeros((0, 3), dtype=np.int32)})
        writer.put(store.strings_arrays("words", ["架け橋", "", "bridge"]))
        writer.put({"big": np.full((10, 2), value, dtype=np.float32)})
        return writer.commit({"k": 1}, {"collection": "toy"}, seed=7)


def test_arrays_and_settings_come_back_as_written(tmp_path: Path) -> None:
    write(tmp_path, 2.0)
    artifact = store.read(tmp_path, KIND, VERSION)
    assert np.array_equal(artifact.array("x"), np.full(1000, 2.0))
    assert artifact.array("empty").shape == (0, 3)
    assert artifact.array("big").dtype == np.float32
    assert (artifact.array("big") == 2.0).all()
    assert artifact.meta.settings == {"k": 1}
    assert (artifact.meta.made_from, artifact.meta.seed) == ({"collection": "toy"}, 7)
    assert artifact.faults() == []
    assert "x" in artifact
    assert "y" not in artifact


def test_arrays_are_mapped_and_cannot_be_changed(tmp_path: Path) -> None:
    write(tmp_path)
    array = store.read(tmp_path, KIND, VERSION).array("x")
    assert isinstance(array.base, np.memmap)
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 5


def test_strings_behave_like_a_list(tmp_path: Path) -> None:
    write(tmp_path)
    words = store.read(tmp_path, KIND, VERSION).strings("words")
    assert list(words) == ["架け橋", "", "bridge"]
    assert (words[0], words[-1], words[-3], words[1:]) == ("架け橋", "bridge", "架け橋", ["", "bridge"])
    assert words.encoded(2) == b"bridge"
    for outside in (3, -4):
        with pytest.raises(IndexError):
            words[outside]


@given(st.lists(st.text()))
def test_any_strings_survive(items: list[str]) -> None:
    arrays = store.strings_arrays("s", items)
    strings = store.Strings(arrays["s.bytes"], arrays["s.ends"])
    assert list(strings) == items
    assert [strings[i] for i in range(len(strings))] == items


def test_same_arrays_give_the_same_bytes(tmp_path: Path) -> None:
    write(tmp_path / "a")
    write(tmp_path / "b")
    files = {path.name: path.read_bytes() for path in (tmp_path / "a").iterdir()}
    assert {path.name: path.read_bytes() for path in (tmp_path / "b").iterdir()} == files


def test_changed_byte_is_found_by_its_checksum(tmp_path: Path) -> None:
    write(tmp_path)
    path = tmp_path / "x.1.npy"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    assert store.read(tmp_path, KIND, VERSION).faults() == [f"{path}: array 'x' does not match its checksum"]


def test_missing_array_is_found(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "x.1.npy").unlink()
    artifact = store.read(tmp_path, KIND, VERSION)
    assert artifact.faults() == [f"{tmp_path / 'x.1.npy'}: missing"]
    with pytest.raises(FileError, match=r"x\.1\.npy: is missing: the artifact is damaged, build it again"):
        artifact.array("x")
    with pytest.raises(FileError, match="has no array 'y'"):
        artifact.array("y")


def test_truncated_array_gives_one_clear_line(tmp_path: Path) -> None:
    write(tmp_path)
    path = tmp_path / "x.1.npy"
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(FileError, match=r"x\.1\.npy: has 8120 bytes instead of 8128: .* build it again"):
        store.read(tmp_path, KIND, VERSION).array("x")


@pytest.mark.parametrize("place", [0, 6, 8, 10, 20, 60])
def test_damaged_header_gives_one_clear_line(tmp_path: Path, place: int) -> None:
    write(tmp_path)
    path = tmp_path / "x.1.npy"
    data = bytearray(path.read_bytes())
    data[place] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(FileError, match=r"x\.1\.npy: cannot be read .* build it again"):
        store.read(tmp_path, KIND, VERSION).array("x")


def test_wrong_kind_version_or_place_is_refused(tmp_path: Path) -> None:
    write(tmp_path)
    with pytest.raises(FileError, match="is of kind 'test', not 'index'"):
        store.read(tmp_path, "index", VERSION)
    with pytest.raises(FileError, match="has format 1, this program reads 2: build it again"):
        store.read(tmp_path, KIND, 2)
    with pytest.raises(FileError, match="no index here: build it first"):
        store.read(tmp_path / "nowhere", "index", VERSION)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b'{"kind": 1}', b"[" * 100_000])
def test_unreadable_meta_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / store.META).write_bytes(content)
    with pytest.raises(FileError, match="is not a readable artifact"):
        store.read(tmp_path, KIND, VERSION)


def test_meta_cannot_point_outside_its_folder(tmp_path: Path) -> None:
    write(tmp_path / "a")
    meta = tmp_path / "a" / store.META
    meta.write_text(meta.read_text().replace("x.1.npy", "../x.1.npy"))
    with pytest.raises(FileError, match="outside its own folder"):
        store.read(tmp_path / "a", KIND, VERSION)


def test_array_with_objects_is_neither_written_nor_read(tmp_path: Path) -> None:
    with store.Writer(tmp_path, KIND, VERSION) as writer, pytest.raises(ValueError, match="Object arrays"):
        writer.put({"x": np.array([{"a": 1}], dtype=object)})


def test_nothing_changes_without_a_commit(tmp_path: Path) -> None:
    write(tmp_path, 1.0)
    with store.Writer(tmp_path, KIND, VERSION) as writer:
        writer.put({"x": np.zeros(5)})
    assert (store.read(tmp_path, KIND, VERSION).array("x") == 1.0).all()
    assert store.read(tmp_path, KIND, VERSION).faults() == []


def test_new_generation_replaces_the_old_and_removes_its_files(tmp_path: Path) -> None:
    write(tmp_path, 1.0)
    old = store.read(tmp_path, KIND, VERSION)
    mapped = old.array("x")
    write(tmp_path, 2.0)
    assert (mapped == 1.0).all()  # who has the old one open keeps it
    assert (store.read(tmp_path, KIND, VERSION).array("x") == 2.0).all()
    assert not list(tmp_path.glob("*.1.npy"))


def test_second_writer_is_refused_while_the_first_writes(tmp_path: Path) -> None:
    with (
        store.Writer(tmp_path, KIND, VERSION),
        pytest.raises(InputError, match="being written by another process"),
        store.Writer(tmp_path, KIND, VERSION),
    ):
        pass
    with store.locked(tmp_path), pytest.raises(InputError), store.locked(tmp_path):
        pass
    write(tmp_path)


def killed_while_writing(folder: Path, when: str) -> None:
    script = (
        "import os, signal, sys, numpy as np\n"
        "from pathlib import Path\n"
        "from kakehashi import store\n"
        "die = lambda *a: os.kill(os.getpid(), signal.SIGKILL)\n"
        "if sys.argv[2] == 'in the commit': store.replace_file = die\n"
        "if sys.argv[2] == 'after the commit': store._remove_unused = die\n"
        "with store.Writer(Path(sys.argv[1]), 'test', 1) as writer:\n"
        "    writer.put({'x': np.full(10, 9.0)})\n"
        "    if sys.argv[2] == 'before the commit': die()\n"
        "    writer.commit({})\n"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", script, folder, when], env=environment, check=False)
    assert done.returncode == -signal.SIGKILL


@pytest.mark.parametrize("when", ["before the commit", "in the commit", "after the commit"])
def test_killed_writer_leaves_the_old_artifact_or_the_new_one(tmp_path: Path, when: str) -> None:
    write(tmp_path, 1.0)
    killed_while_writing(tmp_path, when)
    artifact = store.read(tmp_path, KIND, VERSION)
    assert artifact.faults() == []
    assert set(artifact.array("x").tolist()) == ({9.0} if when == "after the commit" else {1.0})
    write(tmp_path, 3.0)
    assert (store.read(tmp_path, KIND, VERSION).array("x") == 3.0).all()
    assert len(list(tmp_path.glob("x.*.npy"))) == 1


def test_replace_file_keeps_the_old_content_on_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.replace_file(tmp_path / "f", b"old")

    def fail(descriptor: int) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        store.replace_file(tmp_path / "f", b"new")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]
