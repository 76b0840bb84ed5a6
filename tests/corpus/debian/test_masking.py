import pytest

from kakehashi.corpus.debian.masking import Masker, own_names

MASKER = Masker({"lamp-post", "libwick", "candle"})


@pytest.mark.parametrize(
    "token",
    [
        "lamp_on", "lampOn", "OpenLamp", "lamp2", "3D", "lamp.conf", "1.2.3", "/etc/lamp", "~/x/y",
        "--bright", "-b", "lamp::on", "https://example.org/a-b", "me@example.org", "on()", "XML", "CPUs",
        "a=b", "lamp-post", "libwick",
    ],
)  # fmt: skip
def test_code_is_masked(token: str) -> None:
    assert MASKER.mask(f"ein {token} hier", frozenset()) == "ein … hier"


@pytest.mark.parametrize(
    "word",
    [
        "lamp",
        "Lamp",
        "TCP/ip",
        "e.g.",
        "z.B.",
        "12",
        "I",
        "C++",
        "Größe",
        "real-time",
        "candle",
        "end.",
        "and/or",
        "library",
    ],
)
def test_words_are_not_masked(word: str) -> None:
    assert MASKER.mask(f"a {word} b", frozenset()) == f"a {word} b"


def test_own_names_are_masked_in_any_case_and_spelling() -> None:
    names = own_names(["tuxlamp", "libglow-dev"])
    text = "Tuxlamp (or Tux Lamp) uses glow, TUXLAMP-Fans and libglow-dev; it glows."
    assert MASKER.mask(text, names) == "… (or … …) uses …, …-Fans and …; it glows."


def test_only_the_name_of_a_german_compound_is_masked() -> None:
    assert MASKER.mask("XML-Datei und tux2-Empfänger", frozenset()) == "…-Datei und …-Empfänger"


def test_names_between_japanese_letters_are_masked() -> None:
    assert MASKER.mask("これはtuxlampとlamp2の灯り", own_names(["tuxlamp"])) == "これは…と…の灯り"


def test_affixes_are_no_part_of_a_name() -> None:
    assert own_names(["python3-glow", "libglow-perl", "r-cran-ab"]) >= {
        "glow",
        "python3-glow",
        "libglow-perl",
    }
    assert "ab" not in own_names(["r-cran-ab"])  # too short to be telling


def test_masking_twice_changes_nothing() -> None:
    once = MASKER.mask("The OpenLamp 2.0 of /usr/bin, XML-based", frozenset())
    assert MASKER.mask(once, frozenset()) == once
