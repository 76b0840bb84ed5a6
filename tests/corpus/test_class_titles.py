"""Titles of classes, and of those that only have one further up."""

from pathlib import Path

import pytest

from kakehashi.corpus.class_titles import ClassTitles, read_class_titles
from kakehashi.corpus.collection import Collection
from kakehashi.errors import FileError
from tests.toy import toy_collection


def test_a_class_without_a_title_is_called_like_the_nearest_above(tmp_path: Path) -> None:
    titles = read_class_titles(Collection(toy_collection(tmp_path / "toy")))
    assert titles
    assert titles.of("H01M") == titles.of("H01M 4/00") == "batteries; fuel cells"
    assert titles.of("F02M 61/00") == "fuel injectors"
    assert titles.of("F02M 37/00") == titles.of("nothing") == titles.of("") == ""
    assert titles.among(["F02M", "G02B 9/00"]) == {"G02B 9/00": "optical elements"}


def test_a_graph_with_circles_and_two_ways_up_is_walked_once() -> None:
    titles = ClassTitles({"top": "all", "near": "some"}, {"a": ["b", "near"], "b": ["a", "top"], "c": ["c"]})
    assert titles.of("a") == "some"
    assert titles.of("b") == "all"
    assert titles.of("c") == ""


def test_without_the_file_there_are_no_titles(tmp_path: Path) -> None:
    folder = toy_collection(tmp_path / "toy")
    (folder / "class_titles.tsv").unlink()
    titles = read_class_titles(Collection(folder))
    assert not titles
    assert titles.of("H01M") == ""


def test_two_titles_of_one_class_are_refused(tmp_path: Path) -> None:
    folder = toy_collection(tmp_path / "toy")
    with (folder / "class_titles.tsv").open("a", encoding="utf-8") as file:
        file.write("H01M\tcells\n")
    with pytest.raises(FileError, match="'H01M' has two titles"):
        read_class_titles(Collection(folder))
