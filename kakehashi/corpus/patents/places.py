"""City and state of one field that also holds a postcode, as in European records; knows no streets."""

import re

# 81671 München, D-80469 München, DK - 2600 Glostrup, SE-111 22 Stockholm, 1012 AB Amsterdam, 100-0005 Tokyo
BEFORE = re.compile(r"^(?:[A-Z]{1,3}(?:\s?-\s?|\s))?\d[\d -]{2,8}(?:\s?[A-Z]{2}\b)?[,\s]+(?=\D)")
# MA 01450, H9W 4J1, 247-0056, SW1A 1AA, 01450-1234
AFTER = re.compile(
    r"[,\s]+(?:\d{3}-\d{3,4}|\d{4,6}(?:-\d{3,4})?|\d{3}\s\d{2,3}"
    r"|[A-Z]\d[A-Z]\s?\d[A-Z]\d|[A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2})$"
)
CODE = re.compile(r"^(.*\D)[,\s]+([A-Z]{2,3})$")  # Boston MA
CEDEX = re.compile(r"\s+cedex(\s+\d+)?$", re.IGNORECASE)
PROVINCE = re.compile(r"^(.*\S)\s*\(([A-Z]{2})\)$")  # Liscate (MI)
PREFECTURES = (
    "Aichi Akita Aomori Chiba Ehime Fukui Fukuoka Fukushima Gifu Gunma Hiroshima Hokkaido Hyogo Ibaraki \
Ishikawa Iwate Kagawa Kagoshima Kanagawa Kochi Kumamoto Kyoto Mie Miyagi Miyazaki Nagano Nagasaki Nara Niigata Oita \
Okayama Okinawa Osaka Saga Saitama Shiga Shimane Shizuoka Tochigi Tokushima Tokyo Tottori Toyama Wakayama Yamagata \
Yamaguchi Yamanashi"
)
IN_PREFECTURE = re.compile(
    rf"^(.*\S)[,\s]+({'|'.join(PREFECTURES.split())})(?:-(?:ken|fu|to))?$", re.IGNORECASE
)  # Kyoto-shi Kyoto
OLD_JAPANESE = re.compile(r"\s+\d{3}$")  # Aichi 471
WITH_STATES = frozenset(["US", "CA", "AU"])


def place_of(text: str, country: str = "") -> tuple[str, str]:
    """(city, state): of `Groton, MA 01450`, `Mississauga, Ontario L5H 3H3`, `Kyoto-shi, Kyoto 601-8550`."""
    line = CEDEX.sub("", BEFORE.sub("", AFTER.sub("", text.strip())).strip(" ,"))
    if province := PROVINCE.match(line):
        return province[1].strip(" ,"), province[2]
    if country == "JP":
        line = OLD_JAPANESE.sub("", line)
        if japanese := IN_PREFECTURE.match(line):
            return japanese[1].strip(" ,"), japanese[2]
    if country in WITH_STATES and "," not in line and (coded := CODE.match(line)):
        return coded[1].strip(" ,"), coded[2]
    city, comma, state = line.rpartition(",")
    state = state.strip()
    if comma and state and not any(map(str.isdigit, state)):
        return city.strip(" ,"), state
    return line, ""
