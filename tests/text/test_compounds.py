import random
from collections.abc import Iterator
from itertools import product
from math import prod

import pytest

from kakehashi.text.compounds import (
    GERMAN_RULES,
    KATAKANA_RULES,
    MAX_LENGTH,
    CompoundRules,
    CompoundSplitter,
)


def katakana(counts: dict[str, int]) -> CompoundSplitter:
    return CompoundSplitter(counts, KATAKANA_RULES)


def test_katakana_compound_splits_when_the_geometric_mean_is_higher() -> None:
    splitter = katakana({"マイクロ": 40, "コンピュータ": 90, "マイクロコンピュータ": 59})
    assert splitter.split("マイクロコンピュータ") == ("マイクロ", "コンピュータ")  # sqrt(40 * 90) = 60 > 59


@pytest.mark.parametrize("count", [60, 61])
def test_katakana_compound_stays_whole_when_it_is_as_frequent_itself(count: int) -> None:
    splitter = katakana({"マイクロ": 40, "コンピュータ": 90, "マイクロコンピュータ": count})
    assert splitter.split("マイクロコンピュータ") == ("マイクロコンピュータ",)


def test_unseen_compound_of_known_parts_splits_and_others_stay() -> None:
    splitter = katakana({"データ": 1, "ベース": 1})
    assert splitter.split("データベース") == ("データ", "ベース")
    assert splitter.split("データセット") == ("データセット",)


def test_part_does_not_begin_with_small_kana_or_length_mark() -> None:
    splitter = katakana(
        {"コンピ": 100, "ュータ": 100, "デ": 9, "ータ": 100, "サーバ": 5, "サ": 9, "ーバ": 100}
    )
    assert splitter.split("コンピュータ") == ("コンピュータ",)
    assert splitter.split("データ") == ("データ",)
    assert splitter.split("サーバ") == ("サーバ",)


def test_only_katakana_is_split_under_the_katakana_rules() -> None:
    splitter = katakana({"情報": 9, "処理": 9, "data": 9, "base": 9})
    assert splitter.split("情報処理") == ("情報処理",)
    assert splitter.split("database") == ("database",)


def test_german_filler_letters_between_parts_are_dropped() -> None:
    splitter = CompoundSplitter({"aktion": 50, "plan": 80, "blume": 9, "blumen": 3, "topf": 9}, GERMAN_RULES)
    assert splitter.split("aktionsplan") == ("aktion", "plan")
    assert splitter.split("blumentopf") == ("blume", "topf")
    assert splitter.split("plans") == ("plans",)  # no filler at the end


def test_parts_shorter_than_allowed_are_not_found() -> None:
    counts = {"bio": 100, "gas": 100}
    assert CompoundSplitter(counts, GERMAN_RULES).split("biogas") == ("biogas",)
    assert CompoundSplitter(counts, CompoundRules(min_part=3)).split("biogas") == ("bio", "gas")


def test_overlong_word_stays_whole() -> None:
    splitter = CompoundSplitter({"wort": 9}, GERMAN_RULES)
    assert len(splitter.split("wort" * (MAX_LENGTH // 4))) == MAX_LENGTH // 4
    assert splitter.split("wort" * (MAX_LENGTH // 4 + 1)) == ("wort" * (MAX_LENGTH // 4 + 1),)


def all_segmentations(word: str, rules: CompoundRules, counts: dict[str, int]) -> Iterator[tuple[str, ...]]:
    """Every way to write the word as parts with or without fillers between them, by trying all of them."""
    if counts.get(word, 0) and len(word) >= rules.min_part:
        yield (word,)
    for end, filler in product(range(rules.min_part, len(word)), ("", *rules.fillers)):
        rest = word[end:]
        if counts.get(word[:end], 0) and rest.startswith(filler):
            for parts in all_segmentations(rest[len(filler) :], rules, counts):
                yield (word[:end], *parts)


def test_split_is_as_good_as_the_best_of_all_segmentations() -> None:
    """Means are compared exactly, as integers: a^(1/n) > b^(1/m) iff a^m > b^n."""
    rng = random.Random(7)
    rules = CompoundRules(min_part=2, fillers=("s", "es"))
    n_split = 0
    for _ in range(400):
        word = "".join(rng.choices("aes", k=rng.randint(4, 11)))
        counts = {
            word[i:j]: rng.randint(1, 30)
            for i in range(len(word))
            for j in range(i + 2, len(word) + 1)
            if rng.random() < 0.5
        }
        parts = CompoundSplitter(counts, rules).split(word)
        n_split += len(parts) > 1
        ours = prod(counts.get(part, 0) for part in parts)
        for other in all_segmentations(word, rules, counts):
            theirs = prod(counts[part] for part in other)
            assert ours ** len(other) >= theirs ** len(parts), (word, parts, other)
            if ours ** len(other) == theirs ** len(parts):
                assert len(parts) <= len(other)
    assert n_split > 100
