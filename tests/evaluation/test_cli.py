import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from kakehashi.cli import evaluate as commands
from kakehashi.corpus import trec
from kakehashi.errors import FileError, InputError
from kakehashi.types import Run
from tests.evaluation.examples import random_case, ranking

app = typer.Typer()
app.command("evaluate")(commands.evaluate)
app.command("compare")(commands.compare)

QRELS = "q1\t0\tmate\t3\nq1\t0\ta\t1\nq2\t0\tb\t1\nq3\t0\tc\t0\n"


def call(*words: object) -> Any:
    return CliRunner().invoke(app, [str(word) for word in words])


def answer(*words: object) -> dict[str, object]:
    result = call(*words)
    assert result.exception is None, result.output
    found = json.loads(result.stdout)
    assert isinstance(found, dict)
    return found


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "test.tsv").write_text(QRELS, encoding="utf-8")
    trec.write_run(tmp_path / "one.run", Run("x", {"q1": ranking("mate", "z", "a"), "q2": ranking("b")}))
    trec.write_run(tmp_path / "two.run", Run("x", {"q1": ranking("a", "mate"), "q9": ranking("b")}))
    return tmp_path


@pytest.fixture
def many(tmp_path: Path) -> Path:
    qrels, first = random_case(np.random.default_rng(1), queries=60)
    _, second = random_case(np.random.default_rng(2), queries=60)
    trec.write_qrels(tmp_path / "many.qrels", qrels)
    trec.write_run(tmp_path / "first.run", first)
    trec.write_run(tmp_path / "second.run", second)
    return tmp_path


def test_json_holds_the_means_by_file_name(files: Path) -> None:
    found = answer(
        "evaluate", files / "test.tsv", files / "one.run", files / "two.run", "-m", "map,PRES@1000", "--json"
    )
    assert list(found) == ["runs"]
    assert found["runs"]["one.run"]["MAP"] == pytest.approx(((1 + 2 / 3) / 2 + 1 + 0) / 3)
    assert found["runs"]["two.run"]["MAP"] == pytest.approx(1 / 3)
    assert list(found["runs"]["two.run"]) == ["MAP", "PRES@1000"]


def test_remarks_go_to_standard_error_alone(files: Path) -> None:
    result = call("evaluate", files / "test.tsv", files / "two.run", "--json")
    json.loads(result.stdout)
    assert "two.run: 2 queries (q2, q3) not answered, counted 0" in result.stderr
    assert "two.run: 1 query (q9) not judged, left out" in result.stderr
    assert "1 query (q3) without any relevant document" in result.stderr


def test_default_measures_are_those_the_papers_report(files: Path) -> None:
    found = answer("evaluate", files / "test.tsv", files / "one.run", "--json")
    assert list(found["runs"]["one.run"]) == ["MAP", "NDCG", "PRES@1000", "R@1000", "P@10", "MRR"]


def test_answered_only_leaves_queries_out(files: Path) -> None:
    found = answer(
        "evaluate", files / "test.tsv", files / "two.run", "-m", "MAP", "--answered-only", "--json"
    )
    assert found["runs"]["two.run"]["MAP"] == 1


def test_mates_are_left_out_on_demand(files: Path) -> None:
    found = answer(
        "evaluate", files / "test.tsv", files / "one.run", "--mate-level", 3, "-m", "MAP-mate", "--json"
    )
    assert found["runs"]["one.run"]["MAP-mate"] == pytest.approx((1 / 2 + 1) / 2)
    with pytest.raises(InputError, match="MAP-mate needs"):
        call_and_raise("evaluate", files / "test.tsv", files / "one.run", "-m", "MAP-mate")


def test_a_collection_tells_its_mate_level(files: Path) -> None:
    (files / "c" / "qrels").mkdir(parents=True)
    info = 'name = "c"\nsource_language = "de"\ntarget_language = "en"\nmate_level = 3\n'
    (files / "c" / "collection.toml").write_text(info, encoding="utf-8")
    (files / "c" / "qrels" / "test.tsv").write_text(QRELS, encoding="utf-8")
    found = answer("evaluate", files / "c" / "qrels" / "test.tsv", files / "one.run", "--json")
    assert found["runs"]["one.run"]["MAP-mate"] == pytest.approx((1 / 2 + 1) / 2)
    assert "PRES@1000-mate" in found["runs"]["one.run"]
    with pytest.raises(FileError, match=r"is a folder: .*test\.tsv"):
        call_and_raise("evaluate", files / "c", files / "one.run")


def call_and_raise(*words: object) -> None:
    error = call(*words).exception
    assert error is not None
    raise error


def test_equal_file_names_are_told_apart_by_their_paths(files: Path) -> None:
    (files / "old").mkdir()
    (files / "old" / "one.run").write_bytes((files / "two.run").read_bytes())
    found = answer("evaluate", files / "test.tsv", files / "one.run", files / "old" / "one.run", "--json")
    assert list(found["runs"]) == [str(files / "one.run"), str(files / "old" / "one.run")]


def test_compressed_files_score_alike(files: Path) -> None:
    for name in ("test.tsv", "one.run"):
        with gzip.open(files / f"{name}.gz", "wb") as file:
            file.write((files / name).read_bytes())
    plain = answer("evaluate", files / "test.tsv", files / "one.run", "--json")
    packed = answer("evaluate", files / "test.tsv.gz", files / "one.run.gz", "--json")
    assert packed["runs"]["one.run.gz"] == plain["runs"]["one.run"]


def test_scores_per_query(files: Path) -> None:
    words = [
        "evaluate",
        files / "test.tsv",
        files / "one.run",
        "-m",
        "MAP,MAP-mate",
        "--mate-level",
        3,
        "--per-query",
    ]
    found = answer(*words, "--json")
    assert found["queries"]["one.run"]["q2"] == {"MAP": 1.0, "MAP-mate": 1.0}
    assert found["queries"]["one.run"]["q3"] == {"MAP": 0.0}
    table = call(*words).stdout
    assert [line.split() for line in table.splitlines()][-1] == ["q3", "one.run", "0.0000"]


def test_tables_for_people_are_not_cut(files: Path) -> None:
    tall = call("evaluate", files / "test.tsv", files / "one.run", files / "two.run").stdout
    assert [line.split()[0] for line in tall.splitlines()[1:-1]] == [
        "MAP",
        "NDCG",
        "PRES@1000",
        "R@1000",
        "P@10",
        "MRR",
    ]
    wide = call("evaluate", files / "test.tsv", files / "one.run", files / "two.run", "-m", "MAP P@1").stdout
    assert [line.split() for line in wide.splitlines()] == [
        ["run", "MAP", "P@1"], ["one.run", "0.6111", "0.6667"], ["two.run", "0.3333", "0.3333"],
    ]  # fmt: skip
    assert "…" not in tall + wide


def test_comparison_as_json(many: Path) -> None:
    words = [
        "compare",
        many / "many.qrels",
        many / "first.run",
        many / "second.run",
        "--rounds",
        2000,
        "--json",
    ]
    found = answer(*words, "--measure", "ndcg@10")
    assert list(found) == ["measure", "pairs"]
    assert found["measure"] == "NDCG@10"
    (pair,) = found["pairs"]
    assert (pair["a"], pair["b"]) == ("first.run", "second.run")
    means = answer(
        "evaluate", many / "many.qrels", many / "first.run", many / "second.run", "-m", "NDCG@10", "--json"
    )
    a, b = (run["NDCG@10"] for run in means["runs"].values())
    assert pair["difference"] == pytest.approx(a - b)
    assert pair["interval"][0] < pair["difference"] < pair["interval"][1]
    assert 0 < pair["p"] <= 1
    assert pair["p_holm"] == pair["p"]
    assert found == answer(*words, "--measure", "NDCG@10")
    assert found != answer(*words, "--measure", "NDCG@10", "--seed", 1)


def test_a_run_compared_with_itself_has_p_one(many: Path) -> None:
    for test in ("randomization", "t"):
        words = [many / "many.qrels", many / "first.run", many / "first.run", "--test", test, "--json"]
        assert answer("compare", *words)["pairs"][0]["p"] == 1


def test_comparison_for_people_names_test_and_correction(many: Path) -> None:
    result = call(
        "compare", many / "many.qrels", *[many / name for name in ("first.run", "second.run", "first.run")]
    )
    assert "p, Holm" in result.stdout
    assert "randomization test, paired, two-sided" in result.stdout
    two = call("compare", many / "many.qrels", many / "first.run", many / "second.run", "--test", "t")
    assert "Holm" not in two.stdout
    assert "t test" in two.stdout


def test_against_first_skips_the_other_pairs(many: Path) -> None:
    runs = [many / name for name in ("first.run", "second.run", "second.run")]
    found = answer("compare", many / "many.qrels", *runs, "--against-first", "--rounds", 10, "--json")
    assert [pair["a"] for pair in found["pairs"]] == ["first.run", "first.run"]


@pytest.mark.parametrize(("suffix", "start"), [("png", b"\x89PNG"), ("SVG", b"<?xml")])
def test_plots_are_written(many: Path, suffix: str, start: bytes) -> None:
    runs = [many / "first.run", many / "second.run"]
    for number, words in enumerate((["evaluate"], ["compare"], ["compare", "--against-first"])):
        plot = many / f"plot{number}.{suffix}"
        extra = [many / "first.run"] if "--against-first" in words else []
        result = call(*words, many / "many.qrels", *runs, *extra, "--plot", plot)
        assert result.exception is None
        assert plot.read_bytes().startswith(start)


def test_wrong_words_are_refused_before_any_work(many: Path) -> None:
    qrels, run = many / "many.qrels", many / "first.run"
    with pytest.raises(InputError, match=r"\.png or \.svg"):
        call_and_raise("evaluate", "missing", run, "--plot", "x.pdf")
    with pytest.raises(InputError, match="unknown measure 'nope'"):
        call_and_raise("evaluate", qrels, run, "-m", "nope")
    with pytest.raises(InputError, match="at least 2 runs"):
        call_and_raise("compare", qrels, run)
    with pytest.raises(FileError, match="missing"):
        call_and_raise("evaluate", many / "missing", run)
    assert call("compare", qrels, run, run, "--test", "magic").exit_code == 2
    assert call("evaluate", qrels, run, "--level", 0).exit_code == 2


def test_mates_are_left_in_where_there_is_nothing_else_to_find(files: Path) -> None:
    (files / "mates.tsv").write_text("q1\t0\tmate\t3\n", encoding="utf-8")
    found = answer("evaluate", files / "mates.tsv", files / "one.run", "--mate-level", 3, "--json")
    assert found["runs"]["one.run"]["MAP"] == 1
    assert "MAP-mate" not in found["runs"]["one.run"]


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    """Two queries of 3 and of 8 words; each cites a document that training cited and one that it did not."""
    folder = tmp_path / "c"
    (folder / "qrels").mkdir(parents=True)
    info = 'name = "c"\nsource_language = "fr"\ntarget_language = "en"\nmate_level = 3\n'
    (folder / "collection.toml").write_text(info, encoding="utf-8")
    texts = {"q1": "un deux trois", "q2": "un deux trois quatre cinq six sept huit", "t": "autre"}
    rows = [json.dumps({"id": id, "lang": "fr", "text": text}) for id, text in texts.items()]
    (folder / "queries.jsonl").write_text("\n".join(rows), encoding="utf-8")
    (folder / "qrels" / "train.tsv").write_text(
        "t\t0\told\t1\nt\t0\tnew\t3\nt\t0\tpoor\t0\n", encoding="utf-8"
    )
    judged = "q1\t0\tmate\t3\nq1\t0\told\t1\nq1\t0\tnew\t2\nq2\t0\told\t1\nq2\t0\tnew\t1\n"
    (folder / "qrels" / "test.tsv").write_text(judged, encoding="utf-8")
    found = {"q1": ranking("mate", "x", "old", "new"), "q2": ranking("old", "poor", "x")}
    trec.write_run(tmp_path / "one.run", Run("x", found))
    trec.write_run(tmp_path / "two.run", Run("x", {"q1": ranking("new", "old"), "q2": ranking("new")}))
    return folder


def test_training_judgments_beside_the_others_tell_what_is_new(collection: Path, tmp_path: Path) -> None:
    words = ["evaluate", collection / "qrels" / "test.tsv", tmp_path / "one.run", "--json"]
    found = answer(*words)["runs"]["one.run"]
    assert list(found)[-2:] == ["R@100:cited", "R@100:new"]
    assert (found["R@100:cited"], found["R@100:new"]) == (1.0, 0.5)
    other = tmp_path / "other.tsv"
    other.write_text("t 0 new 1\n", encoding="utf-8")
    swapped = answer(*words, "--trained-on", other)["runs"]["one.run"]
    assert (swapped["R@100:cited"], swapped["R@100:new"]) == (0.5, 1.0)
    alone = tmp_path / "alone" / "test.tsv"
    alone.parent.mkdir()
    alone.write_bytes((collection / "qrels" / "test.tsv").read_bytes())
    assert "R@100:new" not in answer("evaluate", alone, tmp_path / "one.run", "--json")["runs"]["one.run"]
    with pytest.raises(InputError, match="R@5:new needs training judgments"):
        call_and_raise("evaluate", alone, tmp_path / "one.run", "-m", "R@5:new")


def test_results_by_cited_documents(collection: Path, tmp_path: Path) -> None:
    words = ["evaluate", collection / "qrels" / "test.tsv", tmp_path / "one.run", "--by", "cited"]
    found = answer(*words, "-m", "MRR,R@100", "--json")
    assert found["groups"]["one.run"] == {
        "all": {"queries": 2, "MRR": pytest.approx((1 / 2 + 1) / 2), "R@100": pytest.approx((1 + 1 / 2) / 2)},
        "cited before": {"queries": 2, "MRR": pytest.approx((1 / 2 + 1) / 2), "R@100": 1.0},
        "never cited": {"queries": 2, "MRR": pytest.approx(1 / 2 / 2), "R@100": 0.5},
    }
    lines = call(*words).stdout.splitlines()
    assert lines[0].split() == ["queries", "MAP", "PRES@1000", "R@100"]
    assert [line.split()[0] for line in lines[1:4]] == ["all", "cited", "never"]
    assert lines[-1].endswith("mates are left out")


def test_results_by_length_of_query(
    collection: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    qrels = collection / "qrels" / "test.tsv"
    words = ["evaluate", qrels, tmp_path / "one.run", tmp_path / "two.run", "--by", "length"]
    found = answer(*words, "-m", "MAP", "--json")["groups"]
    assert found["two.run"] == {
        "all": {"queries": 2, "MAP": pytest.approx((2 / 3 + 1 / 2) / 2)},
        "up to 5 words": {"queries": 1, "MAP": pytest.approx(2 / 3)},
        "6-15 words": {"queries": 1, "MAP": 0.5},
    }
    rows = [line.split() for line in call(*words).stdout.splitlines()]
    assert rows[0] == ["run", "queries", "MAP", "MAP-mate", "R@100-mate"]
    assert rows[3][:5] == ["up", "to", "5", "words", "one.run"]
    outside = tmp_path / "test.tsv"
    outside.write_bytes(qrels.read_bytes())
    with pytest.raises(InputError, match="give the queries with --queries"):
        call_and_raise("evaluate", outside, tmp_path / "one.run", "--by", "length")
    texts = collection / "queries.jsonl"
    plain = ["evaluate", outside, tmp_path / "one.run", "--by", "length", "--queries", texts, "-m", "MAP"]
    assert answer(*plain, "--json")["groups"]["one.run"] == found["one.run"]


def test_comparisons_by_group_have_a_p_each(collection: Path, tmp_path: Path) -> None:
    words = ["compare", collection / "qrels" / "test.tsv", tmp_path / "one.run", tmp_path / "two.run"]
    found = answer(*words, "--by", "cited", "-m", "R@100", "--json")
    assert found["measure"] == "R@100"
    assert [(pair["group"], pair["difference"]) for pair in found["pairs"]] == [
        ("all", 0.0), ("cited before", 0.5), ("never cited", -0.5),
    ]  # fmt: skip
    lines = call(*words, "--by", "length").stdout.splitlines()
    assert lines[0].split() == ["run", "all", "up", "to", "5", "words", "6-15", "words"]
    assert sum("two.run" in line for line in lines[1:]) == 4
