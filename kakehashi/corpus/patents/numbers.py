"""One way to write the number of a publication or an application, and dates.

    US-7654321-B2   US-20050123456-A1   EP-0123456-A1   WO-1999012345-A1   JP-2004123456-A   JP-H05123456-A

Offices pad, shorten and punctuate the same number in different ways; here it has one form, so that a citation
finds what it cites. Japanese publications before 2000 are numbered by the years of the emperor, as they are
cited; applications are written with the Gregorian year, JP-1998186098, to which all offices can be converted.
"""

import datetime
import re
import unicodedata
from collections.abc import Callable

COUNTRY = re.compile(r"[A-Z]{2}")
IN_BRACKETS = re.compile(r"[(（]\s*([A-Z]{2})\s*[)）]")  # 米国(US)
KIND = re.compile(r"[A-Z][0-9]?")
DASHES = re.compile(r"[\u2010-\u2015\u2212ー]")
LONGEST = 24  # maximum characters of a number; longer strings are text
ERAS = str.maketrans({"明": "M", "大": "T", "昭": "S", "平": "H", "令": "R"})
BEFORE_ERA = {
    "M": 1867,
    "T": 1911,
    "S": 1925,
    "H": 1988,
    "R": 2018,
}  # the year before the first year of an era
ERA = re.compile(r"([MTSHR])[^\w]*(\d{1,2})[^\w]+(\d{1,6})(?!\d)|([MTSHR])(\d{2})(\d{6})(?!\d)")
YEAR_AND_SERIAL = re.compile(r"((?:19|20)\d\d)[^\w]+(\d{1,6})(?!\d)")
SHORT_YEAR = re.compile(r"(?<!\d)(\d{1,2})[-/](\d{1,6})(?!\d)")  # 10-186098, where other offices omit the era
LAST_HEISEI, FIRST_SHOWA, LAST_SHOWA = 12, 26, 64  # years whose era is clear without its name
PREFIXED = re.compile(r"([A-Z]{1,2})0*(\d+)")
US_PRINTED = re.compile(r"((?:19|20)\d\d)[^\w]*(\d{6,7})")
PCT = re.compile(r"PCT([A-Z]{2})(\d{4}|\d{2})(\d{5,6})")
# EP-A- 0 123 456, WO 99/12345 A1, US 5,123,456
IN_WORDS = re.compile(r"^\W*([A-Z]{2})\W*(?:([A-Z]\d?)\W+)?((?:[A-Z]{1,2})?\d[\d ,./-]*)\W*([A-Z]\d?)?\b")
# 特開２００４－１２３４５６ is an application as published, 特許第3456789号 a grant, 特公 an examined one
JAPANESE = re.compile(r"(特開|特表|再表|特公|実開|実公|特許|実用新案登録)第?\s*([昭平令MTSHR]?[\d\s./-]*\d)")
JAPANESE_KINDS = {
    "特開": "A", "特表": "A", "再表": "A", "特公": "B", "実開": "U", "実公": "Y", "特許": "B", "実用新案登録": "U",
}  # fmt: skip
# how a Japanese text cites others: 米国特許出願公開第2004/0123456号明細書, 国際公開第2004/012345号
FOREIGN = re.compile(
    r"(国際公開|米国特許出願公開|米国特許|欧州特許出願公開|欧州特許)(?:公報)?第?\s*[A-Z]*\s*(\d[\d,./ -]*\d)"
)
FOREIGN_KINDS = {
    "国際公開": ("WO", "A"), "米国特許出願公開": ("US", "A"), "米国特許": ("US", ""),
    "欧州特許出願公開": ("EP", "A"), "欧州特許": ("EP", "B"),
}  # fmt: skip


def country_code(text: str) -> str:
    """JP of `jp` or 日本(JP); empty if it is not a country, such as `unknown`."""
    code = text.strip().upper()
    printed = IN_BRACKETS.search(code)
    return code if COUNTRY.fullmatch(code) else printed[1] if printed else ""


def publication_number(country: str, number: str, kind: str = "") -> str:
    """COUNTRY-NUMBER-KIND, without the kind if there is none; empty if it is not a number."""
    kind = kind.strip().upper()
    plain = _numbered(country, number, _bare)
    return f"{plain}-{kind}" if plain and KIND.fullmatch(kind) else plain


def application_number(country: str, number: str, filing: str = "") -> str:
    """COUNTRY-NUMBER; for old Japanese numbers the ISO date shows how the European office writes them."""

    def bare(office: str, text: str) -> str:
        if office == "JP":
            return _japanese_application(text, filing)
        return _bare(office, text)

    return _numbered(country, number, bare)


def _numbered(country: str, number: str, bare: Callable[[str, str], str]) -> str:
    country = country_code(country)
    number = _plain(number).translate(ERAS).strip().upper()
    if not country or len(number) > LONGEST:
        return ""
    found = bare(country, number.removeprefix(country).strip())
    return f"{country}-{found}" if any(map(str.isdigit, found)) else ""


def _plain(text: str) -> str:
    """Normalise full-width characters and dashes of all lengths."""
    return DASHES.sub("-", unicodedata.normalize("NFKC", text))


def _bare(country: str, number: str) -> str:
    if country == "JP":
        return _japanese(number)
    if country == "EP":
        number = number.split(".")[0]  # followed by a check digit
    digits = _signs(number)
    if country == "EP" and digits.isdigit():
        return digits.lstrip("0").zfill(7)
    if country == "WO":
        return _international(digits)
    if country == "US" and (printed := US_PRINTED.fullmatch(digits)):
        return printed[1] + printed[2].zfill(7)
    if prefixed := PREFIXED.fullmatch(digits):
        return prefixed[1] + prefixed[2]
    return digits.lstrip("0")


def _signs(number: str) -> str:
    """Digits and letters only."""
    return re.sub(r"[^0-9A-Z]", "", number)


def _japanese(number: str) -> str:
    if dated := YEAR_AND_SERIAL.search(number):
        return dated[1] + dated[2].zfill(6)
    if era := _era(number):
        letter, year, serial = era
        return f"{letter}{year:02d}{serial}"
    return _signs(number).lstrip("0")


def _japanese_application(number: str, filing: str) -> str:
    """Year and serial: of 平10-186098, of 10-186098, and of 18609898 if it was filed in 1998."""
    if not YEAR_AND_SERIAL.search(number) and (era := _era(number)):
        letter, year, serial = era
        return f"{BEFORE_ERA[letter] + year}{serial}"
    digits = _japanese(number)
    if digits.isdigit() and 2 < len(digits) <= 8 and filing < "2000" and digits[-2:] == filing[2:4]:
        return filing[:4] + digits[:-2].zfill(6)
    return digits


def _era(number: str) -> tuple[str, int, str] | None:
    """(letter of the era, its year, serial of six digits)."""
    if era := ERA.search(number):
        letter, year, serial = era.group(1, 2, 3) if era[1] else era.group(4, 5, 6)
        return letter, int(year), serial.zfill(6)
    if short := SHORT_YEAR.search(number):
        year = int(short[1])
        if 1 <= year <= LAST_HEISEI or FIRST_SHOWA <= year <= LAST_SHOWA:
            return "H" if year <= LAST_HEISEI else "S", year, short[2].zfill(6)
    return None


def _international(digits: str) -> str:
    """99/12345, 03/012345 and 2004/012345 all get a four-digit year and a six-digit serial."""
    if applied := PCT.fullmatch(digits):
        return f"PCT{applied[1]}{_full_year(applied[2])}{applied[3].zfill(6)}"
    if not digits.isdigit() or len(digits) not in (7, 8):
        return digits
    return _full_year(digits[:2]) + digits[2:].zfill(6)


def _full_year(year: str) -> str:
    """A two-digit year; international applications exist since 1978."""
    return year if len(year) == 4 else ("19" if year >= "78" else "20") + year


def number_in_words(text: str) -> str:
    """The first publication named in a phrase, such as `EP-A- 0 123 456` or 特開2004-123456; empty if none."""
    text = _plain(text[:400])
    if foreign := FOREIGN.search(text):
        country, kind = FOREIGN_KINDS[foreign[1]]
        return publication_number(country, foreign[2], kind)
    if japanese := JAPANESE.search(text):
        return publication_number("JP", japanese[2], JAPANESE_KINDS[japanese[1]])
    if found := IN_WORDS.search(text.upper()):
        return publication_number(found[1], found[3].strip(), found[2] or found[4] or "")
    return ""


def iso_date(text: str) -> str:
    """2005-01-31 of 20050131; empty if it is not a date."""
    digits = text.strip().replace("-", "")
    if len(digits) != 8 or not (digits.isascii() and digits.isdigit()):
        return ""
    try:
        return datetime.date(int(digits[:4]), int(digits[4:6]), int(digits[6:])).isoformat()
    except ValueError:
        return ""
