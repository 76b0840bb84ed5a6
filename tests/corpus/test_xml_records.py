"""Records of an XML file, one at a time and with bounded memory."""

from pathlib import Path

import pytest

from kakehashi.corpus import xml_records
from kakehashi.corpus.xml_records import read_records
from kakehashi.errors import FileError


def test_records_come_whole_in_any_namespace_and_nested_ones_stay_inside(tmp_path: Path) -> None:
    (tmp_path / "x.xml").write_text('<a xmlns:n="u"><n:r>1</n:r><b><r>2<r>3</r></r></b><c/><r/></a>')
    found = ["".join(map(str, record.itertext())) for record in read_records(tmp_path / "x.xml", "r")]
    assert found == ["1", "23", ""]


def test_what_came_before_a_record_is_freed(tmp_path: Path) -> None:
    (tmp_path / "x.xml").write_text("<a>" + "<b><c/><r>word</r><c/></b>" * 5000 + "</a>")
    held = []
    for record in read_records(tmp_path / "x.xml", "r"):
        tree = record.getroottree().getroot()
        held.append(sum(1 for _ in tree.iter()))
    # of 20,001 elements; the parser runs ahead by one chunk of the file, whose elements are there already
    assert len(held) == 5000
    assert max(held) < 6000


def test_record_without_end_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.xml").write_text("<a><r>" + "<b/>" * (xml_records.MOST_TAGS + 1) + "</r></a>")
    with pytest.raises(FileError, match="over 200,000 tags and attributes without the end of a record"):
        list(read_records(tmp_path / "x.xml", "r"))


def test_attributes_count_like_tags(tmp_path: Path) -> None:
    """In memory an attribute is no smaller than an element."""
    element = "<b " + " ".join(f"x{i}='1'" for i in range(1000)) + "/>"
    (tmp_path / "x.xml").write_text("<a><r>" + element * 201 + "</r></a>")
    with pytest.raises(FileError, match="over 200,000 tags and attributes"):
        list(read_records(tmp_path / "x.xml", "r"))
