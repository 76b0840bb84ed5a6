"""Results by group are plain results of some queries, or of some relevant documents."""

import numpy as np
import pytest

from kakehashi.errors import InputError
from kakehashi.evaluation.comparison import compare, compare_groups
from kakehashi.evaluation.groups import ALL, by_cited, by_length, length_group
from kakehashi.evaluation.measures import parse, parse_all
from kakehashi.evaluation.scores import Scores, evaluate
from kakehashi.evaluation.significance import holm
from tests.evaluation.examples import random_case


@pytest.mark.parametrize(
    ("words", "group"),
    [
        (0, "up to 5 words"), (5, "up to 5 words"), (6, "6-15 words"), (15, "6-15 words"), (16, "16-50 words"),
        (50, "16-50 words"), (51, "51-150 words"), (150, "51-150 words"), (151, "over 150 words"),
    ],
)  # fmt: skip
def test_every_length_has_one_group(words: int, group: str) -> None:
    assert length_group(words) == group


def test_groups_of_length_hold_each_query_once_and_in_order() -> None:
    qrels, run = random_case(np.random.default_rng(0))
    wanted = parse_all(["MAP", "P@5"])
    scores = evaluate(qrels, run, wanted)
    words = {query: 7 * number for number, query in enumerate(qrels)}
    groups = by_length(scores, words)
    assert list(groups) == [
        ALL,
        "up to 5 words",
        "6-15 words",
        "16-50 words",
        "51-150 words",
        "over 150 words",
    ]
    assert groups[ALL] is scores
    for query, score in scores.of(wanted[0]).items():
        [own] = [name for name, part in groups.items() if name != ALL and query in part.queries]
        assert own == length_group(words[query])
        assert groups[own].of(wanted[0])[query] == score
    few = [score for query, score in scores.of(wanted[1]).items() if 6 <= words[query] <= 15]
    assert groups["6-15 words"].mean(wanted[1]) == pytest.approx(sum(few) / len(few))
    with pytest.raises(InputError, match="1 judged queries have no text"):
        by_length(scores, dict.fromkeys(list(qrels)[1:], 1))


def test_groups_of_documents_have_the_names_of_the_plain_measures() -> None:
    qrels, run = random_case(np.random.default_rng(3))
    cited = {f"d{i}" for i in range(20)}

    def measured(measures: list) -> Scores:  # type: ignore[type-arg]
        return evaluate(qrels, run, measures, mate_level=3, cited=cited)

    groups = by_cited(measured, parse_all(["MAP-mate", "R@10"]), has_mates=True)
    assert list(groups) == [ALL, "cited before", "never cited"]
    for name, suffix in {ALL: "-mate", "cited before": ":cited", "never cited": ":new"}.items():
        alone = measured(parse_all([f"MAP{suffix}", f"R@10{suffix}"]))
        assert [str(measure) for measure in groups[name].measures] == ["MAP", "R@10"]
        assert groups[name].of(parse("R@10")) == alone.of(parse(f"R@10{suffix}"))
        assert groups[name].mean(parse("MAP")) == alone.mean(parse(f"MAP{suffix}"))


def test_comparisons_by_group_are_corrected_for_all_of_them() -> None:
    qrels, first = random_case(np.random.default_rng(1), queries=60)
    _, second = random_case(np.random.default_rng(2), queries=60)
    measure, words = parse("MAP"), {query: number for number, query in enumerate(qrels)}
    both = [by_length(evaluate(qrels, run, [measure]), words) for run in (first, second)]
    together = {name: [one[name] for one in both] for name in both[0]}
    found = compare_groups(together, measure, rounds=500)
    assert [one.group for one in found] == list(both[0])
    alone = [compare(scores, measure, rounds=500)[0] for scores in together.values()]
    assert [(one.p, one.difference, one.n_queries) for one in found] == [
        (one.p, one.difference, one.n_queries) for one in alone
    ]
    assert [one.p_holm for one in found] == holm([one.p for one in alone])
    assert found[1].p_holm > found[1].p


def test_a_group_without_any_score_is_not_compared() -> None:
    measure = parse("MAP-mate")
    empty = Scores("a", ("q",), (measure,), np.array([[np.nan]]))
    full = Scores("a", ("q",), (measure,), np.array([[0.5]]))
    found = compare_groups({ALL: [full, full], "none": [empty, empty]}, measure)
    assert [one.group for one in found] == [ALL]
    assert np.isnan(empty.mean(measure))
