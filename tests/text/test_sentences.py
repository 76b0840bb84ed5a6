import pytest

from kakehashi.text.sentences import split_sentences


def split(text: str, language: str = "english") -> list[str]:
    return [" ".join(sentence) for sentence in split_sentences(text.split(), language)]


@pytest.mark.parametrize(
    "text",
    [
        "As shown in FIG. 1 the valve opens.",
        "See Chem. Abstr. and Pat. No. 5 of J. Smith.",
        "Made in the U.S. Patent Office.",
        "Some metals, e.g. Iron, rust.",
        "It costs 3.5 Dollars.",
        "He said no. and left.",
        "It was approx. 5 metres.",
    ],
)
def test_abbreviations_end_no_english_sentence(text: str) -> None:
    assert split(text) == [text]


@pytest.mark.parametrize(
    ("text", "n"),
    [
        ("It opens. Then it closes.", 2),
        ("Why? Because! 3 reasons follow.", 3),
        ('"It opens." (So it does.) "Yes."', 3),
        ("I said No. He left.", 2),
        ("Wait... Then go.", 2),
        ("Done. «Oui.»", 2),
        ("", 0),
        ("no end", 1),
    ],
)
def test_sentences_end_before_what_may_begin_one(text: str, n: int) -> None:
    assert len(split(text)) == n


def test_german_and_french_abbreviations_end_no_sentence() -> None:
    for text in (
        "Siehe Abb. 3 bzw. Fig. 4 am 3. Oktober.",
        "Teile, z. B. Ventile, d. h. Hähne.",
        "Nach z.B. Müller.",
    ):
        assert split(text, "german") == [text]
    for text in ("Métal, p. ex. Fer, cf. Fig. 2 de M. Dupont.",):
        assert split(text, "french") == [text]
    assert split("Das ist so. Danach nicht.", "german") == ["Das ist so.", "Danach nicht."]
    assert split("C'est ainsi. Après non.", "french") == ["C'est ainsi.", "Après non."]


def test_japanese_sentences_end_at_full_stops_outside_quotes() -> None:
    assert split("これ は 図 1 。 次 。", "japanese") == ["これ は 図 1 。", "次 。"]
    assert split("「 はい 。 」 と 言う 。 本当 ? ええ", "japanese") == [
        "「 はい 。 」 と 言う 。",
        "本当 ?",
        "ええ",
    ]
