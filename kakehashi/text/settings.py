"""How a text becomes terms, as plain settings that every artifact records; does no analysis itself."""

import re
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from kakehashi.errors import InputError
from kakehashi.text.filters import STEMMERS
from kakehashi.text.induced import IdfName
from kakehashi.text.stopwords import STOP_LISTS

VERSION = 1  # of the rules in this room: raise it when the same settings give other terms
TokenizerName = Literal["english", "german", "french", "japanese", "default", "plain"]
_TOKENIZERS: dict[str, TokenizerName] = {"en": "english", "de": "german", "fr": "french", "ja": "japanese"}
_LANGUAGE = re.compile("[a-z]{2,8}")


class AnalyzerSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every choice between text and terms, in the order in which the steps happen."""

    lang: str  # "en", "ja"; "de-AT" is taken as "de"
    tokenizer: TokenizerName | None = None  # None: the language's own, or default
    split_hyphens: bool = False  # "light-emitting" as one word (Moses) or two
    lowercase: bool = True
    punctuation: bool = False  # keep punctuation marks as terms
    stop: Literal["none", "small", "large", "induced"] = "none"
    stop_idf: IdfName = "rsj_clamped"  # which idf induces stop words
    stop_words: tuple[str, ...] = ()  # dropped besides
    numbers: Literal["keep", "remove", "simplify"] = "keep"
    qstem: bool = False  # delete hiragana
    compounds: bool = False
    compound_min_part: int = 0  # letters; 0: the language's own
    compound_fillers: tuple[str, ...] | None = None  # None: the language's own
    stem: bool = False
    vocabulary: int = 0  # most frequent terms kept; 0: all
    ngrams: int = 1  # 2 adds pairs of neighbouring terms
    version: int = VERSION

    def __post_init__(self) -> None:
        lang = re.split("[-_]", self.lang.lower(), maxsplit=1)[0]
        if not _LANGUAGE.fullmatch(lang):
            raise InputError(f"'{self.lang[:40]}' is not a language code: give one such as en, de, fr or ja")
        msgspec.structs.force_setattr(self, "lang", lang)
        msgspec.structs.force_setattr(self, "tokenizer", self.tokenizer or _TOKENIZERS.get(lang, "default"))
        fault = _fault(self)
        if fault:
            raise InputError(f"analyzer for '{lang}': {fault}")

    @property
    def learns(self) -> bool:
        """Whether a corpus must be read before texts can be analysed."""
        return self.compounds or self.stop == "induced" or self.vocabulary > 0


def _fault(settings: AnalyzerSettings) -> str | None:
    """What cannot be done, and what to set instead."""
    lang = settings.lang
    if settings.stem and lang not in STEMMERS:
        return "there is no stemmer for this language, set stem = false"
    if settings.stop in ("small", "large") and lang not in STOP_LISTS:
        return f"there is no {settings.stop} stop list for this language, set stop = none or induced"
    if not settings.lowercase and (settings.compounds or settings.numbers == "simplify"):
        return "compounds and simplified numbers need lowercase = true"
    if not 1 <= settings.ngrams <= 5:
        return f"ngrams = {settings.ngrams} is not between 1 and 5"
    if settings.vocabulary < 0 or not 0 <= settings.compound_min_part <= 30:
        return "vocabulary and compound_min_part must be 0 or more, the latter at most 30"
    if "" in (settings.compound_fillers or ()):
        return "an empty filler makes no sense, leave it out"
    return None


def read_settings(values: Mapping[str, Any]) -> AnalyzerSettings:
    """Settings from JSON or TOML values; unknown names and wrong types are refused."""
    try:
        return msgspec.convert(values, AnalyzerSettings)
    except msgspec.ValidationError as error:
        raise InputError(f"analyzer settings: {error}") from None


def settings_for(lang: str) -> AnalyzerSettings:
    """Defaults for retrieval; see docs/text.md for the reasons."""
    plain = AnalyzerSettings(lang=lang)
    lang = plain.lang
    return msgspec.structs.replace(
        plain,
        split_hyphens=True,
        stop="small" if lang in STOP_LISTS else "none",
        compounds=lang in ("de", "ja"),
        stem=lang in STEMMERS,
    )


def newsgroup_settings() -> AnalyzerSettings:
    """The chain of the 20 Newsgroups experiments: runs of letters in lower case, nothing else."""
    return AnalyzerSettings(lang="en", tokenizer="plain", numbers="remove")


def patent_settings(lang: str) -> AnalyzerSettings:
    """The chain of the patent experiments: induced stop words, digits as N, Japanese without hiragana."""
    plain = AnalyzerSettings(lang=lang, stop="induced", numbers="simplify")
    return msgspec.structs.replace(plain, qstem=plain.lang == "ja", compounds=plain.lang == "ja")
