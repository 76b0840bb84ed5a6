"""Rows as a table in a notebook and as a frame; the text of others stays text."""

import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from kakehashi.errors import InputError, MissingDependency
from kakehashi.tabular import Tabular, frame_of, html_of

ROWS = [{"name": "psq", "score": 0.25, "n": 3}, {"name": "<b>&\"'", "score": 1 / 3, "n": 0}]


class Two(Tabular):
    def rows(self) -> Sequence[dict[str, Any]]:
        return ROWS


def test_table_has_a_head_and_a_line_for_every_row() -> None:
    assert Two()._repr_html_() == html_of(ROWS)
    assert html_of(ROWS[:1]) == (
        "<table><thead><tr><th>name</th><th>score</th><th>n</th></tr></thead>"
        "<tbody><tr><td>psq</td><td>0.2500</td><td>3</td></tr></tbody></table>"
    )


def test_markup_in_names_and_values_is_escaped() -> None:
    shown = html_of([{"<i>": "<script>alert('x')</script> & more"}])
    assert "<i>" not in shown
    assert "<script" not in shown
    assert "<th>&lt;i&gt;</th>" in shown
    assert "&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt; &amp; more" in shown


def test_no_rows_are_an_empty_table() -> None:
    assert html_of([]) == "<table><thead><tr></tr></thead><tbody></tbody></table>"


def test_whatever_does_not_list_its_rows_is_a_mistake_of_ours() -> None:
    with pytest.raises(AssertionError, match="a subclass lists its rows"):
        Tabular().rows()


def test_without_pandas_the_install_is_named_and_exists(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(
        MissingDependency, match=r"^pandas is not installed: run pip install 'kakehashi\[frames\]'$"
    ):
        Two().to_frame()
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    assert any(need.startswith("pandas") for need in project["project"]["optional-dependencies"]["frames"])
    assert issubclass(MissingDependency, InputError)


def test_frame_has_the_columns_of_the_rows() -> None:
    pytest.importorskip("pandas")
    frame = Two().to_frame()
    assert list(frame.columns) == ["name", "score", "n"]
    assert frame["name"].tolist() == ["psq", "<b>&\"'"]
    assert frame["score"].tolist() == [0.25, 1 / 3]
    assert len(frame_of([])) == 0
