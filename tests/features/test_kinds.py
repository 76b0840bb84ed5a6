"""Features of encyclopedias, packages and help pages, against sums a person can do."""

from math import log, sqrt

import numpy as np
import pytest

from kakehashi.features.classes import Graph, facet
from kakehashi.features.kind import Kind, Known
from kakehashi.features.kinds import Cosine, Overlap
from kakehashi.features.quantities import Citations, Lengths, Near
from kakehashi.index.index import Index
from kakehashi.types import Array, Text
from tests.index.building import build

DOCUMENTS = [
    Text("a", "en", "one two three four", meta={"tags": ["use::edit", "role::program"], "n_links": 4}),
    Text("b", "en", "one two", meta={"tags": ["use::edit"], "n_links": 0}),
    Text("c", "en", "one", meta={"tags": ["use::play", "works-with::text"]}),
    Text("d", "en", "one"),
]
GRAPH = Graph([("use::edit", "use"), ("use::play", "use"), ("use", "top"), ("top", "use")])  # with a loop
QUERY = Text("q", "de", "eins zwei", meta={"tags": ["use::edit", "role::program", "new::tag"], "n_links": 2})


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Known:
    index = build(
        tmp_path_factory.mktemp("kinds") / "index", DOCUMENTS, {"tags": "keyword", "n_links": "number"}
    )
    citations = {"a": 3.0, "b": 0.0, "c": 1.0, "d": 0.0}
    return Known(index, GRAPH, np.array([citations[doc] for doc in ids(index)]))


def ids(index: Index) -> list[str]:
    return [doc for segment in index.segments for doc in segment.ids]


def filled(kind: Kind, known: Known, query: Text = QUERY) -> tuple[list[dict[str, float]], bool]:
    out: Array = np.zeros((len(kind.names), len(DOCUMENTS)), np.float32)
    common = kind.bind(known)(query, out)
    return [dict(sorted(zip(ids(known.index), row.tolist(), strict=True))) for row in out], common


def test_category_score_is_the_mean_of_both_shares(known: Known) -> None:
    (scores,), common = filled(Overlap("tags"), known)
    assert scores == pytest.approx({"a": 0.5 * (2 / 3 + 1), "b": 0.5 * (1 / 3 + 1), "c": 0.0, "d": 0.0})
    assert common
    same = Text("q", "de", "", meta={"tags": ["use::edit"]})
    assert filled(Overlap("tags"), known, same)[0][0]["b"] == 1.0  # identical sets


def test_categories_spread_up_and_down_the_graph(known: Known) -> None:
    asks_for_use = Text("q", "de", "", meta={"tags": ["use"]})
    (down, plain, up, further), _ = filled(Overlap("tags", steps=(-1, 0, 1, 2)), known, asks_for_use)
    assert set(plain.values()) == set(down.values()) == {0.0}
    assert up == pytest.approx(
        {"a": 0.5 * (1 + 1 / 3), "b": 0.5 * (1 + 1 / 2), "c": 0.5 * (1 + 1 / 3), "d": 0.0}
    )
    assert further["b"] == pytest.approx(0.5 * (1 + 1 / 3))  # use::edit, use, top: the loop ends there
    assert GRAPH.around("use", -1) == {"use", "use::edit", "use::play", "top"}


def test_rare_values_count_more_in_a_cosine(known: Known) -> None:
    (scores,), _ = filled(Cosine("tags"), known)
    rarity = {"use::edit": log(4 / 2), "role::program": log(4)}
    length = sqrt(sum(value**2 for value in rarity.values()))  # nobody has new::tag
    assert scores == pytest.approx(
        {"a": 1.0, "b": rarity["use::edit"] / length, "c": 0.0, "d": 0.0}, rel=1e-6
    )


def test_facets_are_what_stands_before_the_colons(known: Known) -> None:
    (scores,), _ = filled(Cosine("tags", facet), known)
    assert scores["c"] > 0.0
    assert scores["d"] == 0.0


def test_numbers_are_compared_by_their_ratio(known: Known) -> None:
    (scores,), _ = filled(Near("n_links"), known)
    assert scores == {"a": 0.5, "b": 0.0, "c": 0.0, "d": 0.0}


def test_lengths_and_citations_alone_are_nothing_in_common(known: Known) -> None:
    (lengths,), common = filled(Lengths(), known)
    assert lengths == {"a": 0.5, "b": 1.0, "c": 0.5, "d": 0.5}
    assert not common
    (cited,), common = filled(Citations(), known)
    assert cited == pytest.approx({"a": log(4), "b": 0.0, "c": log(2), "d": 0.0})
    assert not common
