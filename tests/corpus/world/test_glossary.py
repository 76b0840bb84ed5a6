import re
from collections import defaultdict

import pytest

from kakehashi.corpus.world.glossary import FLAVOURS, SECTIONS, glossary, rows

TERMS = [row for section in SECTIONS for row in rows(section.lower())]
JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")


def translations(sides: tuple[int, int]) -> dict[str, set[str]]:
    """Every word of one side with all words it is translated by, over the whole glossary."""
    found: dict[str, set[str]] = defaultdict(set)
    for row in [*TERMS, *rows("general")]:
        for word in row[sides[0]].split("|"):
            found[word].update(row[sides[1]].split("|"))
    return found


def test_glossary_has_more_than_750_terms_in_all_eight_sections_and_40_subclasses() -> None:
    assert len({(row[2], row[3]) for row in TERMS}) > 750
    assert {row[0][0] for row in TERMS} == set(SECTIONS)
    assert len({row[0] for row in TERMS}) >= 40


def test_no_row_occurs_twice() -> None:
    for name in [*map(str.lower, SECTIONS), "general", "aims", "modifiers", "verbs", "adjuncts", "places"]:
        table = [tuple(row) for row in rows(name)]
        assert len(table) == len(set(table)), name


def test_every_japanese_term_is_in_japanese_script_or_an_abbreviation_english_shares() -> None:
    for row in TERMS:
        first, *others = row[2].split("|")
        assert JAPANESE.search(first), row
        for word in others:
            assert JAPANESE.search(word) or word in row[3].split("|"), row


def test_english_terms_are_free_of_japanese_and_of_stray_spaces() -> None:
    for row in [*TERMS, *rows("general")]:
        for word in row[3].split("|"):
            assert word == word.strip()
            assert word.isascii(), row
            assert "  " not in word


@pytest.mark.parametrize("sides", [(2, 3), (3, 2)], ids=["japanese", "english"])
def test_many_words_have_several_translations(sides: tuple[int, int]) -> None:
    assert sum(len(words) > 1 for words in translations(sides).values()) >= 50


@pytest.mark.parametrize(
    ("english", "japanese"),
    [("bearing", {"軸受", "ベアリング"}), ("cell", {"電池", "セル"}), ("plate", {"板", "プレート"})],
)
def test_known_ambiguities_are_there(english: str, japanese: set[str]) -> None:
    assert japanese <= translations((3, 2))[english]


def test_every_subclass_has_a_flavour_and_what_templates_need() -> None:
    words = glossary()
    assert {sub.symbol for sub in words.subclasses} == set(words.by_subclass)
    for sub in words.subclasses:
        assert sub.flavour in FLAVOURS
        available = {*words.by_subclass[sub.symbol], *words.by_flavour[sub.flavour]}
        assert {"d", "p", "m", "t", "q", "x", "e", "i", "g", "h"} <= available, sub
        assert "d" in words.by_subclass[sub.symbol], sub


def test_every_unit_of_a_quantity_is_known() -> None:
    known = {row[0] for row in rows("units")}
    assert {row[4] for row in [*TERMS, *rows("general")] if row[4]} <= known
