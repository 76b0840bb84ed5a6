"""Queries cut to a few words, to learn from what a searcher types."""

import numpy as np
import pytest

from kakehashi.text.analyzer import Analyzer
from kakehashi.text.settings import AnalyzerSettings
from kakehashi.training.shortening import FEWEST, MOST, first_words, own_id, shorten
from kakehashi.training.weighing import folds_of
from kakehashi.types import Text

TEXT = Text("q1", "de", "Ein Gerät, das Kaffee mahlt und brüht.", "Kaffeemaschine", {"ipc": ["A47J"]})


def plain(lang: str) -> Analyzer:
    return Analyzer(AnalyzerSettings(lang=lang))


@pytest.mark.parametrize(
    ("n", "content"),
    [(1, "Kaffeemaschine"), (3, "Kaffeemaschine\nEin Gerät,"), (4, "Kaffeemaschine\nEin Gerät, das")],
)
def test_query_is_cut_after_its_first_words(n: int, content: str) -> None:
    cut = first_words(TEXT, n, plain("de"))
    assert (cut.content, dict(cut.meta)) == (content, {})
    assert own_id(cut) == "q1"
    assert cut.id != "q1"


def test_japanese_is_cut_between_words() -> None:
    text = Text("q2", "ja", "超音波診断装置の湾曲部", "")
    for n in (1, 2, 3):
        cut = first_words(text, n, plain("ja")).content
        assert text.text.startswith(cut)
        assert plain("ja").segment(cut) == plain("ja").segment(text.text)[:n]


def test_shorter_text_stays_whole() -> None:
    assert first_words(TEXT, 99, plain("de")).content == TEXT.content


def test_lengths_are_drawn_from_a_range_and_repeat_with_the_seed() -> None:
    long = [Text(f"q{i}", "de", " ".join(f"wort{n}" for n in range(200))) for i in range(300)]
    cut = shorten(long, plain("de"), np.random.default_rng(3))
    lengths = [len(text.content.split()) for text in cut]
    assert (min(lengths), max(lengths)) == (FEWEST, MOST)
    assert np.median(lengths) == pytest.approx(np.sqrt(FEWEST * MOST), abs=2)
    assert cut == shorten(long, plain("de"), np.random.default_rng(3))


def test_cut_query_is_held_out_with_the_whole_one() -> None:
    queries = [Text(f"q{i}", "de", "eins zwei drei") for i in range(20)]
    both = queries + shorten(queries, plain("de"), np.random.default_rng(1))
    folds = folds_of(both, 5, 1)
    assert folds[:20].tolist() == folds[20:].tolist() == folds_of(queries, 5, 1).tolist()
