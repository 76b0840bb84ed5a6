import pytest

from kakehashi.text.tokenize import tokenizer


def words(text: str, name: str = "english", split_hyphens: bool = False) -> list[str]:
    return [word for chunk in text.split() for word in tokenizer(name, False, split_hyphens)(chunk)]


def pieces(text: str, name: str = "english") -> list[str]:
    return [word for chunk in text.split() for word in tokenizer(name, True, False)(chunk)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(see FIG. 1)", "see FIG 1"),
        ("1,234.5 and 3.5", "1,234.5 and 3.5"),
        ("one,two", "one two"),
        ("and/or", "and or"),
        ("U.S. Pat. No. 5,123,456", "U.S Pat No 5,123,456"),
        ("e.g.,", "e.g"),
        ("don't", "don t"),
        ("light-emitting", "light-emitting"),
        ("--fast", "fast"),
        ("C++ C# F#", "C++ C# F#"),
        ("abc#def a++b", "abc def a b"),
        ("50% @ 20°C", "50 20 C"),
        ("wait...what", "wait what"),
        ("naïve cafés", "naïve cafés"),
        ("10mm", "10mm"),
        ("«Übergrößenträger»", "Übergrößenträger"),
    ],
)
def test_english_words_without_punctuation(text: str, expected: str) -> None:
    assert words(text) == expected.split()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(see FIG. 1).", "( see FIG. 1 ) ."),
        ("The U.S. Chem. Pat.", "The U.S. Chem. Pat."),
        ("It ends.", "It ends ."),
        ("It ends...", "It ends ..."),
        ("don't", "don 't"),
        ("'quoted'", "' quoted '"),
        ("a,b 1,2", "a , b 1,2"),
        ("No. 5", "No. 5"),
    ],
)
def test_english_words_with_punctuation_follow_moses(text: str, expected: str) -> None:
    assert pieces(text) == expected.split()


def test_hyphens_part_words_on_demand() -> None:
    assert words("light-emitting X-ray", split_hyphens=True) == ["light", "emitting", "X", "ray"]


def test_french_elisions_part_and_frozen_words_stay() -> None:
    assert words("l'eau d'aujourd'hui qu'il jusqu'à", "french") == [
        "l",
        "eau",
        "d",
        "aujourd'hui",
        "qu",
        "il",
        "jusqu",
        "à",
    ]
    assert pieces("L'eau, lorsqu'il prud'homme", "french") == [
        "L'",
        "eau",
        ",",
        "lorsqu'",
        "il",
        "prud'homme",
    ]


def test_german_abbreviations_keep_their_full_stop() -> None:
    assert pieces("z.B. Abb. 3 bzw. Bild.", "german") == ["z.B.", "Abb.", "3", "bzw.", "Bild", "."]


def test_scripts_without_spaces_become_pairs_of_characters() -> None:
    assert words("我们使用Python编程。", "default") == ["我们", "们使", "使用", "Python", "编程"]
    assert words("한국어 字", "default") == ["한국", "국어", "字"]


def test_combining_marks_stay_with_their_word() -> None:
    assert words("हिन्दी किताब", "default") == ["हिन्दी", "किताब"]


def test_plain_takes_every_other_sign_for_a_gap() -> None:
    assert words("don't e.g. 3.5 foo@bar.org x-y", "plain") == [
        "don",
        "t",
        "e",
        "g",
        "3",
        "5",
        "foo",
        "bar",
        "org",
        "x",
        "y",
    ]


def test_long_chunk_takes_linear_time() -> None:
    for chunk in ("a." * 200_000, "1," * 200_000, "-'" * 200_000, "x" * 400_000):
        for name in ("english", "french", "default", "plain"):
            assert tokenizer(name, True, False)(chunk)
