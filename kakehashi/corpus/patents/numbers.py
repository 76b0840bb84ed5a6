"""One way to write the number of a publication or an application, and dates.

    US-7654321-B2   US-20050123456-A1   EP-0123456-A1   WO-1999012345-A1   JP-2004123456-A   JP-H05123456-A

Offices pad, shorten and punctuate the same number in their own ways; here it is written once, so that a
citation finds what it cites.
"""

import datetime
import re
import unicodedata

COUNTRY = re.compile(r"[A-Z]{2}")
KIND = re.compile(r"[A-Z][0-9]?")
DASHES = re.compile(r"[\u2010-\u2015\u2212ー]")
LONGEST = 24  # characters of a number; more is text
ERAS = str.maketrans({"明": "M", "大": "T", "昭": "S", "平": "H", "令": "R"})
ERA = re.compile(r"([MTSHR])[^\w]*(\d{1,2})[^\w]+(\d{1,6})(?!\d)|([MTSHR])(\d{2})(\d{6})(?!\d)")
YEAR_AND_SERIAL = re.compile(r"((?:19|20)\d\d)[^\w]+(\d{1,6})(?!\d)")
PREFIXED = re.compile(r"([A-Z]{1,2})0*(\d+)")
US_PRINTED = re.compile(r"((?:19|20)\d\d)[^\w]*(\d{6,7})")
# EP-A- 0 123 456, WO 99/12345 A1, US 5,123,456
IN_WORDS = re.compile(r"^\W*([A-Z]{2})\W*(?:([A-Z]\d?)\W+)?((?:[A-Z]{1,2})?\d[\d ,./-]*)\W*([A-Z]\d?)?\b")
# 特開２００４－１２３４５６ is an application as published, 特許第3456789号 a grant, 特公 an examined one
JAPANESE = re.compile(r"(特開|特表|再表|特公|実開|実公|特許|実用新案登録)第?\s*([昭平令MTSHR]?[\d\s./-]*\d)")
JAPANESE_KINDS = {
    "特開": "A", "特表": "A", "再表": "A", "特公": "B", "実開": "U", "実公": "Y", "特許": "B", "実用新案登録": "U",
}  # fmt: skip


def publication_number(country: str, number: str, kind: str = "") -> str:
    """COUNTRY-NUMBER-KIND, without the kind where there is none; empty if it is no number at all."""
    country, kind = country.strip().upper(), kind.strip().upper()
    plain = application_number(country, number)
    if not plain:
        return ""
    return f"{plain}-{kind}" if KIND.fullmatch(kind) else plain


def application_number(country: str, number: str) -> str:
    """COUNTRY-NUMBER; also for publications of unknown kind."""
    country = country.strip().upper()
    number = _plain(number).translate(ERAS).strip().upper()
    if not COUNTRY.fullmatch(country) or len(number) > LONGEST:
        return ""
    bare = _bare(country, number.removeprefix(country).strip())
    return f"{country}-{bare}" if bare and any(map(str.isdigit, bare)) else ""


def _plain(text: str) -> str:
    """Full-width signs and dashes of all lengths made plain."""
    return DASHES.sub("-", unicodedata.normalize("NFKC", text))


def _bare(country: str, number: str) -> str:
    if country == "JP":
        return _japanese(number)
    if country == "EP":
        number = number.split(".")[0]  # behind it a check digit
    digits = re.sub(r"[^0-9A-Z]", "", number)
    if not digits.isascii():
        return ""
    if country == "EP" and digits.isdigit():
        return digits.lstrip("0").zfill(7)
    if country == "WO":
        return _international(digits)
    if country == "US" and (printed := US_PRINTED.fullmatch(digits)):
        return printed[1] + printed[2].zfill(7)
    if prefixed := PREFIXED.fullmatch(digits):
        return prefixed[1] + prefixed[2]
    return digits.lstrip("0")


def _japanese(number: str) -> str:
    if era := ERA.search(number):
        letter, year, serial = era.group(1, 2, 3) if era[1] else era.group(4, 5, 6)
        return f"{letter}{year.zfill(2)}{serial.zfill(6)}"
    if dated := YEAR_AND_SERIAL.search(number):
        return dated[1] + dated[2].zfill(6)
    digits = re.sub(r"[^0-9A-Z]", "", number)
    return digits.lstrip("0") if digits.isascii() else ""


def _international(digits: str) -> str:
    """99/12345, 03/012345 and 2004/012345 all get a year of four digits and a serial of six."""
    if not digits.isdigit() or len(digits) not in (7, 8):
        return digits
    century = "19" if digits[:2] >= "78" else "20"
    return century + digits[:2] + digits[2:].zfill(6)


def number_in_words(text: str) -> str:
    """The first publication a phrase names, such as `EP-A- 0 123 456` or 特開2004-123456; empty if none."""
    text = _plain(text[:400])
    if japanese := JAPANESE.search(text):
        return publication_number("JP", japanese[2], JAPANESE_KINDS[japanese[1]])
    if found := IN_WORDS.search(text.upper()):
        return publication_number(found[1], found[3].strip(), found[2] or found[4] or "")
    return ""


def iso_date(text: str) -> str:
    """2005-01-31 of 20050131; empty for anything that is no day."""
    digits = text.strip().replace("-", "")
    if len(digits) != 8 or not (digits.isascii() and digits.isdigit()):
        return ""
    try:
        return datetime.date(int(digits[:4]), int(digits[4:6]), int(digits[6:])).isoformat()
    except ValueError:
        return ""
