import numpy as np
import pytest
import scipy.stats

from kakehashi.errors import InputError
from kakehashi.evaluation.measures import MAP, NDCG, PRES, Precision, Recall, parse, parse_all
from kakehashi.evaluation.scores import Scores, evaluate
from kakehashi.types import Qrels, Ranking, Run
from tests.evaluation.examples import levels_by_rank, random_case, ranking, slow_score

QRELS: Qrels = {
    "q1": {"mate1": 3, "a": 1, "b": 2},
    "q2": {"mate2": 3, "c": 0},
    "q3": {"a": 1},
    "q4": {"a": 0},
}


def run(**rankings: Ranking) -> Run:
    return Run("test", rankings)


def test_a_judged_query_without_answer_counts_zero() -> None:
    found = evaluate(QRELS, run(q1=ranking("mate1", "a", "b")), [MAP()])
    assert found.of(MAP()) == {"q1": 1.0, "q2": 0.0, "q3": 0.0, "q4": 0.0}
    assert found.mean(MAP()) == 0.25
    assert found.unanswered == ("q2", "q3", "q4")
    assert found.hopeless == ("q4",)


def test_unanswered_queries_can_be_left_out() -> None:
    found = evaluate(QRELS, run(q1=ranking("mate1", "a", "b")), [MAP()], answered_only=True)
    assert found.of(MAP()) == {"q1": 1.0}


def test_queries_without_judgments_are_left_out_and_reported() -> None:
    found = evaluate(QRELS, run(q1=ranking("mate1"), other=ranking("a")), [Recall()])
    assert "other" not in found.queries
    assert found.unjudged == ("other",)


def test_mates_leave_judgments_and_ranking() -> None:
    answer = run(q1=ranking("x", "mate1", "a", "mate2", "b"))
    with_mate = evaluate(QRELS, answer, parse_all(["MAP,P@2,PRES@10"]))
    without = evaluate(QRELS, answer, parse_all(["MAP-mate,P@2-mate,NDCG-mate,PRES@10-mate"]), mate_level=3)
    same = evaluate(
        {"q1": {"a": 1, "b": 2}}, run(q1=ranking("x", "a", "mate2", "b")), parse_all(["MAP,P@2,NDCG,PRES@10"])
    )
    assert with_mate.values[0, 0] == pytest.approx((1 / 2 + 2 / 3 + 3 / 5) / 3)
    assert without.values[0].tolist() == same.values[0].tolist()


def test_a_query_whose_only_relevant_document_is_its_mate_is_dropped() -> None:
    found = evaluate(
        QRELS, run(q1=ranking("a"), q2=ranking("mate2")), parse_all(["MAP,MAP-mate"]), mate_level=3
    )
    assert list(found.of(parse("MAP-mate"))) == ["q1", "q3"]
    assert found.mean(parse("MAP-mate")) == pytest.approx((1 / 2 + 0) / 2)
    assert found.mean(MAP()) == pytest.approx((1 / 3 + 1 + 0 + 0) / 4)


def test_mate_measures_need_a_mate_level() -> None:
    with pytest.raises(InputError, match="MAP-mate needs"):
        evaluate(QRELS, run(q1=ranking("a")), [parse("MAP-mate")])
    with pytest.raises(InputError, match="besides its mates"):
        evaluate({"q2": {"mate2": 3}}, run(q2=ranking("a")), [parse("MAP-mate")], mate_level=3)


@pytest.mark.parametrize("suffix", [":cited", ":new", "-mate"])
@pytest.mark.parametrize("name", ["MAP", "R@7", "NDCG@10", "PRES@20", "MRR", "P@5"])
@pytest.mark.parametrize("mate_level", [3, None])
def test_measures_of_some_relevant_documents_are_those_of_shortened_files(
    suffix: str, name: str, mate_level: int | None
) -> None:
    """Delete the other relevant documents from judgments and lists, then measure plainly, one by one."""
    if suffix == "-mate" and mate_level is None:
        return
    qrels, run = random_case(np.random.default_rng(5))
    cited = {f"d{i}" for i in range(0, 60, 3)}
    measure = parse(name + suffix)
    found = evaluate(qrels, run, [measure], mate_level=mate_level, cited=cited).of(measure)
    expected = {}
    for query, judged in qrels.items():
        gone = {
            doc
            for doc, level in judged.items()
            if level > 0
            and (
                level == mate_level
                or (suffix == ":new" and doc in cited)
                or (suffix == ":cited" and doc not in cited)
            )
        }
        kept = {doc: level for doc, level in judged.items() if doc not in gone}
        if any(level > 0 for level in kept.values()):
            listed = run.rankings.get(query, Ranking([], np.zeros(0)))
            rows = [(doc, s) for doc, s in zip(listed.docs, listed.scores, strict=True) if doc not in gone]
            short = Ranking([doc for doc, _ in rows], np.array([s for _, s in rows]))
            base, _, depth = name.partition("@")
            levels = levels_by_rank(short, kept)
            expected[query] = slow_score(base, int(depth) if depth else None, levels, kept)
    assert len(expected) > 20
    assert found == pytest.approx(expected)


def test_cited_and_new_share_the_relevant_documents_without_the_mates() -> None:
    judged = {"q": {"mate": 3, "old": 1, "fresh": 1, "poor": 0}}
    answer = run(q=ranking("mate", "old", "poor", "fresh"))
    measures = parse_all(["MRR-mate", "MRR:cited", "MRR:new"])
    found = evaluate(judged, answer, measures, mate_level=3, cited={"old", "poor", "other"})
    # what is judged not relevant stays in the list, cited or not
    assert found.means() == {"MRR-mate": 1.0, "MRR:cited": 1.0, "MRR:new": 1 / 2}


def test_measures_of_new_documents_need_training_judgments() -> None:
    with pytest.raises(InputError, match=r"R@100:new needs training judgments.*--trained-on"):
        evaluate(QRELS, run(q1=ranking("a")), [parse("R@100:new")])
    with pytest.raises(InputError, match="R:new: no query has a relevant document that training"):
        evaluate(QRELS, run(q1=ranking("a")), [parse("R:new")], mate_level=3, cited={"a", "b"})


def test_level_moves_the_bar() -> None:
    answer = run(q1=ranking("a", "b"))
    assert evaluate(QRELS, answer, [Precision(2)], level=2).of(Precision(2))["q1"] == 0.5
    with pytest.raises(InputError, match="level 0"):
        evaluate(QRELS, answer, [MAP()], level=0)


def test_nothing_to_measure_is_an_error_not_a_zero() -> None:
    with pytest.raises(InputError, match="empty"):
        evaluate({}, run(q1=ranking("a")), [MAP()])
    with pytest.raises(InputError, match="none of the judged"):
        evaluate(QRELS, run(other=ranking("a")), [MAP()], answered_only=True)
    with pytest.raises(InputError, match="no measure"):
        evaluate(QRELS, run(q1=ranking("a")), [])


def test_a_fault_names_run_and_query() -> None:
    with pytest.raises(InputError, match=r"run 'test', query q1: .*twice"):
        evaluate(QRELS, run(q1=ranking("a", "a")), [MAP()])


def test_asking_for_what_was_not_measured_names_what_was() -> None:
    found = evaluate(QRELS, run(q1=ranking("a")), [MAP()])
    with pytest.raises(InputError, match="available are MAP"):
        found.mean(NDCG())


def test_interval_is_students() -> None:
    values = np.array([0.1, 0.5, 0.2, 0.9, 0.4])
    found = Scores("s", tuple("abcde"), (MAP(),), values[:, None])
    expected = scipy.stats.t.interval(0.9, 4, loc=values.mean(), scale=scipy.stats.sem(values))
    assert found.interval(MAP(), 0.9) == pytest.approx(expected)


def test_relevance_of_an_unjudged_document_is_not_assumed() -> None:
    found = evaluate({"q": {"a": 1}}, Run("r", {"q": ranking("new", "a")}), [MAP(), PRES(10)])
    assert found.values[0].tolist() == [0.5, pytest.approx(0.9)]
