"""What holds for any text at all; strategies mix scripts, signs and characters nobody expects."""

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kakehashi.text.analyzer import Analyzer
from kakehashi.text.compounds import CompoundRules, CompoundSplitter
from kakehashi.text.induced import induced_stop_words
from kakehashi.text.learn import learn
from kakehashi.text.settings import (
    AnalyzerSettings,
    newsgroup_settings,
    patent_settings,
    read_settings,
    settings_for,
)
from kakehashi.text.state import AnalyzerState, read_state, state_from_arrays

ANY = st.characters(codec=None)  # lone surrogates too
WRITTEN = st.sampled_from("aZéßİΣ19.,;:!?'’\"-–/()_ \n\tあのア゛ーッ漢字々。「」、한글ไทยहि�️™²½C+#")
TEXT = st.text(st.one_of(WRITTEN, WRITTEN, ANY), max_size=60)
ANALYZERS = {
    "en": Analyzer(settings_for("en")),
    "de": learn(settings_for("de"), ["Der Plan einer Aktion. Haus Türen"]),
    "fr": Analyzer(settings_for("fr")),
    "ja": learn(settings_for("ja"), ["データ ベース データ"]),
    "zh": Analyzer(settings_for("zh")),
    "moses": Analyzer(AnalyzerSettings(lang="en", punctuation=True, lowercase=False)),
    "bigrams": Analyzer(AnalyzerSettings(lang="fr", ngrams=2, punctuation=True)),
    "bigrams-ja": Analyzer(AnalyzerSettings(lang="ja", ngrams=2)),
    "patents-ja": learn(patent_settings("ja"), ["データ を 提供 する"]),
    "newsgroups": Analyzer(newsgroup_settings()),
}


@pytest.mark.parametrize("name", ANALYZERS)
@given(text=TEXT)
@example(text="\ud800\x00")
@example(text="´ ゛ ﷺ")
def test_any_text_becomes_terms_that_can_be_stored(name: str, text: str) -> None:
    for term in ANALYZERS[name].terms(text):
        assert term
        assert term == term.strip()
        assert not any(c.isspace() for c in term)
        assert len(term.encode()) <= 2 * 4 * 128 + 1


@pytest.mark.parametrize("name", ANALYZERS)
@given(text=TEXT)
@example(text="FIG. 1. A\x1cB\x85C\u2028d。e")
def test_sentences_put_together_are_the_terms(name: str, text: str) -> None:
    analyzer = ANALYZERS[name]
    sentences = analyzer.sentences(text)
    assert [term for sentence in sentences for term in sentence] == analyzer.terms(text)
    assert all(sentences)


@pytest.mark.parametrize("name", [name for name in ANALYZERS if ANALYZERS[name].is_chunk_local])
@given(text=TEXT)
def test_terms_are_those_of_the_chunks(name: str, text: str) -> None:
    analyzer = ANALYZERS[name]
    chunks = analyzer.segment(text)
    assert [term for chunk in chunks for term in analyzer.chunk_terms(chunk)] == analyzer.terms(text)
    assert not any(c.isspace() for chunk in chunks for c in chunk)


@pytest.mark.parametrize(
    "settings",
    [
        newsgroup_settings(),
        AnalyzerSettings(lang="en", numbers="remove"),
        AnalyzerSettings(lang="fr", split_hyphens=True),
    ],
    ids=["newsgroups", "english", "french"],
)
@given(text=TEXT)
@example(text="İ Ὰͅ ﷺ ΑΣ.Β aujourd'hui")
def test_analysing_terms_again_changes_nothing(settings: AnalyzerSettings, text: str) -> None:
    analyzer = Analyzer(settings)
    terms = analyzer.terms(text)
    assert analyzer.terms(" ".join(terms)) == terms


@given(text=TEXT)
def test_no_digit_survives_the_newsgroup_chain(text: str) -> None:
    assert not any(c.isdecimal() for term in ANALYZERS["newsgroups"].terms(text) for c in term)


@given(text=TEXT)
def test_no_hiragana_and_no_digit_survives_the_japanese_patent_chain(text: str) -> None:
    terms = ANALYZERS["patents-ja"].terms(text)
    assert not any("\u3040" <= c <= "\u309f" or c.isdecimal() for term in terms for c in term)


SETTINGS = st.builds(
    AnalyzerSettings,
    lang=st.sampled_from(["en", "de", "fr", "ja"]),
    split_hyphens=st.booleans(),
    punctuation=st.booleans(),
    stop=st.sampled_from(["none", "small", "large", "induced"]),
    stop_words=st.lists(st.sampled_from(["a", "b"]), max_size=2).map(tuple),
    numbers=st.sampled_from(["keep", "remove", "simplify"]),
    qstem=st.booleans(),
    compounds=st.booleans(),
    compound_fillers=st.none() | st.just(("s",)),
    vocabulary=st.integers(0, 3),
    ngrams=st.integers(1, 3),
)
WORDS = st.lists(st.text(st.characters(codec="utf-8"), max_size=5), max_size=4, unique=True).map(tuple)
STATES = st.builds(
    lambda words, counts, kept, stop: AnalyzerState(
        words=words, counts=tuple(counts[: len(words)]), vocabulary=kept, stop_words=stop
    ),
    WORDS,
    st.lists(st.integers(0, 2**40), min_size=4, max_size=4),
    WORDS,
    WORDS,
)


@given(settings=SETTINGS)
def test_settings_survive_json(settings: AnalyzerSettings) -> None:
    assert read_settings(msgspec.json.decode(msgspec.json.encode(settings))) == settings


@given(state=STATES)
def test_state_survives_arrays_and_json(state: AnalyzerState) -> None:
    assert state_from_arrays(state.arrays().__getitem__) == state
    assert read_state(msgspec.json.decode(msgspec.json.encode(state))) == state


@given(one=st.tuples(SETTINGS, STATES), two=st.tuples(SETTINGS, STATES))
def test_fingerprints_agree_exactly_where_settings_and_state_do(
    one: tuple[AnalyzerSettings, AnalyzerState], two: tuple[AnalyzerSettings, AnalyzerState]
) -> None:
    assert Analyzer(*one).fingerprint == Analyzer(*one).fingerprint
    assert (Analyzer(*one).fingerprint == Analyzer(*two).fingerprint) == (one == two)


@given(
    word=st.text("abs", min_size=1, max_size=14),
    counts=st.dictionaries(st.text("abs", min_size=1, max_size=6), st.integers(1, 99), max_size=20),
)
def test_parts_of_a_compound_are_known_and_spell_it_but_for_fillers(
    word: str, counts: dict[str, int]
) -> None:
    parts = CompoundSplitter(counts, CompoundRules(min_part=2, fillers=("s",))).split(word)
    assert parts == (word,) or all(counts.get(part) for part in parts)
    spelled = {parts[0]}
    for part in parts[1:]:
        spelled = {start + filler + part for start in spelled for filler in ("", "s")}
    assert word in spelled


@given(df=st.dictionaries(st.text(max_size=3), st.integers(1, 40), max_size=20))
def test_induced_stop_words_stand_in_half_of_the_texts_or_more(df: dict[str, int]) -> None:
    assert set(induced_stop_words(df, 40)) == {word for word, n in df.items() if n >= 20}
