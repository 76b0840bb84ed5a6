"""The settings that turn text into terms, recorded by every artifact; does no analysis itself."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from kakehashi.errors import InputError
from kakehashi.text.filters import STEMMERS
from kakehashi.text.induced import IdfName
from kakehashi.text.stopwords import STOP_LISTS

VERSION = 1  # version of the rules in this package: increase it when the same settings give different terms
TokenizerName = Literal["english", "german", "french", "japanese", "default", "plain"]
_TOKENIZERS: dict[str, TokenizerName] = {"en": "english", "de": "german", "fr": "french", "ja": "japanese"}
_LANGUAGE = re.compile("[a-z]{2,8}")


class AnalyzerSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All choices between text and terms, in the order of the steps."""

    lang: Annotated[str, Meta(description="Language code such as `en` or `ja`; `de-AT` is read as `de`.")]
    tokenizer: Annotated[
        TokenizerName | None,
        Meta(description="Rules that split text into words; by default those of the language, or `default`."),
    ] = None
    split_hyphens: Annotated[
        bool,
        Meta(description="Split `light-emitting` into two words. If false, it stays one word, as in Moses."),
    ] = False
    lowercase: Annotated[bool, Meta(description="Convert to lower case, whatever the language.")] = True
    punctuation: Annotated[bool, Meta(description="Keep punctuation marks as terms.")] = False
    stop: Annotated[
        Literal["none", "small", "large", "induced"],
        Meta(
            description="Stop words to drop: `none`, a `small` or a `large` list, or words `induced` from the "
            "corpus."
        ),
    ] = "none"
    stop_idf: Annotated[
        IdfName,
        Meta(
            description="`stop=induced`: the idf that finds stop words. `rsj_clamped` drops words in half of the "
            "texts or more, `log` only words in every text."
        ),
    ] = "rsj_clamped"
    stop_words: Annotated[tuple[str, ...], Meta(description="Further words to drop.")] = ()
    numbers: Annotated[
        Literal["keep", "remove", "simplify"],
        Meta(description="`keep` numbers, `remove` all digits, or `simplify` them: every digit becomes N."),
    ] = "keep"
    qstem: Annotated[bool, Meta(description="Delete hiragana.")] = False
    compounds: Annotated[bool, Meta(description="Split compounds into parts that occur in the corpus.")] = (
        False
    )
    compound_min_part: Annotated[
        int,
        Meta(
            description="Minimum number of letters in a part of a compound, at most 30; 0 uses the language's own."
        ),
    ] = 0
    compound_fillers: Annotated[
        tuple[str, ...] | None,
        Meta(
            description="Letters that may stand between two parts and are dropped; by default the language's own."
        ),
    ] = None
    stem: Annotated[bool, Meta(description="Reduce words to their stems (Snowball).")] = False
    vocabulary: Annotated[int, Meta(description="Number of most frequent terms to keep; 0 keeps all.")] = 0
    ngrams: Annotated[
        int, Meta(description="Longest n-grams, 1 to 5; 2 adds pairs of neighbouring terms.")
    ] = 1
    version: Annotated[int, Meta(description="Version of the analysis rules.")] = VERSION

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
    """What is not possible, and what to set instead."""
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
    """Settings from JSON or TOML values; unknown names and wrong types are rejected."""
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
    """The chain of the patent experiments: stop words by statistics, digits as N, Japanese without hiragana."""
    plain = AnalyzerSettings(lang=lang, stop="induced", numbers="simplify")
    return msgspec.structs.replace(plain, qstem=plain.lang == "ja", compounds=plain.lang == "ja")
