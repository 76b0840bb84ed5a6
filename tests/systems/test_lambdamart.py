"""LambdaMART through the same commands as the linear losses, on a small collection of two languages."""

import sys
from pathlib import Path

import pytest

from kakehashi.corpus import trec
from tests.cli.calling import CommandLine
from tests.training.subjects import SUBJECTS, subjects_library

SMALL = ["loss=lambdamart", "inputs=bilinear bm25", "trees=30", "leaves=4", "smallest=5"]
WORDS = [word for setting in SMALL for word in ("--set", setting)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return subjects_library(tmp_path_factory.mktemp("lambdamart") / "subjects").folder


@pytest.fixture
def kakehashi(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    monkeypatch.setenv("COLUMNS", "200")
    return CommandLine(monkeypatch, capsys)


@pytest.fixture
def trained(kakehashi: CommandLine, folder: Path) -> list[str]:
    """What the training says."""
    if not (folder / "models" / "bilinear").exists():
        kakehashi(
            "train", "bilinear", folder, "--set", "pairs=12000", "--set", "epochs=2", "--set", "batch=16"
        )
    return kakehashi("train", "dense", folder, *WORDS).out.splitlines()


def test_training_reports_gains_and_cross_validated_figures(
    trained: list[str], kakehashi: CommandLine, folder: Path
) -> None:
    gains = {line.split(": ")[0]: float(line.split(": ")[1].split("%")[0]) for line in trained[:4]}
    assert list(gains) == ["bilinear", "bm25", "length ratio", "citations received"]
    assert sum(gains.values()) == pytest.approx(100.0, abs=0.3)
    assert max(gains, key=lambda name: gains[name]) == "bilinear"
    assert [line.split(":")[0] for line in trained[4:6]] == [
        "MAP on dev, cross-validated", "PRES@1000 on dev, cross-validated",
    ]  # fmt: skip
    assert float(trained[4].split(": ")[1]) > 0.9
    assert trained[6].endswith(" features in use")
    assert kakehashi("train", "dense", folder, *WORDS).out.splitlines() == trained


def test_trees_rank_and_explain(
    trained: list[str], kakehashi: CommandLine, folder: Path, tmp_path: Path
) -> None:
    kakehashi("rank", "dense", folder, "--split", "test", "--out", tmp_path / "run")
    for id, ranking in trec.read_run(tmp_path / "run").rankings.items():
        best = [int(doc[1:]) % SUBJECTS for doc in ranking.docs[:5]]
        assert best.count(int(id[1:]) % SUBJECTS) >= 3
    hits = kakehashi("search", folder, "--id", "q101", "--system", "dense", "--json").json["hits"]
    for hit in hits:
        assert sum(share["share"] for share in hit["shares"]) == pytest.approx(hit["score"])
    assert "des1w" in kakehashi("search", folder, "--id", "q101", "--system", "dense", "--explain").out


def test_trees_are_ablated_like_weights(trained: list[str], kakehashi: CommandLine, folder: Path) -> None:
    rows = kakehashi("ablate", "dense", folder, "-m", "MAP", "--json").json["rows"]
    assert rows[0]["means"]["MAP"] == pytest.approx(float(trained[4].split(": ")[1]), abs=5e-5)
    assert rows[1]["group"] == "bilinear"
    assert rows[1]["difference"]["MAP"] < -0.2
    assert rows[1]["weights"][0] > 0.5


def test_trees_answer_without_lightgbm(
    trained: list[str], kakehashi: CommandLine, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is needed for training only."""
    search = ("search", folder, "--id", "q101", "--system", "dense", "--json")
    answer = kakehashi(*search).json
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    assert kakehashi(*search).json == answer


def test_weights_and_trees_together_find_explain_and_say_what_they_learned(
    trained: list[str], kakehashi: CommandLine, folder: Path
) -> None:
    both = ["loss=both" if word == "loss=lambdamart" else word for word in WORDS]
    lines = kakehashi("train", "dense", folder, *both, "--name", "both").out.splitlines()
    weights = {line.split(": ")[0]: float(line.split(": ")[1]) for line in lines[:4]}
    assert weights["bilinear"] > 0.0
    assert float(lines[4].removeprefix("MAP on dev, cross-validated: ")) > 0.9
    use = ("--system", "dense", "--set", "model=both", "--json")
    hits = kakehashi("search", folder, "--id", "q101", *use).json["hits"]
    for hit in hits:
        assert sum(share["share"] for share in hit["shares"]) == pytest.approx(hit["score"])
    full = kakehashi("search", folder, "--id", "q101", *use, "--set", "full=true").json["hits"]
    assert [hit["id"] for hit in hits] == [hit["id"] for hit in full]
