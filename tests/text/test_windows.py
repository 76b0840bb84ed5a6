"""Windows of a text: nothing is lost, nothing is too wide, and they end where a reader would end them."""

from hypothesis import given
from hypothesis import strategies as st

from kakehashi.text.passages import char_columns
from kakehashi.text.windows import windows

texts = st.text(st.sampled_from("ab .!?é光センサ。\n\t"), max_size=300)


@given(texts, st.integers(2, 60))
def test_windows_hold_the_whole_text_in_its_order(text: str, columns: int) -> None:
    found = windows(text, columns)
    assert "".join("".join(found).split()) == "".join(text.split())
    assert all(sum(map(char_columns, window)) <= columns for window in found)
    assert all(found)


@given(texts, st.integers(10, 60), st.integers(1, 5))
def test_most_keeps_the_first_ones(text: str, columns: int, most: int) -> None:
    assert windows(text, columns, most=most) == windows(text, columns)[:most]


@given(texts, st.integers(10, 60), st.data())
def test_overlapping_windows_advance_and_hold_every_character(
    text: str, columns: int, data: st.DataObject
) -> None:
    overlap = data.draw(st.integers(1, columns // 2))
    clean, place, end = " ".join(text.split()), 0, 0
    for window in windows(text, columns, overlap):
        place = clean.index(window, place)
        assert clean[end:place].strip() == ""  # no gap between one and the next
        place, end = place + 1, place + len(window)
    assert end == len(clean)


def test_window_ends_with_a_sentence_or_else_with_a_word() -> None:
    text = "The lamp lights the room. The pump moves water uphill. A sentence without an early end goes on"
    assert windows(text, 60) == [
        "The lamp lights the room. The pump moves water uphill.",
        "A sentence without an early end goes on",
    ]
    assert windows("one two three four", 9) == ["one two", "three", "four"]


def test_wide_characters_take_two_columns() -> None:
    assert windows("光学式センサ。回路基板。", 14) == ["光学式センサ。", "回路基板。"]


def test_windows_share_whole_words() -> None:
    found = windows("alpha beta gamma delta epsilon zeta", 16, overlap=5)
    assert found == ["alpha beta gamma", "gamma delta", "delta epsilon", "epsilon zeta"]
