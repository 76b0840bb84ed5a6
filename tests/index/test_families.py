"""Numbers over all segments, and families by shared values, against plain loops."""

from itertools import compress
from pathlib import Path

import numpy as np
import pytest

from kakehashi.index.families import Families
from kakehashi.index.index import Index
from kakehashi.index.metadata import parse_condition
from kakehashi.index.numbering import UNKNOWN, Numbering
from kakehashi.index.update import IndexWriter
from kakehashi.types import Text
from tests.index.building import add, build, build_in_parts, dealt, plain_analyzers

FIELDS = {"family": "keyword", "size": "number"}


def document(id: str, *families: str) -> Text:
    return Text(id, "en", "word", meta={"family": list(families), "size": len(id)})


@pytest.fixture
def index(tmp_path: Path) -> Index:
    """Three segments; b was replaced, e deleted."""
    texts = [document("a", "x"), document("b", "x"), document("c", "y"), document("d"), document("e", "y")]
    build_in_parts(tmp_path / "index", dealt(texts, 2), FIELDS)
    writer = IndexWriter(tmp_path / "index", plain_analyzers(), FIELDS)
    writer.put(document("b", "y"))
    writer.delete("e")
    writer.commit()
    return Index(tmp_path / "index")


def test_numbers_go_through_all_segments_and_back(index: Index) -> None:
    assert len(index.segments) == 3
    for asked_before in (0, 100):  # by search in the segments, and from memory
        numbering = Numbering(index)
        numbering.of(["a"] * asked_before)
        numbers = numbering.of(["a", "b", "c", "d", "e", "nobody"]).tolist()
        assert numbers[4:] == [UNKNOWN, UNKNOWN]
        assert len(set(numbers[:4])) == 4
        assert [numbering.id(number) for number in numbers[:4]] == ["a", "b", "c", "d"]
        assert sorted(np.flatnonzero(numbering.live).tolist()) == sorted(numbers[:4])
    assert len(numbering) == 6


def test_masks_and_ids_stand_in_the_order_of_numbers(index: Index) -> None:
    numbering = Numbering(index)
    assert [numbering.id(number) for number in range(len(numbering))] == numbering.ids
    assert sorted(numbering.ids) == ["a", "b", "b", "c", "d", "e"]
    for conditions, expected in ((["family=y"], "bc"), (["family=x"], "a"), (["family!=y"], "ad")):
        mask = numbering.allowed([parse_condition(text) for text in conditions])
        assert sorted(compress(numbering.ids, mask)) == list(expected)
    assert sorted(compress(numbering.ids, numbering.allowed((), "word"))) == list("abcd")
    assert not numbering.allowed((), "NOT word").any()


def test_column_stands_in_the_order_of_numbers(tmp_path: Path) -> None:
    texts = [document("x" * n) for n in (3, 1, 4, 2, 5)]
    index = build_in_parts(tmp_path / "index", dealt(texts, 2), FIELDS)
    numbering = Numbering(index)
    ids = [text.id for text in texts]
    assert numbering.column("meta.size")[numbering.of(ids)].tolist() == [3, 1, 4, 2, 5]


def test_family_is_that_of_the_live_version(index: Index) -> None:
    numbering = Numbering(index)
    families = Families(index, "family", numbering)
    a, b, c, d = families.of_documents[numbering.of(["a", "b", "c", "d"])].tolist()
    assert b == c
    assert len({a, b, d}) == 3
    assert [numbering.id(n) for n in families.members(a).tolist()] == ["a"]
    assert sorted(numbering.id(n) for n in families.members(b).tolist()) == ["b", "c"]
    assert families.of_names(["x"]).tolist() == [a]
    assert sorted(families.of_names(["x", "y", "unknown"]).tolist()) == sorted([a, b])
    assert families.of_names(["unknown"]).tolist() == []


def test_documents_linked_by_a_third_are_one_family(tmp_path: Path) -> None:
    texts = [document("a", "p"), document("b", "q"), document("c", "p", "q"), document("d", "r")]
    numbering = Numbering(build_in_parts(tmp_path / "index", dealt(texts, 3), FIELDS))
    families = Families(Index(tmp_path / "index"), "family", numbering)
    a, b, c, d = families.of_documents[numbering.of(["a", "b", "c", "d"])].tolist()
    assert a == b == c != d
    assert families.of_names(["q"]).tolist() == [a]


def test_empty_values_make_no_family(tmp_path: Path) -> None:
    texts = [Text("a", "en", "w", meta={"family": ""}), Text("b", "en", "w", meta={"family": ""})]
    numbering = Numbering(build(tmp_path / "index", [*texts, document("c"), document("d")], FIELDS))
    families = Families(Index(tmp_path / "index"), "family", numbering)
    assert len(set(families.of_documents.tolist())) == 4


def test_many_families_equal_grouping_by_hand(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    drawn = rng.integers(40, size=150).tolist()
    texts = [document(f"d{i}", f"f{family}") for i, family in enumerate(drawn)]
    for part in dealt(texts, 3):
        add(tmp_path / "index", part, FIELDS)
    index = Index(tmp_path / "index")
    numbering = Numbering(index)
    families = Families(index, "family", numbering)
    for i, family in enumerate(drawn):
        expected = {f"d{j}" for j, other in enumerate(drawn) if other == family}
        of_i = int(families.of_documents[numbering.of([f"d{i}"])][0])
        assert {numbering.id(n) for n in families.members(of_i).tolist()} == expected


def test_index_without_documents_has_no_families(tmp_path: Path) -> None:
    index = build(tmp_path / "index", [], FIELDS)
    numbering = Numbering(index)
    families = Families(index, "family", numbering)
    assert (len(numbering), len(families.of_documents)) == (0, 0)
    assert families.of_names(["x"]).tolist() == []
    assert numbering.of(["a"]).tolist() == [UNKNOWN]
    assert len(numbering.column("meta.size")) == 0
