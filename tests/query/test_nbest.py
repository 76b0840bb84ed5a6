"""Expected translations from lists, computed by hand."""

from collections.abc import Sequence
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kakehashi.index.index import Index
from kakehashi.lexicon.translations import count_translations
from kakehashi.lexicon.translator import Translation
from kakehashi.query.nbest import NbestPsq
from kakehashi.query.translated import Translated
from kakehashi.types import Text
from tests.index.building import build, texts_of


class Prepared:
    """Answers from a list."""

    identity = "prepared"

    def __init__(self, answers: dict[str, list[Translation]]):
        self._answers = answers

    def translate(self, sentences: Sequence[Sequence[str]], n: int = 1) -> list[list[Translation]]:
        return [self._answers[" ".join(sentence)][:n] for sentence in sentences]


class WordForWord:
    """Links words by their places, for a translator that returns none."""

    def links(self, words: Sequence[str], said: Sequence[str]) -> tuple[tuple[int, int], ...]:
        return tuple((i, i) for i in range(min(len(words), len(said))))


ANSWERS = {
    "haus am see": [
        Translation(("house", "lake"), ((0, 0), (2, 1)), -1.0),
        Translation(("home", "lake", "side"), ((0, 0), (2, 1), (2, 2)), -2.0),
    ],
    "haus": [Translation(("house",), ((0, 0),), -1.0)],
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    words = {"d1": "house lake", "d2": "home side lake lake", "d3": "building house other"}
    return build(tmp_path_factory.mktemp("nbest") / "index", texts_of(words))


def compiled(index: Index, text: str, **settings: object) -> list[tuple[str, float, dict[str, float]]]:
    compiler = NbestPsq(index, Prepared(ANSWERS), 60, 10, **settings)  # type: ignore[arg-type]
    query = compiler.compile(Text("q", "de", text))
    groups = []
    for g, label in enumerate(query.labels):
        entries = slice(query.starts[g], query.starts[g + 1])
        names = [index.vocabulary[int(term)] for term in query.terms[entries]]
        row = dict(zip(names, query.term_weights[entries].tolist(), strict=True))
        groups.append((label, float(query.weights[g]), row))
    return groups


def test_expectation_over_the_list_is_that_of_the_formula(index: Index) -> None:
    first = exp(-1.0) / (exp(-1.0) + exp(-2.0))
    lake = first + (1 - first)  # of links of "see": one in the first, two in the second
    total = first + 2 * (1 - first)
    found = compiled(index, "Haus am See")
    assert found == [
        ("haus", 1.0, pytest.approx({"house": first, "home": 1 - first})),
        ("see", 1.0, pytest.approx({"lake": lake / total, "side": (1 - first) / total})),
    ]


def test_scores_may_count_more_evenly(index: Index) -> None:
    even = compiled(index, "Haus am See", scale=0.0)[0][2]
    assert even == pytest.approx({"house": 0.5, "home": 0.5})


def test_every_sentence_has_groups_of_its_own(index: Index) -> None:
    found = compiled(index, "Haus am See.\nHaus")
    assert [label for label, _, _ in found] == ["haus", "see", "haus"]
    assert found[2][2] == {"house": 1.0}


def test_rows_are_cut_and_made_to_sum_to_one(index: Index) -> None:
    assert compiled(index, "Haus am See", mass=0.5)[0][2] == {"house": 1.0}
    assert compiled(index, "Haus am See", least=0.5)[0][2] == {"house": 1.0}


def test_lists_are_cut_as_tables_are(index: Index) -> None:
    """19 shares to 1 at a mass of .95: the first reaches it."""
    answers = [Translation(("house",), ((0, 0),), log(19.0)), Translation(("home",), ((0, 0),), 0.0)]
    for mass, kept in ((0.95, {"house"}), (0.96, {"house", "home"})):
        query = NbestPsq(index, Prepared({"haus": answers}), 60, 10, mass=mass).compile(
            Text("q", "de", "Haus")
        )
        assert {index.vocabulary[int(term)] for term in query.terms} == kept


def test_standard_list_counts_every_derivation(index: Index) -> None:
    """Two ways to `house` weigh twice as much; a unique list has only the better one."""
    found = [Translation((word,), ((0, 0),), 0.0) for word in ("house", "house", "home")]
    shares = {}
    for unique in (True, False):
        linker: Any = WordForWord()
        compiler = NbestPsq(index, Prepared({"Haus": found}), 60, 10, linker=linker, unique=unique)
        query = compiler.compile(Text("q", "de", "Haus"))
        names = [index.vocabulary[int(term)] for term in query.terms]
        shares[unique] = dict(zip(names, query.term_weights.tolist(), strict=True))
    assert shares[True] == pytest.approx({"house": 1 / 2, "home": 1 / 2})
    assert shares[False] == pytest.approx({"house": 2 / 3, "home": 1 / 3})


def test_lexical_table_is_mixed_in(index: Index) -> None:
    lexical = count_translations(["haus", "haus"], ["building", "house"], np.array([1.0, 1.0]))
    [(_, _, row)] = compiled(index, "Haus", share=0.6, lexical=lexical)
    assert row == pytest.approx({"house": 0.8, "building": 0.2})


def test_direct_translation_takes_the_best_one(index: Index, tmp_path: Path) -> None:
    query = Translated(index, Prepared(ANSWERS), 60).compile(Text("q", "de", "Haus am See.\nHaus"))
    assert [index.vocabulary[int(term)] for term in query.terms] == ["house", "lake"]
    assert query.weights.tolist() == [2.0, 1.0]
    assert query.labels == ("haus", "see")  # what an explanation names
