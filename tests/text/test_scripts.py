"""A text in another script, or with another language's commonest words, is told from one that may be right."""

import pytest

from kakehashi.text.scripts import looks_foreign, script_of


@pytest.mark.parametrize(
    ("text", "lang", "expected"),
    [
        ("lithium battery", "ja", "written in Latin letters"),
        ("リチウム電池", "ja", ""),
        ("電池", "ja", ""),
        ("リチウム電池", "de", "Japanese"),
        ("電池", "de", "written in Chinese characters"),
        ("аккумулятор", "fr", "written in Cyrillic letters"),
        ("the insertion of a page", "de", "English"),
        ("Einfügen der Seite in das Dokument", "de", ""),
        ("insertion de la page dans le document", "de", "French"),
        ("Seitenzahl", "de", ""),
        ("Access2Base", "de", ""),
        ("12 34", "ja", ""),
        ("أي شيء", "tlh", ""),
    ],
)
def test_what_a_text_looks_to_be(text: str, lang: str, expected: str) -> None:
    assert looks_foreign(text, lang) == expected


def test_few_latin_letters_do_not_make_a_japanese_text_latin() -> None:
    assert script_of("LEDと電池の間にUSBを設ける構造") == "Japanese"
    assert script_of("an electrode (電極) of a battery") == "Latin"
