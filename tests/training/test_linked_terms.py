"""Links of words become links of terms."""

import numpy as np
import pytest

from kakehashi.lexicon.alignment import Links, Pair
from kakehashi.training.linked_terms import tables_of


def test_a_word_of_two_terms_links_both() -> None:
    pairs = [Pair(["rotwein", "und"], ["wine"], 2.0), Pair(["wein"], ["wine"])]
    links = Links(np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([0, 0, 0]))
    terms = {"rotwein": ["rot", "wein"], "und": [], "wein": ["wein"], "wine": ["wine"]}
    made_with = {"query": "german/1", "document": "english/1"}
    table, reverse = tables_of(pairs, links, made_with, (terms.__getitem__, terms.__getitem__))
    assert table.row("rot") == table.row("wein") == [("wine", 1.0)]
    assert table.row("und") == table.row("rotwein") == []
    assert dict(reverse.row("wine")) == pytest.approx({"wein": 3 / 5, "rot": 2 / 5})
