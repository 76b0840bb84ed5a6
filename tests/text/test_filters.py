import pytest

from kakehashi.errors import InputError
from kakehashi.text.filters import MAX_TERM, is_word, qstem, remove_digits, simplify_number, stemmer


@pytest.mark.parametrize(
    ("number", "simple"), [("128", "NNN"), ("1,234.5", "N,NNN.N"), ("10mm", "NNmm"), ("abc", "abc")]
)
def test_digits_become_n_one_for_one(number: str, simple: str) -> None:
    assert simplify_number(number) == simple


def test_removed_digits_leave_gaps() -> None:
    assert remove_digits("a4b 128").split() == ["a", "b"]


@pytest.mark.parametrize(
    ("token", "stem"),
    [("行う", "行"), ("及び", "及"), ("する", ""), ("データ", "データ"), ("取り付け", "取付")],
)
def test_qstem_deletes_hiragana_and_nothing_else(token: str, stem: str) -> None:
    assert qstem(token) == stem


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ("a", True),
        ("1", True),
        ("字", True),
        ("x" * MAX_TERM, True),
        ("...", False),
        ("x" * (MAX_TERM + 1), False),
    ],
)
def test_word_has_a_letter_or_digit_and_a_sane_length(token: str, expected: bool) -> None:
    assert is_word(token) == expected


def test_language_without_stemmer_is_named() -> None:
    assert stemmer("en").stemWord("connections") == "connect"
    with pytest.raises(InputError, match="no stemmer for 'zh'"):
        stemmer("zh")
