from collections.abc import Iterator

import pytest

from kakehashi.text.learn import learn, most_frequent
from kakehashi.text.settings import AnalyzerSettings


def test_most_frequent_words_come_first_and_ties_by_string() -> None:
    assert most_frequent({"b": 2, "a": 2, "c": 5, "d": 1}, 3) == ["c", "a", "b"]
    assert most_frequent({"a": 1}, 10) == ["a"]


def test_limited_vocabulary_keeps_the_most_frequent_terms() -> None:
    analyzer = learn(
        AnalyzerSettings(lang="en", vocabulary=2), ["valve pump valve", "pump gear valve", "axle"]
    )
    assert analyzer.state.vocabulary == ("pump", "valve")
    assert analyzer.terms("gear valve axle pump unseen") == ["valve", "pump"]


def test_vocabulary_counts_what_comes_out_of_the_chain() -> None:
    settings = AnalyzerSettings(lang="en", vocabulary=1, stem=True, stop="small")
    analyzer = learn(settings, ["the the the pumping pumped valve"])
    assert analyzer.state.vocabulary == ("pump",)


def test_induced_stop_words_count_texts_not_tokens() -> None:
    texts = ["often often often often", "the pump", "the valve", "the gear"]
    analyzer = learn(AnalyzerSettings(lang="en", stop="induced"), texts)
    assert analyzer.state.stop_words == ("the",)
    everywhere = AnalyzerSettings(lang="en", stop="induced", stop_idf="log")
    assert learn(everywhere, texts).state.stop_words == ()


def test_function_words_are_no_parts_of_compounds() -> None:
    texts = ["über über über über Setzung Setzung Haus Tür"]
    analyzer = learn(AnalyzerSettings(lang="de", compounds=True, compound_min_part=3), texts)
    assert analyzer.terms("Übersetzung Haustür") == ["übersetzung", "haus", "tür"]


def test_fillers_and_part_length_can_be_set() -> None:
    texts = ["Aktion Plan"]
    strict = AnalyzerSettings(lang="de", compounds=True, compound_fillers=())
    assert learn(strict, texts).terms("Aktionsplan") == ["aktionsplan"]
    longer = AnalyzerSettings(lang="de", compounds=True, compound_min_part=5)
    assert learn(longer, texts).terms("Aktionsplan") == ["aktionsplan"]


def test_compound_as_frequent_as_its_parts_stays_whole() -> None:
    texts = ["Haustür Haustür Haus Haus Tür Tür", "nichts"]
    settings = AnalyzerSettings(lang="de", compounds=True, compound_min_part=3)
    assert learn(settings, texts).terms("Haustür") == ["haustür"]


def test_texts_are_read_once_and_only_when_needed() -> None:
    def texts() -> Iterator[str]:
        yield "valve"
        yield "valve pump"

    assert learn(AnalyzerSettings(lang="en", vocabulary=1), texts()).terms("valve pump") == ["valve"]

    def untouchable() -> Iterator[str]:
        pytest.fail("nothing to learn, nothing to read")
        yield ""

    learn(AnalyzerSettings(lang="en"), untouchable())


def test_learning_from_nothing_gives_an_analyzer_that_keeps_words_whole() -> None:
    settings = AnalyzerSettings(lang="de", compounds=True, stop="induced")
    assert learn(settings, []).terms("Die Haustür") == ["die", "haustür"]
