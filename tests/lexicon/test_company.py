"""Every word gets the frequent words that DICE says, whatever the counting."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kakehashi.errors import InputError
from kakehashi.index.index import Index
from kakehashi.lexicon.company import CfhSettings, Company, index_counts, text_counts
from kakehashi.lexicon.correlated import Correlated, correlate, correlate_index, correlate_texts
from tests.index.building import add, build, texts_of, zipfian
from tests.lexicon.slow_dice import slow_rows

COUNTS = ["binary", "min", "max"]
texts_strategy = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=12), max_size=10)


def assert_as_by_the_book(found: Correlated, texts: list[list[str]]) -> None:
    wanted = found.settings
    expected = slow_rows(texts, wanted.words, wanted.k, wanted.count)
    assert sorted(found.terms) == sorted(expected)
    for word, row in expected.items():
        got = found.row(word)
        assert [target for target, _ in got] == [target for target, _ in row], word
        np.testing.assert_allclose([dice for _, dice in got], [float(dice) for _, dice in row], rtol=1e-6)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize(("words", "k"), [(400, 5), (30, 5), (3, 7), (1, 1)])
def test_targets_are_those_of_the_definition(count: str, words: int, k: int) -> None:
    texts = [text.split() for text in zipfian(np.random.default_rng(1), 80, n_terms=200).values()]
    assert_as_by_the_book(correlate_texts(texts, CfhSettings(words, k, count)), texts)


@given(texts_strategy, st.integers(1, 9), st.integers(1, 4), st.sampled_from(COUNTS))
def test_targets_are_right_for_any_texts(texts: list[list[str]], words: int, k: int, count: str) -> None:
    assert_as_by_the_book(correlate_texts(texts, CfhSettings(words, k, count)), texts)


@given(texts_strategy, st.integers(1, 9))
def test_frequent_word_maps_to_itself_first_under_min(texts: list[list[str]], words: int) -> None:
    found = correlate_texts(texts, CfhSettings(words, 3, "min"))
    assert (found.dice <= 1).all()
    for word in found.target_words:
        assert found.row(word)[0] == (word, 1.0)


def test_max_can_exceed_one_and_put_another_word_first() -> None:
    found = correlate_texts([["a", "b", "b", "b"], ["a"], ["b"]], CfhSettings(count="max"))
    assert found.row("a") == [("a", 1.0), ("b", 1.0)]  # 2·3 / (2 + 4) = 1: the word itself wins the tie
    found = correlate_texts([["a", "b", "b", "b"]], CfhSettings(count="max"))
    assert [target for target, _ in found.row("a")] == ["b", "a"]
    assert found.row("a")[0][1] == 1.5


def test_ties_go_to_the_more_frequent_word_then_to_the_smaller_string() -> None:
    # "rare" meets all others once; c and d occur twice, a and b three times, so DICE is 2/3 and 1/2
    texts = [["rare", "d", "c", "b", "a"], ["a", "a", "b", "b"], ["c", "d"]]
    found = correlate_texts(texts, CfhSettings(words=4, k=4))
    assert list(found.terms) == ["a", "b", "c", "d", "rare"]
    assert [target for target, _ in found.row("rare")] == ["c", "d", "a", "b"]
    # equal DICE, other frequencies: max(1, 3) = 3 of 1 + 5 occurrences is as good as 1 of 1 + 1
    texts = [["z", "x", "y", "y", "y"], ["y", "y"]]
    found = correlate_texts(texts, CfhSettings(words=2, count="max"))
    assert found.row("z") == [("y", 1.0), ("x", 1.0)]


def test_words_that_are_no_targets_are_mapped_but_never_a_target() -> None:
    texts = [["a", "a", "b", "b", "c"], ["c"], ["d", "a"]]
    found = correlate_texts(texts, CfhSettings(words=2))
    assert list(found.target_words) == ["a", "b"]
    assert {target for word in found.terms for target, _ in found.row(word)} == {"a", "b"}
    assert found.row("d") == [("a", 0.5)]


def test_a_word_without_company_has_no_target() -> None:
    found = correlate_texts([["a", "a"], ["b"]], CfhSettings(words=1, k=2))
    assert found.row("b") == []
    assert found.targets[found.numbers["b"]].tolist() == [-1, -1]


@pytest.mark.parametrize("texts", [[], [[]], [[], []]])
def test_no_words_give_an_empty_map(texts: list[list[str]]) -> None:
    found = correlate_texts(texts, CfhSettings())
    assert (len(found), found.targets.shape, found.rewrite(["a"])) == (0, (0, 5), [])


def test_only_chosen_documents_count() -> None:
    terms, counts = text_counts([["a", "b"], ["a", "c"], ["a", "b", "d"]])
    found = correlate(terms, counts, CfhSettings(), np.array([True, False, True]))
    assert_as_by_the_book(found, [["a", "b"], ["a", "b", "d"]])
    assert (found.n_docs, "c" in found.numbers) == (2, False)


def test_one_word_alone_is_as_in_the_whole_map() -> None:
    texts = [text.split() for text in zipfian(np.random.default_rng(2), 50, n_terms=60).values()]
    wanted = CfhSettings(words=20)
    found, company = correlate_texts(texts, wanted), Company(*text_counts(texts), wanted)
    assert [company.row(word) for word in found.terms] == [found.row(word) for word in found.terms]
    assert company.row("never") == []


def test_map_of_an_index_counts_the_living_of_all_segments(tmp_path) -> None:
    documents = zipfian(np.random.default_rng(3), 40, n_terms=50)
    build(tmp_path, texts_of({"d0": "w1 gone gone", **documents, "x": "gone"} | {"d0": "w1 w49 gone"}))
    documents |= {"d0": "w1 w2 w2 fresh", "x": "w3"}
    add(tmp_path, texts_of({name: documents[name] for name in ("d0", "x")}))
    index = Index(tmp_path)
    assert len(index.segments) == 2
    found = correlate_index(index, CfhSettings(words=30))
    assert_as_by_the_book(found, [text.split() for text in documents.values()])
    assert "gone" not in found.numbers
    counts, chosen = index_counts(index)
    assert (len(chosen), chosen.sum(), len(counts.starts)) == (44 - 1, 41, 44)


@pytest.mark.parametrize("wrong", [{"words": 0}, {"k": 0}, {"k": 10_000}, {"count": "mean"}])
def test_settings_out_of_bounds_are_refused_by_name(wrong: dict) -> None:
    with pytest.raises(InputError, match=f"^{next(iter(wrong))} = "):
        CfhSettings(**wrong)
