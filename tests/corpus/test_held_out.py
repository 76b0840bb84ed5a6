"""Nothing that dev or test say may come back in text to learn from."""

import unicodedata

import pytest

from kakehashi.corpus.held_out import HeldOut, Quotations, is_phrase


@pytest.mark.parametrize(
    ("pair", "kept"),
    [
        (("Etwas anderes", "Something else"), True),
        (("ein ganz bestimmter langer satz steht hier.", "x"), False),  # case does not matter
        (("y", "Vor dem Test. Ein ganz bestimmter langer Satz steht hier."), False),  # nor which side
        (("Kurz.", "Short."), False),  # a whole block, however short
        (("Kurz. Und mehr davon.", "Short. And more of it."), True),  # a short sentence belongs to nobody
        (("これは試験のページにある長い文章です。短い文。", "z"), False),
        (("これは、試験のページにある「長い文章」です！短い文。", "z"), False),  # punctuation does not count
        (("Kurz", "x"), False),
        ((unicodedata.normalize("NFD", "Die Wärterin führt über tausend Bücher."), "x"), False),
        (("Die Wärterin führt über hundert Bücher.", "x"), True),
        (("…", "-- !"), True),  # no letters, so nothing said
    ],
)
def test_pairs_with_a_side_in_dev_or_test_are_dropped(pair: tuple[str, str], kept: bool) -> None:
    held = HeldOut()
    for block in (
        "Ein ganz bestimmter langer Satz steht hier. Kurz.",
        "Kurz.",
        "これは試験のページにある長い文章です。",
        "Die Wärterin führt über tausend Bücher. ---",
        "!",
    ):
        held.add(block)
    assert list(held.without([pair])) == ([pair] if kept else [])


SAID = "Der alte Leuchtturm am Ende der Mole wurde im letzten Herbst neu gestrichen, sagt der Wärter."
SAID_JA = "古い灯台は去年の秋に新しく塗り替えられたと灯台守は言っている。"


@pytest.mark.parametrize(
    ("passage", "quoted"),
    [
        (SAID, True),
        ("DER ALTE LEUCHTTURM, am Ende", True),  # a part of it; case and punctuation do not count
        ("der alte Leuchtturm am", False),  # four words belong to nobody
        (
            "Man hört: am Ende der Mole wurde im letzten Herbst viel gebaut",
            True,
        ),  # eight words of it in a row
        ("Man hört: am Ende der Mole wurde im letzten Jahr viel gebaut", False),  # seven
        ("古い灯台は去年の秋に新しく塗り替えられた", True),
        ("古い灯台は去年の秋に", False),
        ("古い灯台は、去年の秋に、新しく「塗り替え」られた", True),
        ("古い灯台は\u3000去年の秋に\u3000新しく塗り", True),
        ("、".join("古い灯台は去年の秋に"), False),  # nor does punctuation make it longer
        (unicodedata.normalize("NFD", "herbst neu gestrichen, sagt der Wärter"), True),
        ("Ｄｅｒ ａｌｔｅ Ｌｅｕｃｈｔｔｕｒｍ am Ende", True),
        ("", False),
    ],
)
def test_a_passage_from_dev_or_test_is_recognised(passage: str, quoted: bool) -> None:
    held = Quotations()
    held.add(SAID)
    held.add(SAID_JA)
    assert held.has(passage) == quoted


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("four words - belong, to nobody", False),
        ("four words belong - nobody", True),
        ("灯台の灯りを守る人と古い本。", True),
        ("灯台の灯りを守る人と古い本棚と猫", False),
        ("USB の灯台の灯りを守る人と猫。", False),  # a word counts as three characters
        ("", True),
    ],
)
def test_short_texts_are_phrases(text: str, short: bool) -> None:
    assert is_phrase(text) == short
