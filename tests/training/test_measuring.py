"""Systems and runs are measured in one way, however deep, and in however many parts."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from kakehashi.corpus.splits import Split
from kakehashi.errors import InputError
from kakehashi.evaluation.measures import parse, parse_all
from kakehashi.index.holdings import Holdings
from kakehashi.progress import SILENT
from kakehashi.systems.opening import open_system
from kakehashi.training import measuring
from kakehashi.training.dev import DevSet, DevSettings
from kakehashi.training.measuring import depth_of, measure_run, measure_system
from kakehashi.types import EVERYTHING, Condition, Qrels, Ranking, Run, Scope, Text

MATE = 3


class Listing:
    """Gives every query the same list; remembers what it was asked."""

    name = "listing"

    def __init__(self, docs: Sequence[str]):
        self.docs, self.asked = docs, list[tuple[int, int, Scope, int]]()

    def search(
        self,
        queries: Sequence[Text],
        k: int,
        scope: Scope = EVERYTHING,
        *,
        threads: int = 0,
        progress: object = SILENT,
    ) -> Run:
        self.asked.append((len(queries), k, scope, threads))
        docs = self.docs[:k]
        return Run(
            self.name, {query.id: Ranking(docs, -np.arange(len(docs), dtype=float)) for query in queries}
        )


def split_of(qrels: Qrels, scope: Scope = EVERYTHING) -> Split:
    return Split("dev", [Text(id, "de", "x") for id in qrels], qrels, scope, MATE)


def test_lists_are_as_long_as_the_deepest_measure_asks() -> None:
    assert depth_of(parse_all(["MAP", "P@10"])) == 1000
    assert depth_of(parse_all(["R@2000", "P@10"])) == 2000
    assert depth_of(parse_all(["P@10", "MAP@50"]), 20) == 50
    assert depth_of([], 7) == 7


def test_recall_at_2000_is_measured_to_depth_2000() -> None:
    system = Listing([f"d{i}" for i in range(3000)])
    split = split_of({"q": {"d1500": 1, "d1999": 1, "d2000": 1, "d5": 1}})
    found = measure_system(system, split, parse_all(["R@2000", "R@1000"]))  # type: ignore[arg-type]
    assert found.means() == {"R@2000": 0.75, "R@1000": 0.25}
    assert system.asked == [(1, 2000, EVERYTHING, 0)]


def test_scope_threads_and_depth_reach_the_system() -> None:
    system, scope = Listing(["a"]), Scope((Condition("pool", "=", "dev"),), not_itself=True)
    measure_system(system, split_of({"q": {"a": 1}}, scope), [parse("MAP")], depth=1500, threads=3)  # type: ignore[arg-type]
    assert system.asked == [(1, 1500, scope, 3)]


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 100])
def test_parts_give_the_same_as_the_whole(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    docs = [f"d{i}" for i in range(30)]
    qrels = {
        f"q{i}": {str(doc): int(rng.integers(1, 4)) for doc in rng.choice(docs, 5, replace=False)}
        for i in range(20)
    }
    split, system, measures = split_of(qrels), Listing(docs), parse_all(["MAP", "nDCG@10", "MAP-mate"])
    whole = measure_run(system.search(split.queries, 1000), split, measures)
    monkeypatch.setattr(measuring, "CHUNK", chunk)
    system.asked.clear()
    parts = measure_system(system, split, measures)  # type: ignore[arg-type]
    assert (parts.system, parts.queries, parts.measures) == (whole.system, whole.queries, whole.measures)
    assert parts.values.tobytes() == whole.values.tobytes()
    assert parts.hopeless == whole.hopeless
    assert sum(n for n, *_ in system.asked) == 20
    assert max(n for n, *_ in system.asked) == min(chunk, 20)


def test_part_whose_queries_have_only_mates_does_not_raise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "CHUNK", 2)
    mates: Qrels = {"q0": {"a": MATE}, "q1": {"b": MATE}}
    split = split_of({**mates, "q2": {"a": MATE, "b": 1}, "q3": {"c": 2}})
    [measure] = measures = parse_all(["MAP-mate"])
    found = measure_system(Listing(["a", "b", "c"]), split, measures)  # type: ignore[arg-type]
    assert found.of(measure) == {"q2": 1.0, "q3": pytest.approx(1 / 3)}
    with pytest.raises(InputError, match="MAP-mate: no query has a relevant document besides its mates"):
        measure_system(Listing(["a"]), split_of(mates), measures)  # type: ignore[arg-type]


def test_split_without_queries_has_nothing_to_measure() -> None:
    with pytest.raises(InputError, match="nothing to measure"):
        measure_system(Listing([]), split_of({}), [parse("MAP")])  # type: ignore[arg-type]


def test_progress_is_ended_even_where_a_search_fails() -> None:
    said: list[object] = []

    class Steps:
        def start(self, what: str, total: int | None = None) -> None:
            said.append((what, total))

        def advance(self, n: int = 1) -> None:
            said.append(n)

        def finish(self) -> None:
            said.append("end")

    class Failing(Listing):
        def search(self, *given: object, **options: object) -> Run:
            raise InputError("no")

    split = split_of({"q": {"a": 1}})
    measure_system(Listing(["a"]), split, [parse("MAP")], progress=Steps())  # type: ignore[arg-type]
    assert said == [("measuring listing", 1), 1, "end"]
    said.clear()
    with pytest.raises(InputError, match="no"):
        measure_system(Failing([]), split, [parse("MAP")], progress=Steps())  # type: ignore[arg-type]
    assert said == [("measuring listing", 1), "end"]


@pytest.mark.parametrize("measure", ["MAP", "MAP-mate", "R@2000"])
def test_models_in_training_are_judged_as_any_system_is(measure: str, toy_copy: Path) -> None:
    holdings = Holdings(toy_copy)
    dev, system = DevSet(holdings, DevSettings(measure)), open_system("lm", holdings)
    assert len(dev) == 1
    expected = measure_system(system, holdings.split("dev"), [parse(measure)]).mean(parse(measure))
    assert dev.measure(system) == dev.measure(system, threads=2) == expected


def test_mates_do_not_count_on_dev(toy_copy: Path) -> None:
    """j4 has the mate d06; of its relevant documents d07 is listed right behind it."""
    holdings, system = Holdings(toy_copy), Listing(["d06", "d07", "d10", "d11"])
    found = {
        measure: DevSet(holdings, DevSettings(measure)).measure(system) for measure in ("MAP", "MAP-mate")
    }  # type: ignore[arg-type]
    assert found == {"MAP": 1.0, "MAP-mate": 1.0}
    system = Listing(["d06", "x", "d07", "d10", "d11"])
    found = {
        measure: DevSet(holdings, DevSettings(measure)).measure(system) for measure in ("MAP", "MAP-mate")
    }  # type: ignore[arg-type]
    assert found["MAP-mate"] == pytest.approx((1 / 2 + 2 / 3 + 3 / 4) / 3)
    assert found["MAP"] == pytest.approx((1 + 2 / 3 + 3 / 4 + 4 / 5) / 4)


def test_dev_queries_are_as_many_as_are_wanted(toy_copy: Path) -> None:
    holdings = Holdings(toy_copy)
    assert len(DevSet(holdings, DevSettings(dev_queries=0))) == 0
    (toy_copy / "qrels" / "dev.tsv").rename(toy_copy / "qrels" / "held.tsv")
    assert len(DevSet(Holdings(toy_copy), DevSettings())) == 0
    with pytest.raises(InputError, match="nonsense"):
        DevSet(holdings, DevSettings("nonsense"))
