"""Ranks: the numbers that the live documents' terms would have in an index built from them alone."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kakehashi.index.index import Index
from kakehashi.index.metadata import Condition
from kakehashi.index.rewrite import rewrite_index
from kakehashi.index.term_order import fresh_order, ranks_of
from kakehashi.index.update import IndexWriter
from kakehashi.index.vocabulary import UNKNOWN, Vocabulary, VocabularyPart, vocabulary_arrays
from kakehashi.store import Strings
from kakehashi.types import Text
from tests.index.building import add, build, plain_analyzers

# long common beginnings, letters of one to four bytes, and the letter that pads short terms
letters = st.text(alphabet=["a", "b", "\x00", "é", "電", "𝛼"], min_size=1, max_size=20)
entries = st.dictionaries(letters | letters.map(lambda end: "a" * 16 + end), st.integers(0, 3))


def part(terms: list[str], first: int) -> VocabularyPart:
    arrays = vocabulary_arrays(terms)
    return VocabularyPart(Strings(arrays["terms.bytes"], arrays["terms.ends"]), arrays["terms.slots"], first)


@given(entries, st.integers(0, 5))
@settings(deadline=None)
def test_order_is_by_falling_frequency_then_by_string(counts: dict[str, int], cut: int) -> None:
    terms = list(counts)
    cf = np.array([counts[term] for term in terms], dtype=np.int64)
    vocabulary = Vocabulary([part(terms[:cut], 0), part(terms[cut:], len(terms[:cut]))])
    held = sorted((term for term in terms if counts[term]), key=lambda term: (-counts[term], term))
    dead = [term for term in terms if not counts[term]]
    assert [terms[number] for number in fresh_order(vocabulary, cf).tolist()] == [*held, *dead]


def test_ranks_are_places_in_the_order_and_left_out_where_they_say_nothing() -> None:
    assert ranks_of(np.array([2, 0, 1])).tolist() == [1, 2, 0]
    assert len(ranks_of(np.arange(3))) == len(ranks_of(np.arange(0))) == 0


@pytest.fixture
def updated(tmp_path: Path) -> Index:
    """`gone` and `lost` are held by dead documents alone; `late` has overtaken `early`."""
    add(tmp_path, [Text("a", "en", "early early gone lost"), Text("b", "en", "early common")])
    add(tmp_path, [Text("a", "en", "late late late common"), Text("c", "en", "new late")])
    return Index(tmp_path)


def live_counts() -> Counter[str]:
    return Counter(["early", "common", "late", "late", "late", "common", "new", "late"])


def test_ranks_are_stored_with_the_index(updated: Index) -> None:
    assert "ranks" in updated.artifact
    assert updated.artifact.meta.settings["ranked"]
    ranks, terms = updated.statistics.ranks, updated.vocabulary.all_terms()
    counts = live_counts()
    expected = sorted(counts, key=lambda term: (-counts[term], term))
    assert sorted(counts, key=lambda term: ranks[terms.index(term)]) == expected
    assert updated.faults() == []


def test_fresh_index_needs_no_ranks(tmp_path: Path) -> None:
    index = build(tmp_path, [Text("a", "en", "x y y"), Text("b", "en", "z x x")])
    assert "ranks" not in index.artifact
    assert len(index.statistics.ranks) == 0


def test_words_of_the_dead_are_unknown_but_keep_their_numbers(updated: Index) -> None:
    terms = updated.vocabulary.all_terms()
    assert updated.vocabulary.numbers(["gone", "lost"]).tolist() == [UNKNOWN, UNKNOWN]
    assert {"gone", "lost"} <= {*terms}
    for term in live_counts():
        assert terms[updated.vocabulary.number(term)] == term


def test_word_that_comes_back_is_known_by_its_old_number(updated: Index) -> None:
    number = updated.vocabulary.all_terms().index("gone")
    add(updated.folder, [Text("d", "en", "gone")])
    assert Index(updated.folder).vocabulary.number("gone") == number
    assert len(Index(updated.folder).vocabulary) == len(updated.vocabulary)


def test_statistics_of_some_documents_keep_the_order_of_all(tmp_path: Path) -> None:
    fields = {"half": "keyword"}
    add(tmp_path, [Text("a", "en", "x", meta={"half": "1"})], fields)
    add(tmp_path, [Text("b", "en", "y y", meta={"half": "2"})], fields)
    index = Index(tmp_path)
    assert index.statistics.ranks.tolist() == [1, 0]
    assert index.statistics_where([Condition("half", "=", "1")]).ranks.tolist() == [1, 0]


def test_rewriting_numbers_its_words_by_its_map_and_knows_them_all(tmp_path: Path) -> None:
    add(tmp_path / "index", [Text("a", "en", "x"), Text("b", "en", "y y")])
    writer = IndexWriter(tmp_path / "index", plain_analyzers(), {})
    writer.delete("b")
    writer.commit()
    index = Index(tmp_path / "index")
    targets = np.array([[["A", "B"].index(term.translate({120: "B", 121: "A"}))] for term in ("x", "y")])
    order = [("x", "y").index(term) for term in index.vocabulary.all_terms()]
    rewritten = rewrite_index(index, targets[order].astype(np.int32), ["A", "B"], tmp_path / "rewritten")
    assert len(rewritten.statistics.ranks) == 0
    assert rewritten.vocabulary.numbers(["A", "B"]).tolist() == [0, 1]


def test_merge_numbers_terms_anew_and_forgets_those_of_the_dead(
    updated: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kakehashi.index.update.MAX_SEGMENTS", 1)
    add(updated.folder, [])
    merged = Index(updated.folder)
    assert len(merged.segments) == 1
    assert merged.vocabulary.all_terms() == ["late", "common", "early", "new"]
    assert len(merged.statistics.ranks) == 0


def test_merged_numbers_keep_the_sign_of_zero(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kakehashi.index.update.MAX_SEGMENTS", 1)
    for id, size in (("a", -0.0), ("b", 2.5)):
        add(tmp_path, [Text(id, "en", "x", meta={"size": size})], {"size": "number"})
    sizes = Index(tmp_path).segments[0].artifact.array("meta.size")
    assert sizes.tobytes() == np.array([2.5, -0.0]).tobytes()
