"""The command table: a published table beside what is measured, on a collection small enough for a test."""

import re
from pathlib import Path

import pytest

from kakehashi.cli.blocks import columns_of
from kakehashi.corpus.world.build import build_world
from kakehashi.experiments import patents
from kakehashi.experiments.registry import TABLES
from kakehashi.experiments.tables import Configuration, Measured, Recipe
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
        ("unmodified", "PRES@1000, dev", 0.3315),
        ("unmodified", "PRES@1000, test", None),
        ("unmodified", "MAP, dev", 0.1765),
        ("unmodified", "MAP, test", None),
        ("+ stop words", "PRES@1000, dev", 0.4196),
        ("+ stop words", "PRES@1000, test", None),
        ("+ stop words", "MAP, dev", 0.1927),
        ("+ stop words", "MAP, test", None),
    ]
    assert all(0.0 < row["measured"] < 1.0 for row in rows)
    lines = kakehashi(*words, "--markdown").out.splitlines()  # measured once, printed twice
    assert lines[0].startswith(
        "| | collection | PRES@1000, dev, published | PRES@1000, dev, measured | PRES@1000, test, published |"
    )
    start = (
        f"| unmodified | small | 0.3315 | {rows[0]['measured']:.4f} |  | {rows[1]['measured']:.4f} | 0.1765 |"
    )
    assert lines[2].startswith(start)
    assert "departs: " in kakehashi(*words).out
    chosen = kakehashi(*words, "--only", "stop", "--json").json["rows"]
    assert [(row["row"], row["measured"]) for row in chosen] == [
        ("+ stop words", row["measured"]) for row in rows[4:]
    ]
    rest = kakehashi(*words, "--without", "stop", "--json").json["rows"]
    assert {row["row"] for row in rest} == {"unmodified"}
    assert kakehashi.refused(*words, "--only", "xyz") == "no row of t13-5.7 is called 'xyz'"


def test_columns_stay_apart_whatever_stands_in_them(
    kakehashi: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Long names of collections, measures and rows, and wide characters."""
    measures, labels = ("PRES@1000, epoch 9", "MAP"), ("short", "a much longer row 電池")
    rows = [Configuration(label, {}, {"MAP": 0.25}) for label in labels]

    def measure(*_: object) -> Measured:
        return Measured({name: {"q": 0.5} for name in measures}, {"weights": 7})

    monkeypatch.setitem(TABLES, "t13-5.3", Recipe("t13-5.3", "t", "any", (), rows, measures, measure))
    folder = tmp_path / "a-collection-with-a-long-name"
    folder.mkdir()
    lines = kakehashi(
        "table", "t13-5.3", "--collection", folder, "--work", tmp_path / "work"
    ).out.splitlines()
    for line, label, name in zip(lines[2:6], (labels[0],) * 2 + (labels[1],) * 2, measures * 2, strict=True):
        cells = [cell.strip() for cell in re.split(r"\s{2,}", line)]
        assert cells[:3] == [label, folder.name, name]
        assert cells[3:5] == ["-" if name != "MAP" else "0.2500", "0.5000"]
        told = cells[5:]  # beside the first measure of a row
        assert [one.startswith("weights 7, seconds ") for one in told] == [True] * (name == measures[0])
    assert len({columns_of(line.split("weights")[0]) for line in lines[2:6:2]}) == 1
    assert len({columns_of(line[: line.index("0.5000")]) for line in lines[2:6]}) == 1


def test_list_names_every_table_with_what_it_needs(kakehashi: CommandLine) -> None:
    lines = kakehashi("table", "list").out.splitlines()
    assert len(lines) == len(TABLES)
    assert all(line.split("  ")[0] == name for line, name in zip(lines, TABLES, strict=True))
    for name in ("t13-4.3", "s13-2", "s13-4", "boosting"):
        words = ["table", name, "--collection", "x", "--plot", "x.svg"]
        refused = kakehashi.refused(*words)
        assert refused.startswith(f"{name} has nothing to plot: --plot is for ")
        drawn = set(refused.partition(" is for ")[2].split(", "))
        assert {
            "psq-pruning",
            "overview",
            "h18-fig1",
            "t13-fig4.3",
            "t13-5.3",
            "s13-fig1",
            "k20-fig2",
        } <= drawn
        assert name not in drawn
    assert "plots are .png or .svg files" in kakehashi.refused(
        "table", "psq-pruning", "--collection", "x", "--plot", "x.gif"
    )
    assert "give its folder with --collection" in kakehashi.refused("table", "t13-4.3")


def test_table_of_this_machine_needs_no_collection(
    kakehashi: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from dataclasses import replace

    from kakehashi.experiments.tables import Listed, Listing

    table = TABLES["t13-3.1"]
    assert isinstance(table, Listing)
    quick = replace(
        table, rows=lambda folder, work: [Listed("main memory", "hundreds of cycles", f"in {work.name}")]
    )
    monkeypatch.setitem(TABLES, "t13-3.1", quick)
    lines = kakehashi("table", "t13-3.1", "--work", tmp_path / "here", "--markdown").out.splitlines()
    assert lines[0] == "| | published | this machine |"
    assert lines[2] == "| main memory | hundreds of cycles | in here |"


def test_facts_are_printed_once_and_only_as_many_as_a_line_holds(
    kakehashi: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = {f"weight{i}": float(i) for i in range(30)}

    def measured(*_: object) -> Measured:
        return Measured({"MAP": {"q": 0.5}, "PRES@1000": {"q": 0.7}}, weights)

    row = Configuration("combined", {})
    monkeypatch.setitem(
        TABLES,
        "many",
        Recipe("many", "many weights", "any collection", (), [row], ("MAP", "PRES@1000"), measured),
    )
    build_world(tmp_path / "small", documents=500)
    out = kakehashi("table", "many", "--collection", tmp_path / "small", "--work", tmp_path / "work").out
    told = [line for line in out.splitlines() if "weight" in line and "many weights" not in line]
    assert len(told) == 1
    assert told[0].startswith("combined")
    assert " MAP " in told[0]
    assert "weight5 5" in told[0]
    assert "weight6" not in told[0]
    assert told[0].endswith("more with --json")
