import pytest

from kakehashi.errors import InputError
from kakehashi.text.filters import MAX_TERM, is_term, qstem, remove_digits, simplify_number, stemmer


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


@pytest.mark.parametrize("token", ["a", "1", "字", "x" * MAX_TERM])
def test_letters_and_digits_make_a_term(token: str) -> None:
    assert is_term(token, punctuation=False)


@pytest.mark.parametrize("token", ["...", "-", "́"])
def test_signs_are_terms_only_where_punctuation_is_kept(token: str) -> None:
    assert not is_term(token, punctuation=False)
    assert is_term(token, punctuation=True)


@pytest.mark.parametrize("token", ["", "x" * (MAX_TERM + 1)])
def test_empty_and_endless_tokens_are_never_terms(token: str) -> None:
    assert not is_term(token, punctuation=False)
    assert not is_term(token, punctuation=True)


def test_language_without_stemmer_is_named() -> None:
    assert stemmer("en").stemWord("connections") == "connect"
    with pytest.raises(InputError, match="no stemmer for 'zh'"):
        stemmer("zh")
