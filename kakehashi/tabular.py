"""Rows that convert to a pandas frame and print as a table in a notebook."""

from collections.abc import Sequence
from html import escape
from typing import Any

from kakehashi.errors import MissingDependency


class Tabular:
    """For classes that list their rows, all with the same columns."""

    def rows(self) -> Sequence[dict[str, Any]]:
        raise AssertionError("a subclass lists its rows")

    def to_frame(self) -> Any:
        """A `pandas.DataFrame`; needs pandas."""
        return frame_of(self.rows())

    def _repr_html_(self) -> str:
        return html_of(self.rows())


def frame_of(rows: Sequence[dict[str, Any]]) -> Any:
    try:
        import pandas
    except ImportError:
        raise MissingDependency("pandas", "frames") from None
    return pandas.DataFrame(list(rows))


def html_of(rows: Sequence[dict[str, Any]]) -> str:
    heads = "".join(f"<th>{escape(name)}</th>" for name in (rows[0] if rows else ()))
    lines = "".join(
        "<tr>" + "".join(f"<td>{escape(_shown(value))}</td>" for value in row.values()) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>"


def _shown(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)
