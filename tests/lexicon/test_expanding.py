"""Rows of a translation table, expanded by related words."""

import numpy as np
import pytest

from kakehashi.errors import InputError
from kakehashi.lexicon.expanding import expanded
from kakehashi.lexicon.neighbours import Related, arranged
from kakehashi.lexicon.translations import Translations, count_translations

TERMS = ("car", "cab", "lorry", "house")


@pytest.fixture
def related() -> Related:
    """car: cab 0.9, lorry 0.6; house is related to none."""
    similarities = np.array([0.9, 0.6], np.float32)
    return arranged(np.array([0, 0]), np.array([1, 2]), similarities, len(TERMS), both=True)


@pytest.fixture
def table() -> Translations:
    return count_translations(
        ["Auto", "Auto", "Auto", "Haus"], ["car", "lorry", "unknown", "house"], np.array([6.0, 2.0, 2.0, 1.0])
    )


def test_related_words_share_the_probability_of_each_translation(
    table: Translations, related: Related
) -> None:
    found = expanded(table, TERMS, related, 0.5)
    expected = {
        "car": 0.6 * 0.5 + 0.2 * 0.5,  # the whole share of lorry
        "cab": 0.6 * 0.5 * 0.9 / 1.5,
        "lorry": 0.6 * 0.5 * 0.6 / 1.5 + 0.2 * 0.5,
        "unknown": 0.2,
    }
    assert dict(found.row("Auto")) == pytest.approx(expected)
    assert sum(chance for _, chance in found.row("Auto")) == pytest.approx(1.0)
    assert found.row("Haus") == [("house", 1.0)]
    assert found.counts.tolist() == table.counts.tolist()


def test_no_share_changes_nothing(table: Translations, related: Related) -> None:
    found = expanded(table, TERMS, related, 0.0)
    for word in table.sources:
        assert dict(found.row(word)) == pytest.approx(dict(table.row(word)))


def test_related_words_cannot_take_everything(table: Translations, related: Related) -> None:
    with pytest.raises(InputError, match="below 1"):
        expanded(table, TERMS, related, 1.0)
