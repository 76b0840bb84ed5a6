"""Japanese numbers by the years of an emperor: H05-123456 is number 123456 of the fifth year of Heisei, 1993."""

import re

FIRST_YEAR = {"M": 1868, "T": 1912, "S": 1926, "H": 1989, "R": 2019}
DIGITS = {"1": "M", "2": "T", "3": "S", "4": "H", "5": "R"}  # how old databases name the era: 405194209
NAMED = re.compile(r"([MTSHR])\W*(\d{1,2})\W+(\d{1,6})(?!\d)|([MTSHR])(\d{1,2}?)(\d{6})(?!\d)")
UNNAMED = re.compile(r"(?<!\d)(\d{1,2})[-/](\d{1,6})(?!\d)")  # 10-186098, where other offices omit the era
LAST_HEISEI, FIRST_SHOWA, LAST_SHOWA = 12, 26, 64  # years whose era is clear without its name

Era = tuple[str, int, str]  # letter, year, serial of six digits


def era_of(number: str) -> Era | None:
    """Of a number that names the era, or parts year and serial; the letters are those after `writings.plain`."""
    if named := NAMED.search(number):
        letter, year, serial = named.group(1, 2, 3) if named[1] else named.group(4, 5, 6)
        return letter, int(year), serial.zfill(6)
    if short := UNNAMED.search(number):
        return named_era(int(short[1]), short[2])
    return None


def named_era(year: int, serial: str) -> Era | None:
    """With the era to which a year belongs: 7 is Heisei, 61 is Showa."""
    if 1 <= year <= LAST_HEISEI or FIRST_SHOWA <= year <= LAST_SHOWA:
        return "H" if year <= LAST_HEISEI else "S", year, serial.zfill(6)
    return None


def era_in_year(digits: str, year: int) -> Era | None:
    """Year and serial, if digits begin with the year of an emperor that is this western year: 7300979 of 1995."""
    for letter, first in FIRST_YEAR.items():
        own = year - first + 1
        if named_era(own, "") is None or named_era(own, "") != (letter, own, "000000"):
            continue
        for begin in (f"{own:02d}", str(own)):
            serial = digits.removeprefix(begin)
            if serial != digits and 4 <= len(serial) <= 6:
                return letter, own, serial.zfill(6)
    return None


def western_year(letter: str, year: int) -> int:
    return FIRST_YEAR[letter] - 1 + year


def written(era: Era) -> str:
    return f"{era[0]}{era[1]:02d}{era[2]}"
