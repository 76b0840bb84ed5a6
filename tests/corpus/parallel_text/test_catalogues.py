"""Compiled gettext catalogues, one by one and by the folder."""

import struct
from pathlib import Path

import pytest

from kakehashi.corpus.parallel_text.catalogues import catalogue_files, read_catalogue, read_folder, refuse
from kakehashi.corpus.parallel_text.sentence_pair import Languages
from kakehashi.errors import FileError, InputError
from tests.corpus.parallel_text.files import catalogue

GERMAN, BACKWARDS = Languages("de", "en"), Languages("en", "de")
MESSAGES = {
    "_Open": "Ö_ffnen",
    "menu\x04Close %s": "%s schließen",
    "%d file\x00%d files": "%d Datei\x00%d Dateien",
}
READ = {("Öffnen", "Open"), ("schließen", "Close"), ("Datei", "file"), ("Dateien", "files")}


def texts(path: Path, languages: Languages = GERMAN) -> set[tuple[str, str]]:
    return {(pair.source, pair.target) for pair in read_catalogue(path, languages)}


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("charset", ["UTF-8", "ISO-8859-1"])
def test_messages_are_read_as_their_user_reads_them(order: str, charset: str, tmp_path: Path) -> None:
    path = tmp_path / "x.mo"
    header = f"Language: de_DE\nContent-Type: text/plain; charset={charset}\n"
    path.write_bytes(catalogue(MESSAGES, header, order))
    assert texts(path) == READ
    assert texts(path, BACKWARDS) == {(english, german) for german, english in READ}


def test_a_language_with_one_form_says_the_plural(tmp_path: Path) -> None:
    path = tmp_path / "x.mo"
    path.write_bytes(catalogue({"%d file\x00%d files": "%d 個のファイル"}))
    assert texts(path, Languages("ja", "en")) == {("個のファイル", "files")}


def test_a_catalogue_of_another_language_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.mo"
    path.write_bytes(catalogue(MESSAGES, "Language: fr\nContent-Type: text/plain; charset=UTF-8\n"))
    with pytest.raises(FileError, match="translates into fr: the collection needs de"):
        texts(path)
    with pytest.raises(InputError, match="catalogues translate from English"):
        texts(path, Languages("de", "fr"))


@pytest.mark.parametrize(
    ("tag", "source", "fits"),
    [
        ("pt_BR", "de", False),
        ("zh_CN.UTF-8", "de", False),
        ("sr@latin", "de", False),
        ("sr@latin", "sr", False),  # another script
        ("sr@latin", "sr@latin", True),
        ("de_AT", "de", True),
        ("deu", "de", True),
        ("German", "de", True),  # a name is no tag, so it says nothing
    ],
)
def test_a_header_names_its_language_by_any_tag(tag: str, source: str, fits: bool, tmp_path: Path) -> None:
    path = tmp_path / "x.mo"
    path.write_bytes(catalogue(MESSAGES, f"Language: {tag}\nContent-Type: text/plain; charset=UTF-8\n"))
    if fits:
        assert texts(path, Languages(source, "en")) == READ
    else:
        with pytest.raises(FileError, match=f"translates into {tag}: the collection needs {source}$"):
            texts(path, Languages(source, "en"))


def test_strings_that_share_their_places_may_not_outgrow_the_file(tmp_path: Path) -> None:
    n, text = 50, b"x" * 10_000
    table = struct.pack("<II", len(text), 20 + 16 * n) * (2 * n)
    path = tmp_path / "x.mo"
    path.write_bytes(struct.pack("<5I", 0x950412DE, 0, n, 20, 20 + 8 * n) + table + text)
    with pytest.raises(FileError, match="is not a complete gettext catalogue"):
        texts(path)
    shared = struct.pack("<5I", 0x950412DE, 0, 1, 20, 28) + struct.pack("<4I", 4, 36, 4, 36) + b"same"
    path.write_bytes(shared)  # sharing as such is allowed
    assert texts(path) == {("same", "same")}


def test_a_catalogue_may_be_empty(tmp_path: Path) -> None:
    path = tmp_path / "x.mo"
    path.write_bytes(struct.pack("<5I", 0x950412DE, 0, 0, 20, 20))
    assert texts(path) == set()


def test_bytes_that_are_not_in_the_named_charset_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.mo"
    path.write_bytes(
        catalogue({"Open": "Öffnen"}, "Content-Type: charset=latin-1\n").replace(b"latin-1", b"utf-8\n\n")
    )
    with pytest.raises(FileError, match="is not in utf-8, which it declares"):
        texts(path)


@pytest.mark.parametrize("size", [0, 3, 19, 40, 150])
def test_half_a_catalogue_is_refused(size: int, tmp_path: Path) -> None:
    path = tmp_path / "x.mo"
    path.write_bytes(catalogue(MESSAGES)[:size])
    with pytest.raises(FileError, match="is not a complete gettext catalogue"):
        texts(path)


def test_a_folder_gives_the_catalogues_of_the_language(tmp_path: Path) -> None:
    for place in (
        "de/LC_MESSAGES",
        "de_AT/LC_MESSAGES",
        "de@hebrew/LC_MESSAGES",
        "fr/LC_MESSAGES",
        "de/other",
    ):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "x.mo").write_bytes(catalogue({f"light in {place}": "Licht"}))
    (tmp_path / "y.mo").write_bytes(catalogue({}))
    found = [str(path.relative_to(tmp_path).parent) for path in catalogue_files(tmp_path, GERMAN)]
    assert found == ["de/LC_MESSAGES", "de_AT/LC_MESSAGES"]
    assert [pair.source for pair in read_folder(tmp_path, GERMAN, refuse)] == ["Licht", "Licht"]
    wrong = catalogue({"lamp": "Lampe"}, "Language: en\nContent-Type: text/plain; charset=UTF-8\n")
    (tmp_path / "de" / "LC_MESSAGES" / "x.mo").write_bytes(wrong)  # its place knows better than its header
    assert [pair.source for pair in read_folder(tmp_path, GERMAN, refuse)] == ["Lampe", "Licht"]


def test_a_plain_folder_of_catalogues_will_do(tmp_path: Path) -> None:
    (tmp_path / "y.mo").write_bytes(catalogue({"light": "Licht"}))
    assert [tuple(pair) for pair in read_folder(tmp_path, GERMAN, refuse)] == [("Licht", "light", 1.0, False)]
    with pytest.raises(FileError, match=r"put de/LC_MESSAGES/\*\.mo"):
        catalogue_files(tmp_path.parent / "nowhere", GERMAN)


def test_a_folder_goes_on_without_what_is_broken_or_in_another_language(tmp_path: Path) -> None:
    wrong = catalogue({"lamp": "lampe"}, "Language: fr_CA\nContent-Type: text/plain; charset=UTF-8\n")
    header = "Content-Type: text/plain; charset=latin-1\n"
    late = catalogue({"a": "fine", "open": "Öffnen"}, header).replace(b"latin-1", b"utf-8\n\n")
    good = catalogue({"light": "Licht"})
    for name, data in (("a", wrong), ("b", good[:30]), ("c", late), ("d", good)):
        (tmp_path / f"{name}.mo").write_bytes(data)
    skipped: list[FileError] = []
    assert [pair.source for pair in read_folder(tmp_path, GERMAN, skipped.append)] == ["Licht"]
    assert [error.path.name for error in skipped] == ["a.mo", "b.mo", "c.mo"]
    with pytest.raises(FileError, match="translates into fr_CA"):
        list(read_folder(tmp_path, GERMAN, refuse))
