"""Every spelling of a number has one key: the table of the guide, and numbers made and spelled at random."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kakehashi.corpus.patents.applications import application_number
from kakehashi.corpus.patents.numbers import publication_number
from kakehashi.corpus.patents.phrases import number_in_words

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
    if re.match(r"-[A-Z]\d?-", found[1][2:]) or "特" in found[1]:  # only in the text of a search report
        written = [number_in_words(found[1] if "特" not in found[1] else number, found[2] or "")]
    assert written == [key]


def grouped(serial: int) -> str:
    return f"{serial:,}"


Spell = Callable[[int, int], list[tuple[str, str, str, str]]]  # year, serial -> (office, number, kind, date)


def japanese_unexamined(year: int, serial: int) -> list[tuple[str, str, str, str]]:
    """As published from 1955 to 2020; `date` is the month of publication."""
    date = f"{year}-06"
    if year >= 2000:
        numbers = [f"{year}{serial:06d}", f"{year}-{serial}", f"{year} {serial:06d}", f"特開{year}-{serial}"]
        numbers.append(f"{year} {serial // 1000:03d} {serial % 1000:03d}")
        return [("JP", number.removeprefix("特開"), "A", when) for number in numbers for when in ("", date)]
    letter, first, name, digit = ("H", 1988, "平", 4) if year > 1988 else ("S", 1925, "昭", 3)
    era = year - first
    numbers = [
        f"{letter}{era:02d}{serial:06d}",
        f"{letter}{era}-{serial}",
        f"{name}{era}-{serial}",
        f"{era:02d}-{serial}",
    ]
    numbers += [f"{era:02d}{serial:06d}", f"{digit}{era:02d}{serial:06d}", f"{era}/{serial}"]
    numbers += [f"{era}{serial:06d}", f"{era} {serial // 1000:03d} {serial % 1000:03d}"]
    return [("JP", number, "A", when) for number in numbers for when in ("", date)]


def american_application(year: int, serial: int) -> list[tuple[str, str, str, str]]:
    numbers = [f"{year}/{serial:07d}", f"{year}{serial:07d}", f"{year}{serial:06d}", f"US{year}{serial:07d}"]
    return [("US", number, "A1", "") for number in numbers]


def international(year: int, serial: int) -> list[tuple[str, str, str, str]]:
    numbers = [
        f"{year}/{serial:06d}",
        f"{year}{serial:06d}",
        f"WO {year}/{serial:06d}",
        f"WO-{year}{serial:06d}",
    ]
    numbers += [f"{year % 100:02d}/{serial:06d}", f"{year % 100:02d}{serial:06d}"]
    if serial < 100_000:
        numbers += [f"{year % 100:02d}/{serial:05d}", f"{year % 100:02d}{serial:05d}", f"{year}{serial:05d}"]
    return [("WO", number, "A1", "") for number in numbers]


def korean(year: int, serial: int) -> list[tuple[str, str, str, str]]:
    numbers = [
        f"10-{year}-{serial:07d}",
        f"{year}-{serial:07d}",
        f"{year}{serial:07d}",
        f"10{year}{serial:07d}",
    ]
    return [("KR", number, "A", "") for number in numbers]


def grant(office: str, kind: str, width: int) -> Spell:
    """Numbers that name no year; the year only keeps the type."""

    def spelled(year: int, serial: int) -> list[tuple[str, str, str, str]]:
        serial += 3_000_000
        numbers = [
            str(serial),
            f"{serial:0{width}d}",
            grouped(serial),
            f"{serial:,}".replace(",", " "),
            f"{office}{serial}",
        ]
        return [(office, number, kind, "") for number in numbers]

    return spelled


WAYS: dict[str, tuple[Spell, tuple[int, int]]] = {
    "JP A": (japanese_unexamined, (1971, 2020)),
    "US A1": (american_application, (2001, 2024)),
    "WO A1": (international, (1978, 2024)),
    "KR A": (korean, (1983, 2024)),
    "JP B2": (grant("JP", "B2", 7), (2000, 2020)),
    "US B2": (grant("US", "B2", 8), (2001, 2024)),
    "EP B1": (grant("EP", "B1", 7), (2000, 2020)),
    "GB A": (grant("GB", "A", 7), (1979, 2020)),
}


@st.composite
def publications(draw: st.DrawFn) -> tuple[str, int, int]:
    way = draw(st.sampled_from(sorted(WAYS)))
    return way, draw(st.integers(*WAYS[way][1])), draw(st.integers(1, 399_999))


def identity(publication: tuple[str, int, int]) -> tuple[str, int, int]:
    way, year, serial = publication
    return (way, 0 if WAYS[way][0].__name__ == "spelled" else year, serial)


@given(publications(), publications())
def test_spellings_of_one_publication_meet_and_two_publications_never_do(
    one: tuple[str, int, int], other: tuple[str, int, int]
) -> None:
    keys = [
        {
            publication_number(office, number, kind, date)
            for office, number, kind, date in WAYS[way][0](year, serial)
        }
        for way, year, serial in (one, other)
    ]
    assert [len(found) for found in keys] == [1, 1]
    assert (keys[0] == keys[1]) == (identity(one) == identity(other))


def us_spellings(year: int, series: int, serial: int) -> list[tuple[str, str, bool]]:
    """(number, kind, whether the European office wrote it)."""
    kind = "P" if series >= 60 else "A"
    spelled = [
        (f"{series}/{serial // 1000},{serial % 1000:03d}", "", False),
        (f"{series:02d}{serial:06d}", "", False),
    ]
    spelled += [(f"{year}{series:02d}{serial:06d}", kind, False), (f"{year}{serial:07d}", kind, False)]
    if year < 2010:
        spelled.append((f"{serial}{year % 100:02d}", kind, True))
    return spelled


@given(st.sampled_from([(8, 1995), (9, 1999), (10, 2003), (11, 2006), (12, 2009), (14, 2014), (60, 2001), (61, 2009)]),
       st.integers(100_000, 999_999))  # fmt: skip
def test_spellings_of_one_american_application_meet(decade: tuple[int, int], serial: int) -> None:
    series, year = decade
    keys = {
        application_number("US", number, f"{year}-05-06", kind, docdb)
        for number, kind, docdb in us_spellings(year, series, serial)
    }
    assert keys == {f"US-{year}{serial:06d}{'P' if series >= 60 else ''}"}


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
