"""Boolean queries against the algebra of Python's sets."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kakehashi.errors import InputError
from kakehashi.index.index import Index
from kakehashi.index.update import IndexWriter
from kakehashi.types import Text
from tests.index.building import add, build_in_parts, dealt, plain_analyzers, texts_of, zipfian

DOCUMENTS = zipfian(np.random.default_rng(5), 120, n_terms=12, mean_length=3)
HELD = {id: set(text.split()) for id, text in DOCUMENTS.items()}
words = st.sampled_from([*(f"w{i}" for i in range(12)), "unknown"])


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return build_in_parts(tmp_path_factory.mktemp("boolean"), dealt(texts_of(DOCUMENTS), 2))


def found(index: Index, expression: str) -> set[str]:
    chosen = set()
    for i, segment in enumerate(index.segments):
        mask = index.allowed(i, (), expression)
        assert mask is not None
        chosen |= {segment.ids[n] for n in np.flatnonzero(mask).tolist()}
    return chosen


@st.composite
def expressions(draw: st.DrawFn, depth: int = 4) -> tuple[str, frozenset[str]]:
    """An expression with every operation in parentheses, and the set it means."""
    kind = draw(st.sampled_from(["word", "not", "and", "or", "beside"])) if depth else "word"
    if kind == "word":
        word = draw(words)
        return word, frozenset(id for id, held in HELD.items() if word in held)
    text, meant = draw(expressions(depth - 1))
    if kind == "not":
        return f"NOT ({text})", frozenset(HELD) - meant
    other, other_meant = draw(expressions(depth - 1))
    if kind == "or":
        return f"({text}) OR ({other})", meant | other_meant
    return f"({text}){' AND ' if kind == 'and' else ' '}({other})", meant & other_meant


@given(expressions())
@settings(max_examples=200)
def test_expressions_mean_sets(index: Index, expression: tuple[str, frozenset[str]]) -> None:
    text, meant = expression
    assert found(index, text) == meant


def test_and_binds_closer_than_or_and_not_closest(index: Index) -> None:
    def holding(word: str) -> set[str]:
        return {id for id, held in HELD.items() if word in held}

    a, b, c, every = holding("w1"), holding("w2"), holding("w3"), set(HELD)
    assert found(index, "w1 OR w2 AND w3") == a | (b & c)
    assert found(index, "w1 OR w2 w3") == a | (b & c)
    assert found(index, "w1 AND w2 OR w3") == (a & b) | c
    assert found(index, "NOT w1 AND w2") == (every - a) & b
    assert found(index, "NOT w1 OR w2") == (every - a) | b
    assert found(index, "NOT NOT w1") == a
    assert found(index, "(w1 OR w2)w3") == (a | b) & c
    assert found(index, "  ( ( w1 ) ) ") == a


def test_words_are_analysed_as_the_documents_were(toy_index: Index) -> None:
    assert found(toy_index, "Batteries AND NOT Electrodes") == {"d02", "d03"}
    assert found(toy_index, "battery-charger") == {"d03"}  # two terms: both must be there
    assert found(toy_index, "fuel AND the") == {"d04", "d09", "d12"}  # a stop word asks for nothing


def test_unknown_word_is_in_no_document(index: Index) -> None:
    assert found(index, "unknown") == set()
    assert found(index, "NOT unknown") == set(HELD)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("(w1", r"'\(' without '\)'"),
        ("w1)", r"'\)' without '\('"),
        ("w1 AND", "a word is missing before the end"),
        ("AND w1", "a word is missing before AND"),
        ("w1 OR OR w2", "a word is missing before OR"),
        ("w1 AND OR w2", "a word is missing before OR"),
        ("NOT", "a word is missing before the end"),
        ("()", r"a word is missing before \)"),
        ("   ", "a word is missing before the end"),
        ("w1 " * 1001, "has 1001 words: at most 1000 are allowed"),
    ],
)
def test_faulty_expressions_are_refused(index: Index, expression: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        found(index, expression)


def test_deleted_documents_are_in_no_set(tmp_path: Path) -> None:
    add(tmp_path, [Text("a", "en", "x"), Text("b", "en", "y")])
    writer = IndexWriter(tmp_path, plain_analyzers(), {})
    writer.delete("b")
    writer.commit()
    assert found(Index(tmp_path), "NOT x") == set()


@pytest.mark.parametrize("expression", ["(" * 300 + "w1" + ")" * 300, "NOT " * 900 + "w1", "(" * 999])
def test_deep_nesting_is_refused_in_one_line(index: Index, expression: str) -> None:
    with pytest.raises(InputError, match="nested more than 100 levels deep: use fewer parentheses"):
        found(index, expression)


def test_long_and_flat_expressions_are_fine(index: Index) -> None:
    assert found(index, " OR ".join(["(w1)", "NOT w1"] * 120)) == set(HELD)
    assert found(index, "(" * 100 + "w1" + ")" * 100) == found(index, "w1")
