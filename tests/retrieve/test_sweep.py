"""Ranks under many thresholds equal those of searches with each threshold."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kakehashi.errors import InputError
from kakehashi.index.index import Index
from kakehashi.lexicon.neighbours import Related
from kakehashi.query.extended import Extended, QueryWords
from kakehashi.retrieve.extended import ExtendedBm25, ExtendedLm
from kakehashi.retrieve.sparse import Sparse
from kakehashi.retrieve.sweep import ALWAYS, Candidates, Sweep
from kakehashi.types import Text
from tests.index.building import add, build, texts_of, zipfian
from tests.retrieve.test_extended import TERMS, some_related

FIRST, SECOND = some_related(3), some_related(4, 20_000)
STEPS = np.array(
    [(2.0, 2.0), *((a, b) for b in (0.5, 0.7, 0.9) for a in (0.5, 0.6, 0.8, 0.95))], dtype=np.float32
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    documents = zipfian(np.random.default_rng(41), 300, mean_length=25)
    return build(tmp_path_factory.mktemp("sweep") / "index", texts_of(documents))


def candidates(index: Index, query: Text) -> Candidates:
    """As the tables make them."""
    compiled = Extended(index, TERMS, FIRST, QueryWords(index, 0, "frequency")).compile(query)
    owners = np.repeat(compiled.terms[compiled.starts[:-1]], np.diff(compiled.starts))

    def similarities(related: Related) -> np.ndarray:
        found = []
        for own, term in zip(owners.tolist(), compiled.terms.tolist(), strict=True):
            words, values = related.row(int(index.vocabulary[own][1:]))
            known = dict(zip(words.tolist(), values.tolist(), strict=True))
            found.append(ALWAYS if own == term else known.get(int(index.vocabulary[term][1:]), -1.0))
        return np.array(found, np.float32)

    return Candidates(compiled, similarities(FIRST), similarities(SECOND))


@pytest.mark.parametrize("weighting", [ExtendedBm25(), ExtendedLm(), ExtendedLm(30.0)], ids=str)
def test_ranks_are_those_of_the_system(index: Index, weighting: Any) -> None:
    sweep, ids = Sweep(index, weighting), list(index.segments[0].ids)
    every = np.arange(len(ids))
    words = QueryWords(index, 0, "frequency")
    texts = zipfian(np.random.default_rng(42), 8, mean_length=8)
    queries = [Text(f"q{i}", "en", text) for i, text in enumerate(texts.values()) if text]
    ranks = {query.id: sweep.ranks(candidates(index, query), STEPS, every) for query in queries}
    for s, (first, second) in enumerate(STEPS.tolist()):
        related = FIRST.above(first).within(SECOND, second)
        system = Sparse("x", Extended(index, TERMS, related, words), weighting, index)
        for query in queries:
            ranking = system.search([query], len(ids)).rankings[query.id]
            places = {doc: place for place, doc in enumerate(ranking.docs, 1)}
            found = ranks[query.id][s]
            assert {ids[d] for d in np.flatnonzero(found)} == {*places}
            # near ties may change places: the two add in another order
            ours = sorted(places, key=lambda doc: found[ids.index(doc)])
            scores = dict(zip(ranking.docs, ranking.scores.tolist(), strict=True))
            np.testing.assert_allclose([scores[doc] for doc in ours], ranking.scores, rtol=1e-6, atol=1e-6)


def test_other_orders_of_the_steps_give_the_same_ranks(index: Index) -> None:
    query, every = Text("q", "en", "w0 w3 w5 w20"), np.arange(300)
    sweep = Sweep(index, ExtendedBm25())
    forward = sweep.ranks(candidates(index, query), STEPS, every)
    backward = sweep.ranks(candidates(index, query), STEPS[::-1].copy(), every)
    assert forward.tobytes() == backward[::-1].tobytes()


def test_documents_that_may_not_be_listed_have_no_ranks(index: Index) -> None:
    query, every = candidates(index, Text("q", "en", "w0 w3 w5 w20")), np.arange(300)
    sweep, allowed = Sweep(index, ExtendedLm()), np.arange(300) % 3 > 0
    whole, some = sweep.ranks(query, STEPS, every), sweep.ranks(query, STEPS, every, allowed)
    assert not some[:, ~allowed].any()
    for step, others in zip(some, whole, strict=True):
        found = np.flatnonzero((others > 0) & allowed)
        assert step[found].tolist() == (np.argsort(np.argsort(others[found])) + 1).tolist()


def test_an_updated_index_is_refused(tmp_path: Path) -> None:
    add(tmp_path / "index", texts_of({"a": "w1"}))
    add(tmp_path / "index", texts_of({"b": "w1"}))
    with pytest.raises(InputError, match="--rebuild"):
        Sweep(Index(tmp_path / "index"), ExtendedBm25())
