import pytest

from kakehashi.errors import InputError
from kakehashi.text.analyzer import Analyzer
from kakehashi.text.settings import AnalyzerSettings
from kakehashi.text.stopwords import STOP_LISTS, stop_list


def test_english_lists_have_the_published_sizes() -> None:
    assert len(stop_list("en", "small")) == 52
    assert len(stop_list("en", "large")) == 543


@pytest.mark.parametrize("lang", STOP_LISTS)
def test_large_list_holds_the_small_one(lang: str) -> None:
    small, large = stop_list(lang, "small"), stop_list(lang, "large")
    assert small < large
    assert 50 <= len(small) <= 60 < 300 < len(large)


@pytest.mark.parametrize("lang", STOP_LISTS)
def test_every_stop_word_is_a_word_as_tokenizers_leave_it(lang: str) -> None:
    """A listed word that no tokenizer produces would never be found."""
    analyzer = Analyzer(AnalyzerSettings(lang=lang))
    assert [w for w in stop_list(lang, "large") if analyzer.chunk_terms(w) != (w,)] == []


@pytest.mark.parametrize("lang", STOP_LISTS)
def test_stop_words_are_dropped(lang: str) -> None:
    analyzer = Analyzer(AnalyzerSettings(lang=lang, stop="large"))
    assert analyzer.terms_of_chunks(sorted(stop_list(lang, "large"))) == []


def test_language_without_list_is_named() -> None:
    assert stop_list("zh", "none") == frozenset()
    with pytest.raises(InputError, match="no small stop list for 'zh'"):
        stop_list("zh", "small")
