"""The language of a text that does not name it: by its script, else that of its office."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

import msgspec

from kakehashi.corpus.patents.record import PatentRecord

UNSAID = frozenset(["", "ol", "xx"])  # "original language" and "unknown", as the European office writes
HANGUL, HAN = re.compile("[\uac00-\ud7a3]"), re.compile("[\u4e00-\u9fff]")
KANA = re.compile(
    "[\u3041-\u3093\u30a1-\u30f6]"
)  # but not the half-width ones, which old tables use for letters
CYRILLIC = re.compile("[\u0400-\u04ff]")
_OFFICES = {
    "en": "US GB AU CA NZ IE IN ZA SG AP PH MY HK", "de": "DE AT DD", "fr": "FR BE LU MA TN OA", "it": "IT SM",
    "es": "ES MX AR CL CO PE UY EC CU", "pt": "PT BR", "nl": "NL", "sv": "SE", "da": "DK", "no": "NO", "fi": "FI",
    "pl": "PL", "cs": "CZ CS", "sk": "SK", "hu": "HU", "ro": "RO MD", "tr": "TR", "el": "GR", "hr": "HR",
    "sl": "SI", "sr": "RS YU", "bg": "BG", "ru": "RU SU EA BY KZ", "uk": "UA", "ja": "JP", "ko": "KR",
    "zh": "CN TW",
}  # fmt: skip
OF_OFFICE = {office: language for language, offices in _OFFICES.items() for office in offices.split()}
TEXTS = ("titles", "abstracts", "first_claims", "claims", "descriptions")
IN_CYRILLIC = frozenset(["ru", "uk", "bg", "sr"])
NOT_LATIN = IN_CYRILLIC | {"ja", "ko", "zh", "el"}


def language_of(words: str, likely: str = "en") -> str:
    """Of a text; `likely` decides between languages that share its script."""
    if KANA.search(words):
        return "ja"
    if HANGUL.search(words):
        return "ko"
    if HAN.search(words):
        return likely if likely in ("ja", "ko") else "zh"
    if CYRILLIC.search(words):
        return likely if likely in IN_CYRILLIC else "ru"
    is_latin = all(unicodedata.name(one, "LATIN").startswith("LATIN") for one in words[:50] if one.isalpha())
    return "en" if likely in NOT_LATIN and is_latin else likely


def with_languages(record: PatentRecord) -> PatentRecord:
    """The record with a language for texts that do not name it."""
    unsaid = {name: named for name in TEXTS if (named := _named(getattr(record, name), record.country))}
    return msgspec.structs.replace(record, **unsaid) if unsaid else record


def _named(texts: Mapping[str, Any], office: str) -> dict[str, Any]:
    """Empty if all texts name their language."""
    if UNSAID.isdisjoint(texts):
        return {}
    found = {lang: text for lang, text in texts.items() if lang not in UNSAID}
    for lang in UNSAID & texts.keys():
        words = texts[lang] if isinstance(texts[lang], str) else " ".join(texts[lang])
        found.setdefault(language_of(words, OF_OFFICE.get(office, "en")), texts[lang])
    return found


def code_of(tag: str) -> str:
    """Two or three lower-case letters of a tag such as `EN`, `zh-CN` or `cn`."""
    name = tag.strip().lower().replace("_", "-").split("-")[0][:3]
    return "zh" if name == "cn" else name
