"""Every spelling of a number has one key: the table of the guide, and numbers made and spelled at random."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kakehashi.corpus.patents.applications import application_number
from kakehashi.corpus.patents.families import Numbers
from kakehashi.corpus.patents.numbers import publication_number
from kakehashi.corpus.patents.phrases import number_in_words
from tests.corpus.patents.number_ways import APPLICATIONS, PUBLICATIONS

GUIDE = Path(__file__).parents[3] / "docs" / "patents.md"
SPELLING = re.compile(r"(.*?)(?: \(([\d-]*)(?:, )?(DOCDB)?\))?")
OFFICE = re.compile(r"([A-Z]{2})[ -]?(.*)")


def rows(title: str) -> list[tuple[str, str]]:
    """(key, spelling) of the table with this head."""
    table = (
        GUIDE.read_text(encoding="utf-8")
        .split(f"| {title} | is also written |\n|---|---|\n")[1]
        .split("\n\n")[0]
    )
    pairs = []
    for line in table.splitlines():
        key, *spellings = re.findall(r"`([^`]+)`", line)
        pairs += [(key, spelling) for spelling in spellings]
    return pairs


@pytest.mark.parametrize(("key", "spelling"), rows("application"))
def test_application_has_the_key_of_the_guide(key: str, spelling: str) -> None:
    found = SPELLING.fullmatch(spelling)
    assert found is not None
    office, number = OFFICE.fullmatch(found[1]).groups()  # type: ignore[union-attr]
    assert application_number(office, number, found[2] or "", docdb=bool(found[3])) == key


@pytest.mark.parametrize(("key", "spelling"), rows("publication"))
def test_publication_has_the_key_of_the_guide(key: str, spelling: str) -> None:
    found = SPELLING.fullmatch(spelling)
    assert found is not None
    office, number = OFFICE.fullmatch(found[1]).groups()  # type: ignore[union-attr]
    written = [publication_number(office, number, date=found[2] or "")]
    if re.match(r"-[A-Z]\d?-", found[1][2:]) or "特" in found[1]:  # only in the text of a report or a gazette
        written = [number_in_words(found[1] if "特" not in found[1] else number, found[2] or "")]
    assert written == [key]


@st.composite
def publications(draw: st.DrawFn) -> tuple[str, int, int]:
    way = draw(st.sampled_from(sorted(PUBLICATIONS)))
    return way, draw(st.integers(*PUBLICATIONS[way][1])), draw(st.integers(1, PUBLICATIONS[way][3]))


def keys_of(way: str, year: int, serial: int) -> set[str]:
    return {publication_number(*spelling) for spelling in PUBLICATIONS[way][0](year, serial)}


def identity(way: str, year: int, serial: int) -> tuple[str, int, int]:
    return (way, year if PUBLICATIONS[way][2] else 0, serial)


@given(publications(), publications())
def test_spellings_of_one_publication_meet_and_two_publications_never_do(
    one: tuple[str, int, int], other: tuple[str, int, int]
) -> None:
    keys = [keys_of(*one), keys_of(*other)]
    assert [len(found) for found in keys] == [1, 1]
    assert (keys[0] == keys[1]) == (identity(*one) == identity(*other))


@given(st.integers(0, 60), st.integers(1, 2_293))
def test_one_serial_is_another_publication_in_every_series(years_after: int, serial: int) -> None:
    """Whatever its kind: a citation of one never finds one of another series.

    But for an international application, which Japan publishes again under the same number.
    """
    keys = set()
    for way, (_, (first, last), _, _) in PUBLICATIONS.items():
        keys |= keys_of(way, min(first + years_after, last), serial)
    assert len(keys) == len(PUBLICATIONS)
    for key in keys:
        found = Numbers(keys - {key}).find(key)
        assert found is None or {key[:5], found[:5]} == {"JP-WO", "WO-20"}


@st.composite
def applications(draw: st.DrawFn) -> tuple[str, int, int]:
    way = draw(st.sampled_from(sorted(APPLICATIONS)))
    return way, draw(st.integers(*APPLICATIONS[way][1])), draw(st.integers(1, APPLICATIONS[way][2]))


def keys_of_application(way: str, year: int, serial: int) -> set[str]:
    return {
        application_number(office, number, date, kind, docdb)
        for office, number, date, kind, docdb in APPLICATIONS[way][0](year, serial)
    }


@given(applications(), applications())
def test_spellings_of_one_application_meet_and_two_applications_never_do(
    one: tuple[str, int, int], other: tuple[str, int, int]
) -> None:
    keys = [keys_of_application(*one), keys_of_application(*other)]
    assert [len(found) for found in keys] == [1, 1]
    assert (keys[0] == keys[1]) == (one == other)


@given(st.integers(0, 60), st.integers(1, 99_999))
def test_one_serial_is_another_application_in_every_series(years_after: int, serial: int) -> None:
    keys = set()
    for way, (_, (first, last), most) in APPLICATIONS.items():
        keys |= keys_of_application(way, min(first + years_after, last), min(serial, most))
    assert len(keys) == len(APPLICATIONS)


@given(st.integers(1978, 2024), st.integers(1, 99_999))
def test_spellings_of_one_international_application_meet(year: int, serial: int) -> None:
    spelled = [
        ("WO", f"PCT/DE{year}/{serial:06d}", ""),
        ("DE", f"{year}{serial:06d}", "W"),
        ("WO", f"{year}DE{serial:05d}", ""),
    ]
    spelled += [
        ("US", f"PCT/DE{year % 100:02d}/{serial:05d}", ""),
        ("DE", f"{year % 100:02d}{serial:05d}", "W"),
    ]
    assert {application_number(office, number, "", kind) for office, number, kind in spelled} == {
        f"WO-PCTDE{year}{serial:06d}"
    }


@given(st.text(max_size=30), st.text(max_size=3), st.booleans())
def test_any_text_gives_a_key_or_nothing(number: str, kind: str, docdb: bool) -> None:
    for office in ("US", "JP", "KR", "CN", "DE", "EP", "TW", "GB", "IT", "CH", "WO", "FR", "BR"):
        found = application_number(office, number, "2003-04-05", kind, docdb)
        assert found == "" or (found.isascii() and found.split() == [found] and found.count("-") == 1)
