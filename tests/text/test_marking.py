"""Words that give wanted terms are found in the text as it was written."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kakehashi.text.analyzer import Analyzer
from kakehashi.text.learn import learn
from kakehashi.text.marking import Piece, find_marks, marked, merged, plain
from kakehashi.text.settings import settings_for

ENGLISH = Analyzer(settings_for("en"))
GERMAN = learn(settings_for("de"), ["Batterie Elektrode", "Die Batterie", "Eine Elektrode"])
JAPANESE = learn(settings_for("ja"), ["リチウム電池の電極", "電池と電極"])
CHINESE = Analyzer(settings_for("zh"))
SAMPLES = (
    "The (Electrodes), of 3.5mm U.S. l'eau don't\n\tBatterieelektroden. ＬＥＤ電池の電極がﾊﾞｯﾃﾘｰ 電池。 ́x"
)


def words(text: str, terms: str, analyzer: Analyzer) -> list[str]:
    return [piece.text for piece in marked(text, frozenset(terms.split()), analyzer) if piece.match]


def test_inflected_words_are_marked_whole_and_without_their_signs() -> None:
    text = "Polymerized (electrodes), an electrode's coating; ELECTRODE-coated. Pole."
    assert words(text, "polymer electrod", ENGLISH) == ["Polymerized", "electrodes", "electrode", "ELECTRODE"]


def test_abbreviations_and_numbers_with_points_are_marked_whole() -> None:
    assert words("made in the U.S. at 3.5 mm, not 3", "u.s 3.5", ENGLISH) == ["U.S", "3.5"]


def test_compound_is_marked_whole_where_a_part_was_meant() -> None:
    assert words("Die Batterieelektrode ist neu.", "elektrod", GERMAN) == ["Batterieelektrode"]


def test_japanese_words_are_marked_where_they_stand() -> None:
    text = "リチウム電池の電極、\n電池とＬＥＤ。"
    assert words(text, "電池 led", JAPANESE) == ["電池", "電池", "ＬＥＤ"]
    assert plain(marked(text, frozenset({"電池"}), JAPANESE)) == text


def test_half_width_kana_are_marked_as_they_were_written() -> None:
    [term] = JAPANESE.terms("ガス")
    assert words("新しいｶﾞｽの層", term, JAPANESE) == ["ｶﾞｽ"]


def test_script_without_spaces_is_marked_by_pairs_of_characters() -> None:
    assert words("新电池的电极。电池", "电池 电极", CHINESE) == ["电池", "电极", "电池"]


def test_nothing_is_marked_where_nothing_is_wanted() -> None:
    assert marked("a text", frozenset(), ENGLISH) == [Piece("a text", False)]
    assert marked("", frozenset({"x"}), ENGLISH) == []


@pytest.mark.parametrize("analyzer", [ENGLISH, GERMAN, JAPANESE, CHINESE], ids=["en", "de", "ja", "zh"])
@given(text=st.text(st.sampled_from(SAMPLES) | st.characters(codec="utf-8"), max_size=60))
def test_every_term_of_a_text_is_found_in_it_and_the_text_stays_whole(analyzer: Analyzer, text: str) -> None:
    terms = frozenset(analyzer.terms(text))
    pieces = marked(text, terms, analyzer)
    assert plain(pieces) == text
    marks = find_marks(text, terms, analyzer)
    assert all(mark.terms for mark in marks)
    assert all(one.end <= other.start for one, other in pairwise(marks))
    if analyzer is not JAPANESE:  # MeCab may cut a stretch by itself otherwise than in its line
        assert frozenset().union(*(mark.terms for mark in marks)) == terms


def test_neighbours_that_do_not_differ_are_one() -> None:
    pieces = [Piece("a", True), Piece("b", True), Piece("c", False)]
    assert merged(pieces) == [Piece("ab", True), Piece("c", False)]
