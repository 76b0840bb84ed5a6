"""The toy collection is what its docstring says it is."""

from pathlib import Path

import pytest

from kakehashi.corpus.collection import Collection
from kakehashi.errors import FileError
from tests.toy import DOCUMENTS, LINKS, QRELS, QUERIES, toy_collection


def test_toy_reads_back_as_written(tmp_path: Path) -> None:
    toy = Collection(toy_collection(tmp_path / "toy"))
    assert [text.id for text in toy.documents()] == [f"d{i:02}" for i in range(1, 13)]
    assert [text.id for text in toy.queries()] == [text.id for text in toy.originals()]
    assert toy.splits == ["train", "dev", "test"]
    assert {split: toy.qrels(split) for split in toy.splits} == QRELS
    assert [text.id for text in toy.split_queries("test")] == ["j5", "j6"]
    assert len(list(toy.parallel())) == 16
    assert list(toy.links()) == LINKS
    assert ("H01M 4/00", "H01M") in set(toy.classes())


def test_nothing_cites_the_future() -> None:
    dates = {row[0]: row[4] for row in DOCUMENTS} | {row[0]: row[6] for row in QUERIES}
    assert all(dates[cited] < dates[citing] for citing, cited, _ in LINKS)


def test_title_words_stand_in_the_text_again() -> None:
    assert all(set(title.split()) <= set(text.split()) for _, title, text, *_ in DOCUMENTS)


@pytest.mark.parametrize("name", ["a/b", "a.starts", "", "../x", "9", "x" * 100])
def test_field_name_that_could_not_be_a_file_name_is_refused(tmp_path: Path, name: str) -> None:
    folder = toy_collection(tmp_path / "toy")
    info = folder / "collection.toml"
    info.write_text(info.read_text().replace('"claims"', f'"{name}"'))
    with pytest.raises(FileError, match="use letters, digits"):
        Collection(folder)
