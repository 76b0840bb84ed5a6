"""Every weighting against brute force from its formula, on random collections and random grouped queries."""

import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kakehashi.index.index import Index
from kakehashi.retrieve.sparse import Sparse
from kakehashi.retrieve.weighting import Bm25, Hmm, Lm, Presence, TfIdf, Weighting
from tests.index.building import build, texts_of, zipfian
from tests.retrieve import formulas
from tests.retrieve.comparing import Given, assert_right, rank
from tests.retrieve.formulas import Counts, Query, Score

SIZES = [(50, 3), (400, 12), (3000, 8)]  # documents, mean length
KS = [1, 10, 137, 5000]  # the last is more than there are documents


@pytest.fixture(scope="module", params=SIZES, ids=lambda size: f"{size[0]} documents")
def collection(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Index, dict[str, list[str]]]:
    n_docs, mean_length = request.param
    documents = zipfian(np.random.default_rng(n_docs), n_docs, mean_length=mean_length)
    documents["empty"] = ""
    index = build(tmp_path_factory.mktemp("random") / "index", texts_of(documents))
    return index, {id: text.split() for id, text in documents.items()}


def random_groups(rng: np.random.Generator, single: bool = False) -> Query:
    """1 to 60 groups; several terms with probabilities as a translation table gives; some words unknown."""
    groups = []
    for _ in range(int(rng.integers(1, 61))):
        size = 1 if single else int(rng.integers(1, 6))
        numbers = np.minimum(rng.zipf(1.3, size), 450) - 1  # w400 and beyond occur in no document
        probabilities = [1.0] if single else rng.dirichlet(np.ones(size)).tolist()
        group = list({f"w{n}": p for n, p in zip(numbers.tolist(), probabilities, strict=True)}.items())
        groups.append((float(rng.integers(1, 4)), group))
    return groups


def merged(query: Query) -> Query:
    """Single-term groups with every term once: a vector has one place for each."""
    weights = Counter[str]()
    for weight, group in query:
        weights[group[0][0]] += weight
    return [(weight, [(term, 1.0)]) for term, weight in weights.items()]


def queries(seed: int, **options: Any) -> dict[str, Query]:
    rng = np.random.default_rng(seed)
    found: dict[str, Query] = {f"q{i}": random_groups(rng, **options) for i in range(8)}
    found["nothing"] = []
    found["unknown"] = [(1.0, [("zzz", 1.0)]), (2.0, [("yyy", 0.5), ("xxx", 0.5)])]
    found["frequent"] = [(1.0, [("w0", 1.0)])]
    return found


def check(
    collection: tuple[Index, dict[str, list[str]]],
    weighting: Weighting,
    asked: dict[str, Query],
    formula: Callable[[Query, Counts], Score],
    slack: float = 0.0,
) -> None:
    index, documents = collection
    counts = formulas.counts_of(documents)
    references = {id: formulas.scored(formula(query, counts), documents) for id, query in asked.items()}
    system = Sparse("x", Given(index, asked), weighting, index)
    for k in KS:
        rankings = rank(system, asked, k)
        assert list(rankings) == list(asked)
        for id, reference in references.items():
            assert_right(rankings[id], reference, k, slack)


@pytest.mark.parametrize("idf", ["lucene", "rsj_clamped", "log"])
@pytest.mark.parametrize("saturation", ["standard", "classic", "double"])
def test_bm25_equals_its_formula(collection: Any, idf: Any, saturation: Any) -> None:
    k1, b, k3 = 0.9, 0.4, 3.0
    weighting = Bm25(k1, b, k3, idf, saturation)
    options = {"k1": k1, "b": b, "k3": k3, "idf_name": idf, "saturation": saturation}
    # one share may be off by half a quantum, 2**-29 of the most the query could give
    check(collection, weighting, queries(1), lambda q, c: formulas.bm25(q, c, **options), slack=4e-6)


@pytest.mark.parametrize(
    ("k1", "b", "k3"), [(1.2, 0.75, 2.0), (1.2, 0.0, 0.0), (2.0, 1.0, 1000.0), (0.001, 0.5, math.inf)]
)
def test_bm25_equals_its_formula_for_any_parameters(collection: Any, k1: float, b: float, k3: float) -> None:
    options = {"k1": k1, "b": b, "k3": k3, "idf_name": "lucene", "saturation": "standard"}
    check(collection, Bm25(k1, b, k3), queries(2), lambda q, c: formulas.bm25(q, c, **options), slack=4e-6)


@pytest.mark.parametrize("mu", [0.5, 30.0, 1000.0])
def test_lm_equals_the_log_likelihood(collection: Any, mu: float) -> None:
    check(collection, Lm(mu), queries(3), lambda q, c: formulas.dirichlet(q, c, mu=mu))


@pytest.mark.parametrize("alpha", [0.1, 0.3, 0.9])
def test_hmm_equals_the_log_likelihood(collection: Any, alpha: float) -> None:
    check(collection, Hmm(alpha), queries(3), lambda q, c: formulas.mixed(q, c, alpha=alpha))


@pytest.mark.parametrize("idf", ["lucene", "rsj_clamped", "log"])
def test_tfidf_equals_the_cosine(collection: Any, idf: Any) -> None:
    asked = {id: merged(query) for id, query in queries(4, single=True).items()}
    check(collection, TfIdf(idf), asked, lambda q, c: formulas.cosine(q, c, idf_name=idf), slack=1e-7)


@pytest.mark.parametrize("signs", [(1.0,), (1.0, -1.0), (-1.0,)], ids=["positive", "both", "negative"])
def test_presence_equals_the_sum_of_weights(collection: Any, signs: tuple[float, ...]) -> None:
    rng = np.random.default_rng(5)
    asked = {
        id: [(float(rng.choice(signs) * rng.gamma(1.0)), group) for _, group in query]
        for id, query in queries(5).items()
    }
    check(collection, Presence(), asked, formulas.presence, slack=1e-5)


def test_repeated_words_in_one_group_add_up(tmp_path: Path) -> None:
    documents = {"a": "x x y", "b": "x", "c": "z"}
    index = build(tmp_path / "index", texts_of(documents))
    query: dict[str, Query] = {"q": [(1.0, [("x", 0.25), ("x", 0.25), ("y", 0.5)]), (1.0, [("x", 1.0)])]}
    split = {id: text.split() for id, text in documents.items()}
    options = {"k1": 1.2, "b": 0.75, "k3": 2.0, "idf_name": "lucene", "saturation": "standard"}
    reference = formulas.scored(formulas.bm25(query["q"], formulas.counts_of(split), **options), split)
    system = Sparse("x", Given(index, query), Bm25(), index)
    assert_right(rank(system, query, 10)["q"], reference, 10, slack=1e-7)


def test_hundreds_of_repetitions_and_very_long_documents_score_right(tmp_path: Path) -> None:
    """Beyond one byte for a frequency, beyond two for a length."""
    documents = {
        "a": "x " * 300 + "y",
        "b": "x y",
        "c": "z " * 70_000 + "x " * 5,
        "d": "y " * 255,
        "e": "y y",
    }
    split = {id: text.split() for id, text in documents.items()}
    index = build(tmp_path / "index", texts_of(documents))
    query: dict[str, Query] = {"q": [(1.0, [("x", 1.0)]), (2.0, [("y", 0.7), ("z", 0.3)])]}
    counts = formulas.counts_of(split)
    options = {"k1": 1.2, "b": 0.75, "k3": 2.0, "idf_name": "lucene", "saturation": "standard"}
    for weighting, score in [
        (Bm25(), formulas.bm25(query["q"], counts, **options)),
        (Lm(), formulas.dirichlet(query["q"], counts, mu=1000.0)),
    ]:
        system = Sparse("x", Given(index, query), weighting, index)
        assert_right(rank(system, query, 10)["q"], formulas.scored(score, split), 10, slack=1e-7)


def test_stop_word_inside_a_group_weighs_nothing_in_a_cosine(tmp_path: Path) -> None:
    """`f` is in half of the documents, so its idf is 0: however often it occurs, only `r` counts."""
    documents = {f"d{i}": "f" if i < 6 else "z" for i in range(10)}
    documents |= {"big": "f " * 200 + "g", "r": "r", "h": "h g", "i": "i g"}
    index = build(tmp_path / "index", texts_of(documents))
    query: dict[str, Query] = {"q": [(1.0, [("f", 0.5), ("r", 0.5)])]}
    group = math.log((14 - 4 + 0.5) / (4 + 0.5))  # df 0.5 * 7 + 0.5 * 1
    reference = {"r": group * 0.5 / math.log((14 - 1 + 0.5) / (1 + 0.5))}
    system = Sparse("x", Given(index, query), TfIdf(), index)
    assert_right(rank(system, query, 10)["q"], reference, 10)


def test_rare_group_around_a_frequent_word_does_not_overflow_a_cosine(tmp_path: Path) -> None:
    """The group is rarer than the word that matches: its share exceeds what a word of the group's idf could have."""
    documents = {f"d{i:02}": f"a x{i}" for i in range(9)} | {f"e{i:02}": f"y{i}" for i in range(11)}
    index = build(tmp_path / "index", texts_of(documents | {"big": "a " * 200}))
    query: dict[str, Query] = {"q": [(1.0, [("a", 0.01), ("x0", 0.01)])]}
    group = math.log((21 - 0.11 + 0.5) / (0.11 + 0.5))  # df 0.01 * 10 + 0.01 * 1
    a = math.log((21 - 10 + 0.5) / (10 + 0.5))
    ranking = rank(Sparse("x", Given(index, query), TfIdf(), index), query, 30)["q"]
    found = dict(zip(ranking.docs, ranking.scores.tolist(), strict=True))
    assert found["big"] == pytest.approx(group * 0.01 / a, rel=1e-6)
