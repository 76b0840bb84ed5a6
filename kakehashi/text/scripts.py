"""Which language a text may be in, guessed from its letters and its commonest words; knows only a few languages."""

import re
import unicodedata
from collections import Counter

from kakehashi.text.stopwords import STOP_LISTS, stop_list

_SCRIPTS = {  # beginning of a character's Unicode name -> script
    "LATIN": "Latin", "FULLWIDTH LATIN": "Latin", "CYRILLIC": "Cyrillic", "GREEK": "Greek", "ARABIC": "Arabic",
    "HEBREW": "Hebrew", "THAI": "Thai", "DEVANAGARI": "Devanagari", "HANGUL": "Korean", "HIRAGANA": "Japanese",
    "KATAKANA": "Japanese", "HALFWIDTH KATAKANA": "Japanese", "CJK": "Chinese",
}  # fmt: skip
_WRITTEN_IN = {  # language -> scripts; of any other language nothing is said
    "ja": {"Japanese", "Chinese"}, "zh": {"Chinese"}, "ko": {"Korean", "Chinese"}, "ru": {"Cyrillic"},
    "uk": {"Cyrillic"}, "bg": {"Cyrillic"}, "el": {"Greek"}, "ar": {"Arabic"}, "fa": {"Arabic"}, "he": {"Hebrew"},
    "th": {"Thai"}, "hi": {"Devanagari"},
    **{lang: {"Latin"} for lang in ("en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "fi", "pl", "cs")},
}  # fmt: skip
_SEVERAL = {  # scripts of several languages
    "Latin": "written in Latin letters", "Cyrillic": "written in Cyrillic letters",
    "Arabic": "written in Arabic letters", "Chinese": "written in Chinese characters",
}  # fmt: skip
NAMES = {
    "ar": "Arabic", "bg": "Bulgarian", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English",
    "es": "Spanish", "fa": "Persian", "fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi", "it": "Italian",
    "ja": "Japanese", "ko": "Korean", "nl": "Dutch", "pl": "Polish", "pt": "Portuguese", "ru": "Russian",
    "sv": "Swedish", "th": "Thai", "uk": "Ukrainian", "zh": "Chinese",
}  # fmt: skip


def language_name(lang: str) -> str:
    return NAMES.get(lang, f"'{lang}'")


def looks_foreign(text: str, lang: str) -> str:
    """What a text looks to be that does not look to be in `lang`; empty where it may well be."""
    script = script_of(text)
    if not script:
        return ""
    if script not in _WRITTEN_IN.get(lang, {script}):
        return _SEVERAL.get(script, script)
    words = Counter(re.findall(r"\w+", text.lower()))
    common = {
        other: sum(words[word] for word in stop_list(other, "small"))
        for other in STOP_LISTS
        if script in _WRITTEN_IN.get(other, set()) and other != "ja"
    }
    best = max(common, key=lambda other: common[other], default=lang)
    return language_name(best) if lang in common and common[best] > 2 * common[lang] else ""


def script_of(text: str) -> str:
    """The script of most letters; kana among Chinese characters make it Japanese."""
    counts: Counter[str] = Counter()
    for char in text[:10_000]:
        if char.isalpha():
            name = unicodedata.name(char, "")
            counts[next((script for start, script in _SCRIPTS.items() if name.startswith(start)), "")] += 1
    if counts["Japanese"] and counts["Japanese"] + counts["Chinese"] > counts["Latin"]:
        return "Japanese"
    return max(counts, key=lambda script: counts[script]) if counts else ""
