import pytest

from kakehashi.text.normalize import clean, lower, visible


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        ("ＡＢＣ１２３", "ABC123"),
        ("ｶﾀｶﾅ", "カタカナ"),
        ("ﬁlter", "filter"),
        ("m²", "m2"),
        ("don’t", "don't"),
        ("light‑emitting", "light-emitting"),
        ("−5", "-5"),
        ("snake_case", "snake case"),
        ("Kakehashi™", "Kakehashi "),
    ],
)
def test_characters_that_mean_the_same_become_the_same(raw: str, cleaned: str) -> None:
    assert clean(raw) == cleaned


@pytest.mark.parametrize(
    "invisible", ["\x00", "\x07", "\u00ad", "\u200b", "\u200d", "\ufeff", "\ud800", "\U000e0101"]
)
def test_invisible_characters_vanish(invisible: str) -> None:
    assert clean(f"com{invisible}pound") == "compound"


def test_white_space_survives_cleaning() -> None:
    assert visible("a\n\tb\x1cc\x85d") == "a\n\tb\x1cc\x85d"


def test_lower_case_knows_no_language() -> None:
    assert lower("TITLE") == "title"
    assert lower("ΟΔΟΣ") == "οδο\u03c2"  # the final sigma
    assert lower("İ") == "i̇"
