import pickle
import threading

import msgspec
import pytest

from kakehashi.errors import InputError
from kakehashi.text import chain
from kakehashi.text.analyzer import Analyzer
from kakehashi.text.learn import learn
from kakehashi.text.settings import AnalyzerSettings, newsgroup_settings, patent_settings, settings_for
from kakehashi.text.state import AnalyzerState


def test_english_defaults_stem_and_drop_function_words() -> None:
    terms = Analyzer(settings_for("en")).terms(
        "The light-emitting diodes of FIG. 3, made in the U.S., don't connect."
    )
    assert terms == ["light", "emit", "diod", "fig", "3", "made", "u.s", "don", "connect"]


def test_german_defaults_split_compounds_and_stem() -> None:
    texts = ["Der Plan der Aktion.", "Ein Plan und eine Aktion", "Pläne"]
    terms = learn(settings_for("de"), texts).terms("Die Aktionspläne, der Aktionsplan")
    assert terms == ["aktion", "plan", "aktion", "plan"]


def test_french_defaults_drop_elided_articles() -> None:
    assert Analyzer(settings_for("fr")).terms("L'eau et d'autres fluides") == ["eau", "autr", "fluid"]


def test_japanese_defaults_split_katakana_compounds() -> None:
    analyzer = learn(settings_for("ja"), ["マイクロ コンピュータ の マイクロ", "コンピュータ"])
    assert analyzer.terms("マイクロコンピュータ3.5台") == ["マイクロ", "コンピュータ", "3.5", "台"]


def test_unknown_language_is_analysed_by_the_default_rules() -> None:
    assert Analyzer(settings_for("zh")).terms("中国人 ABC") == ["中国", "国人", "abc"]
    assert Analyzer(settings_for("es")).terms("Las válvulas") == ["las", "valvul"]


def test_newsgroup_chain_leaves_runs_of_small_letters() -> None:
    text = "Re: 3 X-Files, don't miss v2.0a (e-mail: Joe_B@site.edu)!"
    analyzer = Analyzer(newsgroup_settings())
    terms = analyzer.terms(text)
    assert terms == ["re", "x", "files", "don", "t", "miss", "v", "a", "e", "mail", "joe", "b", "site", "edu"]
    assert analyzer.terms(" ".join(terms)) == terms


def test_patent_chain_simplifies_numbers_and_drops_common_words() -> None:
    texts = ["the valve 128", "the pump 7", "the gear", "a gear 3.5"]
    analyzer = learn(patent_settings("en"), texts)
    assert analyzer.state.stop_words == ("gear", "the")  # in two and three of four texts
    assert analyzer.terms("The valve 128 and 3.5mm gear") == ["valve", "NNN", "and", "N.Nmm"]


def test_patent_chain_leaves_no_hiragana() -> None:
    analyzer = learn(patent_settings("ja"), ["空"])
    assert analyzer.terms("データを取り付けること128") == ["データ", "取付", "NNN"]


def test_kept_punctuation_becomes_terms() -> None:
    analyzer = Analyzer(AnalyzerSettings(lang="en", punctuation=True, lowercase=False))
    assert analyzer.terms("Yes, see FIG. 1.") == ["Yes", ",", "see", "FIG.", "1", "."]


def test_explicit_stop_words_are_dropped_besides_the_list() -> None:
    settings = AnalyzerSettings(lang="en", stop="small", stop_words=("device",))
    assert Analyzer(settings).terms("the device works") == ["works"]


def test_bigrams_follow_the_terms_of_their_sentence_and_do_not_cross_it() -> None:
    analyzer = Analyzer(AnalyzerSettings(lang="en", ngrams=2))
    assert not analyzer.is_chunk_local
    assert analyzer.sentences("Open valves leak. Pumps run") == [
        ["open", "valves", "leak", "open_valves", "valves_leak"],
        ["pumps", "run", "pumps_run"],
    ]


def test_trigrams_come_after_bigrams() -> None:
    assert Analyzer(AnalyzerSettings(lang="en", ngrams=3)).terms("a b c") == [
        "a",
        "b",
        "c",
        "a_b",
        "b_c",
        "a_b_c",
    ]


def test_no_term_holds_the_ngram_separator() -> None:
    for lang in ("en", "fr", "ja", "zh"):
        for punctuation in (False, True):
            analyzer = Analyzer(AnalyzerSettings(lang=lang, punctuation=punctuation))
            assert analyzer.terms("snake_case ＿ _a_ _") == ["snake", "case", "a"]


def test_line_break_ends_a_sentence_in_every_language() -> None:
    assert len(Analyzer(AnalyzerSettings(lang="en")).sentences("A title\nand text")) == 2
    assert len(Analyzer(AnalyzerSettings(lang="ja")).sentences("標題\n本文")) == 2


def test_chinese_sentences_end_without_white_space() -> None:
    assert Analyzer(settings_for("zh")).sentences("中国。日本！法国") == [["中国"], ["日本"], ["法国"]]


def test_sentences_keep_their_capitals_and_signs() -> None:
    german = Analyzer(AnalyzerSettings(lang="de", stem=True))
    chunks = list(german.sentence_chunks("Das Haus,  am See. Es (z. B.) brennt!\nUnd"))
    assert [german.join_chunks(each) for each in chunks] == ["Das Haus, am See.", "Es (z. B.) brennt!", "Und"]
    japanese = Analyzer(AnalyzerSettings(lang="ja"))
    assert [japanese.join_chunks(each) for each in japanese.sentence_chunks("図1だ。次。")] == [
        "図1だ。",
        "次。",
    ]


def test_figure_reference_ends_no_sentence() -> None:
    assert len(Analyzer(settings_for("en")).sentences("As FIG. 1 shows, it opens. FIG. 2 shows more.")) == 2


def test_foreign_chunks_pass_through_the_target_chain() -> None:
    source, target = Analyzer(AnalyzerSettings(lang="ja")), Analyzer(settings_for("en"))
    assert target.terms_of_chunks(source.segment("ＵＳＢメモリのDrivers 3.5")) == [
        "usb",
        "メモリ",
        "の",
        "driver",
        "3.5",
    ]


def test_indexer_sees_the_same_terms_chunk_by_chunk() -> None:
    analyzer, text = Analyzer(settings_for("en")), "Valves, pumps and U.S. patents/claims (FIG. 1)."
    assert [t for c in analyzer.segment(text) for t in analyzer.chunk_terms(c)] == analyzer.terms(text)


def test_fingerprint_names_tokenizer_version_and_contents() -> None:
    analyzer = Analyzer(AnalyzerSettings(lang="de"))
    name, _, digest = analyzer.fingerprint.partition(":")
    assert name == "german/1"
    assert len(digest) == 10
    assert digest == Analyzer(AnalyzerSettings(lang="de")).fingerprint.partition(":")[2]


@pytest.mark.parametrize(
    "change",
    [
        {"stem": True},
        {"ngrams": 2},
        {"lang": "en"},
        {"stop_words": ("a",)},
        {"numbers": "remove"},
        {"punctuation": True},
    ],
)
def test_any_other_setting_gives_another_fingerprint(change: dict[str, object]) -> None:
    settings = AnalyzerSettings(lang="de")
    assert Analyzer(msgspec.structs.replace(settings, **change)).fingerprint != Analyzer(settings).fingerprint


def test_other_state_gives_another_fingerprint() -> None:
    settings = AnalyzerSettings(lang="de", compounds=True)
    one = Analyzer(settings, AnalyzerState(words=("plan",), counts=(1,)))
    two = Analyzer(settings, AnalyzerState(words=("plan",), counts=(2,)))
    assert one.fingerprint != two.fingerprint


def test_settings_of_another_version_are_refused() -> None:
    with pytest.raises(InputError, match=r"german/99 is not that of this program .*: run kakehashi index"):
        Analyzer(AnalyzerSettings(lang="de", version=99))


@pytest.mark.parametrize("extra", [{"compounds": True}, {"stop": "induced"}, {"vocabulary": 10}])
def test_analyzer_that_must_learn_is_not_built_unlearned(extra: dict[str, object]) -> None:
    with pytest.raises(InputError, match="learns from a corpus"):
        Analyzer(AnalyzerSettings(lang="de", **extra))


def test_full_cache_starts_afresh_and_long_chunks_stay_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain, "MAX_CACHED", 3)
    made: list[str] = []

    def make(chunk: str) -> tuple[str, ...]:
        made.append(chunk)
        return (chunk,)

    cache = chain.ChunkCache(make)
    for chunk in ("a", "b", "c", "a", "d", "a"):
        assert cache[chunk] == (chunk,)
    assert made == ["a", "b", "c", "d", "a"]
    assert cache["x" * 100] == ("x" * 100,)
    assert len(cache) == 2


def test_analyzer_survives_pickling_for_worker_processes() -> None:
    analyzer = learn(AnalyzerSettings(lang="de", compounds=True), ["Plan Aktion"])
    copy = pickle.loads(pickle.dumps(analyzer))
    assert copy.fingerprint == analyzer.fingerprint
    assert copy.terms("Aktionsplan") == ["aktion", "plan"]


def test_threads_share_an_analyzer() -> None:
    analyzer = Analyzer(settings_for("en"))
    text = " ".join(f"valves{i} pumping" for i in range(2000))
    expected = Analyzer(settings_for("en")).terms(text)
    found: list[list[str]] = []
    threads = [threading.Thread(target=lambda: found.append(analyzer.terms(text))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 8
