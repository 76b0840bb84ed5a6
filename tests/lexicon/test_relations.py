"""Lexicons of related words: lists, and files in WordNet's format."""

from pathlib import Path

import pytest

from kakehashi.errors import FileError, InputError
from kakehashi.lexicon.relations import listed_pairs, parse_lexicons, read_lexicon, wordnet_pairs

NOUNS = """  1 Licence of the file, which begins with two blanks
00000001 03 n 01 vehicle 0 001 ~ 00000002 n 0000 | something that moves
00000002 03 n 02 car 0 motor_car 0 002 @ 00000001 n 0000 ~ 00000003 n 0000 | with an engine
00000003 03 n 0b cab 0 taxi 0 hack 0 c4 0 c5 0 c6 0 c7 0 c8 0 c9 0 ca 0 cb 0 001 @ 00000002 n 0000 | for hire
"""
ADJECTIVES = "00000001 00 a 02 fast(p) 0 quick 0 000 | not slow\n"


@pytest.fixture
def wordnet(tmp_path: Path) -> Path:
    for name, text in (("noun", NOUNS), ("verb", ""), ("adj", ADJECTIVES), ("adv", "")):
        (tmp_path / f"data.{name}").write_text(text)
    return tmp_path


def unordered(pairs: object) -> set[frozenset[str]]:
    return {frozenset(pair) for pair in pairs}  # type: ignore[attr-defined]


def test_synonyms_share_a_synset(wordnet: Path) -> None:
    found = unordered(wordnet_pairs(wordnet))
    assert {
        frozenset(("car", "motor car")),
        frozenset(("cab", "taxi")),
        frozenset(("fast", "quick")),
    } <= found
    assert len(found) == 1 + 11 * 10 // 2 + 1  # the number of words is hexadecimal
    assert frozenset(("vehicle", "car")) not in found


def test_plus_adds_what_lies_directly_above_and_below(wordnet: Path) -> None:
    added = unordered(wordnet_pairs(wordnet, plus=True)) - unordered(wordnet_pairs(wordnet))
    assert frozenset(("vehicle", "motor car")) in added
    assert frozenset(("car", "taxi")) in added
    assert frozenset(("vehicle", "taxi")) not in added


def test_a_broken_line_is_named(wordnet: Path) -> None:
    (wordnet / "data.verb").write_text("00000001 29 v zz\n")
    with pytest.raises(FileError, match=r"data\.verb:1"):
        list(wordnet_pairs(wordnet))


def test_lists_relate_the_first_word_to_the_others(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_text("source\nspray splash drip\n")
    assert list(listed_pairs(path)) == [("spray", "splash"), ("spray", "drip")]


def test_words_are_analysed_and_only_known_single_terms_count(wordnet: Path) -> None:
    numbers = {"car": 0, "cab": 1, "taxi": 2, "vehicle": 3}
    found = read_lexicon("wordnet+", wordnet, numbers, str.split)
    rows = [{*found.row(word)[0].tolist()} for word in range(4)]
    assert rows == [{1, 2, 3}, {0, 2}, {0, 1}, {0}]  # motor car has two terms
    assert {*found.similarities.tolist()} == {1.0}


def test_a_lexicon_of_unknown_words_is_refused(wordnet: Path) -> None:
    with pytest.raises(InputError, match="relates no two words"):
        read_lexicon("wordnet", wordnet, {"Haus": 0, "Hof": 1}, str.split)


def test_names_and_paths_are_read_from_a_setting() -> None:
    assert parse_lexicons("a=x.txt wordnet+=/y") == {"a": Path("x.txt"), "wordnet+": Path("/y")}
    for wrong in ("a", "=x", "a-b=x", "a="):
        with pytest.raises(InputError, match="name=path"):
            parse_lexicons(wrong)
