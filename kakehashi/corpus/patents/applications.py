"""One key for an application: OFFICE-YEARSERIAL, such as `US-2015865040`, whatever an office makes of its number.

The year is that of filing. Offices write it before or after the serial, with two or four digits, in the years of
an emperor, or only in the date beside the number; they add check digits, series codes and letters, or drop zeros.
Rights that are numbered apart keep a letter: `US-2001331477P` (provisional), `US-2010378076D` (design),
`JP-2004000001U` (utility model). International applications are `WO-PCTJP2003001234`, whoever refers to them.
"""

import re
from collections.abc import Callable

from kakehashi.corpus.patents.eras import FIRST_YEAR, era_of, western_year
from kakehashi.corpus.patents.writings import PCT, bare_office, full_year, plain, signs

PCT_PARTS = re.compile(r"([A-Z]{2})?(\d{4}|\d{2})(\d{5,6})$")  # of kind W: JP0301234, 2003001234
PCT_EPODOC = re.compile(r"(?:WO)?(\d{4})([A-Z]{2})(\d{5,6})$")  # WO2003JP01234
CHECK_DIGIT = re.compile(r"(?<=\d)\.[\dX]$")
TRAILING_KIND = re.compile(r"(?<=\d)\s*-?\s*([A-Z])\d?$")
SERIAL_AND_YEAR = re.compile(r"^\D*0*(\d{1,7})/(\d{2}|\d{4})$")  # CH 0904/03
YEAR_AND_SERIAL = re.compile(r"(?<!\d)((?:19|20)\d\d)\W+(\d[\d ]*)")
STANDARD = re.compile(
    r"(\d)0((?:19|20)\d\d)(\d{9})"
)  # as China writes numbers of all offices: type, year, serial
EPODOC = re.compile(r"((?:19|20)\d\d)(\d{7})")
# American series codes that are numbered apart from the rest; others say the decade only
US_SERIES = {"29": "D", "35": "H", "60": "P", "61": "P", "62": "P", "63": "P", "64": "P",
             "90": "R", "95": "R", "96": "R"}  # fmt: skip
US_SINCE = {  # series of applications for a patent: the years in which it was given out, with a margin
    "2": (1934, 1949), "3": (1947, 1961), "4": (1959, 1971), "5": (1969, 1980), "6": (1978, 1988),
    "7": (1986, 1993), "8": (1992, 1998), "9": (1997, 2002), "10": (2001, 2005), "11": (2004, 2008),
    "12": (2007, 2011), "13": (2010, 2014), "14": (2013, 2016), "15": (2015, 2018), "16": (2018, 2021),
    "17": (2020, 2023), "18": (2022, 2025), "19": (2024, 2029),
}  # fmt: skip
MODELS = {"U": "U", "Y": "U", "S": "D", "F": "D", "P": "P"}  # kinds of applications that are numbered apart
OFFICES_WITH_SHORT_YEAR = frozenset(["GB", "FR", "SE", "BE", "NO", "FI", "DK", "ZA", "AT", "LU", "IE", "NL"])
SHORTER = frozenset(["NO", "FI"])  # of which the serials had four digits
YEAR_LAST = frozenset(["PT", "AT"])  # as the European office shortens numbers of these: 11728321 of 2021
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
    if country == "US":
        found = _american(text, year, kind, docdb)
    elif standard := STANDARD.fullmatch(signs(text)):
        found = _standard(country, standard[1], standard[2], standard[3], kind)
    elif docdb and country in YEAR_LAST and (suffixed := _with_year_last(text, year)):
        found = suffixed
    else:
        found = OFFICES.get(country, _other)(text, year, kind)
        if country in OFFICES_WITH_SHORT_YEAR:
            found = _with_short_year(text, year, country) or found
    return f"{country}-{found}" if any(map(str.isdigit, found)) else ""


def is_international(number: str) -> bool:
    """Whether it is the key of an application under the Patent Cooperation Treaty."""
    return number.startswith("WO-PCT")


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


def _dated(year: int | str, serial: int | str, mark: str = "") -> str:
    return f"{year}{int(serial):06d}{mark}"


def _standard(country: str, kind_digit: str, year: str, serial: str, kind: str) -> str:
    if country == "CN":
        return f"{year}{kind_digit}{int(serial):07d}"
    return _dated(
        year, serial, "U" if kind_digit == "2" else "D" if kind_digit == "3" else MODELS.get(kind, "")
    )


def _american(text: str, year: int, kind: str, docdb: bool) -> str:
    """14/865,040 of 2015 is also 201514865040; 10/693,971 of 2003 also 693971, 69397103 and 20030693971."""
    digits, mark = signs(text), MODELS.get(kind, "")
    if not digits.isdigit():
        return digits
    if len(digits) in (11, 12) and digits[:2] in ("19", "20"):
        series = digits[4:6] if len(digits) == 12 else ""
        return _dated(digits[:4], digits[-6:], US_SERIES.get(series, mark))
    digits = digits.lstrip("0")
    if not digits or not year or len(digits) > 8:
        return digits + mark
    series, serial = digits[:-6], digits[-6:]
    ends_in_year = len(digits) > 3 and int(digits[-2:]) == year % 100
    first, last = US_SINCE.get(series, (0, 0))
    in_series = series in US_SERIES or first <= year <= last
    has_slash = "/" in text
    if series and not has_slash and ends_in_year and (docdb or not in_series):
        return _dated(year, digits[:-2], mark)
    if not series and docdb and ends_in_year and kind and year < 2011:
        return _dated(year, digits[:-2], mark)  # the series had only begun
    return _dated(year, serial, US_SERIES.get(series, mark))


def _japanese(text: str, year: int, kind: str) -> str:
    """平10-186098, 10-186098, 1998-186098 and 18609898 are one, if filed in 1998."""
    mark = "U" if kind in ("U", "Y") or "実" in text else "D" if kind == "S" or "意" in text else ""
    digits = signs(text)
    if dated := YEAR_AND_SERIAL.search(text):
        return _dated(dated[1], signs(dated[2]), mark)
    if era := era_of(text):
        return _dated(western_year(*era[:2]), era[2], mark)
    digits = digits.lstrip("P").lstrip("0")
    if re.fullmatch(r"(19|20)\d{8}", digits):
        return digits + mark
    if epodoc := EPODOC.fullmatch(digits):
        return _dated(epodoc[1], epodoc[2], mark)
    if digits.isdigit() and 2 < len(digits) <= 8 and 0 < year < 2000 and int(digits[-2:]) == year % 100:
        return _dated(year, digits[:-2], mark)
    if digits.isdigit() and 6 < len(digits) <= 8 and year and era_fits(digits[:-6], year):
        return _dated(year, digits[-6:], mark)
    return digits + mark


def era_fits(era_year: str, year: int) -> bool:
    """Whether a year of an emperor whose era is not named can be that year."""
    return any(first - 1 + int(era_year) == year for first in FIRST_YEAR.values())


def _korean(text: str, year: int, kind: str) -> str:
    """10-2018-0000830 is 20180000830; utility models begin with 20, designs with 30."""
    digits = signs(text)
    found = re.fullmatch(r"([123])?0?((?:19|20)\d\d)(\d{5,7})", digits)
    if found and (len(digits) <= 11 or len(digits) == 13):
        mark = {"2": "U", "3": "D"}.get(found[1] or "", MODELS.get(kind, ""))
        return _dated(found[2], found[3], mark)
    short = re.fullmatch(r"\D*(\d\d)-0*(\d{1,6})", text)
    if short and year and int(short[1]) == year % 100:
        return _dated(year, short[2], MODELS.get(kind, ""))
    return digits.lstrip("0")


def _chinese(text: str, year: int, kind: str) -> str:
    """201810358967.1 and, until 2003, 98123456.7: year, kind of right, serial."""
    digits = signs(text).removeprefix("ZL")
    if not digits.isdigit():
        return digits
    if len(digits) in (12, 13) and digits[:2] in ("19", "20"):
        return digits[:12]
    if len(digits) == 11 and digits[:2] in ("19", "20"):
        return digits[:5] + digits[5:].zfill(7)
    if len(digits) == 9 and year and int(digits[:2]) == year % 100:
        digits = digits[:8]  # a check digit without its dot
    if len(digits) == 7 and 2000 <= year < 2004:
        digits = digits.zfill(8)
    if len(digits) == 8:
        full = (
            str(year)
            if year and year % 100 == int(digits[:2])
            else ("19" if digits >= "8" else "20") + digits[:2]
        )
        return full + digits[2] + digits[3:].zfill(7)
    return digits.lstrip("0")


def _german(text: str, year: int, kind: str) -> str:
    """10 2006 031 298.5 since 2004, 198 52 782.1 before; the year is part of both."""
    digits = re.sub(r"^[A-Z]+", "", signs(text))
    if len(digits) == 12 and digits[1] == "0" and digits[2:4] in ("19", "20"):
        return digits
    if epodoc := EPODOC.fullmatch(digits):
        first, serial = epodoc[2][0], epodoc[2][1:]
        if epodoc[1] >= "2004":
            return f"{first}0{epodoc[1]}{serial}"
        if epodoc[1] >= "1995":
            return f"{first}{epodoc[1][2:]}{int(serial):05d}"
    return digits.lstrip("0")


def _european(text: str, year: int, kind: str) -> str:
    """01963450.0 of 2001 is also 20010963450, and 1963450 where a zero was lost."""
    digits = signs(text)
    if not digits.isdigit():
        return digits
    if epodoc := EPODOC.fullmatch(digits):
        return _dated(epodoc[1], epodoc[2])
    if len(digits) == 10 and digits[:4] == str(year):
        return digits
    digits = digits.lstrip("0").zfill(8)
    return full_year(digits[:2]) + digits[2:] if len(digits) == 8 else digits


def _taiwanese(text: str, year: int, kind: str) -> str:
    """Years are counted from 1912: 092123456 is the number 123456 of 2003."""
    digits = signs(text)
    if epodoc := EPODOC.fullmatch(digits):
        return _dated(epodoc[1], epodoc[2])
    digits = digits.lstrip("0")
    if digits.isdigit() and len(digits) in (8, 9):
        return _dated(1911 + int(digits[:-6]), digits[-6:])
    return digits


def _italian(text: str, year: int, kind: str) -> str:
    """MI2003A001234: the province is part of the number."""
    digits = signs(text)
    if found := re.fullmatch(r"([A-Z]{2})((?:19|20)\d\d)([AUO]?)0*(\d+)", digits):
        return f"{found[1]}{_dated(found[2], found[4])}{'U' if found[3] == 'U' else ''}"
    return _other(text, year, kind)


def _swiss(text: str, year: int, kind: str) -> str:
    digits = signs(text)
    if "/" not in text and year and digits.isdigit() and digits.endswith(str(year)) and len(digits) > 4:
        return _dated(year, digits[:-4])
    return _other(text, year, kind)


def _other(text: str, year: int, kind: str) -> str:
    """Year and serial where the number says which digits are the year; otherwise the number itself."""
    mark, digits = ("U" if kind in ("U", "Y") else ""), signs(text)
    if (shared := SERIAL_AND_YEAR.search(text)) and year and int(shared[2][-2:]) == year % 100:
        return _dated(year, shared[1], mark)
    bare = re.sub(r"^[A-Z]+", "", digits) if year else digits
    if year and bare.isdigit() and bare.startswith(str(year)) and 5 <= len(bare) <= 12:
        return _dated(year, bare[4:], mark)
    # the European office writes 19981010536 where others write 1010536 and leave the year to the date
    return (
        _dated(year, digits, mark)
        if year and digits.isdigit() and len(digits) <= 8
        else digits.lstrip("0") + mark
    )


def _with_year_last(text: str, year: int) -> str:
    digits = signs(text)
    is_suffixed = digits.isdigit() and 3 <= len(digits) <= 8 and year and int(digits[-2:]) == year % 100
    return _dated(year, digits[:-2]) if is_suffixed else ""


def _with_short_year(text: str, year: int, country: str) -> str:
    """0225961 of 2002, or 225961 where a zero was lost, is number 25961 of that year."""
    digits = re.sub(r"^[A-Z]+", "", signs(text.split("-")[0] if re.fullmatch(r"\d{7}-\d", text) else text))
    if not year or not digits.isdigit() or "/" in text:
        return ""
    digits = digits.zfill(7) if year % 100 < 10 and len(digits) >= 5 else digits
    is_long = len(digits) == 7 or (country in SHORTER and len(digits) == 6)
    return _dated(year, digits[2:]) if is_long and int(digits[:2]) == year % 100 else ""


OFFICES: dict[str, Callable[[str, int, str], str]] = {
    "JP": _japanese, "KR": _korean, "CN": _chinese, "DE": _german, "EP": _european, "TW": _taiwanese,
    "IT": _italian, "CH": _swiss,
}  # fmt: skip
