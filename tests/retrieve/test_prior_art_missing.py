"""What is said where dates, families or fields of prior art are missing."""

from pathlib import Path

import numpy as np
import pytest

from kakehashi.errors import InputError
from kakehashi.index.bibliography import Fields
from kakehashi.retrieve.prior_art import PriorArt, Rules
from kakehashi.types import Text
from tests.retrieve.dated import system_of


def test_missing_dates_and_families_are_said(tmp_path: Path) -> None:
    inner = system_of(
        tmp_path,
        {
            "a": {"publication": "2000-01-01"},
            "b": {},
            "c": {"family": "f"},
            "d": {"publication": "2008-01-01"},
        },
    )
    full = Text("full", "de", "w1", meta={"priority": "2001-01-01", "family": "f"})
    filed = Text("filed", "de", "w1", meta={"filing": "2001-01-01", "family": "g"})
    published = [Text(f"p{i}", "de", "w1", meta={"publication": "2002-01-01"}) for i in range(5)]
    keep, drop = PriorArt(inner), PriorArt(inner, Rules(undated="drop"))
    undated = "have no publication and may be too late (--undated drop leaves them out)"
    assert keep.warnings([full], keep.search([full])) == [f"1 of 2 hits {undated}"]
    assert keep.warnings([full], keep.search([full], 1)) == [f"1 of 1 hits {undated}"]
    assert drop.warnings([full], drop.search([full])) == [
        "2 of 4 documents have no publication and were left out"
    ]
    every = [full, filed, *published]
    assert keep.warnings(every, keep.search(every)) == [
        "query 'filed' without priority: dated by filing",
        "5 queries (p0, p1, p2 and 2 more) without priority: dated by publication",
        "5 queries (p0, p1, p2 and 2 more) without family: no relative could be left out",
        f"13 of 20 hits {undated}",
    ]
    given = PriorArt(inner, Rules(before="2003-01-01", one_per_family=False, not_own_family=False))
    assert given.warnings(every, given.search(every)) == [f"14 of 21 hits {undated}"]


def test_nothing_is_said_where_nothing_is_missing(tmp_path: Path) -> None:
    inner = system_of(tmp_path, {"a": {"publication": "2000-01-01", "family": "f"}})
    query = Text("q", "de", "w1", meta={"priority": "2001-01-01", "family": "g"})
    for rules in (Rules(), Rules(undated="drop"), Rules(by_date=False)):
        system = PriorArt(inner, rules)
        assert system.warnings([query], system.search([query])) == []


def test_query_without_any_date_is_refused(tmp_path: Path) -> None:
    system = PriorArt(system_of(tmp_path, {"a": {"publication": "2000-01-01"}}))
    queries = [Text("q", "de", "w1"), Text("r", "de", "w1", meta={"priority": ""})]
    message = "without priority or filing or publication: give a date with --before"
    with pytest.raises(InputError, match=f"query 'q' {message}"):
        system.search(queries[:1])
    with pytest.raises(InputError, match=rf"2 queries \(q, r\) {message}"):
        system.search(queries)
    with pytest.raises(InputError, match="query 's': priority: '2001' is not a date"):
        system.search([Text("s", "de", "w1", meta={"priority": "2001"})])
    with pytest.raises(InputError, match="before: 'soon' is not a date"):
        PriorArt(system.system, Rules(before="soon"))
    with pytest.raises(InputError, match="k must be at least 1, not 0"):
        system.search([], 0)


def test_collection_without_the_fields_names_those_it_has(tmp_path: Path) -> None:
    inner = system_of(tmp_path, {"a": {}}, {"day": "date", "group": "keyword", "kind": "keyword"})
    with pytest.raises(
        InputError,
        match="the date field 'publication', but this index has day: give another name with --field publication=",
    ):
        PriorArt(inner)
    with pytest.raises(
        InputError, match="the keyword field 'family', but this index has group, kind: give another name"
    ):
        PriorArt(inner, Rules(fields=Fields(publication="day")))
    with pytest.raises(InputError, match="the date field 'kind', but this index has day"):
        PriorArt(inner, Rules(fields=Fields(publication="kind")))
    PriorArt(inner, Rules(True, False, False, fields=Fields(publication="day")))
    PriorArt(inner, Rules(by_date=False, fields=Fields(family="group")))


def test_fields_may_have_other_names(tmp_path: Path) -> None:
    inner = system_of(
        tmp_path,
        {
            "a": {"day": "2000-01-01", "group": "x"},
            "b": {"day": "2000-01-01", "group": "y"},
            "c": {"day": "2003-01-01"},
        },
        {"day": "date", "group": "keyword"},
    )
    system = PriorArt(inner, Rules(fields=Fields("day", "oldest", "filed", "group")))
    for meta in ({"oldest": "2002-01-01"}, {"filed": "2002-01-01"}, {"day": "2002-01-01"}):
        query = Text("q", "de", "w1", meta={**meta, "group": "y"})
        assert list(system.search([query]).rankings["q"].docs) == ["a"]


def test_empty_index_and_no_queries_give_nothing(tmp_path: Path) -> None:
    system = PriorArt(system_of(tmp_path, {}))
    query = Text("q", "de", "w1", meta={"priority": "2000-01-01"})
    assert list(system.search([query]).rankings["q"].docs) == []
    assert system.search([]).rankings == {}
    assert np.isnan(system.score(query, ["a"])).all()
