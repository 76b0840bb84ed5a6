"""What all numbers have in common before an office is looked at: letters, dashes, and the name of the office."""

import re
import unicodedata

COUNTRY = re.compile(r"[A-Z]{2}")
IN_BRACKETS = re.compile(r"[(（]\s*([A-Z]{2})\s*[)）]")  # 米国(US)
DASHES = re.compile(r"[\u2010-\u2015\u2212ー]")
ERA_WORDS = re.compile(r"(?<![A-Z])(HEISEI|HEI|SHOWA|SHO|REIWA)[ .-]*(?=\d)")  # HEI 7-300979
ERAS = str.maketrans({"明": "M", "大": "T", "昭": "S", "平": "H", "令": "R"})
PCT = re.compile(r"PCT([A-Z]{2})(\d{4}|\d{2})(\d{5,6})$")  # an international application
FOREIGN_PREFIX = re.compile(r"(EP|WO)(?=\W*\d)")  # an office that calls a European number its own


def country_code(text: str) -> str:
    """JP of `jp` or 日本(JP); empty if it is not a country, such as `unknown`."""
    code = text.strip().upper()
    printed = IN_BRACKETS.search(code)
    return code if COUNTRY.fullmatch(code) and code.isascii() else printed[1] if printed else ""


def plain(number: str) -> str:
    """In half-width capitals, with one kind of dash and letters for Japanese eras."""
    text = DASHES.sub("-", unicodedata.normalize("NFKC", number)).translate(ERAS).strip().upper()
    return ERA_WORDS.sub(lambda found: found[1][0], text)


def bare_office(country: str, number: str) -> tuple[str, str]:
    """(office, number without it); the office that the number itself names is the right one."""
    country = country_code(country)
    other = FOREIGN_PREFIX.match(number)
    if (
        country and other and (country, other[1]) != ("JP", "WO")
    ):  # Japan republishes international applications
        country = other[1]
    return country, number.removeprefix(country).lstrip(" -/.:") if country else number


def signs(number: str) -> str:
    """Digits and letters only."""
    return re.sub(r"[^0-9A-Z]", "", number)


def full_year(year: str) -> str:
    """Of two digits, the year since 1978, when European and international applications begin."""
    return year if len(year) == 4 else ("19" if year >= "78" else "20") + year
