"""Features are worked out from live documents alone: what they give equals what a fresh index gives."""

from pathlib import Path

import numpy as np
import pytest

from kakehashi.features.classes import Graph
from kakehashi.features.columns import keyword_column, number_column
from kakehashi.features.kind import Kind, Known
from kakehashi.features.kinds import Common, Cosine, Overlap, Places, Same, Shares
from kakehashi.features.quantities import Bucket, Near
from kakehashi.index.index import Index
from kakehashi.index.numbering import Numbering
from kakehashi.retrieve.inputs import scale
from kakehashi.types import Text
from tests.index.building import add, build

FIELDS = {"tags": "keyword", "people": "keyword", "towns": "keyword", "size": "number"}
GRAPH = Graph([("b", "top"), ("a", "top")])


def text(id: str, tags: str, people: str, towns: str, size: float) -> Text:
    meta = {"tags": tags.split(), "people": people.split(), "towns": towns.split(), "size": size}
    return Text(id, "en", tags, meta=meta)


EARLY = [
    text("1", "only z y", "Ada", "Ulm", 5),
    text("2", "z b a", "Bob", "Rom", 6),
    text("3", "z", "", "", 7),
]
LATE = [
    text("1", "b c d", "Cy", "Bonn", 1),
    text("3", "a d e", "Cy", "Rome", 2),
    text("4", "e", "", "Ulmen", 3),
]
ALIVE = [EARLY[1], *LATE]
KINDS: list[Kind] = [
    Shares("tags"),
    Same("tags"),
    Common("tags"),
    Cosine("tags"),
    Overlap("tags", steps=(0, 1)),
    Places("towns", people="people", near=True),
    Near("size"),
    Bucket("size", (0, 3, 6)),
]
QUERIES = [
    Text("all", "de", "", meta={"tags": ["e", "a", "b", "z", "only"], "people": ["Ada", "Bob"], "size": 2}),
    Text("of the dead", "de", "", meta={"tags": ["only", "y"], "people": ["Ada"], "towns": [], "size": -1}),
    Text("nothing", "de", ""),
]


@pytest.fixture(scope="module")
def updated(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("updated")
    add(folder, EARLY, FIELDS)
    add(folder, LATE, FIELDS)
    return Index(folder)


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return build(tmp_path_factory.mktemp("fresh"), ALIVE, FIELDS)


def filled(kind: Kind, index: Index, query: Text) -> tuple[dict[str, bytes], bool]:
    """(what each live document gets, to the bit; whether the query has anything in common)"""
    numbering = Numbering(index)
    out = np.zeros((len(kind.names), len(numbering)), np.float32)
    common = kind.bind(Known(index, GRAPH, np.zeros(len(numbering))))(query, out)
    live = np.flatnonzero(numbering.live).tolist()
    return {numbering.id(n): out[:, n].tobytes() for n in live}, common


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.id)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: type(kind).__name__)
def test_feature_equals_that_of_a_fresh_index(kind: Kind, query: Text, updated: Index, fresh: Index) -> None:
    assert filled(kind, updated, query) == filled(kind, fresh, query)


def test_values_are_numbered_and_counted_as_in_a_fresh_index(updated: Index, fresh: Index) -> None:
    ours, theirs = (keyword_column(index, "tags") for index in (updated, fresh))
    assert list(ours.codes.items()) == list(theirs.codes.items())
    assert ours.rarity.tobytes() == theirs.rarity.tobytes()
    assert (ours.n_docs, ours.n_live, theirs.n_docs) == (6, 4, 4)
    dead = ~Numbering(updated).live
    assert dead.sum() == 2
    assert not ours.sizes[dead].any()
    assert np.isnan(number_column(updated, "size")[dead]).all()


def test_scores_of_the_dead_set_no_scale(updated: Index) -> None:
    dead = ~Numbering(updated).live
    scores = np.where(dead, 100.0, np.arange(6.0))
    for how in ("best", "range"):
        values, _ = scale(updated.without_dead(scores.copy()), how)
        assert values.max() == 1.0
        assert not values[dead].any()


def test_index_without_live_documents_has_empty_columns(tmp_path: Path) -> None:
    index = build(build(tmp_path, EARLY, FIELDS).folder, [], FIELDS)
    column = keyword_column(index, "tags")
    assert (column.n_docs, column.n_live, dict(column.codes)) == (3, 0, {})
