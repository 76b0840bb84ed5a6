"""The command table: a published table beside what is measured, on a collection small enough for a test."""

from pathlib import Path

import pytest

from kakehashi.corpus.world.build import build_world
from kakehashi.experiments import patents
from kakehashi.experiments.registry import TABLES
from tests.cli.calling import CommandLine


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two rows of the growth of the sparse ranker, on few pairs."""
    from dataclasses import replace

    recipe = TABLES["t13-5.7"]
    rows = [
        replace(row, settings={**row.settings, "training": {**patents.BASE, "pairs": 1000, "epochs": 1}})
        for row in recipe.configurations[:2]
    ]
    monkeypatch.setitem(TABLES, "t13-5.7", replace(recipe, configurations=rows))


@pytest.mark.usefixtures("quick")
def test_rows_are_printed_beside_what_was_published(kakehashi: CommandLine, tmp_path: Path) -> None:
    build_world(tmp_path / "small", documents=500)
    words = ["table", "t13-5.7", "--collection", tmp_path / "small", "--work", tmp_path / "work"]
    rows = kakehashi(*words, "--json").json["rows"]
    assert [(row["row"], row["measure"], row["published"]) for row in rows] == [
        ("unmodified", "PRES@1000", 0.3315),
        ("unmodified", "MAP", 0.1765),
        ("+ stop words", "PRES@1000", 0.4196),
        ("+ stop words", "MAP", 0.1927),
    ]
    assert all(0.0 < row["measured"] < 1.0 for row in rows)
    lines = kakehashi(*words, "--markdown").out.splitlines()  # measured once, printed twice
    assert lines[0] == (
        "| | collection | PRES@1000, published | PRES@1000, measured | MAP, published | MAP, measured |"
    )
    assert lines[2].startswith(f"| unmodified | small | 0.3315 | {rows[0]['measured']:.4f} | 0.1765 |")
    assert "departs: " in kakehashi(*words).out
    chosen = kakehashi(*words, "--only", "stop", "--json").json["rows"]
    assert [(row["row"], row["measured"]) for row in chosen] == [
        ("+ stop words", row["measured"]) for row in rows[2:]
    ]
    rest = kakehashi(*words, "--without", "stop", "--json").json["rows"]
    assert {row["row"] for row in rest} == {"unmodified"}
    assert kakehashi.refused(*words, "--only", "xyz") == "no row of t13-5.7 is called 'xyz'"


def test_list_names_every_table_with_what_it_needs(kakehashi: CommandLine) -> None:
    lines = kakehashi("table", "list").out.splitlines()
    assert len(lines) == len(TABLES)
    plotted = "psq-pruning, boosting-samples, boosting-rounds, overview, earlier, k20-fig2, h18-fig1"
    drawn = f"has nothing to plot: --plot is for {plotted}"
    for name in ("t13-4.3", "s13-2", "s13-4", "boosting"):
        words = ["table", name, "--collection", "x", "--plot", "x.svg"]
        assert kakehashi.refused(*words) == f"{name} {drawn}"
    assert "plots are .png or .svg files" in kakehashi.refused(
        "table", "psq-pruning", "--collection", "x", "--plot", "x.gif"
    )
    assert "give its folder with --collection" in kakehashi.refused("table", "t13-4.3")
