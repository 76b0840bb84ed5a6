"""Entries of dictionaries as pairs of words."""

from pathlib import Path

import pytest

from kakehashi.corpus.parallel_text.sentence_pair import Languages, SentencePair
from kakehashi.corpus.parallel_text.sources import parallel_text
from kakehashi.errors import FileError, InputError
from tests.corpus.parallel_text.files import tei

GERMAN, JAPANESE = Languages("de", "en"), Languages("ja", "en")
EDICT = """　？？？ /INVENTED, for tests/
灯台 [とうだい] /(n) (1) lighthouse/beacon (old)/(P)/
ランプ /lamp/
４° [しど] /
"""


def entries(path: Path, languages: Languages = GERMAN) -> list[SentencePair]:
    text = parallel_text(str(path), languages)
    found = list(text.read())
    assert all(pair.is_entry for pair in found)
    return [pair._replace(is_entry=False) for pair in found]


@pytest.mark.parametrize("encoding", ["utf-8", "euc-jp"])
def test_edict_is_read_in_both_encodings(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "edict").write_bytes(EDICT.encode(encoding))
    assert entries(tmp_path / "edict", JAPANESE) == [
        SentencePair("灯台", "lighthouse", 0.5),
        SentencePair("灯台", "beacon", 0.5),
        SentencePair("ランプ", "lamp", 1.0),
    ]
    turned = entries(tmp_path / "edict", Languages("en", "ja"))
    assert turned[0] == SentencePair("lighthouse", "灯台", 1.0)  # a source word counts 1 in all
    with pytest.raises(InputError, match="between ja and en, this collection from de to en"):
        entries(tmp_path / "edict")


def test_a_line_that_is_no_entry_is_refused(tmp_path: Path) -> None:
    (tmp_path / "edict").write_text(f"{EDICT}灯台 [とうだい] lighthouse\n", encoding="utf-8")
    with pytest.raises(FileError, match="is not an entry such as") as error:
        entries(tmp_path / "edict", JAPANESE)
    assert error.value.line == 5


def test_ding_pairs_each_form_with_its_own(tmp_path: Path) -> None:
    (tmp_path / "de-en").write_text(
        "# a comment\n"
        "Leuchtturm {m}; Feuer {n} (an der Küste) [naut.] | Leuchttürme {pl}"
        " :: lighthouse; light (on [the] coast) | lighthouses\n"
        "etw. anzünden {vt} :: to light sth.\n"
        "jdm. etw. geben :: to give sb./sth.\n"
        "und so weiter :: and so on\n"
        "zwei | Formen :: one form\n",
        encoding="utf-8",
    )
    assert entries(tmp_path / "de-en") == [
        SentencePair("Leuchtturm", "lighthouse", 0.5),
        SentencePair("Leuchtturm", "light", 0.5),
        SentencePair("Feuer", "lighthouse", 0.5),
        SentencePair("Feuer", "light", 0.5),
        SentencePair("Leuchttürme", "lighthouses", 1.0),
        SentencePair("anzünden", "to light", 1.0),
        SentencePair("geben", "to give", 1.0),
        SentencePair("und so weiter", "and so on", 1.0),
    ]
    (tmp_path / "de-en").write_text("Haus\n", encoding="utf-8")
    with pytest.raises(FileError, match="lacks the two colons"):
        entries(tmp_path / "de-en")


def test_freedict_gives_translations_and_no_examples(tmp_path: Path) -> None:
    example = (
        '<cit type="example"><quote>Der Turm steht.</quote>'
        '<cit type="trans"><quote>The tower stands.</quote></cit></cit>'
    )
    (tmp_path / "deu-eng.tei").write_text(
        tei(
            '<form><orth>Turm</orth></form><sense><cit type="trans"><quote>tower</quote></cit>'
            f'<cit type="translation"><quote>rook <note>(chess)</note></quote></cit>{example}</sense>'
        ),
        encoding="utf-8",
    )
    assert entries(tmp_path / "deu-eng.tei") == [
        SentencePair("Turm", "tower", 0.5),
        SentencePair("Turm", "rook", 0.5),
    ]
    (tmp_path / "deu-eng.tei").write_text("<TEI/>", encoding="utf-8")
    with pytest.raises(FileError, match="has no entries"):
        entries(tmp_path / "deu-eng.tei")


def test_an_entry_gives_no_more_than_twenty_glosses(tmp_path: Path) -> None:
    (tmp_path / "de-en").write_text("Ding :: " + "; ".join(f"thing{n}" for n in range(50)), encoding="utf-8")
    found = entries(tmp_path / "de-en")
    assert len(found) == 20
    assert sum(pair.weight for pair in found) == pytest.approx(1.0)
