"""Scores of systems that number documents in their own way."""

from pathlib import Path

import numpy as np
import pytest

from kakehashi.errors import InputError
from kakehashi.index.index import Index
from kakehashi.index.update import IndexWriter
from kakehashi.retrieve.inputs import Input, scale
from kakehashi.systems.opening import open_system
from kakehashi.types import Text
from tests.index.building import build, build_in_parts, dealt, holdings_of, plain_analyzers

QUERY = Text("q", "de", "w1")
TEXTS = [Text(f"d{i}", "en", " ".join(["w1"] * (i % 3) + [f"x{i}"])) for i in range(9)]


@pytest.fixture
def updated(tmp_path: Path) -> Index:
    """d3 was replaced, d7 deleted."""
    build_in_parts(tmp_path / "parts", dealt(TEXTS, 2))
    writer = IndexWriter(tmp_path / "parts", plain_analyzers(), {})
    writer.put(Text("d3", "en", "w1 w1 w1"))
    writer.delete("d7")
    writer.commit()
    return Index(tmp_path / "parts")


def test_scores_follow_the_documents_and_the_dead_have_none(updated: Index, tmp_path: Path) -> None:
    own = build(tmp_path / "own", [text for text in TEXTS if text.id != "d7"])
    system = open_system("bm25", holdings_of(own))
    scores = Input("bm25", system, updated).scores(QUERY)
    numbering = updated.numbering
    assert np.isnan(scores[~numbering.live]).all()
    for number in np.flatnonzero(numbering.live).tolist():
        [expected] = system.score(QUERY, [numbering.id(number)])
        assert scores[number] == pytest.approx(expected, nan_ok=True)


def test_index_that_lacks_a_live_document_is_refused(updated: Index, tmp_path: Path) -> None:
    own = build(tmp_path / "own", TEXTS[:8])
    with pytest.raises(InputError, match="an index in other words lacks document 'd8'"):
        Input("bm25", open_system("bm25", holdings_of(own)), updated).scores(QUERY)


def test_a_document_that_is_not_found_never_counts_more_than_a_found_one() -> None:
    """Logarithms of likelihoods are negative; they must not be worse than sharing no word at all."""
    likelihoods = np.array([-10.0, np.nan, -50.0, -30.0])
    values, factor = scale(likelihoods, "found")
    assert values.tolist() == [1.0, 0.0, 0.0, 0.5]
    assert factor == pytest.approx(1 / 40)
    assert scale(likelihoods, "best")[0].tolist() == pytest.approx([-0.2, 0.0, -1.0, -0.6])


def test_scores_that_are_not_all_negative_stay_where_they_are() -> None:
    for scores in (np.array([4.0, np.nan, 1.0]), np.array([4.0, -2.0, 1.0])):
        assert scale(scores, "found")[0].tobytes() == scale(scores, "best")[0].tobytes()
