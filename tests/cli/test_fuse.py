"""The command fuse: given, tuned and kept weights, and runs of other programs."""

import gzip
from pathlib import Path

import msgspec
import pytest

from kakehashi.cli.fuse import Missing, Negative, Normalise
from kakehashi.corpus.trec import read_run, write_qrels, write_run
from kakehashi.fuse.points import NEGATIVE, NORMALISE
from kakehashi.fuse.rules import Fusion
from kakehashi.settings import settings_of
from tests.cli.calling import CommandLine
from tests.fuse.lists import world


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """dev and test of four systems, with judgments."""
    folder = tmp_path_factory.mktemp("runs")
    for seed, split in enumerate(("dev", "test")):
        qrels, systems = world(seed, queries=15)
        write_qrels(folder / f"{split}.tsv", qrels)
        for name, run in systems.items():
            write_run(folder / f"{name}.{split}.run", run)
    return folder


def mean(kakehashi: CommandLine, qrels: Path, run: Path, measure: str = "MAP") -> float:
    found = kakehashi("evaluate", qrels, run, "-m", measure, "--json").json
    return float(found["runs"][run.name][measure])


@pytest.mark.parametrize("measure", ["MAP", "PRES@1000"])
def test_weights_tuned_on_dev_are_used_on_test(
    kakehashi: CommandLine, runs: Path, tmp_path: Path, measure: str
) -> None:
    kept, dev, test, plot = (tmp_path / name for name in ("w.json", "dev.run", "test.run", "curve.svg"))
    pair = {split: [runs / f"{name}.{split}.run" for name in ("left", "right")] for split in ("dev", "test")}
    drawn = ["--plot", plot, "--test", runs / "test.tsv"]
    drawn += [word for path in pair["test"] for word in ("--test-run", path)]
    told = kakehashi(
        "fuse", "borda", *pair["dev"], "--tune", runs / "dev.tsv", "--measure", measure, *drawn,
        "--weights-out", kept, "--out", dev,
    ).out  # fmt: skip
    assert "best of 101" in told
    assert plot.read_bytes().startswith(b"<?xml")
    weights = msgspec.json.decode(kept.read_bytes())
    assert (weights["runs"], weights["measure"]) == (["left", "right"], measure)
    assert weights["value"] == pytest.approx(mean(kakehashi, runs / "dev.tsv", dev, measure), abs=1e-12)
    kakehashi("fuse", "borda", *pair["test"], "--weights", kept, "--out", test)
    parts = [mean(kakehashi, runs / "test.tsv", path, measure) for path in pair["test"]]
    assert mean(kakehashi, runs / "test.tsv", test, measure) > max(parts)


def test_four_runs_nest_or_share(kakehashi: CommandLine, runs: Path, tmp_path: Path) -> None:
    four = [runs / f"{name}.dev.run" for name in ("left", "right", "twin", "third")]
    tuning = ["--tune", runs / "dev.tsv", "--step", "0.25", "--weights-out", tmp_path / "w.json"]
    out = tmp_path / "out.run"
    nested = kakehashi(
        "fuse", "borda", *four, *tuning, "--nest", "--out", out, "--plot", tmp_path / "p.svg"
    ).out
    assert nested.count("best of 5") == 3
    assert read_run(out).system == "borda(borda(left+right)+borda(twin+third))"
    kakehashi("fuse", "borda", *four, "--weights", tmp_path / "w.json", "--out", tmp_path / "again.run")
    assert (tmp_path / "again.run").read_bytes() == out.read_bytes()
    kakehashi("fuse", "linear", *four, *tuning, "--normalise", "z", "--missing", "min", "--out", out)
    assert read_run(out).system == "linear(left+right+twin+third)"
    line = kakehashi(
        "fuse", "linear", *four, *tuning, "--plot", tmp_path / "p.svg", "--out", out, status=2
    ).err
    assert "4 lists have no curve to plot: tune two, or use --nest" in line


def test_runs_of_other_programs(kakehashi: CommandLine, tmp_path: Path) -> None:
    """No order, ranks that mean nothing, ties, tags of their own, a query that only one answers."""
    one, other, out = tmp_path / "one.run", tmp_path / "other.gz", tmp_path / "out.run"
    one.write_text("q1\tQ0\tb 7 1.0 tag-1 x\nq1 Q0 a 0 3 tag-1\nq2 Q0 a - -2e0 tag-1\nq1 Q0 c 1 1.0 tag-1\n")
    other.write_bytes(gzip.compress(b"q1 Q0 c 1 0.5 their.tag\nq1 Q0 b 1 0.5 their.tag\n"))
    called = kakehashi("fuse", "borda", one, other, "--weight", "0.5", "--weight", "0.5", "--out", out)
    assert f"{other}: empty lists for 1 query of other runs: q2\n" in called.err
    run = read_run(out)
    assert run.system == "borda(tag-1+their.tag)"
    assert run.rankings["q1"].docs == ["c", "b", "a"]
    assert run.rankings["q1"].scores.tolist() == pytest.approx([0.35, 0.35, 0.3])
    assert run.rankings["q2"].docs == ["a"]


def test_ends_are_the_runs_themselves(kakehashi: CommandLine, runs: Path, tmp_path: Path) -> None:
    left, right, out = runs / "left.dev.run", runs / "right.dev.run", tmp_path / "out.run"
    for weights, path in ((("1", "0"), left), (("0", "1"), right)):
        given = [word for weight in weights for word in ("--weight", weight)]
        kakehashi("fuse", "borda", left, right, *given, "--out", out)
        fused, alone = read_run(out).rankings, read_run(path).rankings
        assert {q: list(r.docs) for q, r in fused.items()} == {q: list(r.docs) for q, r in alone.items()}


def test_wrong_mixtures_are_refused(kakehashi: CommandLine, runs: Path, tmp_path: Path) -> None:
    left, right = runs / "left.dev.run", runs / "right.dev.run"
    kept, out, tune = tmp_path / "w.json", tmp_path / "out.run", ("--tune", runs / "dev.tsv")
    kakehashi("fuse", "borda", left, right, *tune, "--step", "0.5", "--weights-out", kept, "--out", out)
    out.unlink()
    other = tmp_path / "other.tsv"
    other.write_text("nobody 0 d001 1\n")
    for words, message in (
        (("borda", left, right, *tune, "--weights", kept), "use only one of --weight, --weights and --tune"),
        (("borda", left, right, "--weights", kept, "--depth", 5), "already defines this"),
        (("linear", left, right, "--weights", kept), "contains weights for borda, not for linear"),
        (("borda", right, left, "--weights", kept), "change the order of runs"),
        (("borda", left, right, left, "--weights", kept), "weights are for 2 runs (left, right), not 3"),
        (("borda", left, right, "--weights", left), "is not a file of weights"),
        (("borda", left, right, "--weights-out", kept), "need --tune QRELS"),
        (
            ("borda", left, right, *tune, "--test", runs / "test.tsv"),
            "needs --test-run RUN for each run, and --plot",
        ),
        (("borda", left, right, "--weight", "1"), "1 weights for 2 runs"),
        (("borda", left, right, *tune, "-m", "joy"), "unknown measure 'joy'"),
        (("borda", left, right, *tune, "--step", "0.3"), "1 must be a multiple of it"),
        (("rrf", left, right, "--constant", "-1"), "it must be between 0 and 1e9"),
        (("borda", left, right, "--constant", "30"), "--constant is for rrf and has no effect on borda"),
        (("rrf", left, right, "--negative", "clip"), "--negative is for borda and has no effect on rrf"),
        (("borda", left, right, "--step", "0.1"), "need --tune QRELS"),
        (("borda", left, right, "-m", "P@10"), "need --tune QRELS"),
        (("borda", left, right, *tune, "--folds", "1"), "--folds 1 leaves nothing to tune on"),
        (("borda", left, right, "--tune", other), "no run contains any of the judged queries"),
    ):
        assert message in kakehashi.refused("fuse", *words, "--out", out), words
    assert not out.exists()


def test_new_tags_are_named_but_not_refused(kakehashi: CommandLine, runs: Path, tmp_path: Path) -> None:
    left, right, kept, out = (
        *(runs / f"{n}.dev.run" for n in ("left", "right")),
        tmp_path / "w",
        tmp_path / "o",
    )
    kakehashi(
        "fuse",
        "rrf",
        left,
        right,
        "--tune",
        runs / "dev.tsv",
        "--step",
        "0.5",
        "--weights-out",
        kept,
        "--out",
        out,
    )
    called = kakehashi("fuse", "rrf", left, runs / "third.dev.run", "--weights", kept, "--out", out)
    assert called.err == "the weights are for left, right; third is not one of them\n"


def test_linear_says_when_being_unlisted_is_better(
    kakehashi: CommandLine, runs: Path, tmp_path: Path
) -> None:
    pair, out = (runs / "left.dev.run", runs / "right.dev.run"), tmp_path / "out.run"
    for normalise, missing, warned in (("z", "zero", True), ("z", "min", False), ("min-max", "zero", False)):
        called = kakehashi(
            "fuse", "linear", *pair, "--normalise", normalise, "--missing", missing, "--out", out
        )
        assert ("see --missing min" in called.err) == warned


def test_choices_are_those_of_the_rules() -> None:
    choices = {setting.name: list(setting.choices) for setting in settings_of(Fusion)}
    assert [one.value for one in Negative] == list(NEGATIVE) == choices["negative"]
    assert [one.value for one in Normalise] == list(NORMALISE) == choices["normalise"]
    assert [one.value for one in Missing] == choices["missing"]


def test_held_out_value_is_told_beside_the_tuned_one(
    kakehashi: CommandLine, runs: Path, tmp_path: Path
) -> None:
    pair, kept, out = (runs / "left.dev.run", runs / "right.dev.run"), tmp_path / "w.json", tmp_path / "o.run"
    words = ["fuse", "borda", *pair, "--tune", runs / "dev.tsv", "--weights-out", kept, "--out", out]
    told = kakehashi(*words, "--folds", 3).out.splitlines()
    weights = msgspec.json.decode(kept.read_bytes())
    assert told[-2].startswith(f"MAP {weights['held_out']:.4f}  cross-validated in 3 folds: ")
    assert len(weights["folds"]) == 3
    first = out.read_bytes()
    assert "cross-validated" not in kakehashi(*words, "--folds", 0).out
    assert out.read_bytes() == first
    drawn_otherwise = kakehashi(*words, "--folds", 3, "--seed", 2).out.splitlines()
    assert drawn_otherwise[-2] != told[-2]
    assert drawn_otherwise[:3] == told[:3]


def test_judged_queries_that_no_run_answers_are_named(
    kakehashi: CommandLine, runs: Path, tmp_path: Path
) -> None:
    pair, qrels = (runs / "left.dev.run", runs / "right.dev.run"), tmp_path / "more.tsv"
    qrels.write_text((runs / "dev.tsv").read_text() + "lost 0 d001 1\n")
    words = ["fuse", "rrf", *pair, "--tune", qrels, "--step", "0.5", "--out", tmp_path / "o.run"]
    assert kakehashi(*words).err == f"{qrels}: empty lists in all runs for 1 query: lost\n"
