"""Parallel text in every form it may have, told by its name."""

import contextlib
import gzip
from pathlib import Path

import pytest

from kakehashi.corpus.parallel_text.aligned_lines import line_of
from kakehashi.corpus.parallel_text.sentence_pair import Languages, SentencePair
from kakehashi.corpus.parallel_text.sources import parallel_text
from kakehashi.errors import FileError, InputError
from tests.corpus.parallel_text.files import memory, variant

GERMAN, JAPANESE, FRENCH = Languages("de", "en"), Languages("ja", "en"), Languages("de", "fr")


def pairs(given: Path | str, languages: Languages = GERMAN) -> list[SentencePair]:
    return list(parallel_text(str(given), languages).read())


def test_a_table_has_two_to_four_columns(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv.gz"
    path.write_bytes(
        gzip.compress(b"ein Haus\ta house\nLicht\tlight\t2.5\nTor\tgate\t.5\nTor\tgoal\t.5\tentry\n")
    )
    assert pairs(path) == [
        SentencePair("ein Haus", "a house"),
        SentencePair("Licht", "light", 2.5),
        SentencePair("Tor", "gate", 0.5),
        SentencePair("Tor", "goal", 0.5, is_entry=True),
    ]


def test_a_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    written = [SentencePair("ein Haus", "a house"), SentencePair("Tor", "goal", 0.25, is_entry=True)]
    (tmp_path / "x.tsv").write_text("".join(map(line_of, written)), encoding="utf-8")
    assert pairs(tmp_path / "x.tsv") == written


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("only one", "1 tab-separated columns"),
        ("a\tb\t1\tentry\te", "5 tab-separated columns"),
        ("a\tb\t1\td", "fourth column is 'd': write entry"),
        ("a\tb\t2\tentry", "weight '2' is not a number above 0 and up to 1:"),
        ("a\tb\theavy", "weight 'heavy'"),
        ("a\tb\t0", "weight '0'"),
        ("a\tb\tnan", "weight 'nan'"),
        ("a\tb\t1e9", "up to 100"),
    ],
)
def test_a_bad_row_is_named_with_its_line(row: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    path.write_text(f"Licht\tlight\n{row}\n", encoding="utf-8")
    with pytest.raises(FileError, match=message) as error:
        pairs(path)
    assert str(error.value).startswith(f"{path}:2: ")


@pytest.mark.parametrize("given", ["c.de,{}/c.en", "c.{{de,en}}", "c.en,{}/c.de"])
def test_two_files_are_read_side_by_side(given: str, tmp_path: Path) -> None:
    (tmp_path / "c.de").write_text("eins\nzwei\n", encoding="utf-8")
    (tmp_path / "c.en").write_text("one\ntwo\n", encoding="utf-8")
    given = f"{tmp_path}/{given.format(tmp_path)}"
    assert pairs(given) == [SentencePair("eins", "one"), SentencePair("zwei", "two")]


@pytest.mark.parametrize("given", ["b.txt,c.en", "c.en,b.txt", "c.txt,c.de", "c.de,c.txt"])
def test_one_ending_that_tells_is_enough(given: str, tmp_path: Path) -> None:
    one, other = given.split(",")
    german = one if one.endswith(".de") or other.endswith(".en") else other
    for name in (one, other):
        (tmp_path / name).write_text("eins" if name == german else "one", encoding="utf-8")
    assert pairs(f"{tmp_path}/{one},{tmp_path}/{other}") == [SentencePair("eins", "one")]


def test_rare_languages_of_the_collection_are_told_apart(tmp_path: Path) -> None:
    for name in ("hr", "sr"):
        (tmp_path / f"c.{name}").write_text(name, encoding="utf-8")
    given = f"{tmp_path}/c.hr,{tmp_path}/c.sr"
    assert pairs(given, Languages("sr", "hr")) == [SentencePair("sr", "hr")]


@pytest.mark.parametrize("given", ["c.de,c.fr", "c.fr,c.en", "c.en,d.en", "c.ja,d.txt"])
def test_endings_of_other_languages_are_refused(given: str, tmp_path: Path) -> None:
    one, other = given.split(",")
    for name in (one, other):
        (tmp_path / name).write_text("x", encoding="utf-8")
    with pytest.raises(InputError, match="the file extensions name other languages than de and en"):
        parallel_text(f"{tmp_path}/{one},{tmp_path}/{other}", GERMAN)


@pytest.mark.parametrize("shorter", ["de", "en"])
def test_two_files_of_unequal_length_are_refused_where_one_ends(shorter: str, tmp_path: Path) -> None:
    for lang in ("de", "en"):
        (tmp_path / f"c.{lang}").write_text("x\ny\n" if lang == shorter else "x\ny\nz\n", encoding="utf-8")
    with pytest.raises(FileError, match=r"ends before line 3, .* does not") as error:
        pairs(f"{tmp_path}/c.de,{tmp_path}/c.en")
    assert str(error.value).startswith(f"{tmp_path}/c.{shorter}:3: ")


def test_a_memory_gives_the_variants_of_the_two_languages(tmp_path: Path) -> None:
    path = tmp_path / "x.tmx"
    inline = 'Press <bpt i="1">&lt;b&gt;</bpt>the <hi type="key">red</hi> <ph x="1">{0}</ph>button'
    path.write_text(
        memory(
            variant("en-US", inline) + variant("fr", "Appuyez") + variant("DE-at", "Den Knopf drücken"),
            variant("en", "No German"),
            variant("de_CH", "Licht &amp; Luft") + variant("en", "light &amp; air"),
        ),
        encoding="utf-8",
    )
    assert pairs(path) == [
        SentencePair("Den Knopf drücken", "Press the red button"),
        SentencePair("Licht & Luft", "light & air"),
    ]
    with pytest.raises(FileError, match="no unit in both ja and en: its languages are DE-at, de_CH, en"):
        pairs(path, JAPANESE)


def test_entities_of_a_memory_are_not_opened(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    path = tmp_path / "x.tmx"
    declared = f'<!ENTITY file SYSTEM "file://{tmp_path}/secret"><!ENTITY own "own">'
    text = memory(variant("de", "a &file;&own; b") + variant("en", "c"))
    path.write_text(text.replace(' SYSTEM "tmx14.dtd"', f" [{declared}]"), encoding="utf-8")
    assert pairs(path) == [SentencePair("a  b", "c")]


def test_entities_that_multiply_are_refused_or_left_closed(tmp_path: Path) -> None:
    path = tmp_path / "x.tmx"
    lol = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "lol" * 10}">' for n in range(9))
    text = memory(variant("de", "a &e8;b") + variant("en", "c"))
    path.write_text(text.replace(' SYSTEM "tmx14.dtd"', f" [{lol}]"), encoding="utf-8")
    with contextlib.suppress(FileError):  # it depends on the release of libxml2
        assert pairs(path) == [SentencePair("a b", "c")]


def test_broken_xml_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "x.tmx"
    path.write_text(memory(variant("de", "a") + variant("en", "b")).replace("</body>", "\n\n<"), "utf-8")
    with pytest.raises(FileError, match="is not XML") as error:
        pairs(path)
    assert str(error.value).startswith(f"{path}:3: ")


@pytest.mark.parametrize("name", ["x.docx", "x.csv", "de_en"])
def test_a_name_that_tells_nothing_is_refused_with_those_that_do(name: str, tmp_path: Path) -> None:
    (tmp_path / name).touch()
    with pytest.raises(InputError, match=r"does not show the format: give X\.tsv, "):
        parallel_text(str(tmp_path / name), GERMAN)


@pytest.mark.parametrize("name", ["x.tsv", "x.de,x.en", "nowhere"])
def test_a_file_that_is_not_there_is_refused_before_anything_is_read(name: str) -> None:
    with pytest.raises(FileError, match="does not exist"):
        parallel_text(f"/nowhere/{name}", GERMAN)
