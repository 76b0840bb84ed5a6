"""Text is broken into lines that fit, between words, and nothing of it is lost."""

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from kakehashi.cli.blocks import wrapped
from kakehashi.text.marking import Piece


def lines(pieces: list[Piece], width: int) -> list[str]:
    return ["".join(piece.text for piece in line) for line in wrapped(pieces, width)]


def test_lines_end_between_words_and_signs_stay_with_their_word() -> None:
    pieces = [Piece("in a nitrogen ", False), Piece("stream", True), Piece(". In the presence …", False)]
    assert lines(pieces, 20) == ["in a nitrogen", "stream. In the", "presence …"]
    assert lines(pieces, 21) == ["in a nitrogen stream.", "In the presence …"]


def test_partly_marked_word_is_not_parted() -> None:
    assert lines([Piece("a ", False), Piece("20", True), Piece("-pole circuit", False)], 8) == [
        "a",
        "20-pole",
        "circuit",
    ]


def test_wide_characters_may_be_parted_but_closing_signs_do_not_begin_a_line() -> None:
    pieces = [Piece("電池の", False), Piece("電極", True), Piece("。基板", False)]
    assert lines(pieces, 8) == ["電池の電", "極。基板"]
    assert lines(pieces, 10) == ["電池の電", "極。基板"]
    assert lines([Piece("LED素子を備えた", False)], 7) == ["LED素子", "を備え", "た"]


def test_word_longer_than_a_line_is_parted() -> None:
    assert lines([Piece("ab " + "x" * 12, False)], 5) == ["ab", "xxxxx", "xxxxx", "xx"]


def test_line_breaks_of_the_text_stay() -> None:
    assert lines([Piece("a\n\nb ", False), Piece("c\nd", True)], 10) == ["a", "", "b c", "d"]


@given(
    st.lists(st.tuples(st.text(st.sampled_from("ab 。、電池…-."), max_size=12), st.booleans()), max_size=12),
    st.integers(8, 40),
)
def test_every_character_is_shown_and_every_line_fits(parts: list[tuple[str, bool]], width: int) -> None:
    pieces = [Piece(text, match) for text, match in parts]
    shown = wrapped(pieces, width)
    by_match = [(char, match) for text, match in parts for char in text if char != " "]
    assert [
        (char, match) for line in shown for text, match in line for char in text if char != " "
    ] == by_match
    assert all(cell_len("".join(piece.text for piece in line)) <= width for line in shown)
