"""Dates and families of prior art, by hand."""

from pathlib import Path

import numpy as np
import pytest

from kakehashi.errors import InputError, KakehashiError
from kakehashi.index.index import Index
from kakehashi.index.update import IndexWriter
from kakehashi.query.terms import Untranslated
from kakehashi.retrieve.prior_art import About, PriorArt, Rules
from kakehashi.retrieve.sparse import Sparse
from kakehashi.retrieve.weighting import Bm25
from kakehashi.types import Ranking, Run, Text
from tests.index.building import plain_analyzers
from tests.retrieve.dated import FIELDS, system_of


def test_before_means_strictly_before(tmp_path: Path) -> None:
    days = {"a": "2000-06-14", "b": "2000-06-15", "c": "2000-06-16"}
    inner = system_of(tmp_path, {id: {"publication": day} for id, day in days.items()})
    query = Text("q", "de", "w1", meta={"priority": "2000-06-15"})
    assert list(PriorArt(inner).search([query]).rankings["q"].docs) == ["a"]
    given = PriorArt(inner, Rules(before="2000-06-16")).search([query]).rankings["q"]
    assert list(given.docs) == ["b", "a"]


def test_of_equals_in_a_family_the_first_in_order_is_listed(tmp_path: Path) -> None:
    inner = system_of(tmp_path, {id: {"family": "f", "publication": "2000-01-01"} for id in "abc"})
    query = Text("q", "de", "w1", meta={"priority": "2001-01-01", "family": "other"})
    system = PriorArt(inner)
    assert list(system.search([query]).rankings["q"].docs) == ["c"]
    assert system.about(query, "c") == About("2000-01-01", ["a", "b"])


def test_family_names_only_what_would_do_as_well(tmp_path: Path) -> None:
    inner = system_of(
        tmp_path,
        {
            "a": {"family": "f", "publication": "2000-01-01"},
            "b": {"family": "f", "publication": "2002-01-01"},
            "c": {"family": "f"},
            "d": {"publication": "2000-01-01"},
        },
    )
    query = Text("q", "de", "w1", meta={"priority": "2001-01-01"})
    keep, drop = PriorArt(inner), PriorArt(inner, Rules(undated="drop"))
    assert list(keep.search([query]).rankings["q"].docs) == ["d", "c"]
    assert keep.about(query, "c") == About(None, ["a"])
    assert keep.about(query, "d") == About("2000-01-01", [])
    assert list(drop.search([query]).rankings["q"].docs) == ["d", "a"]
    assert drop.about(query, "a") == About("2000-01-01", [])
    with pytest.raises(InputError, match="there is no document 'nobody' in the index"):
        keep.about(query, "nobody")


def test_query_without_a_family_leaves_out_that_of_its_own_document(tmp_path: Path) -> None:
    metas: dict[str, dict[str, object]] = {"a": {"family": "f"}, "b": {"family": "f"}, "c": {"family": "g"}}
    system = PriorArt(system_of(tmp_path, metas), Rules(by_date=False))
    rankings = system.search([Text("a", "de", "w1"), Text("q", "de", "w1", meta={"family": ["g"]})]).rankings
    assert [list(ranking.docs) for ranking in rankings.values()] == [["c"], ["b"]]


def test_calendar_is_read_as_it_is_and_half_dates_are_refused(tmp_path: Path) -> None:
    inner = system_of(tmp_path, {"a": {"publication": "2000-02-28"}, "b": {"publication": "2000-02-29"}})
    system = PriorArt(inner)
    leap = Text("q", "de", "w1", meta={"priority": "2000-02-29"})
    assert list(system.search([leap]).rankings["q"].docs) == ["a"]
    for half in ("2000", "2000-02", "2000-02-30", "00-02-29", "soon"):
        query = Text("q", "de", "w1", meta={"priority": half})
        with pytest.raises(
            InputError, match=f"query 'q': priority: '{half}' is not a date: write it as 2006-12-31"
        ):
            system.search([query])
    with pytest.raises(InputError, match="before: '2000-13-01' is not a date"):
        PriorArt(inner, Rules(before="2000-13-01"))


def test_families_of_a_query_are_all_its_own_be_they_numbers_or_linked(tmp_path: Path) -> None:
    metas: dict[str, dict[str, object]] = {
        "a": {"family": 17}, "b": {"family": ["x", "y"]}, "c": {"family": "y"}, "d": {"family": ""}, "e": {}
    }  # fmt: skip
    system = PriorArt(system_of(tmp_path, metas), Rules(by_date=False, one_per_family=False))
    for family, left in (
        ("17", "edcb"),
        (17, "edcb"),
        ("x", "eda"),
        (["y", 17], "ed"),
        ("", "edcba"),
        ([], "edcba"),
    ):
        query = Text("q", "de", "w1", meta={"family": family})
        assert list(system.search([query]).rankings["q"].docs) == list(left), family


def test_system_that_lists_strangers_is_stopped(tmp_path: Path) -> None:
    """Else a document nobody has would be dated as another one is."""
    inner = system_of(tmp_path, {"a": {"publication": "2000-01-01"}})

    class Inventive(Sparse):
        def search(self, queries: object, k: int = 1000, *scope: object, **how: object) -> Run:
            return Run("bm25", {"q": Ranking(["nobody"], np.ones(1))})

    system = PriorArt(Inventive("bm25", Untranslated(inner.index), Bm25(), inner.index))
    with pytest.raises(KakehashiError, match="bm25 lists 'nobody', which the index does not have"):
        system.search([Text("q", "de", "w1", meta={"priority": "2001-01-01"})])


def test_scores_of_all_are_those_of_each_and_the_dead_have_none(tmp_path: Path) -> None:
    system_of(tmp_path, {"a": {"publication": "2000-01-01"}, "b": {"publication": "2003-01-01"}, "c": {}})
    writer = IndexWriter(tmp_path / "index", plain_analyzers(), FIELDS)
    writer.put(Text("a", "en", "w1 w1", meta={"publication": "2000-01-02"}))
    writer.commit()
    index = Index(tmp_path / "index")
    system = PriorArt(Sparse("bm25", Untranslated(index), Bm25(), index))
    query = Text("q", "de", "w1", meta={"priority": "2001-01-01"})
    scores, numbering = system.score_all(query), index.numbering
    assert np.isnan(scores[~numbering.live]).all()
    live = np.flatnonzero(numbering.live)
    assert scores[live].tolist() == pytest.approx(
        system.score(query, [numbering.id(n) for n in live.tolist()]).tolist(), nan_ok=True
    )
    assert np.isfinite(scores).sum() == 2
