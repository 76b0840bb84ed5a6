"""Hits as files, read back by other readers: csv, openpyxl, html.parser, json, and RIS line by line."""

import csv
import io
import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from kakehashi.corpus.collection import CollectionInfo
from kakehashi.corpus.writing import CollectionWriter
from kakehashi.errors import FileError, InputError, MissingDependency
from kakehashi.export.writing import FORMATS, check_paths
from kakehashi.hits import Hits
from kakehashi.library import Library
from kakehashi.types import Text

NASTY = '=HYPERLINK("http://evil.example")'


@pytest.fixture(scope="module")
def hits(tmp_path_factory: pytest.TempPathFactory) -> Hits:
    """Two hits: a patent in all its fields, and a page whose every field would do harm if it were believed."""
    folder = tmp_path_factory.mktemp("export") / "mixed"
    fields = {"ipc": "keyword", "publication": "date", "applicants": "keyword"}
    with CollectionWriter(folder, CollectionInfo("mixed", "ja", "en", fields=fields)) as writer:
        meta = {"ipc": ["H01M 4/00", "H01M 8/00"], "publication": "2003-02-01",
                "applicants": ["株式会社 電池", "Volta"], "inventors": ["Yamada, Taro"],
                "url": "https://example.org/d1?a=1&b=2"}  # fmt: skip
        writer.document(
            Text("d1", "en", "A lithium battery\nof great — length. 電池", "Lithium batteries", meta)
        )
        bad = {"applicants": ["@SUM(A1)"], "url": "javascript:alert(1)", "ipc": []}
        writer.document(Text("-d2", "en", "+1 battery <script>alert(1)</script> \x07 & more", NASTY, bad))
    library = Library(folder)
    library.update_index()
    return library.search("lithium batteries", lang="en", where=["lang=en"], settings={"k1": 1.5})


def written(hits: Hits, path: Path) -> bytes:
    hits.write(path)
    assert [each.name for each in path.parent.iterdir()] == [path.name]  # nothing temporary is left
    return path.read_bytes()


def test_csv_opens_in_a_spreadsheet_and_runs_nothing(hits: Hits, tmp_path: Path) -> None:
    data = written(hits, tmp_path / "hits.csv")
    assert data.startswith(b"\xef\xbb\xbf")
    rows = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    assert [(row["rank"], float(row["score"])) for row in rows] == [
        (str(hit.rank), hit.score) for hit in hits
    ]
    first, second = rows
    assert (first["id"], first["title"], first["date"]) == ("d1", "Lithium batteries", "2003-02-01")
    assert (first["applicant"], first["classes"]) == ("株式会社 電池; Volta", "H01M 4/00; H01M 8/00")
    assert first["passage"] == "A lithium battery of great — length. 電池"
    assert first["because of"].splitlines()[0].startswith(("lithium: ", "batteri: "))
    assert (second["id"], second["title"], second["applicant"]) == ("'-d2", f"'{NASTY}", "'@SUM(A1)")
    assert second["passage"].startswith("'+1 battery <script>")


def test_workbook_holds_the_same_as_text_with_matches_in_bold(hits: Hits, tmp_path: Path) -> None:
    pytest.importorskip("xlsxwriter")
    openpyxl = pytest.importorskip("openpyxl")
    written(hits, tmp_path / "hits.xlsx")
    book = openpyxl.load_workbook(tmp_path / "hits.xlsx", rich_text=True)
    names, first, second = book["hits"].iter_rows()
    at = {cell.value: number for number, cell in enumerate(names)}
    assert (first[at["rank"]].value, first[at["score"]].value) == (1, pytest.approx(hits[0].score, rel=1e-12))
    assert first[at["applicant"]].value == "株式会社 電池; Volta"
    bold = [str(part) for part in first[at["passage"]].value if getattr(part, "font", None) and part.font.b]
    assert bold == ["lithium", "battery"]
    assert str(first[at["passage"]].value) == "A lithium battery of great — length. 電池"
    assert (second[at["title"]].value, second[at["title"]].data_type) == (NASTY, "s")
    assert (second[at["id"]].value, second[at["id"]].data_type) == ("-d2", "s")
    about = {row[0].value: row[1].value for row in book["search"].iter_rows()}
    assert (about["query"], about["system"], about["filters"]) == ("lithium batteries", "bm25", "lang=en")
    assert about["settings"] == "k1=1.5"


def test_missing_package_is_answered_with_the_extra_that_brings_it(
    hits: Hits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(MissingDependency, match=r"pip install 'kakehashi\[export\]'"):
        hits.write(tmp_path / "hits.xlsx")
    assert list(tmp_path.iterdir()) == []


def records(data: bytes) -> list[list[tuple[str, str]]]:
    """As a reference manager reads RIS: TAG, two blanks, a hyphen, a blank, the value; TY begins, ER ends."""
    found: list[list[tuple[str, str]]] = []
    assert data.endswith(b"\r\n")
    for line in data.decode().split("\r\n")[:-1]:
        match = re.fullmatch(r"([A-Z][A-Z0-9])  - (.*)", line)
        assert match, line
        if match[1] == "TY":
            found.append([])
        found[-1].append((match[1], match[2]))
    return found


def test_ris_is_read_as_references(hits: Hits, tmp_path: Path) -> None:
    first, second = records(written(hits, tmp_path / "hits.ris"))
    assert first[0] == ("TY", "PAT")
    assert second[0] == ("TY", "GEN")
    assert first[-1] == second[-1] == ("ER", "")
    values = dict(first)
    assert (values["ID"], values["TI"], values["AU"]) == ("d1", "Lithium batteries", "Yamada, Taro")
    assert [value for tag, value in first if tag == "PB"] == ["株式会社 電池", "Volta"]
    assert (values["PY"], values["DA"]) == ("2003", "2003/02/01")
    assert [value for tag, value in first if tag == "KW"] == ["H01M 4/00", "H01M 8/00"]
    assert (values["AB"], values["UR"]) == (
        "A lithium battery of great — length. 電池",
        "https://example.org/d1?a=1&b=2",
    )
    assert dict(second)["AU"] == "@SUM(A1)"
    assert "UR" not in dict(second)
    assert "PY" not in dict(second)


class Page(HTMLParser):
    """What a browser would find: the elements, their attributes, and the text of marks."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.marks: list[str] = []
        self._marking = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.elements.append((tag, dict(attrs)))
        self._marking = tag == "mark"

    def handle_endtag(self, tag: str) -> None:
        self._marking = False

    def handle_data(self, data: str) -> None:
        self.text += data
        if self._marking:
            self.marks.append(data)


def test_page_needs_nothing_and_runs_nothing(hits: Hits, tmp_path: Path) -> None:
    page = Page(written(hits, tmp_path / "hits.html").decode())
    names = {name for name, _ in page.elements}
    assert not names & {"script", "link", "img", "iframe", "object", "embed", "form"}
    assert not any(attribute.startswith("on") for _, attributes in page.elements for attribute in attributes)
    assert [attributes["href"] for name, attributes in page.elements if name == "a"] == [
        "https://example.org/d1?a=1&b=2"
    ]
    assert page.marks == ["lithium", "battery", "battery"]
    for said in ("lithium batteries", "bm25", "k1=1.5", "lang=en", "Lithium batteries", "2003-02-01", NASTY):
        assert said in page.text
    assert "<script>alert(1)</script>" in page.text  # as words, not as an element
    assert "url(" not in page.text
    assert "@import" not in page.text


def test_json_is_that_of_the_command(hits: Hits, tmp_path: Path) -> None:
    assert json.loads(written(hits, tmp_path / "hits.json")) == hits.as_dict()


@pytest.mark.parametrize("ending", sorted({*FORMATS} - {".xlsx"}))
def test_no_hits_make_a_valid_file(hits: Hits, tmp_path: Path, ending: str) -> None:
    library = hits.holdings
    assert isinstance(library, Library)
    nothing = library.search("zeppelin", lang="en")
    assert len(nothing) == 0
    nothing.write(tmp_path / f"none{ending}")
    assert (tmp_path / f"none{ending}").exists()


def test_unknown_ending_is_answered_with_the_known_ones(hits: Hits, tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"hits are written as \.csv, \.xlsx, \.ris, \.html, \.json: end the name"
    ):
        hits.write(tmp_path / "hits.docx")


def test_folder_and_unwritable_place_are_refused(hits: Hits, tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(FileError, match="is a folder: name a file"):
        hits.write(tmp_path / "folder.csv")
    (tmp_path / "file").write_text("x")
    with pytest.raises(FileError, match="cannot be written"):
        hits.write(tmp_path / "file" / "hits.csv")
    with pytest.raises(InputError, match="the same file twice"):
        check_paths([tmp_path / "a.csv", tmp_path / "a.csv"])


def test_failure_leaves_the_old_file_and_nothing_else(
    hits: Hits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "hits.csv"
    path.write_text("old")

    def fail(self: Path, target: Path) -> None:
        raise OSError("no")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="no"):
        hits.write(path)
    assert [each.name for each in tmp_path.iterdir()] == ["hits.csv"]
    assert path.read_text() == "old"


def test_link_stays_a_link(hits: Hits, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "hits.csv").symlink_to(tmp_path / "elsewhere" / "real.csv")
    hits.write(tmp_path / "hits.csv")
    assert (tmp_path / "hits.csv").is_symlink()
    assert (tmp_path / "elsewhere" / "real.csv").read_bytes().startswith(b"\xef\xbb\xbfrank")
