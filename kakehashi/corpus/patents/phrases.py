"""Finds the publication that a phrase names, such as `EP-A- 0 123 456` or 特開2004-123456."""

import re

from kakehashi.corpus.patents.numbers import publication_number
from kakehashi.corpus.patents.writings import plain

# EP-A- 0 123 456, WO 99/12345 A1, US 5,123,456, US-E- R E36 154
IN_WORDS = re.compile(
    r"^\W*([A-Z]{2})\W*(?:([A-Z]\d?)[\s-]+)?"
    r"((?:(?:[RPA] ?[EPI]|[DHTXIM])[ .]*|[A-Z]{1,2})?\d[\d ,./-]*)\W*([A-Z]\d?)?\b"
)
# 特開２００４－１２３４５６ is an application as published, 特許第3456789号 a grant, 特公 an examined one
JAPANESE = re.compile(r"(特開|特表|再表|特公|実開|実公|特許|実用新案登録)第?\s*([昭H平S令MTR]?[\d\s./-]*\d)")
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
APPLICATION = re.compile(
    r"APPL|SERIAL|SER\. ?NO|ANMELDUNG|DEMANDE|出願番号|特願"
)  # not published under this number


def number_in_words(text: str, date: str = "") -> str:
    """The first publication named in a phrase; empty if none."""
    text = plain(text[:400])
    if foreign := FOREIGN.search(text):
        country, kind = FOREIGN_KINDS[foreign[1]]
        return publication_number(country, foreign[2], kind, date)
    if japanese := JAPANESE.search(text):
        return publication_number("JP", japanese[2], JAPANESE_KINDS[japanese[1]], date)
    found = IN_WORDS.search(text)
    if found is None or (APPLICATION.search(text) and "PUB" not in text):
        return ""
    kind = found[2] or found[4] or ""
    return publication_number(found[1], re.sub(r"(?<=[RP]) (?=[EP])", "", found[3]).strip(), kind, date)
