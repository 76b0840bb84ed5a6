"""The command ablate on a small collection of two languages."""

from pathlib import Path

import pytest

from tests.cli.calling import CommandLine
from tests.training.subjects import subjects_library


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return subjects_library(tmp_path_factory.mktemp("ablate") / "subjects").folder


@pytest.fixture
def trained(kakehashi: CommandLine, folder: Path) -> Path:
    if not (folder / "models" / "dense").exists():
        kakehashi(
            "train", "bilinear", folder, "--set", "pairs=12000", "--set", "epochs=2", "--set", "batch=16"
        )
        kakehashi("train", "dense", folder, "--set", "inputs=bilinear bm25")
    return folder


def test_table_says_what_is_lost(kakehashi: CommandLine, trained: Path, tmp_path: Path) -> None:
    words = ["ablate", "dense", trained, "--plot", tmp_path / "losses.svg"]
    lines = kakehashi(*words).out.splitlines()
    assert lines[0].split() == [
        "without", "weights", "MAP", "difference", "p", "PRES@1000", "difference", "p",
    ]  # fmt: skip
    assert lines[1].startswith("(all)")
    assert lines[2].startswith("bilinear ")  # the only one that knows both languages
    assert {line.split()[0] for line in lines[2:6]} == {"bilinear", "bm25", "length", "citations"}
    cells = lines[2].split()
    assert cells[2].endswith("†")
    assert float(cells[2][:-1]) - float(lines[1].split()[1]) == pytest.approx(float(cells[3]), abs=2e-4)
    assert lines[6].startswith("on dev, cross-validated; † p < 0.01")
    assert b"bilinear" in (tmp_path / "losses.svg").read_bytes()


def test_json_has_the_same_rows(kakehashi: CommandLine, trained: Path) -> None:
    words = ["ablate", "dense", trained, "-m", "P@10", "--group", "bm25, length", "--json"]
    found = kakehashi(*words).json
    assert (found["model"], found["split"]) == ("dense", "dev")
    full, both = found["rows"]
    assert both["group"] == "bm25, length"
    assert both["features"] == ["bm25", "length ratio"]
    assert len(both["weights"]) == 2
    change = both["means"]["P@10"] - full["means"]["P@10"]
    assert both["difference"]["P@10"] == pytest.approx(change)
    assert 0.0 < both["p"]["P@10"] <= 1.0


def test_untrained_model_is_one_line_that_names_the_training(kakehashi: CommandLine, folder: Path) -> None:
    line = kakehashi.refused("ablate", "knowledge", folder, "--name", "none")
    assert line.endswith(f"(kakehashi train knowledge {folder} --name none)")


def test_wrong_file_of_a_plot_is_refused_first(kakehashi: CommandLine) -> None:
    words = ["ablate", "dense", "nowhere", "--plot", "losses.pdf"]
    assert kakehashi.refused(*words) == "losses.pdf: plots are .png or .svg files"
