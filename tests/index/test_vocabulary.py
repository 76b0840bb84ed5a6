"""Terms and numbers: every term is found, and nothing else."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kakehashi.index.vocabulary import UNKNOWN, Vocabulary, VocabularyPart, vocabulary_arrays
from kakehashi.store import Strings
from kakehashi.types import Text
from tests.index.building import build, build_in_parts

terms = st.lists(st.text(min_size=1), unique=True)


def part(items: list[str], first: int = 0) -> VocabularyPart:
    arrays = vocabulary_arrays(items)
    return VocabularyPart(Strings(arrays["terms.bytes"], arrays["terms.ends"]), arrays["terms.slots"], first)


@given(terms, terms)
def test_known_terms_have_their_places_and_others_none(known: list[str], others: list[str]) -> None:
    vocabulary = Vocabulary([part(known)])
    assert vocabulary.numbers(known).tolist() == list(range(len(known)))
    assert [vocabulary[i] for i in range(len(known))] == known
    for term in {*others} - {*known}:
        assert vocabulary.number(term) == UNKNOWN


@given(st.lists(terms, max_size=5))
def test_parts_are_one_vocabulary(lists: list[list[str]]) -> None:
    seen: list[str] = []
    parts = []
    for some in lists:
        new = [term for term in some if term not in seen]
        parts.append(part(new, len(seen)))
        seen += new
    vocabulary = Vocabulary(parts)
    assert len(vocabulary) == len(seen)
    assert vocabulary.all_terms() == seen
    assert vocabulary.numbers(seen).tolist() == list(range(len(seen)))
    assert [vocabulary[i] for i in range(len(seen))] == seen


def test_beginnings_and_continuations_of_terms_are_unknown() -> None:
    vocabulary = Vocabulary([part(["pump", "pumping", "電池"])])
    for term in ("", "p", "pum", "pumpi", "pumpings", "電", "電池池", "\ud800"):
        assert vocabulary.number(term) == UNKNOWN
    assert vocabulary.numbers(["電池", "pump"]).tolist() == [2, 0]


def test_empty_vocabulary_knows_nothing() -> None:
    for vocabulary in (Vocabulary(), Vocabulary([part([])])):
        assert (len(vocabulary), vocabulary.number("a"), vocabulary.all_terms()) == (0, UNKNOWN, [])
        with pytest.raises(IndexError):
            vocabulary[0]


def test_terms_of_a_segment_are_numbered_by_frequency(tmp_path: Path) -> None:
    index = build(tmp_path, [Text("a", "en", "rare often often"), Text("b", "en", "often mid mid also")])
    assert index.vocabulary.all_terms() == ["often", "mid", "also", "rare"]


def test_every_segment_adds_only_its_new_terms(tmp_path: Path) -> None:
    index = build_in_parts(
        tmp_path, [[Text("a", "en", "x y")], [Text("b", "en", "y z")], [Text("c", "en", "x")]]
    )
    assert [segment.first_term for segment in index.segments] == [0, 2, 3]
    assert index.vocabulary.all_terms() == ["x", "y", "z"]
    assert [index.vocabulary[i] for i in range(3)] == ["x", "y", "z"]
