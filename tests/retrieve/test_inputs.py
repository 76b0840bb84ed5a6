"""Scores of systems that number documents in their own way."""

from pathlib import Path

import numpy as np
import pytest

from kakehashi.errors import InputError
from kakehashi.index.index import Index
from kakehashi.index.update import IndexWriter
from kakehashi.retrieve.inputs import Input
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
