"""The system `fused`: the same lists as its parts and `fuse_runs` give, with reasons."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from kakehashi.errors import InputError
from kakehashi.fuse.fused import Fused
from kakehashi.fuse.rules import RULES, Fusion, fuse_runs
from kakehashi.fuse.tuned import Step, Tuned
from kakehashi.index.index import Index
from kakehashi.retrieve.inputs import Input
from kakehashi.systems.opening import open_system
from kakehashi.types import Explanation, Scope, Text
from tests.index.building import build, holdings_of, texts_of, zipfian
from tests.retrieve.comparing import same

NAMES = ("bm25", "lm", "tfidf")
FLAT = (Step((0, 1, 2), (0.5, 0.3, 0.2), 0.0, 1),)
NESTED = (Step((0, 1), (0.6, 0.4), 0.0, 1), Step((3, 2), (0.7, 0.3), 0.0, 1))
ALONE = (Step((0, 1, 2), (0.0, 1.0, 0.0), 0.0, 1),)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    texts = texts_of(zipfian(np.random.default_rng(4), 300))
    return build(tmp_path_factory.mktemp("fused") / "index", texts)


@pytest.fixture(scope="module")
def queries() -> list[Text]:
    found = zipfian(np.random.default_rng(5), 8, mean_length=6)
    return [Text(f"q{id}", "de", text) for id, text in found.items()]


def inputs(index: Index, names: Sequence[str] = NAMES) -> list[Input]:
    return [Input(name, open_system(name, holdings_of(index)), index) for name in names]


def fused(index: Index, fusion: Fusion, steps: tuple[Step, ...]) -> Fused:
    return Fused("fused", index, inputs(index), Tuned(fusion, NAMES, "MAP", 0.0, (0.0,) * 3, steps))


@pytest.mark.parametrize("steps", [FLAT, NESTED, ALONE], ids=["flat", "nested", "alone"])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("options", [{}, {"missing": "min", "depth": 20}], ids=["whole", "short"])
def test_list_is_that_of_the_parts_and_reasons_sum_to_scores(
    rule: str, options: dict[str, Any], steps: tuple[Step, ...], index: Index, queries: list[Text]
) -> None:
    fusion = Fusion(rule, **options)
    runs = [each.system.search(queries, fusion.depth) for each in inputs(index)]
    if steps is NESTED:
        runs.append(fuse_runs(fusion, runs[:2], NESTED[0].weights, fusion.depth))
    expected = fuse_runs(fusion, [runs[i] for i in steps[-1].of], steps[-1].weights, 1000)
    system = fused(index, fusion, steps)
    same(system.search(queries).rankings, expected.rankings)
    for query in queries[:3]:
        ranking = expected.rankings[query.id]
        explanations = system.explain(query, ranking.docs[::7])
        for score, explained in zip(ranking.scores[::7].tolist(), explanations, strict=True):
            assert explained.score == score
            assert sum(share.share for share in explained.shares) == pytest.approx(score, rel=1e-9, abs=1e-12)
        scores = dict(zip(index.numbering.ids, system.score_all(query).tolist(), strict=True))
        assert {doc for doc, score in scores.items() if not np.isnan(score)} == {*ranking.docs}
        assert [scores[doc] for doc in ranking.docs] == ranking.scores.tolist()


def test_words_count_for_a_document_though_the_list_was_moved_up(index: Index, queries: list[Text]) -> None:
    """Scores of lm are negative, and words raise them; in a sum of shares they still do."""
    system = fused(index, Fusion("borda"), (Step((0, 1, 2), (0.0, 0.9, 0.1), 0.0, 1),))
    query = queries[0]
    best = system.search([query], 1).rankings[query.id].docs[0]
    [explained] = system.explain(query, [best])
    of_lm = [share for share in explained.shares if share.part == "lm" and share.document]
    assert of_lm
    assert all(share.share > 0 for share in of_lm)


def test_scope_is_that_of_the_parts(index: Index, queries: list[Text]) -> None:
    scope = Scope(expression="w1")
    found = fused(index, Fusion("borda"), FLAT).search(queries, scope=scope).rankings
    [bm25] = inputs(index, ["bm25"])
    allowed = {doc for doc in index.numbering.ids if not np.isnan(bm25.system.score(W1, [doc]))[0]}
    assert set().union(*(ranking.docs for ranking in found.values())) <= allowed
    assert any(map(len, found.values()))


W1 = Text("w1", "en", "w1")


def test_document_that_no_list_holds_has_no_reasons(index: Index) -> None:
    system = fused(index, Fusion("borda"), FLAT)
    query = Text("q", "de", "w250")
    [missed] = [
        doc for doc, at in zip(index.numbering.ids, system.score_all(query), strict=True) if np.isnan(at)
    ][:1]
    assert system.explain(query, [missed]) == [Explanation(0.0, [])]
    assert np.isnan(system.score(query, [missed, "nobody"])).all()


def test_systems_in_another_order_are_refused(index: Index) -> None:
    tuned = Tuned(Fusion("borda"), NAMES, "MAP", 0.0, (0.0,) * 3, FLAT)
    with pytest.raises(InputError, match="the weights are for bm25, lm, tfidf, not for lm, bm25, tfidf"):
        Fused("fused", index, inputs(index, ["lm", "bm25", "tfidf"]), tuned)
