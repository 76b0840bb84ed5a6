"""What each list gave a fused document, and how reasons are stretched to it."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kakehashi.fuse.credit import Credit, credits_of
from kakehashi.fuse.rules import RULES, Fuser, Fusion, checked_weights
from tests.fuse.lists import LISTS, ranking

OPTIONS: list[dict[str, Any]] = [
    {"rule": rule, "missing": missing, "depth": depth}
    for rule in RULES
    for missing in ("zero", "min")
    for depth in (5, 100)
]
OPTIONS += [{"rule": "borda", "negative": how} for how in ("floor", "clip", "softmax", "points")]
OPTIONS += [{"rule": "linear", "normalise": how} for how in ("none", "z")]


@given(
    st.sampled_from(OPTIONS),
    st.lists(LISTS, min_size=3, max_size=3),
    st.sampled_from([(1.0, 1.0, 1.0), (0.5, 0.0, 0.2), (0.0, 1.0, 0.0)]),
)
def test_credits_sum_to_the_fused_score(
    options: dict[str, Any], lists: list[dict[str, float]], weights: tuple[float, ...]
) -> None:
    fusion, rankings = Fusion(**options), [ranking(found) for found in lists]
    fused = Fuser(fusion, checked_weights(fusion, weights, 3)).fuse(rankings)
    for doc, score in zip(fused.docs, fused.scores.tolist(), strict=True):
        given = credits_of(fusion, weights, rankings, doc)
        assert sum(credit.amount for credit in given) == pytest.approx(score, rel=1e-9, abs=1e-12)
        assert all(credit.steepness >= 0 for credit in given)
        assert all(credit == (0.0, 0.0) for credit, w in zip(given, weights, strict=True) if not w)


def test_shares_of_two_lists_by_hand() -> None:
    """Shares are 6/8, 2/8 and, moved up by 4, 3/3, 0: d and b alone get what they have."""
    lists = [ranking({"a": 6.0, "b": 2.0}), ranking({"b": -1.0, "c": -4.0})]
    [first, second] = credits_of(Fusion("borda"), (0.6, 0.4), lists, "b")
    assert first == pytest.approx((0.6 * 0.25, 0.6 / 8))
    assert second.amount == pytest.approx(0.4, rel=1e-6)
    assert second.steepness == pytest.approx(0.4 / 3, rel=1e-6)


def test_reasons_keep_their_signs_where_a_list_was_moved_up() -> None:
    """-1 in all, made of +2 for a word and -3 for length, has become 0.4."""
    factor, rest = Credit(0.4, 0.4 / 3).split(2.0 - 3.0)
    assert factor > 0
    assert factor * 2.0 + factor * -3.0 + rest == pytest.approx(0.4)
    assert Credit(0.4, 0.1).split(0.8) == (0.5, 0.0)
    assert Credit(0.0, 0.1).split(0.0) == (0.1, 0.0)


def test_list_of_one_score_has_no_steepness() -> None:
    lists = [ranking({"a": 1.0, "b": 1.0}), ranking({})]
    [first, nothing] = credits_of(Fusion("borda"), (0.5, 0.5), lists, "a")
    assert (first.amount, first.steepness, nothing.amount) == (0.25, 0.0, 0.0)
    assert np.isfinite(first.split(-3.0)).all()
