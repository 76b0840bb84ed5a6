"""Published figures that tables quote, against a copy made from the papers alone."""

from pathlib import Path

import pytest

from kakehashi.experiments.registry import TABLES, published

REFERENCE = Path(__file__).parents[1] / "reference" / "published_figures.tsv"
Key = tuple[str, str, str]  # table, row, measure with its column


def printed() -> dict[Key, str]:
    found: dict[Key, str] = {}
    lines = REFERENCE.read_text(encoding="utf-8").splitlines()
    for line in lines[2:]:  # a remark, names of columns
        table, row, column, measure, value = line.split("\t")
        key = table, row, f"{measure}, {column}" if column else measure
        assert key not in found, f"{key} stands there twice"
        found[key] = value
    return found


PRINTED = printed()
QUOTED = {(one.table, one.row, one.measure): one.value for one in published()}


def same(quoted: float | str, as_printed: str) -> bool:
    return quoted == as_printed if isinstance(quoted, str) else float(quoted) == float(as_printed)


@pytest.mark.parametrize("table", sorted({table for table, _, _ in [*PRINTED, *QUOTED]}))
def test_tables_quote_every_printed_figure_and_no_other(table: str) -> None:
    paper = {key: value for key, value in PRINTED.items() if key[0] == table}
    here = {key: value for key, value in QUOTED.items() if key[0] == table}
    assert sorted(paper.keys() - here.keys()) == [], "printed, and not quoted"
    assert sorted(here.keys() - paper.keys()) == [], "quoted, and not printed"
    wrong = {key: (here[key], value) for key, value in paper.items() if not same(here[key], value)}
    assert wrong == {}, "quoted, and printed"


def test_measures_that_are_quoted_are_measured() -> None:
    """A figure of a measure that a table does not have would never be shown."""
    for one in published():
        table = TABLES[one.table]
        measures = getattr(table, "measures", None)
        assert measures is None or one.measure in measures, one
