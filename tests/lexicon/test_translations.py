"""Translation tables: counted, cut, mixed and kept."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kakehashi.errors import FileError, InputError
from kakehashi.lexicon.translations import (
    Translations,
    count_translations,
    interpolated,
    read_translations,
)


def table(**rows: dict[str, float]) -> Translations:
    entries = [(f, e, weight) for f, row in rows.items() for e, weight in row.items()]
    return count_translations(
        [f for f, _, _ in entries], [e for _, e, _ in entries], np.array([w for _, _, w in entries])
    )


def as_dict(found: Translations, word: str) -> dict[str, float]:
    return {target: round(chance, 4) for target, chance in found.row(word)}


def test_chances_are_relative_frequencies_of_links() -> None:
    links = [("haus", "house"), ("haus", "house"), ("haus", "home"), ("und", "and"), ("haus", "house")]
    found = count_translations(
        [f for f, _ in links], [e for _, e in links], np.array([1.0, 1.0, 2.0, 1.0, 1.0])
    )
    assert found.row("haus") == [("house", pytest.approx(0.6)), ("home", pytest.approx(0.4))]
    assert found.row("und") == [("and", 1.0)]
    assert found.row("oder") == []
    assert found.most_linked(1) == ["haus"]
    assert found.counts.tolist() == [5.0, 1.0]


def test_equally_likely_translations_stand_in_the_order_of_their_words() -> None:
    found = table(f={"c": 1, "a": 1, "b": 1, "z": 2})
    assert [target for target, _ in found.row("f")] == ["z", "a", "b", "c"]


def test_cut_keeps_the_entry_that_reaches_the_mass_and_at_least_one() -> None:
    found = table(f={"a": 0.5, "b": 0.3, "c": 0.15, "d": 0.05}, g={f"e{i:03}": 1.0 for i in range(200)})
    assert as_dict(found.pruned(mass=0.79), "f") == {"a": 0.625, "b": 0.375}
    assert as_dict(found.pruned(mass=0.8), "f") == {"a": 0.625, "b": 0.375}
    assert set(as_dict(found.pruned(mass=0.81), "f")) == {"a", "b", "c"}
    assert set(as_dict(found.pruned(least=0.05), "f")) == {"a", "b", "c"}  # above the limit, not at it
    assert as_dict(found.pruned(least=0.01), "g") == {"e000": 1.0}  # all below: the first stays
    assert found.pruned(least=0.01).n_entries == 5
    for cut in (found, found.pruned(0.1, 0.9), found.pruned(0.0, 0.5)):
        for word in cut.sources:
            assert sum(chance for _, chance in cut.row(word)) == pytest.approx(1.0, abs=1e-6)


def kept_exactly(counts: list[int], least: Fraction, mass: Fraction) -> int:
    """How many of a row's entries the rule keeps, in fractions: above `least`, and less than `mass` before them."""
    chances, before, kept = [Fraction(count, sum(counts)) for count in counts], Fraction(0), 0
    for chance in chances:
        if kept and not (chance > least and before < mass):
            break
        before, kept = before + chance, kept + 1
    return kept


@pytest.mark.parametrize(
    ("counts", "mass", "kept"),
    [([19, 1], 0.95, 1), ([7, 2, 1], 0.9, 2), ([7, 2, 1], 0.91, 3), ([7, 3], 1.0, 2)],
)
def test_entry_is_dropped_once_those_before_it_reach_the_mass(
    counts: list[int], mass: float, kept: int
) -> None:
    """Also where float32 rounds the probabilities of the table up or down."""
    found = table(f={f"e{i:03}": count for i, count in enumerate(counts)})
    assert len(found.pruned(0.0, mass).row("f")) == kept


@given(
    st.lists(st.integers(1, 400), min_size=1, max_size=30).map(lambda counts: sorted(counts, reverse=True)),
    st.integers(0, 99),
    st.integers(1, 100),
)
def test_cut_is_that_of_exact_arithmetic(counts: list[int], least: int, mass: int) -> None:
    found = table(f={f"e{i:03}": count for i, count in enumerate(counts)}).pruned(least / 100, mass / 100)
    limits = Fraction(least, 100), Fraction(mass, 100)
    assert len(found.row("f")) == kept_exactly(counts, *limits) if mass < 100 or least else len(counts)


def test_mass_of_one_keeps_what_is_too_small_to_move_a_sum() -> None:
    assert len(table(f={"a": 1.0, "b": 1e-9}).pruned().row("f")) == 2


@pytest.mark.parametrize(("least", "mass"), [(1.0, 1.0), (-0.1, 1.0), (0.0, 0.0), (0.0, 1.1)])
def test_senseless_cut_is_refused(least: float, mass: float) -> None:
    with pytest.raises(InputError, match="a table is pruned with"):
        table(f={"a": 1}).pruned(least, mass)


def test_mixture_is_the_weighted_sum_and_keeps_words_only_one_table_has() -> None:
    one, other = table(f={"a": 1, "b": 1}, g={"x": 1}), table(f={"b": 1, "c": 3}, h={"y": 1, "z": 1})
    found = interpolated(one, other, 0.6)
    assert as_dict(found, "f") == {"a": 0.3, "b": 0.4, "c": 0.3}
    assert as_dict(found, "g") == {"x": 1.0}
    assert as_dict(found, "h") == {"y": 0.5, "z": 0.5}
    assert as_dict(interpolated(one, other, 1.0), "f") == as_dict(one, "f")
    assert as_dict(interpolated(one, other, 0.0), "f") == as_dict(other, "f")


def test_table_comes_back_as_it_was(tmp_path: Path) -> None:
    found = table(f={"a": 3, "b": 1}, 層={"layer": 1})
    found.save(tmp_path / "t", {}, {})
    again = read_translations(tmp_path / "t")
    assert [again.row(word) for word in ("f", "層")] == [found.row(word) for word in ("f", "層")]


def test_table_that_does_not_fit_its_words_is_refused(tmp_path: Path) -> None:
    found = table(f={"a": 3, "b": 1})
    broken = Translations(
        found.sources, found.targets[:1], found.starts, found.columns, found.chances, found.counts
    )
    broken.save(tmp_path / "t", {}, {})
    with pytest.raises(FileError, match="does not hold together"):
        read_translations(tmp_path / "t")
