"""Dates, people and classes are found under the names that collections use."""

from typing import Any

import pytest

from kakehashi.corpus.facts import Facts, facts_of
from kakehashi.types import Text


def facts(meta: dict[str, Any], **fields: str) -> Facts:
    return facts_of(Text("d", "en", "x", meta=meta), fields)


def test_patent_says_who_when_and_what() -> None:
    meta = {"ipc": ["H01M 4/00", "H01M 8/00"], "applicants": ["Volta", "Denchi"], "inventors": ["A, B"],
            "priority": "2001-01-01", "publication": "2003-02-01"}  # fmt: skip
    found = facts(meta, ipc="keyword", publication="date")
    assert found == Facts("2003-02-01", ("Volta", "Denchi"), ("A, B",), ("H01M 4/00", "H01M 8/00"), "", True)
    assert found.applicant == "Volta; Denchi"


def test_declared_field_comes_before_one_that_is_only_there() -> None:
    meta = {"ipc": "A01B", "cpc": "B02C", "date": "2001-01-01", "issued": "2002-02-02"}
    assert facts(meta, cpc="keyword", issued="date").classes == ("B02C",)
    assert facts(meta, cpc="keyword", issued="date").date == "2002-02-02"
    assert facts(meta).classes == ("A01B",)


def test_any_declared_date_will_do() -> None:
    assert facts({"erschienen": "1999-01-01"}, erschienen="date").date == "1999-01-01"


def test_package_and_help_page_are_no_patents() -> None:
    package = facts({"section": ["games"], "tags": ["game::strategy"], "maintainer": "Team"}, tags="keyword")
    assert (package.applicant, package.is_patent) == ("Team", False)
    assert facts({"contents": ["Macros"]}).classes == ("Macros",)


@pytest.mark.parametrize("value", [None, "", [], [None, " "], {"a": 1}, True])
def test_empty_and_strange_values_say_nothing(value: object) -> None:
    assert facts({"ipc": value, "applicant": value, "date": value, "url": value}) == Facts()


def test_only_addresses_of_the_web_are_addresses() -> None:
    assert facts({"url": "https://example.org/1"}).url == "https://example.org/1"
    assert facts({"url": "javascript:alert(1)"}).url == ""
