"""Finds the publication that a phrase names, such as `EP-A- 0 123 456` or 特開2004-123456."""

import re

from kakehashi.corpus.patents.numbers import publication_number
from kakehashi.corpus.patents.writings import plain

# EP-A- 0 123 456, WO 99/12345 A1, US 5,123,456, US-E- R E36 154
IN_WORDS = re.compile(
    r"^\W*([A-Z]{2})\W*(?:([A-Z]\d?)[\s-]+)?"
    r"((?:(?:[RPA] ?[EPI]|[DHTXIM])[ .]*|[A-Z]{1,2})?\d(?:[\d ,./-]*\d)?)(?!\d)(?:\W*([A-Z]\d?)(?![A-Z\d]))?"
)
AMERICAN = re.compile(
    r"^\W*(?:U\.? ?S\.?|UNITED STATES)[ -]*PAT(?:ENT|\.)?(?:[ .]*APPL(?:ICATION|N)?)?(?:[ .]*PUB(?:LICATION|L|N)?)?"
    r"(?:[ .]*(?:NO|NUMBER))?[ .:]*"
)
GERMAN = re.compile(r"^(\W*DE)[ -][OPA]S\b")  # DE-OS 2 123 456
# 特開２００４－１２３４５６ is an application as published, 特許第3456789号 a grant, 特公 an examined one
JAPANESE = re.compile(
    r"(特開|特表|再公表特許|再公表|再表|特公|実開|実公|実全|特許|登録実用新案|実用新案登録出願公開|実用新案登録)第?\s*"
    r"([MTSHR]?[\d\s./-]*\d)"
)
JAPANESE_KINDS = {
    "特開": "A", "特表": "A", "再公表特許": "A1", "再公表": "A1", "再表": "A1", "特公": "B", "特許": "B",
    "実開": "U", "実全": "U", "実公": "Y", "実用新案登録": "U", "登録実用新案": "U", "実用新案登録出願公開": "U",
}  # fmt: skip
# how a Japanese text cites others: 米国特許出願公開第2004/0123456号明細書, 国際公開第2004/012345号
FOREIGN = re.compile(
    r"(国際公開|(?:米国|欧州|独国|ドイツ|英国|イギリス|仏国|フランス|中国|中華人民共和国|韓国|大韓民国|台湾|ロシア|スイス|カナダ"
    r"|オーストラリア|豪州)(?=[^\d()]{0,8}(?:特許|公開|実用新案)))(再発行特許|意匠特許|登録特許|公開特許|実用新案|[^\d()]{0,3}?特許)?(出願)?(公開)?[^\d()]{0,8}?"
    r"((?:RE|D|PP)?\d(?:[\d,./ -]*\d)?)"
)
OFFICES = {
    "国際公開": "WO", "米国": "US", "欧州": "EP", "独国": "DE", "ドイツ": "DE", "英国": "GB", "イギリス": "GB",
    "仏国": "FR", "フランス": "FR", "中国": "CN", "中華人民共和国": "CN", "韓国": "KR", "大韓民国": "KR", "台湾": "TW",
    "ロシア": "RU", "スイス": "CH", "カナダ": "CA", "オーストラリア": "AU", "豪州": "AU",
}  # fmt: skip
WITH_B_FOR_GRANTS = frozenset(["EP", "KR", "CN"])  # elsewhere the kind of a grant was A once
PRINTED_KIND = re.compile(r"\(\s*([A-Z]{2})\s*[,、]\s*([A-Z]\d?)\s*\)")  # (JP,A), (KR,B1)
APPLICATION = re.compile(
    r"APPL|SERIAL|SER\. ?NO|ANMELDUNG|DEMANDE|出願番号|特願"
)  # not published under this number


def number_in_words(text: str, date: str = "") -> str:
    """The first publication named in a phrase; empty if none."""
    text = plain(text[:400])
    foreign, japanese = FOREIGN.search(text), JAPANESE.search(text)
    if foreign and (japanese is None or foreign.start() < japanese.start()):
        return _foreign(foreign, text, date)
    if japanese:
        number, kind = japanese[2], JAPANESE_KINDS[japanese[1]]
        if kind == "A1":  # an international application, published again in Japanese
            number = "WO" + number
        return publication_number("JP", number, _printed_kind("JP", text) or kind, date)
    is_application = APPLICATION.search(text) and "PUB" not in text
    found = IN_WORDS.search(GERMAN.sub(r"\1 ", AMERICAN.sub("US ", text)))
    if found is None or is_application:
        return ""
    kind = found[2] or found[4] or ""
    return publication_number(found[1], re.sub(r"(?<=[RP]) (?=[EP])", "", found[3]).strip(), kind, date)


def _foreign(found: re.Match[str], text: str, date: str) -> str:
    office, right, is_published = OFFICES[found[1]], found[2] or "", bool(found[4]) or found[1] == "国際公開"
    is_published = is_published or "公開" in right
    if "出願" in found[0] and not is_published:
        return ""  # the number of an application
    kind = "A" if is_published else "B" if right.endswith("特許") and office in WITH_B_FOR_GRANTS else ""
    kind = "U" if right == "実用新案" else kind
    number = found[5]
    return publication_number(office, number, _printed_kind(office, text) or kind, date)


def _printed_kind(office: str, text: str) -> str:
    printed = PRINTED_KIND.search(text)
    return printed[2] if printed and printed[1] == office else ""
