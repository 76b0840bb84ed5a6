"""`import kakehashi as kk`: light to import, and all that its page shows."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import kakehashi as kk
from kakehashi.corpus.collection import Collection
from kakehashi.errors import InputError
from kakehashi.evaluation.measures import parse_all
from kakehashi.evaluation.scores import evaluate
from kakehashi.types import Ranking, Run

QRELS = {"q1": {"a": 3, "b": 1}, "q2": {"c": 2}, "q3": {"d": 3}}


def run(name: str, **lists: str) -> Run:
    """A list of documents of one letter each per query."""
    return Run(
        name, {query: Ranking([*docs], -np.arange(len(docs), dtype=float)) for query, docs in lists.items()}
    )


GOOD, POOR = run("good", q1="abx", q2="cx", q3="dx"), run("poor", q1="xyb", q2="xc", q3="xyzd")


def in_a_new_process(code: str) -> str:
    root = str(Path(__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=root,
        env={"PYTHONPATH": root, "PATH": ""},
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = """
import sys
import kakehashi
print(kakehashi.__version__, dir(kakehashi))
heavy = {"numba", "numpy", "scipy", "pandas", "msgspec", "kakehashi.library", "kakehashi.front"}
print(sorted(heavy & {*sys.modules}))
"""
    assert in_a_new_process(code) == f"{kk.__version__} {sorted(kk.__all__)}\n[]"


def test_every_name_on_offer_is_there_and_no_other() -> None:
    for name in kk.__all__:
        assert getattr(kk, name) is not None
    with pytest.raises(AttributeError, match="module 'kakehashi' has no attribute 'opne'"):
        kk.opne  # type: ignore[attr-defined]  # noqa: B018


def test_open_gives_a_library_that_has_read_neither_index_nor_models(toy_copy: Path) -> None:
    (toy_copy / "index" / "meta.json").unlink()
    library = kk.open(str(toy_copy))
    assert isinstance(library, kk.Library)
    assert repr(library) == f"Library('{toy_copy}')"
    assert library.collection.info.name == "toy"
    with pytest.raises(InputError, match=rf"\(kakehashi index {toy_copy}\)"):
        library.search("電池")


def test_folder_that_is_not_a_collection_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a collection"):
        kk.open(tmp_path)


def test_run_is_measured_as_the_measures_are_written() -> None:
    scores = kk.evaluate(QRELS, POOR, "MAP", "P@1", "nDCG@10")
    expected = evaluate(QRELS, POOR, parse_all(["MAP", "P@1", "nDCG@10"]))
    assert scores.means() == expected.means()
    assert kk.evaluate(QRELS, POOR).means() == {"MAP": scores.means()["MAP"]}
    assert kk.evaluate(QRELS, GOOD).means() == {"MAP": 1.0}


@pytest.mark.parametrize(
    "before",
    [
        "",
        "kk.evaluate",
        "kk.open",
        "import kakehashi.evaluation.scores",
        "from kakehashi.evaluation import measures",
    ],
)
def test_evaluate_can_be_called_whatever_was_imported_before(before: str) -> None:
    """A room of that name would be bound to it by Python."""
    code = f"""
import kakehashi as kk
{before}
from kakehashi.types import Ranking, Run
import kakehashi.evaluation.measures as measures
run = Run("x", {{"q": Ranking(["a"], [1.0])}})
print(kk.evaluate({{"q": {{"a": 1}}}}, run, "P@1").means(), measures.parse("MAP"))
"""
    assert in_a_new_process(code) == "{'P@1': 1.0} MAP"


def test_level_and_mates_are_the_askers() -> None:
    assert kk.evaluate(QRELS, run("x", q1="b", q2="c", q3="d"), "P@1", level=2).means() == {"P@1": 2 / 3}
    mates = kk.evaluate(QRELS, GOOD, "MAP-mate", mate_level=3)
    assert [row["query"] for row in mates.rows() if not np.isnan(row["MAP-mate"])] == ["q1", "q2"]
    with pytest.raises(InputError, match="MAP-mate needs the level of a query's mates"):
        kk.evaluate(QRELS, GOOD, "MAP-mate")


def test_runs_are_compared_pair_by_pair_and_alike_every_time() -> None:
    third = run("third", q1="ba", q2="xc", q3="d")
    pairs = kk.compare(QRELS, GOOD, POOR, third)
    assert [(pair.a, pair.b) for pair in pairs] == [("good", "poor"), ("good", "third"), ("poor", "third")]
    first = pairs[0]
    assert first.difference == pytest.approx(1 - kk.evaluate(QRELS, POOR).means()["MAP"])
    assert 0 < first.p <= first.p_holm <= 1
    assert kk.compare(QRELS, GOOD, POOR, third) == pairs
    assert pairs.rows()[0]["difference"] == first.difference
    assert "<td>good</td>" in pairs._repr_html_()
    with pytest.raises(InputError, match="a comparison needs at least 2 runs"):
        kk.compare(QRELS, GOOD)


def test_what_was_ranked_is_measured_the_same_way_everywhere(indexed_toy: Collection) -> None:
    library = kk.open(indexed_toy.folder)
    ranked = library.rank("monolingual", "test")
    scores = kk.evaluate(library.qrels("test"), ranked, "MAP", "R@2")
    assert scores.means() == library.measure("monolingual", "test", ["MAP", "R@2"]).means()
    assert scores.means() == library.measure(ranked, "test", ["MAP", "R@2"]).means()


def test_tables_become_frames(indexed_toy: Collection) -> None:
    pytest.importorskip("pandas", reason="the extra `frames` is not installed")
    library = kk.open(indexed_toy.folder)
    frame = library.search("lithium electrodes", lang="en").to_frame()
    assert frame["document"].tolist() == ["d01", "d04"]
    runs = [library.rank("monolingual", "train", k) for k in (10, 1)]
    assert len(kk.evaluate(library.qrels("train"), runs[0], "MAP").to_frame()) > 0
    assert len(kk.compare(library.qrels("train"), *runs).to_frame()) == 1
