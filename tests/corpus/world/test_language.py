import re

import pytest

from kakehashi.corpus.collection import Collection
from kakehashi.corpus.world import names, quantities
from kakehashi.corpus.world.english import article, past_participle, plural, third_person
from kakehashi.corpus.world.japanese import full_width, inflect

A_BEFORE_VOWEL = re.compile(r"u(nit|niform|ser|rethane|rea|rine)|one-|U-")
AN_BEFORE_CONSONANT = re.compile(r"[FLMNRSX][A-Z]|[FLMNRSX]-|8|11|18")


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [("rotor", "a"), ("engine", "an"), ("LED", "an"), ("CPU", "a"), ("unit", "a"), ("ultrasonic probe", "an"),
     ("L-shaped arm", "an"), ("U-shaped arm", "a"), ("8-pole rotor", "an"), ("4-pole rotor", "a"),
     ("11-bit register", "an"), ("uninterruptible power supply", "an"), ("X-ray tube", "an")],
)  # fmt: skip
def test_articles_go_by_sound(phrase: str, expected: str) -> None:
    assert article(phrase) == expected + " "


def test_verbs_are_inflected_inside_phrases() -> None:
    assert past_participle("electrically connect to") == "electrically connected to"
    assert past_participle("open and close") == "opened and closed"
    assert past_participle("supply to") == "supplied to"
    assert past_participle("wind around") == "wound around"
    assert third_person("push") == "pushes"
    assert plural("battery") == "batteries"


def test_japanese_verbs_are_inflected_by_group() -> None:
    assert inflect("形成する", "suru") == {
        "dic": "形成する",
        "ren": "形成し",
        "pas": "形成され",
        "past": "形成した",
    }
    assert inflect("設ける", "ichidan")["pas"] == "設けられ"
    assert inflect("埋め込む", "godan")["past"] == "埋め込んだ"
    assert full_width("12.5") == "１２．５"


def test_names_are_the_same_syllables_in_both_scripts() -> None:
    katakana, latin = names.product(12)
    assert re.fullmatch(r"[ァ-ヴー]+", katakana)
    assert re.fullmatch(r"[A-Z][a-z]+", latin)
    ja, en = names.chemical(5)
    assert re.match(r"\d", ja)
    assert re.sub(r"[^\d,-]", "", ja) == re.sub(r"[^\d,-]", "", en)


@pytest.mark.parametrize("unit", sorted(quantities.units()))
def test_ranges_rise(unit: str) -> None:
    for number in range(0, 1 << 16, 997):
        low, high = map(float, quantities.span(unit, number))
        assert low < high


def test_english_texts_are_clean(small_world: Collection) -> None:
    for text in [*small_world.documents(), *small_world.originals()]:
        assert "  " not in text.text
        assert text.text.endswith(".")
        assert not re.search(r" [,.;]|\.\.|[{}|]|\bthe the\b|\ba a\b", text.text), text.text
        for sentence in re.split(r"(?<=[a-z0-9%)])\. ", text.text):
            assert sentence[0].isupper() or sentence[0].isdigit(), sentence


def test_articles_in_texts_agree_with_the_next_word(small_world: Collection) -> None:
    for text in small_world.documents():
        # a capital A after a number is an ampere
        for word in re.findall(r"(?<!\d )\b[Aa] (\S+)", text.text):
            assert word[0] not in "aeiouAEIO" or A_BEFORE_VOWEL.match(word), f"a {word}"
        for word in re.findall(r"\b[Aa]n (\S+)", text.text):
            assert word[0] in "aeiouAEIO" or AN_BEFORE_CONSONANT.match(word), f"an {word}"
            assert not A_BEFORE_VOWEL.match(word), f"an {word}"


def test_japanese_abstracts_have_their_headings(small_world: Collection) -> None:
    for text in small_world.queries():
        assert re.fullmatch(r"【課題】.+。【解決手段】.+。【選択図】図[0-9０-９]+", text.text)
        assert not re.search(r"[{}|]", text.text + text.title)
