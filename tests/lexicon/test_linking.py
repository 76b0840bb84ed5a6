"""Links by a small table, each of them followed by hand."""

import numpy as np
import pytest

from kakehashi.lexicon.linking import Linker
from kakehashi.lexicon.translations import Translations, count_translations
from kakehashi.text.analyzer import Analyzer
from kakehashi.text.settings import AnalyzerSettings

TABLE = count_translations(
    ["haus", "haus", "see", "see", "gift", "geschenk", "rot"],
    ["hous", "home", "lake", "hous", "poison", "gift", "red"],
    np.array([8.0, 2.0, 9.0, 1.0, 1.0, 1.0, 1.0]),
)


def linker(table: Translations | None = TABLE) -> Linker:
    source = Analyzer(AnalyzerSettings(lang="de", stop_words=("das", "am", "die")))
    target = Analyzer(AnalyzerSettings(lang="en", stem=True, stop_words=("the", "at", "die")))
    return Linker(source, target, table)


def links(source: str, target: str) -> dict[str, str]:
    """Target word -> source word."""
    here, there = source.split(), target.split()
    return {there[j]: here[i] for i, j in linker().links(here, there)}


def test_largest_chance_links_whatever_the_order() -> None:
    assert links("das haus am see", "the lake house") == {"lake": "see", "house": "haus"}


def test_terms_are_compared_as_the_analyzers_make_them() -> None:
    assert links("haus", "houses") == {"houses": "haus"}  # the table has the stem


def test_word_the_table_does_not_know_gives_itself() -> None:
    assert links("see linux haus", "linux lake house") == {"linux": "linux", "lake": "see", "house": "haus"}


def test_table_is_believed_before_equal_strings() -> None:
    assert links("gift geschenk", "gift poison") == {"gift": "geschenk", "poison": "gift"}
    assert links("gift haus", "gift house") == {"gift": "gift", "house": "haus"}


def test_equal_chances_go_to_the_nearest() -> None:
    assert linker().links(["rot", "haus", "rot"], ["red", "house", "red"]) == ((0, 0), (1, 1), (2, 2))


def test_words_left_over_find_each_other() -> None:
    assert links("das ufer am see", "the shore at the lake")["shore"] == "ufer"
    two = links("behälter haus deckel", "container house lid")
    assert two == {"container": "behälter", "house": "haus", "lid": "deckel"}


def test_words_of_a_compound_share_it() -> None:
    found = links("fensterverwalter haus deckel", "window manager house lid")
    assert found == {
        "window": "fensterverwalter",
        "manager": "fensterverwalter",
        "house": "haus",
        "lid": "deckel",
    }


def test_where_none_is_left_over_a_word_has_no_link() -> None:
    assert links("das haus", "the small house") == {"house": "haus"}


def test_dropped_words_have_no_links_unless_they_are_written_alike() -> None:
    assert links("das haus am see", "the house at lake") == {"house": "haus", "lake": "see"}
    assert links("die see", "die lake") == {"die": "die", "lake": "see"}


@pytest.mark.parametrize(("source", "target"), [("", "lake"), ("see", ""), ("", "")])
def test_nothing_links_to_nothing(source: str, target: str) -> None:
    assert links(source, target) == {}


def test_without_a_table_there_are_no_links() -> None:
    assert linker(None).links(["linux"], ["linux"]) == ()
