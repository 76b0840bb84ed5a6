"""A passage is the densest part of a text, in whole words, and no longer than about two lines."""

from hypothesis import given
from hypothesis import strategies as st

from kakehashi.text.analyzer import Analyzer
from kakehashi.text.learn import learn
from kakehashi.text.marking import plain
from kakehashi.text.passages import CUT, char_columns, passage
from kakehashi.text.settings import settings_for

ENGLISH = Analyzer(settings_for("en"))
FILLER = "Nothing of interest is said here at all. "


def columns(text: str) -> int:
    return sum(map(char_columns, text))


def test_passage_shows_the_place_where_most_was_found() -> None:
    text = FILLER * 20 + "A lithium battery has an electrode. " + FILLER * 20 + "A battery. " + FILLER * 5
    worth = {"lithium": 3.0, "batteri": 1.0, "electrod": 2.0}
    found = passage(text, worth, ENGLISH, 100)
    assert [piece.text for piece in found if piece.match] == ["lithium", "battery", "electrode"]
    assert plain(found).startswith(f"{CUT} ")
    assert plain(found).endswith(f" {CUT}")
    assert columns(plain(found)) <= 100 + 2 * len(f"{CUT} ")


def test_different_words_are_worth_more_than_one_repeated() -> None:
    text = "battery battery battery battery. " + FILLER * 10 + "lithium battery. " + FILLER * 10
    found = passage(text, {"lithium": 1.0, "batteri": 1.0}, ENGLISH, 80)
    assert [piece.text for piece in found if piece.match] == ["lithium", "battery"]


def test_passage_begins_with_a_sentence_where_one_begins_nearby() -> None:
    text = FILLER * 10 + "Here a battery is charged. " + FILLER * 10
    assert plain(passage(text, {"batteri": 1.0}, ENGLISH, 90)).startswith(f"{CUT} Here a battery is charged.")


def test_passage_does_not_begin_inside_a_word() -> None:
    text = "x" * 200 + " 20-pole circuit of the battery, " + FILLER * 10
    assert plain(passage(text, {"pole": 1.0, "batteri": 1.0}, ENGLISH, 30)).startswith(
        f"{CUT} 20-pole circuit"
    )


def test_text_without_any_term_is_shown_from_its_beginning() -> None:
    found = passage(FILLER * 10, {"batteri": 1.0}, ENGLISH, 60)
    assert plain(found).startswith("Nothing of interest is said here at all. Nothing of")
    assert not any(piece.match for piece in found)
    assert passage("", {"batteri": 1.0}, ENGLISH) == []


def test_short_text_is_shown_whole_in_one_line() -> None:
    assert plain(passage("A battery.\n\n  Its\tcase. ", {"batteri": 1.0}, ENGLISH)) == "A battery. Its case."


def test_wide_characters_count_two_columns() -> None:
    analyzer = learn(settings_for("ja"), ["電池の電極"])
    text = "これは何もない文である。" * 20 + "電池の電極を設ける。" + "これは何もない文である。" * 20
    found = passage(text, {"電池": 1.0, "電極": 1.0}, analyzer, 80)
    assert [piece.text for piece in found if piece.match] == ["電池", "電極"]
    assert 60 < columns(plain(found)) <= 84


@given(st.lists(st.sampled_from([*FILLER.split(), "battery,", "Lithium", "x" * 90, "電池"]), max_size=80),
       st.integers(30, 120))  # fmt: skip
def test_passage_is_of_whole_words_of_the_text(words: list[str], width: int) -> None:
    text = " ".join(words)
    found = plain(passage(text, {"batteri": 1.0, "lithium": 2.0}, ENGLISH, width))
    inside = found.removeprefix(f"{CUT} ").removesuffix(f" {CUT}")
    assert inside in text
    narrow = [word for word in inside.split() if word.isascii() and len(word) < 30]
    assert {*narrow} <= {*words} or "x" * 30 in inside or "電" in inside
    if any(word in ("battery,", "Lithium") for word in words):
        assert "battery" in found or "Lithium" in found
