"""Japanese publication numbers: by the year of the emperor until 1999, by the western year since, grants by serial.

Where a number can be read in two ways, its kind and the date beside it decide.
"""

import re

from kakehashi.corpus.patents.eras import DIGITS, Era, era_in_year, era_of, named_era, western_year, written
from kakehashi.corpus.patents.writings import full_year, signs

YEAR_AND_SERIAL = re.compile(r"(?<!\d)((?:19|20)\d\d)\W+(\d[\d ]{0,8})(?!\d)")
YEAR_FIRST = re.compile(r"(?:19|20)\d{8}")
REPUBLISHED = re.compile(r"WO((?:19|20)\d\d|\d\d)(\d{5,6})")  # an international application in Japanese
FIRST_GRANT = 2_500_001  # Japan numbers patents from here since May 1996, before by the year of the emperor
GRANTS_SINCE = "1996-05"
FIRST_MODEL, MODELS_SINCE = 3_000_001, "1994"  # registered utility models
MOST_A_YEAR = 550_000  # applications from abroad begin at 500,001
BY_ERA = frozenset(["", "A", "U", "B", "Y"])  # letters of the kinds that were numbered by years


def japanese_number(text: str, kind: str, date: str) -> tuple[str, str]:
    """(number, kind), as `numbers.py` writes them."""
    digits = signs(text)
    if republished := REPUBLISHED.fullmatch(digits):
        return f"WO{full_year(republished[1])}{republished[2].zfill(6)}", kind
    if dated := YEAR_AND_SERIAL.search(text):
        return dated[1] + signs(dated[2]).zfill(6), kind
    if YEAR_FIRST.fullmatch(digits):
        return digits, kind
    if era := era_of(text):
        return written(era), kind
    if re.fullmatch(r"[1-5](?!00)\d{8}", digits):
        era = DIGITS[digits[0]], int(digits[1:3]), digits[3:]
        return (written(era) if not date or western_year(*era[:2]) == int(date[:4]) else digits), kind
    if re.fullmatch(r"[\d ]+", text) and kind[:1] in BY_ERA and (era := _era_of_digits(digits, kind, date)):
        return written(era), kind
    return digits.lstrip("0"), kind


def _era_of_digits(digits: str, kind: str, date: str) -> Era | None:
    """Of five to eight digits that begin with a year of the emperor."""
    if date:
        # a number that fits its year is one by that year: a grant of that number is of another time
        return None if _is_later(digits, kind, date) else era_in_year(digits, int(date[:4]))
    if not 7 <= len(digits) <= 8:
        return None
    is_short = len(digits) == 7 and digits[0] != "0"
    n_year = 1 if is_short and int(digits[1:]) <= MOST_A_YEAR else 2
    era = named_era(int(digits[:n_year]), digits[n_year:])
    if not is_short or kind[:1] == "A":
        return era
    if kind[:1] == "U":
        return era if not FIRST_MODEL <= int(digits) <= FIRST_MODEL + 400_000 else None
    return None


def _is_later(digits: str, kind: str, date: str) -> bool:
    """Whether it is a grant or a registered model since these have numbers of their own."""
    if kind[:1] == "U":
        return date >= MODELS_SINCE and int(digits) >= FIRST_MODEL and len(digits) == 7
    return kind[:1] in ("B", "Y") and date >= GRANTS_SINCE and int(digits) >= FIRST_GRANT and digits[0] != "0"
