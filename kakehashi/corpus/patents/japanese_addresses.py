"""Country, prefecture and municipality of a one-line Japanese address; translates no names."""

import re
import unicodedata

import msgspec

from kakehashi.corpus.patents.record import Party

POSTAL = re.compile(r"^\s*〒?\s*[\d-]*\s*")
PREFECTURE = re.compile(r"(?:日本国\s*)?(東京都|北海道|大阪府|京都府|\w{2,3}県)\s*")
# a ward of Tokyo, a town with its district, or a city: 四日市市 is one, and 新宿区市谷 is in a ward
MUNICIPALITY = re.compile(
    r"[^市\s]{1,3}?区|[^市区\s]{1,5}?郡[^町村市\s]{1,5}?[町村]|\S+?市(?!市)|\S{1,6}?[町村]"
)
ABROAD = {  # how gazettes start addresses in other countries
    "アメリカ合衆国": "US", "米国": "US", "ドイツ": "DE", "フランス": "FR", "イギリス": "GB", "英国": "GB",
    "大韓民国": "KR", "中華人民共和国": "CN", "台湾": "TW", "スイス": "CH", "オランダ": "NL", "イタリア": "IT",
    "スウェーデン": "SE", "カナダ": "CA", "オーストラリア": "AU", "オーストリア": "AT", "イスラエル": "IL",
    "フィンランド": "FI", "デンマーク": "DK", "ベルギー": "BE", "インド": "IN", "スペイン": "ES", "ロシア": "RU",
    "シンガポール": "SG",
}  # fmt: skip
NOT_INDIA = "インドネシア"


def at_address(party: Party, address: str) -> Party:
    """The party with the data of its address; `神奈川県, 横浜市` are two places."""
    line = POSTAL.sub("", unicodedata.normalize("NFKC", address))
    prefecture = PREFECTURE.match(line)
    if not prefecture:
        country = next((code for name, code in ABROAD.items() if line.startswith(name)), "")
        known = country and not line.startswith(NOT_INDIA)
        return msgspec.structs.replace(party, country=country) if known else party
    municipality = MUNICIPALITY.match(line, prefecture.end())
    city = prefecture[1] + (f", {municipality[0]}" if municipality else "")
    return msgspec.structs.replace(party, country="JP", city=city)
