import msgspec
import pytest

from kakehashi.errors import InputError
from kakehashi.text.settings import (
    AnalyzerSettings,
    newsgroup_settings,
    patent_settings,
    read_settings,
    settings_for,
)


@pytest.mark.parametrize(
    ("lang", "tokenizer"),
    [("en", "english"), ("de-AT", "german"), ("fr_CA", "french"), ("JA", "japanese"), ("zh", "default")],
)
def test_language_chooses_its_tokenizer(lang: str, tokenizer: str) -> None:
    assert AnalyzerSettings(lang=lang).tokenizer == tokenizer


def test_defaults_for_retrieval_are_those_documented() -> None:
    en, de, ja, zh = (settings_for(lang) for lang in ("en", "de", "ja", "zh"))
    assert (en.stem, en.stop, en.compounds, en.numbers, en.split_hyphens) == (
        True,
        "small",
        False,
        "keep",
        True,
    )
    assert (de.stem, de.stop, de.compounds) == (True, "small", True)
    assert (ja.stem, ja.stop, ja.compounds, ja.qstem) == (False, "small", True, False)
    assert (zh.stem, zh.stop, zh.compounds) == (False, "none", False)


@pytest.mark.parametrize(
    "settings",
    [
        settings_for("en"),
        settings_for("ja"),
        newsgroup_settings(),
        patent_settings("ja"),
        patent_settings("en"),
    ],
)
def test_settings_survive_json(settings: AnalyzerSettings) -> None:
    assert read_settings(msgspec.json.decode(msgspec.json.encode(settings))) == settings


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "lang"),
        ({"lang": "en", "stemm": True}, "stemm"),
        ({"lang": "en", "stop": "huge"}, "huge"),
        ({"lang": "en", "tokenizer": "klingon"}, "klingon"),
        ({"lang": "../etc"}, "not a language code"),
        ({"lang": "zh", "stem": True}, "no stemmer .* stem = false"),
        ({"lang": "zh", "stop": "small"}, "no small stop list"),
        ({"lang": "de", "compounds": True, "lowercase": False}, "lowercase = true"),
        ({"lang": "de", "numbers": "simplify", "lowercase": False}, "lowercase = true"),
        ({"lang": "de", "ngrams": 9}, "between 1 and 5"),
        ({"lang": "de", "ngrams": "2"}, "int"),
        ({"lang": "de", "vocabulary": -1}, "0 or more"),
        ({"lang": "de", "compound_fillers": ["", "s"]}, "empty filler"),
    ],
)
def test_bad_settings_are_refused_with_the_reason(values: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_settings(values)
