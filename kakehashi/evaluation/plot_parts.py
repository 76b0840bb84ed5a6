"""What all plots share: their style, their axes, their legends."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STYLE: dict[str, Any] = {
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "lines.linewidth": 1.4,
    "lines.markersize": 4.5,
    "legend.frameon": False,
    "text.parse_math": False,  # a dollar sign in a run's name is literal
    "svg.hashsalt": "kakehashi",
}


@contextmanager
def style() -> Iterator[None]:
    """Only our settings: a user's matplotlibrc would change the bytes."""
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()
        settings: Any = mpl.rcParams  # its stubs list every key, which a plain dict cannot promise
        settings.update(STYLE)
        yield


def one_panel(width: float, height: float) -> "tuple[Figure, Axes]":
    figure, [axes] = panels_of(1, height, width)
    return figure, axes


def panels_of(
    n: int, height: float, width: float = 3.4, columns: int | None = None
) -> "tuple[Figure, list[Axes]]":
    """Axes of this width side by side, in rows of `columns`."""
    from matplotlib.figure import Figure

    columns = columns or n
    figure = Figure(figsize=(width * columns, height), layout="constrained")
    return figure, [figure.add_subplot(-(-n // columns), columns, i + 1) for i in range(n)]


def legend_shape(labels: Sequence[str]) -> tuple[int, int]:
    columns = max(1, min(len(labels), 80 // (6 + max(map(len, labels)))))
    return -(-len(labels) // columns), columns


def legend_above(figure: "Figure", handles: Sequence[Any], labels: Sequence[str]) -> None:
    """Outside the axes, where no curve can overlap it."""
    columns = legend_shape(labels)[1]
    figure.legend(handles, labels, loc="outside upper left", ncols=columns, handlelength=3)
