"""One way to write the number of a publication, and dates.

    US-7654321-B2   US-20050123456-A1   EP-0123456-A1   WO-1999012345-A1   JP-2004123456-A   JP-H05123456-A

Offices pad, shorten and punctuate the same number in different ways; here it has one form, so that a citation
finds what it cites. Japanese publications before 2000 are numbered by the years of the emperor, as they are
cited. `applications.py` does the same for applications, `phrases.py` finds publications in a text.
"""

import datetime
import re
from collections.abc import Callable

from kakehashi.corpus.patents.japanese_numbers import japanese_number
from kakehashi.corpus.patents.writings import PCT, bare_office, full_year, plain, signs

KIND = re.compile(r"[A-Z][0-9]?")
LONGEST = 24  # maximum characters of a number; longer strings are text
TRAILING_KIND = re.compile(r"(?<=\d)[^0-9A-Z]*([A-Z])[^0-9A-Z]*(\d?)[^0-9A-Z]*$")
YEAR_AND_SERIAL = re.compile(r"((?:19|20)\d\d)[/ -](\d[\d ]{0,8})")
PREFIXED = re.compile(r"([A-Z]{1,2})0*(\d+)")
US_PRINTED = re.compile(r"((?:19|20)\d\d)(\d{6,7})")
# American patents that are numbered apart, by the letter of their kind: E36154 is RE36154
US_SERIES = {"E": "RE", "S": "D", "P": "PP", "H": "H", "D": "D"}
US_WORDS = re.compile(r"^(DES|PLANT|PLT)(?=\d)")
KOREAN_RIGHTS = {"1": "A", "2": "U", "3": "S"}
KOREAN_GRANT = re.compile(r"([123]0)-?(\d{5,7})")
KOREAN_YEAR = re.compile(r"20[012]\d\d{5}")  # 200112345 without a kind: number 12345 of 2001
MOST_INTERNATIONAL = 500_000  # applications of one year
INDIAN = re.compile(r"(\d+)/?(MUM|CHE|DEL|KOL|CAL|MAS|BOM|[A-Z]{2})(?:NP)?/?(\d{4})")
INDIAN_CITIES = {"CHE": "CH", "MAS": "MA", "CAL": "CA", "BOM": "BO"}


def publication_number(country: str, number: str, kind: str = "", date: str = "") -> str:
    """COUNTRY-NUMBER-KIND, without the kind if there is none; empty if it is not a number.

    The ISO date of publication, if known, tells a Japanese number by the year of the emperor from another.
    """
    text, kind = plain(number), kind.strip().upper()
    country, text = bare_office(country, text)
    if not country or len(text) > LONGEST:
        return ""
    while trailing := TRAILING_KIND.search(text):
        kind, text = kind or trailing[1] + trailing[2], text[: trailing.start()]
    kind = kind if KIND.fullmatch(kind) and kind.isascii() else ""
    found, kind = OFFICES.get(country, _other)(text.strip(" .,:;/-"), kind, date)
    while joined := re.fullmatch(r"(.*\d)([A-Z]\d?)", found):
        found, kind = joined[1], kind or joined[2]
    if not any(map(str.isdigit, found)):
        return ""
    return f"{country}-{found}-{kind}" if kind else f"{country}-{found}"


def _other(text: str, kind: str, date: str) -> tuple[str, str]:
    digits = signs(text).lstrip("0")
    prefixed = PREFIXED.fullmatch(digits)
    return (prefixed[1] + prefixed[2] if prefixed else digits), kind


def _american(text: str, kind: str, date: str) -> tuple[str, str]:
    digits = US_WORDS.sub(lambda found: US_SERIES[found[1][0]], signs(text).lstrip("0"))
    if parted := YEAR_AND_SERIAL.fullmatch(text):
        digits = parted[1] + signs(parted[2]).zfill(7)
    if printed := US_PRINTED.fullmatch(digits):
        return printed[1] + printed[2].zfill(7), kind
    digits = re.sub(r"^E(?=\d)", "RE", digits)
    if digits.isdigit() and len(digits) < 7 and kind[:1] in US_SERIES:
        return US_SERIES[kind[0]] + digits.lstrip("0"), kind
    return _other(digits, kind, date)


def _european(text: str, kind: str, date: str) -> tuple[str, str]:
    digits = signs(text.split(".")[0] if re.search(r"\d\.\d$", text) else text)
    return (digits.lstrip("0").zfill(7) if digits.isdigit() else digits), kind


def _international(text: str, kind: str, date: str) -> tuple[str, str]:
    """99/12345, 03/012345, 2001/21446 and 2004/012345 all get a four-digit year and a six-digit serial."""
    digits = signs(text)
    if application := PCT.fullmatch(digits):
        return f"PCT{application[1]}{full_year(application[2])}{application[3].zfill(6)}", kind
    if digits.isdigit() and len(digits) in (9, 10) and digits[:2] in ("19", "20"):
        return digits[:4] + digits[4:].zfill(6), kind
    if digits.isdigit() and len(digits) == 8 and digits[0] == "0" and int(digits[2:]) > MOST_INTERNATIONAL:
        digits = digits[1:]  # 09937368 is 99/37368
    if digits.isdigit() and len(digits) in (7, 8):
        return full_year(digits[:2]) + digits[2:].zfill(6), kind
    return digits, kind


def _korean(text: str, kind: str, date: str) -> tuple[str, str]:
    """10-2001-0017165 is 20010017165; a grant keeps its right: 10-0123456 is 100123456."""
    digits, is_grant = signs(text), kind[:1] in ("B", "Y")
    grant = KOREAN_GRANT.fullmatch(text.replace(" ", ""))
    if grant and ("-" in text or len(digits) == 9) and (is_grant or not KOREAN_YEAR.fullmatch(text)):
        return grant[1] + grant[2].zfill(7), kind
    if parted := re.fullmatch(r"(?:([123])0-)?((?:19|20)\d\d)-(\d{1,7})", text):
        return parted[2] + parted[3].zfill(7), kind or KOREAN_RIGHTS.get(parted[1] or "", "")
    dated = re.fullmatch(r"(?:([123])0)?((?:19|20)\d\d)(\d{4,7})", digits)
    if dated and (dated[1] is None or len(digits) == 13):
        return dated[2] + dated[3].zfill(7), kind or KOREAN_RIGHTS.get(dated[1] or "", "")
    if (short := re.fullmatch(r"(\d\d)-(\d{1,7})", text)) and short[1] not in ("10", "20", "30"):
        return f"19{short[1]}{short[2].zfill(7)}", kind  # 91-7466
    if re.fullmatch(r"[789]\d{8}", digits):
        return f"19{digits}", kind  # 970000123, as the European office shortens numbers of those years
    if digits.isdigit() and len(digits) <= 7 and is_grant:
        return ("20" if kind[0] == "Y" else "10") + digits.zfill(7), kind
    return digits.lstrip("0"), kind


def _brazilian(text: str, kind: str, date: str) -> tuple[str, str]:
    """PI 0301234-5 is also 0301234: the digit after the dash is a check digit."""
    digits = signs(re.sub(r"(?<=\d)-\d$", "", text)).removeprefix("PI")
    return digits.lstrip("0"), kind


def _indian(text: str, kind: str, date: str) -> tuple[str, str]:
    """1234/MUM/2003 is also 1234MU2003."""
    if city := INDIAN.fullmatch(text):
        return f"{int(city[1])}{INDIAN_CITIES.get(city[2], city[2][:2])}{city[3]}", kind
    return _other(text, kind, date)


def _without_letters(text: str, kind: str, date: str) -> tuple[str, str]:
    """PA200301234, E232441, G9216791, P0301234, OS 2123456: letters that only some write."""
    bare = re.sub(r"(?<=\d)\.\d$", "", text)  # a check digit
    return re.sub(r"^(PA|[PEG]|[OPA]S)(?=\d)", "", signs(bare)).lstrip("0"), kind


def _south_african(text: str, kind: str, date: str) -> tuple[str, str]:
    """2003/1234 is also 200301234."""
    dated = YEAR_AND_SERIAL.fullmatch(text)
    return (dated[1] + signs(dated[2]).zfill(5), kind) if dated else _other(text, kind, date)


OFFICES: dict[str, Callable[[str, str, str], tuple[str, str]]] = {
    "US": _american, "EP": _european, "WO": _international, "KR": _korean, "JP": japanese_number,
    "BR": _brazilian, "IN": _indian, "ZA": _south_african,
    **dict.fromkeys(("AT", "DE", "DK", "HU", "PL"), _without_letters),
}  # fmt: skip


def iso_date(text: str) -> str:
    """2005-01-31 of 20050131; empty if it is not a date."""
    digits = text.strip().replace("-", "")
    if len(digits) != 8 or not (digits.isascii() and digits.isdigit()):
        return ""
    try:
        return datetime.date(int(digits[:4]), int(digits[4:6]), int(digits[6:])).isoformat()
    except ValueError:
        return ""


def iso_month(text: str) -> str:
    """2005-01 of 20050100, as citations are dated; empty if not even the year is known."""
    digits = text.strip().replace("-", "")[:6]
    if (
        len(digits) < 4
        or not (digits.isascii() and digits.isdigit())
        or digits[:2] not in ("17", "18", "19", "20")
    ):
        return ""
    return f"{digits[:4]}-{digits[4:]}" if "01" <= digits[4:] <= "12" and len(digits) == 6 else digits[:4]
