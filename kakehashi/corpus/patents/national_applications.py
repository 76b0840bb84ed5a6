"""The year and the serial in an application number of one office, however it is written there and elsewhere.

American and international applications are in `applications.py`, which calls this for all others.
"""

import re
from collections.abc import Callable

from kakehashi.corpus.patents.eras import FIRST_YEAR, era_of, western_year
from kakehashi.corpus.patents.writings import full_year, signs

SERIAL_AND_YEAR = re.compile(r"^\D*0*(\d{1,7})[/-](\d\d|(?:19|20)\d\d)$")  # CH 0904/03, CZ PV 1234-98
SHORT_YEAR_AND_SERIAL = re.compile(r"^\D*(\d\d)[/-](\d{3,7})$")  # ZA 98/1234
YEAR_AND_SERIAL = re.compile(r"(?<!\d)((?:19|20)\d\d)\W+(\d[\d ]*)")
# as China writes numbers of all offices: type, year, serial
STANDARD = re.compile(r"(\d)0((?:19|20)\d\d)(\d{9})")
EPODOC = re.compile(r"((?:19|20)\d\d)(\d{7})")
LETTERED_EPODOC = re.compile(r"((?:19|20)\d\d)([A-Z]{2})(\d{5,7})")  # IT 2003MI01234
OLD_GERMAN = re.compile(r"(19\d\d)?([A-Z])0*(\d{1,6})")  # B0077613, 1964B077613
MODELS = {"U": "U", "Y": "U", "S": "D", "F": "D", "P": "P"}  # kinds of applications that are numbered apart
OFFICES_WITH_SHORT_YEAR = frozenset(
    ["GB", "FR", "SE", "BE", "NO", "FI", "DK", "ZA", "LU", "IE", "NL", "HU", "BR", "RO", "ES", "MX"]
)
SHORTER = frozenset(["NO", "FI", "ZA", "IE"])  # of which the serials had four digits
# as the European office shortens numbers of these: 11728321 of 2021; of the second kind only until 1999
YEAR_LAST = frozenset(["PT", "PL", "IL", "NZ", "BG", "DD", "YU", "RS"])
YEAR_LAST_ONCE = frozenset(["DK", "CZ", "SK", "AT"])
INDIAN_CITIES = {"CHE": "CH", "MAS": "MA", "CAL": "CA", "BOM": "BO", "MUM": "MU", "DEL": "DE", "KOL": "KO"}


def national_number(country: str, text: str, year: int, kind: str, docdb: bool) -> str:
    """Of a number without its office and check digit; `year` is that of filing, 0 if unknown."""
    if standard := STANDARD.fullmatch(signs(text)):
        return _standard(country, standard[1], standard[2], standard[3], kind)
    ends_in_year = country in YEAR_LAST or (country in YEAR_LAST_ONCE and year < 2000)
    ends_in_year |= country == "CH" and len(text) < 7 and not text.endswith(str(year))  # 197401 of 2001
    if docdb and ends_in_year and (suffixed := _with_year_last(text, year, MODELS.get(kind, ""))):
        return suffixed
    found = OFFICES.get(country, _other)(text, year, kind)
    return (country in OFFICES_WITH_SHORT_YEAR and _with_short_year(text, year, country, kind)) or found


def dated(year: int | str, serial: int | str, mark: str = "") -> str:
    return f"{year}{int(serial):06d}{mark}"


def _standard(country: str, kind_digit: str, year: str, serial: str, kind: str) -> str:
    if country == "CN":
        return f"{year}{kind_digit}{int(serial):07d}"
    return dated(year, serial, {"2": "U", "3": "D"}.get(kind_digit, MODELS.get(kind, "")))


def _japanese(text: str, year: int, kind: str) -> str:
    """平10-186098, 10-186098, 1998-186098 and 18609898 are one, if filed in 1998."""
    mark = "U" if kind in ("U", "Y") or "実" in text else "D" if kind == "S" or "意" in text else ""
    digits = signs(text)
    if (shared := re.fullmatch(r"(\d{3,6})/(\d{2}|\d{4})", text)) and int(shared[2][-2:]) == year % 100:
        return dated(year, shared[1], mark)
    if parted := YEAR_AND_SERIAL.search(text):
        return dated(parted[1], signs(parted[2]), mark)
    if era := era_of(text):
        return dated(western_year(*era[:2]), era[2], mark)
    digits = digits.lstrip("P").lstrip("0")
    if re.fullmatch(r"(19|20)\d{8}", digits):
        return digits + mark
    if epodoc := EPODOC.fullmatch(digits):
        return dated(epodoc[1], epodoc[2], mark)
    if digits.isdigit() and 2 < len(digits) <= 8 and 0 < year < 2000 and int(digits[-2:]) == year % 100:
        return dated(year, digits[:-2], mark)
    if digits.isdigit() and 6 < len(digits) <= 8 and year and era_fits(digits[:-6], year):
        return dated(year, digits[-6:], mark)
    return digits + mark


def era_fits(era_year: str, year: int) -> bool:
    """Whether a year of an emperor whose era is not named can be that year."""
    return any(first - 1 + int(era_year) == year for first in FIRST_YEAR.values())


def _korean(text: str, year: int, kind: str) -> str:
    """10-2018-0000830 is 20180000830; utility models begin with 20, designs with 30."""
    digits = signs(text)
    if parted := re.fullmatch(r"(?:([123])0-)?((?:19|20)\d\d)-(\d{1,7})", text):
        mark = {"2": "U", "3": "D"}.get(parted[1] or "", MODELS.get(kind, ""))
        return dated(parted[2], parted[3], mark)
    if found := re.fullmatch(r"((?:19|20)\d\d)(\d{5,7})|([123])0((?:19|20)\d\d)(\d{7})", digits):
        mark = {"2": "U", "3": "D"}.get(found[3] or "", MODELS.get(kind, ""))
        return dated(found[1] or found[4], found[2] or found[5], mark)
    short = re.fullmatch(r"\D*(\d\d)-0*(\d{1,6})", text) or re.fullmatch(r"([789]\d)(\d{7})", digits)
    if short and year and int(short[1]) == year % 100:
        return dated(year, short[2], MODELS.get(kind, ""))
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
    """10 2006 031 298.5 since 2004, 198 52 782.1 before; the year is part of both; until 1967 B 77 613."""
    digits = signs(text)
    if (lettered := OLD_GERMAN.fullmatch(digits)) and int(lettered[1] or year or 9999) < 1968:
        return f"{lettered[2]}{int(lettered[3]):06d}"
    digits = re.sub(r"^[A-Z]+", "", digits)
    if len(digits) == 12 and digits[1] == "0" and digits[2:4] in ("19", "20"):
        return digits
    if epodoc := EPODOC.fullmatch(digits):
        first, serial = epodoc[2][0], epodoc[2][1:]
        if epodoc[1] >= "2004":
            return f"{first}0{epodoc[1]}{serial}"
        if epodoc[1] >= "1995":
            return f"{first}{epodoc[1][2:]}{int(serial):05d}"
        if kind == "U":  # G 92 16 791
            return f"{epodoc[1][2:]}{int(epodoc[2]):05d}"
        return epodoc[2].lstrip("0")  # 41 12 345: the year less fifty
    return digits.lstrip("0")


def _european(text: str, year: int, kind: str) -> str:
    """01963450.0 of 2001 is also 20010963450, and 1963450 where a zero was lost."""
    digits = signs(text)
    if not digits.isdigit():
        return digits
    if epodoc := EPODOC.fullmatch(digits):
        return dated(epodoc[1], epodoc[2])
    if len(digits) == 10 and digits[:4] == str(year):
        return digits
    digits = digits.lstrip("0").zfill(8)
    return full_year(digits[:2]) + digits[2:] if len(digits) == 8 else digits


def _taiwanese(text: str, year: int, kind: str) -> str:
    """Years are counted from 1912: 092123456 is the number 123456 of 2003."""
    digits = signs(text)
    if epodoc := EPODOC.fullmatch(digits):
        return dated(epodoc[1], epodoc[2])
    digits = digits.lstrip("0")
    if digits.isdigit() and len(digits) in (8, 9):
        return dated(1911 + int(digits[:-6]), digits[-6:])
    return digits


def _italian(text: str, year: int, kind: str) -> str:
    """MI2003A001234: the province is part of the number."""
    digits = signs(text)
    if found := re.fullmatch(r"([A-Z]{2})((?:19|20)\d\d)([AUO]?)0*(\d+)", digits):
        return f"{found[1]}{dated(found[2], found[4])}{'U' if found[3] == 'U' else ''}"
    if epodoc := LETTERED_EPODOC.fullmatch(digits):
        return f"{epodoc[2]}{dated(epodoc[1], epodoc[3], MODELS.get(kind, ''))}"
    older = re.fullmatch(r"([A-Z]{2})(\d\d)[AUO]?0*(\d{1,6})", digits)
    if older and year and int(older[2]) == year % 100:
        return f"{older[1]}{dated(year, older[3], MODELS.get(kind, ''))}"
    return _other(text, year, kind)


def _with_year(text: str, year: int, kind: str) -> str:
    """CH 0904/03 is also 9042003 and, until 1999, 90499; AT A 1234/2003 is also 12342003."""
    mark, digits = "U" if kind == "U" or text.startswith("GM") else "", signs(text)
    ending = str(year) if year >= 2000 else f"{year % 100:02d}"
    is_plain = digits.isdigit() and not {"/", "-"} & set(text) and not EPODOC.fullmatch(digits)
    if year and is_plain and digits.endswith(ending) and len(digits) > len(ending):
        return dated(year, digits[: -len(ending)], mark)
    if (shared := re.fullmatch(r"\D*0*(\d{1,7})[/-](\d{4})", text)) and int(shared[2]) == (
        year or int(shared[2])
    ):
        return dated(shared[2], shared[1], mark)
    return _other(text, year, "U" if mark else kind)


def _brazilian(text: str, year: int, kind: str) -> str:
    """PI 0301234-5 is also 0301234; 10 2012 012345-6 is also 102012012345: what follows the dash checks the rest."""
    digits = signs(re.sub(r"(?<=\d)-\d$", "", text))
    if newer := re.fullmatch(r"(\d)\d(20\d\d)(\d{6})", digits):
        return dated(newer[2], newer[3], {"2": "U", "3": "D"}.get(newer[1], ""))
    mark = "U" if digits.startswith("MU") or kind == "U" else ""
    return _other(re.sub(r"^(PI|MU|C1)", "", digits), year, "U" if mark else kind)


def _australian(text: str, year: int, kind: str) -> str:
    """PQ 1234 is also PQ123499, with its year; 56789/90 is also 5678990."""
    digits = signs(text)
    if epodoc := LETTERED_EPODOC.fullmatch(digits):
        return f"{epodoc[2]}{int(epodoc[3]):04d}"
    if lettered := re.fullmatch(r"([A-Z]{2})(\d{4})(\d\d)?", digits):
        return lettered[1] + lettered[2] if not lettered[3] or int(lettered[3]) == year % 100 else digits
    if 0 < year < 2003 and digits.isdigit() and len(digits) in (6, 7) and int(digits[-2:]) == year % 100:
        return dated(year, digits[:-2])
    return _other(text, year, kind)


def _indian(text: str, year: int, kind: str) -> str:
    """1234/MUM/2003 is also 1234MU2003, MU12342003 and 2003MU01234; since 2016 201811012345."""
    digits = signs(text)
    found = re.fullmatch(r"(\d+)([A-Z]{2,3}?)(?:NP)?((?:19|20)\d\d)", digits)
    if found:
        return f"{INDIAN_CITIES.get(found[2], found[2][:2])}{dated(found[3], found[1])}"
    if year and (found := re.fullmatch(rf"([A-Z]{{2}})(\d+){year}", digits)):
        return f"{found[1]}{dated(year, found[2])}"
    if epodoc := LETTERED_EPODOC.fullmatch(digits):
        return f"{epodoc[2]}{dated(epodoc[1], epodoc[3])}"
    if newer := re.fullmatch(r"(20[12]\d)(\d{8})", digits):
        return dated(newer[1], newer[2])
    return _other(text, year, kind)


def _mexican(text: str, year: int, kind: str) -> str:
    """PA/a/2003/001234 is also PA03001234 and 2003PA01234; MX/a/2010/001234 is also 2010001234."""
    if found := re.fullmatch(r"(?:PA|NL|MX)?/?[AF]?/?((?:19|20)?\d\d)/?(\d{6})", text.replace(" ", "")):
        return dated(full_year(found[1]), found[2])
    if epodoc := LETTERED_EPODOC.fullmatch(signs(text)):
        return dated(epodoc[1], epodoc[3])
    return _other(text, year, kind)


def _russian(text: str, year: int, kind: str) -> str:
    """2003112345/12: the group of examiners follows."""
    return _other(re.sub(r"(?<=\d{10})/\d\d$", "", text), year, kind)


def _other(text: str, year: int, kind: str) -> str:
    """Year and serial where the number says which digits are the year; otherwise the number itself."""
    mark, digits = ("U" if kind in ("U", "Y") else ""), signs(text)
    if year and (parted := re.search(rf"^\D*{year}-(\d{{1,7}})$", text)):
        return dated(year, parted[1], mark)
    if (shared := SERIAL_AND_YEAR.search(text)) and year and int(shared[2][-2:]) == year % 100:
        return dated(year, shared[1], mark)
    if (short := SHORT_YEAR_AND_SERIAL.search(text)) and year and int(short[1]) == year % 100:
        return dated(year, short[2], mark)
    if not year and (epodoc := EPODOC.fullmatch(digits)):
        return dated(epodoc[1], epodoc[2], mark)
    digits = re.sub(r"^(PV|PP|PA|P|A)(?=\d)", "", digits)
    bare = re.sub(r"^[A-Z]+", "", digits) if year else digits
    if year and bare.isdigit() and bare.startswith(str(year)) and 7 <= len(bare) <= 12:
        return dated(year, bare[4:], mark)
    # the European office writes 19981010536 where others write 1010536 and leave the year to the date
    return (
        dated(year, digits, mark)
        if year and digits.isdigit() and len(digits) <= 8
        else digits.lstrip("0") + mark
    )


def _south_african(text: str, year: int, kind: str) -> str:
    """98/1234 begins with the year, also where its serial looks like one."""
    short = SHORT_YEAR_AND_SERIAL.search(text)
    if short and year and int(short[1]) == year % 100:
        return dated(year, short[2], MODELS.get(kind, ""))
    return _other(text, year, kind)


def _with_year_last(text: str, year: int, mark: str) -> str:
    digits = signs(text)
    is_suffixed = digits.isdigit() and 3 <= len(digits) <= 8 and year and int(digits[-2:]) == year % 100
    return dated(year, digits[:-2], mark) if is_suffixed else ""


def _with_short_year(text: str, year: int, country: str, kind: str) -> str:
    """0225961 of 2002, or 225961 where a zero was lost, is number 25961 of that year."""
    text = re.sub(r"(?<=\d{6})-\d$", "", text)  # a check digit
    mark = "U" if kind in ("U", "Y") or text.startswith("MU") else ""
    digits = re.sub(r"^[A-Z]+", "", signs(text))
    if not year or not digits.isdigit() or "/" in text or (country == "NL" and year >= 1995):
        return ""
    digits = digits.zfill(7) if year % 100 < 10 and len(digits) >= 5 else digits
    is_long = len(digits) == 7 or (country in SHORTER and len(digits) == 6)
    return dated(year, digits[2:], mark) if is_long and int(digits[:2]) == year % 100 else ""


OFFICES: dict[str, Callable[[str, int, str], str]] = {
    "JP": _japanese, "KR": _korean, "CN": _chinese, "DE": _german, "EP": _european, "TW": _taiwanese,
    "IT": _italian, "BR": _brazilian, "AU": _australian, "IN": _indian, "MX": _mexican, "RU": _russian,
    "ZA": _south_african,
    **dict.fromkeys(("CH", "AT", "SK", "CL"), _with_year),
}  # fmt: skip
