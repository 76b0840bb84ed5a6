"""A collection folder appears whole or not at all."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kakehashi.corpus import folders
from kakehashi.corpus.collection import Collection, CollectionInfo, read_info
from kakehashi.corpus.folders import PARTIAL, hidden_folder, is_unfinished
from kakehashi.corpus.writing import CollectionWriter
from kakehashi.errors import InputError
from kakehashi.types import Text
from tests.corpus.strategies import few
from tests.toy import toy_collection

INFO = CollectionInfo(name="x", source_language="ja", target_language="en")


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class Boom(Exception):
    pass


def write_and_fail(folder: Path, force: bool = False) -> None:
    with CollectionWriter(folder, INFO, force) as writer:
        writer.document(Text("d", "en", "a"))
        raise Boom


def write_documents(folder: Path, *ids: str) -> None:
    with CollectionWriter(folder, INFO) as writer:
        for id in ids:
            writer.document(Text(id, "en", "a"))
            writer.query(Text(id, "ja", "a"))


def test_exception_inside_leaves_no_folder(tmp_path: Path) -> None:
    with pytest.raises(Boom):
        write_and_fail(tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


def test_exception_inside_leaves_the_old_folder_untouched(tmp_path: Path) -> None:
    folder = toy_collection(tmp_path / "x")
    before = snapshot(folder)
    with pytest.raises(Boom):
        write_and_fail(folder, force=True)
    assert snapshot(folder) == before
    assert list(tmp_path.iterdir()) == [folder]


def test_forced_writing_replaces_the_whole_folder(tmp_path: Path) -> None:
    folder = toy_collection(tmp_path / "x")
    with CollectionWriter(folder, INFO, force=True) as writer:
        writer.document(Text("d", "en", "a"))
    assert sorted(snapshot(folder)) == ["collection.toml", "documents.jsonl"]
    assert list(tmp_path.iterdir()) == [folder]


def test_folder_is_replaced_where_names_cannot_be_exchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folders, "_exchange", lambda one, other: False)
    test_forced_writing_replaces_the_whole_folder(tmp_path)


def test_collection_is_not_overwritten_without_force(tmp_path: Path) -> None:
    folder = toy_collection(tmp_path / "x")
    with pytest.raises(InputError, match="add --force"), CollectionWriter(folder, INFO):
        pass


def test_foreign_folder_is_not_overwritten_even_with_force(tmp_path: Path) -> None:
    (tmp_path / "letters").write_text("dear")
    with pytest.raises(InputError, match="is not a collection"), CollectionWriter(tmp_path, INFO, force=True):
        pass
    with pytest.raises(InputError, match="is not a collection"), CollectionWriter(tmp_path / "letters", INFO):
        pass


def test_killed_writer_leaves_the_old_folder_and_the_next_one_cleans_up(tmp_path: Path) -> None:
    folder = toy_collection(tmp_path / "x")
    before = snapshot(folder)
    script = (
        "import os, signal, sys\n"
        "from kakehashi.corpus.writing import CollectionWriter\n"
        "from tests.corpus.test_writing import INFO\n"
        "from kakehashi.types import Text\n"
        "with CollectionWriter(sys.argv[1], INFO, force=True) as writer:\n"
        "    writer.document(Text('d', 'en', 'a'))\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    root = Path(__file__).parents[2]
    environment = os.environ | {"PYTHONPATH": str(root)}
    done = subprocess.run([sys.executable, "-c", script, folder], cwd=root, env=environment, check=False)
    assert done.returncode == -signal.SIGKILL
    assert snapshot(folder) == before
    assert len(list(tmp_path.iterdir())) == 2
    with CollectionWriter(folder, INFO, force=True) as writer:
        writer.document(Text("d", "en", "a"))
    assert list(tmp_path.iterdir()) == [folder]


def test_living_writer_keeps_its_unfinished_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with CollectionWriter(tmp_path / "x", INFO) as first:
        first.document(Text("d", "en", "first"))
        monkeypatch.setattr(os, "getpid", lambda: 1)
        with CollectionWriter(tmp_path / "x", INFO) as second:
            second.document(Text("d", "en", "second"))
    assert [text.text for text in Collection(tmp_path / "x").documents()] == ["first"]


@pytest.mark.parametrize("id", ["", " ", "a b", "a\tb", "a\n", "\u3000a", "a\u2028"])
def test_ids_that_would_break_a_run_file_are_refused(tmp_path: Path, id: str) -> None:
    with pytest.raises(InputError, match="white space"), CollectionWriter(tmp_path / "x", INFO) as writer:
        writer.query(Text(id, "ja", "a"))


def test_two_records_with_one_id_are_refused(tmp_path: Path) -> None:
    write_documents(tmp_path / "x", "d", "e")
    with pytest.raises(InputError, match=r"documents\.jsonl: two records have the id 'd'"):
        write_documents(tmp_path / "y", "d", "e", "d")


@pytest.mark.parametrize("id", ["a\tb", "a\nb", "a\rb", "\ud800"])
def test_judgments_that_would_break_their_file_are_refused(tmp_path: Path, id: str) -> None:
    for qrels in ({id: {"d": 1}}, {"q": {id: 1}}, {"q": {"d": 1, id: 1}}):
        with pytest.raises(InputError), CollectionWriter(tmp_path / "x", INFO) as writer:
            writer.qrels("test", qrels)


def test_folder_given_as_a_dot_or_with_a_symbolic_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    with CollectionWriter(tmp_path / "link", INFO) as writer:
        writer.document(Text("d", "en", "a"))
    assert (tmp_path / "link").is_symlink()
    assert len(list(Collection(tmp_path / "link").documents())) == 1
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with CollectionWriter(".", INFO) as writer:
        writer.document(Text("d", "en", "a"))
    assert len(list(Collection(tmp_path / "here").documents())) == 1


plain = st.recursive(
    st.text() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@few
@given(st.text(), st.dictionaries(st.text(), plain, max_size=4))
def test_collection_info_survives_toml(
    tmp_path_factory: pytest.TempPathFactory, name: str, made: dict
) -> None:
    info = CollectionInfo(name=name, source_language="ja", target_language="en", made_with=made)
    folder = tmp_path_factory.mktemp("info")
    try:
        with CollectionWriter(folder, info):
            pass
    except InputError:
        assert any(0xD800 <= ord(letter) < 0xE000 for letter in name + repr(made)) or "\\ud" in repr(made)
    else:
        assert read_info(folder) == info


texts = st.builds(
    Text,
    id=st.text(min_size=1).filter(lambda id: id.split() == [id]),
    lang=st.text(max_size=3),
    text=st.text(),
    title=st.text(),
    meta=st.dictionaries(
        st.text(), st.text() | st.lists(st.text()) | st.integers(-(2**53), 2**53), max_size=3
    ),
)


@few
@given(st.lists(texts, unique_by=lambda text: text.id, max_size=4))
def test_any_text_survives_the_folder(tmp_path_factory: pytest.TempPathFactory, written: list[Text]) -> None:
    folder = tmp_path_factory.mktemp("texts")
    with CollectionWriter(folder, INFO) as writer:
        for text in written:
            writer.document(text)
    assert (list(Collection(folder).documents()) if written else []) == written


def test_what_a_killed_process_hid_beside_a_target_goes_with_the_next_one(tmp_path: Path) -> None:
    left = tmp_path / f".packed.zip.999999{PARTIAL}"
    left.mkdir()
    (left / "half").write_text("x")
    with hidden_folder(tmp_path / "packed.zip") as hidden:
        assert [path.name for path in tmp_path.iterdir()] == [hidden.name]
        assert is_unfinished(hidden.name)
    assert list(tmp_path.iterdir()) == []
