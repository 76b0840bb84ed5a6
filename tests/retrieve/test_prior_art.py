"""Prior art against a full ranking that is filtered and thinned out by plain loops."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from kakehashi.index.index import Index
from kakehashi.index.metadata import parse_condition
from kakehashi.index.update import IndexWriter
from kakehashi.query.terms import Untranslated
from kakehashi.retrieve import prior_art
from kakehashi.retrieve.prior_art import PriorArt, Rules
from kakehashi.retrieve.sparse import Sparse
from kakehashi.retrieve.system import IndexSystem
from kakehashi.retrieve.vector_search import VectorSearch
from kakehashi.retrieve.weighting import Bm25
from kakehashi.systems.opening import open_system
from kakehashi.systems.registry import SYSTEMS as EVERY
from kakehashi.types import EVERYTHING, Run, Scope, Text
from tests.contracts.models import put_documents, put_models
from tests.index.building import add, build, holdings_of, plain_analyzers, zipfian
from tests.retrieve.comparing import assert_order, same
from tests.retrieve.dated import FIELDS
from tests.retrieve.test_vector_search import KINDS

N_DOCS = 500
DAYS = [f"200{year}-0{month}-15" for year in range(5) for month in (1, 5, 9)]  # so many share a day

SYSTEMS: dict[str, Callable[[Index], IndexSystem]] = {
    "sparse": lambda index: Sparse("bm25", Untranslated(index), Bm25(), index),
    "vectors": lambda index: VectorSearch("plain", KINDS["plain"], index),
    "tied": lambda index: VectorSearch("coarse", KINDS["coarse"], index),
}
every_system = pytest.mark.parametrize("kind", SYSTEMS)


def drawn_meta(rng: np.random.Generator, date_field: str) -> dict[str, object]:
    """One in eight has no date, one in five no family; some families are large."""
    meta: dict[str, object] = {"color": str(rng.choice(["red", "blue"]))}
    if rng.uniform() > 1 / 8:
        meta[date_field] = str(rng.choice(DAYS))
    if rng.uniform() > 1 / 5:
        meta["family"] = f"f{int(80 * rng.uniform() ** 2)}"
    return meta


@pytest.fixture(scope="module")
def texts() -> list[Text]:
    rng = np.random.default_rng(51)
    documents = zipfian(rng, N_DOCS, n_terms=120, mean_length=6)
    return [Text(id, "en", text, meta=drawn_meta(rng, "publication")) for id, text in documents.items()]


@pytest.fixture(scope="module")
def index(texts: list[Text], tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Three segments, in which some documents are dead."""
    folder = tmp_path_factory.mktemp("prior") / "index"
    old = [Text(text.id, "en", "w1 w2", meta={"family": "f0"}) for text in texts[:40]]
    add(folder, [*old, *texts[40:250]], FIELDS)
    add(folder, texts[250:], FIELDS)
    writer = IndexWriter(folder, plain_analyzers(), FIELDS)
    for text in texts[:40]:
        writer.put(text)
    writer.commit()
    assert len(Index(folder).segments) == 3
    return Index(folder)


@pytest.fixture(scope="module")
def queries(texts: list[Text]) -> list[Text]:
    """Some have a filing date only; some have the id of a document."""
    rng = np.random.default_rng(52)
    asked = []
    for i, (id, text) in enumerate(zipfian(rng, 60, n_terms=120, mean_length=8).items()):
        meta = drawn_meta(rng, "priority")
        if "priority" not in meta:
            meta["filing" if i % 2 else "publication"] = DAYS[7]
        asked.append(Text(texts[i].id if i % 3 == 0 else f"q{id}", "de", text, meta=meta))
    return asked


def plainly(whole: Run, query: Text, texts: Sequence[Text], k: int, rules: Rules) -> list[str]:
    """The ids that are left of a whole ranking."""
    known = {text.id: text.meta for text in texts}
    limit = rules.before or next(
        query.meta[name] for name in ("priority", "filing", "publication") if name in query.meta
    )
    own = {query.meta.get("family"), known.get(query.id, {}).get("family")} - {None}
    listed: list[str] = []
    seen = set()
    for doc in whole.rankings[query.id].docs:
        day, family = known[doc].get("publication"), known[doc].get("family", f"alone {doc}")
        if rules.by_date and (day >= limit if day else rules.undated == "drop"):
            continue
        if rules.not_own_family and (doc == query.id or family in own):
            continue
        if rules.one_per_family and family in seen:
            continue
        seen.add(family)
        listed.append(doc)
    return listed[:k]


ALL_RULES = {
    "all": Rules(),
    "without the undated": Rules(undated="drop"),
    "given date": Rules(before=DAYS[4]),
    "date alone": Rules(True, False, False, before=DAYS[9]),
    "family alone": Rules(by_date=False, not_own_family=False),
    "own family alone": Rules(by_date=False, one_per_family=False),
    "nothing is that old": Rules(before="1990-01-01", undated="drop"),
}


@every_system
@pytest.mark.parametrize("named", ALL_RULES)
def test_list_equals_the_whole_ranking_filtered_by_hand(
    kind: str, named: str, index: Index, texts: list[Text], queries: list[Text]
) -> None:
    inner, rules = SYSTEMS[kind](index), ALL_RULES[named]
    whole, system = inner.search(queries, N_DOCS), PriorArt(inner, rules)
    for k in (1, 10, 100, 10 * N_DOCS):
        found = system.search(queries, k)
        assert (found.system, list(found.rankings)) == (inner.name, [query.id for query in queries])
        for query in queries:
            ranking, longer = found.rankings[query.id], whole.rankings[query.id]
            assert list(ranking.docs) == plainly(whole, query, texts, k, rules)
            assert_order(list(ranking.docs), ranking.scores.tolist())
            score_of = dict(zip(longer.docs, longer.scores.tolist(), strict=True))
            assert ranking.scores.tolist() == [score_of[doc] for doc in ranking.docs]


@pytest.fixture(scope="module")
def with_models(index: Index, texts: list[Text]) -> Index:
    put_documents(holdings_of(index).folder, texts)
    put_models(holdings_of(index), index.vocabulary.all_terms())
    return index


@pytest.mark.parametrize("name", EVERY)
def test_every_system_there_is_can_be_asked_for_prior_art(
    name: str, with_models: Index, texts: list[Text], queries: list[Text]
) -> None:
    inner, asked = open_system(name, holdings_of(with_models)), queries[:20]
    whole, found = inner.search(asked, N_DOCS), PriorArt(inner).search(asked, 15)
    for query in asked:
        assert list(found.rankings[query.id].docs) == plainly(whole, query, texts, 15, Rules())


@every_system
def test_filters_act_before_the_rules(
    kind: str, index: Index, texts: list[Text], queries: list[Text]
) -> None:
    """The best red document of a family is listed, be there a better blue one or not."""
    inner, scope = SYSTEMS[kind](index), Scope((parse_condition("color=red"),))
    whole, found = inner.search(queries, N_DOCS, scope), PriorArt(inner).search(queries, 25, scope)
    red = {text.id for text in texts if text.meta["color"] == "red"}
    for query in queries:
        ranking = found.rankings[query.id]
        assert set(ranking.docs) <= red
        assert list(ranking.docs) == plainly(whole, query, texts, 25, Rules())


@every_system
def test_small_calls_and_single_queries_change_nothing(
    kind: str, index: Index, queries: list[Text], monkeypatch: pytest.MonkeyPatch
) -> None:
    system = PriorArt(SYSTEMS[kind](index))
    together = system.search(queries, 20).rankings
    same({query.id: system.search([query], 20).rankings[query.id] for query in queries}, together)
    monkeypatch.setattr(prior_art, "ROOM", 100)
    same(system.search(queries, 20).rankings, together)


class Recorded:
    """How deep the wrapped system was asked."""

    def __init__(self, inner: IndexSystem):
        self._inner, self.depths = inner, list[int]()
        self.name, self.index = inner.name, inner.index
        self.score, self.score_all, self.explain = inner.score, inner.score_all, inner.explain

    def search(self, queries: Sequence[Text], k: int = 1000, scope: Scope = EVERYTHING, **how: Any) -> Run:
        self.depths.append(k)
        return self._inner.search(queries, k, scope, **how)


@pytest.fixture(scope="module")
def late(tmp_path_factory: pytest.TempPathFactory) -> IndexSystem:
    """The 600 best documents for w0 came too late or are one large family; 400 others are old and alone."""
    texts = [
        Text(f"late{i:03}", "en", "w0 w0 w0", meta={"publication": "2009-01-01", "family": f"l{i}"})
        for i in range(400)
    ]
    texts += [
        Text(f"same{i:03}", "en", "w0 w0", meta={"publication": "1999-01-01", "family": "one"})
        for i in range(200)
    ]
    texts += [
        Text(f"old{i:03}", "en", f"w0 x{i % 7} y{i % 11}", meta={"publication": "1999-12-31"})
        for i in range(400)
    ]
    index = build(tmp_path_factory.mktemp("late") / "index", texts, FIELDS)
    return Sparse("bm25", Untranslated(index), Bm25(), index)


@pytest.mark.parametrize("k", [1, 2, 30, 401, 1000])
def test_list_is_full_where_the_best_documents_are_left_out(late: IndexSystem, k: int) -> None:
    recorded = Recorded(late)
    ranking = (
        PriorArt(recorded).search([Text("q", "de", "w0", meta={"priority": "2000-01-01"})], k).rankings["q"]
    )
    assert len(ranking) == min(k, 401)
    assert [doc[:3] for doc in ranking.docs] == (["sam"] + ["old"] * 400)[:k]
    assert len(recorded.depths) > 1 or k > 30
    assert recorded.depths[-1] <= 1000


def test_even_spread_takes_one_call(index: Index, queries: list[Text]) -> None:
    recorded = Recorded(SYSTEMS["sparse"](index))
    alike = [query for query in queries if query.meta.get("priority") == DAYS[8]]
    assert len(alike) > 1
    PriorArt(recorded).search(alike, 10)
    assert len(recorded.depths) == 1
    assert recorded.depths[0] < N_DOCS


def test_scores_and_reasons_are_those_of_the_wrapped_system(
    index: Index, texts: list[Text], queries: list[Text]
) -> None:
    inner = SYSTEMS["sparse"](index)
    system = PriorArt(inner)
    for query in queries[:10]:
        ranking = system.search([query], 5).rankings[query.id]
        assert system.score(query, ranking.docs).tobytes() == ranking.scores.tobytes()
        assert system.explain(query, ranking.docs) == inner.explain(query, ranking.docs)
        whole = inner.search([query], N_DOCS)
        every = whole.rankings[query.id].docs
        allowed = plainly(whole, query, texts, N_DOCS, Rules(one_per_family=False))
        assert [not np.isnan(score) for score in system.score(query, every)] == [
            doc in allowed for doc in every
        ]
        assert np.isnan(system.score(query, ["nobody"])).all()
