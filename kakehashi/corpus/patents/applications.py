"""One key for an application: OFFICE-YEARSERIAL, such as `US-2015865040`, whatever an office makes of its number.

The year is that of filing. Offices write it before or after the serial, with two or four digits, in the years of
an emperor, or only in the date beside the number; they add check digits, series codes and letters, or drop zeros.
Rights that are numbered apart keep a letter: `US-2001331477P` (provisional), `US-2010378076D` (design),
`JP-2004000001U` (utility model). International applications are `WO-PCTJP2003001234`, whoever refers to them.
"""

import re
from collections.abc import Iterable, Sequence

from kakehashi.corpus.patents.national_applications import MODELS, dated, national_number
from kakehashi.corpus.patents.writings import PCT, bare_office, full_year, plain, signs

PCT_PARTS = re.compile(r"([A-Z]{2})?(\d{4}|\d{2})(\d{5,6})$")  # of kind W: JP0301234, 2003001234
PCT_EPODOC = re.compile(r"(?:WO)?(\d{4})([A-Z]{2})(\d{5,6})$")  # WO2003JP01234
CHECK_DIGIT = re.compile(r"(?<=\d)\.[\dX]$")
TRAILING_KIND = re.compile(r"(?<=\d)\s*-?\s*([A-Z])\d?$")
# American series codes that are numbered apart from the rest; others say the decade only
US_SERIES = {"29": "D", "35": "H", "60": "P", "61": "P", "62": "P", "63": "P", "64": "P",
             "90": "R", "95": "R", "96": "R"}  # fmt: skip
US_SINCE = {  # series of applications for a patent: the years in which it was given out, with a margin
    "2": (1934, 1949), "3": (1947, 1961), "4": (1959, 1971), "5": (1969, 1980), "6": (1978, 1988),
    "7": (1986, 1993), "8": (1992, 1998), "9": (1997, 2002), "10": (2001, 2005), "11": (2004, 2008),
    "12": (2007, 2011), "13": (2010, 2014), "14": (2013, 2016), "15": (2015, 2018), "16": (2018, 2021),
    "17": (2020, 2023), "18": (2022, 2025), "19": (2024, 2029),
    "60": (1995, 2007), "61": (2007, 2012), "62": (2012, 2020), "63": (2019, 2029),  # provisional
}  # fmt: skip
UNDATED = re.compile(r"US-(\d{1,2})(\d{6})")  # series and serial
LONGEST = 24  # maximum characters of a number; longer strings are text


def application_number(
    country: str, number: str, filing: str = "", kind: str = "", docdb: bool = False
) -> str:
    """The key of an application; `filing` is its ISO date, `docdb` says that the European office wrote the number.

    Empty if it is not a number.
    """
    text = plain(number)
    country, text = bare_office(country, text)
    kind = kind.strip().upper()[:1]
    if not country or len(text) > LONGEST or not signs(text).strip("0"):
        return ""
    text = CHECK_DIGIT.sub("", text)
    if trailing := TRAILING_KIND.search(text):
        kind, text = kind or trailing[1], text[: trailing.start()]
    if international := _international(country, signs(text), kind):
        return international
    year = int(filing[:4]) if filing else 0
    numbered = _american(text, year, kind, docdb) if country == "US" else ""
    found = numbered or national_number(country, text, year, kind, docdb)
    return f"{country}-{found}" if any(map(str.isdigit, found)) else ""


def possible_keys(number: str) -> tuple[str, ...]:
    """Of an American application whose date was not said: one for each year of its series; empty for others."""
    found = UNDATED.fullmatch(number)
    first, last = US_SINCE.get(found[1], (0, -1)) if found else (0, -1)
    serial, mark = (found[2], US_SERIES.get(found[1], "")) if found else ("", "")
    return tuple(f"US-{dated(year, serial, mark)}" for year in range(first, last + 1))


def is_international(number: str) -> bool:
    """Whether it is the key of an application under the Patent Cooperation Treaty."""
    return number.startswith("WO-PCT")


def roots(claimed: Sequence[str], other: Iterable[str] = ()) -> tuple[str, ...]:
    """The claimed applications; where there are none, the international application it is, or the one it divides.

    Not all records of a family name these beside what is claimed.
    """
    national = dict.fromkeys(one for one in claimed if one and not is_international(one))
    return tuple(national) or tuple(one for one in (*other, *claimed) if one)[:1]


def _international(country: str, digits: str, kind: str) -> str:
    """PCT/JP03/01234, JP0301234 of kind W, WO2003JP01234; empty if it is another kind of number."""
    if applied := PCT.search(digits):
        office, year, serial = applied.groups()
    elif country == "WO" and (applied := PCT_EPODOC.fullmatch(digits)):
        year, office, serial = applied.groups()
    elif (kind == "W" or country == "WO") and (applied := PCT_PARTS.fullmatch(digits)):
        office, year, serial = applied[1] or country, applied[2], applied[3]
    else:
        return ""
    return f"WO-PCT{office}{full_year(year)}{serial.zfill(6)}" if office != "WO" else ""


def _american(text: str, year: int, kind: str, docdb: bool) -> str:
    """14/865,040 of 2015 is also 201514865040; 10/693,971 of 2003 also 693971, 69397103 and 20030693971."""
    digits, mark = signs(text), MODELS.get(kind, "")
    if not digits.isdigit():
        return digits
    if len(digits) in (11, 12) and digits[:2] in ("19", "20"):
        series = digits[4:6] if len(digits) == 12 else ""
        return dated(digits[:4], digits[-6:], US_SERIES.get(series, mark))
    digits = digits.lstrip("0")
    if not digits or not year or len(digits) > 8:
        return digits + mark
    series, serial = digits[:-6], digits[-6:]
    ends_in_year = len(digits) > 3 and int(digits[-2:]) == year % 100
    first, last = US_SINCE.get(series, (0, 0))
    in_series = series in US_SERIES or first <= year <= last
    has_slash = "/" in text
    if series and not has_slash and ends_in_year and (docdb or not in_series):
        return dated(year, digits[:-2], mark)
    if not series and docdb and ends_in_year and kind and year < 2011:
        return dated(year, digits[:-2], mark)  # the series had only begun
    return dated(year, serial, US_SERIES.get(series, mark))
