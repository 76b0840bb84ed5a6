import threading

import pytest

from kakehashi.text import japanese


def test_mecab_cuts_words() -> None:
    assert japanese.segment("図1において、データを処理する。") == [
        "図",
        "1",
        "において",
        "、",
        "データ",
        "を",
        "処理",
        "する",
        "。",
    ]


def test_full_width_and_half_width_are_the_same() -> None:
    assert japanese.segment("ＡＢＣ　ﾃﾞｰﾀ") == ["ABC", "データ"]


@pytest.mark.parametrize("word", ["3.5mm", "foo-bar", "1,234", "user@host.org", "10kg"])
def test_ascii_stretch_stays_one_chunk(word: str) -> None:
    assert japanese.segment(f"約{word}の物") == ["約", word, "の", "物"]


def test_ascii_words_apart_stay_apart() -> None:
    assert japanese.segment("open source 3 .5") == ["open", "source", "3", ".5"]


def test_lines_are_kept_apart() -> None:
    assert list(japanese.lines("標題\n\n本文です")) == [["標題"], ["本文", "です"]]


@pytest.mark.parametrize("text", ["", "\x00", "\ud800", "\n\n", "   ", "\x00データ\ud800"])
def test_hostile_input_is_survived(text: str) -> None:
    assert japanese.segment(text) in ([], ["データ"])


def test_very_long_line_is_cut_between_sentences() -> None:
    sentence = "データを処理する。"
    n = 3 * japanese.MAX_PIECE // len(sentence)
    assert japanese.segment(sentence * n) == japanese.segment(sentence) * n


def test_very_long_line_without_a_sentence_end_loses_no_character() -> None:
    text = "データ" * japanese.MAX_PIECE
    assert "".join(japanese.segment(text)) == text


def test_threads_agree() -> None:
    expected = japanese.segment("データを処理する。" * 50)
    found: list[list[str]] = []
    threads = [
        threading.Thread(target=lambda: found.append(japanese.segment("データを処理する。" * 50)))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 8


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("図1において、データを処理する。", "図1において、データを処理する。"),
        ("USB 3.0 の A B 端子", "USB 3.0のA B端子"),
        ("約3.5mmの(a)物", "約3.5mmの(a)物"),
    ],
)
def test_chunks_join_to_text_with_gaps_only_inside_ascii(text: str, joined: str) -> None:
    assert japanese.joined(japanese.segment(text)) == joined
