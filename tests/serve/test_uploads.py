"""Files that searchers hand over, honest and otherwise."""

import io
import zipfile
from pathlib import Path

import pytest

from kakehashi.errors import InputError
from kakehashi.serve import reading
from kakehashi.serve.uploads import read_upload
from tests.serve.serving import Client

TEXT = "燃料電池の電極。リチウム電池。"
NAMESPACE = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
WORD = f'<w:document xmlns:w="{NAMESPACE}"><w:body>{{}}</w:body></w:document>'


def docx(body: str, name: str = "word/document.xml", compress: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compress) as archive:
        archive.writestr(name, body)
    return file.getvalue()


def paragraph(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def pdf(text: str) -> bytes:
    """A page with this text in one of the standard fonts, or with none."""
    shown = f"BT /F1 12 Tf 40 700 Td ({text}) Tj ET".encode() if text else b"0 0 m"
    parts = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(shown), shown),
    ]
    data, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return (
        data
        + b"xref\n0 5\n0000000000 65535 f \n%strailer\n<< /Size 5 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF"
        % (
            table,
            len(data),
        )
    )


PATENT = b"""<?xml version="1.0" encoding="UTF-8"?>
<patent-document ucid="EP-1000001-A1" country="EP" doc-number="1000001" kind="A1" lang="EN" date="20000517">
<bibliographic-data>
<publication-reference><document-id>
<country>EP</country><doc-number>1000001</doc-number><kind>A1</kind><date>20000517</date>
</document-id></publication-reference>
<priority-claims><priority-claim kind="national"><document-id>
<country>US</country><doc-number>123</doc-number><date>19981111</date>
</document-id></priority-claim></priority-claims>
<technical-data><invention-title lang="EN">Fuel cell electrode</invention-title></technical-data>
</bibliographic-data>
<abstract lang="EN"><p>An electrode of a fuel cell.</p></abstract>
</patent-document>"""


def test_every_kind_of_file_gives_its_text() -> None:
    assert read_upload("a.txt", TEXT.encode()).text == TEXT
    assert read_upload("a.TXT", TEXT.encode("shift_jis")).text == TEXT
    assert read_upload("a.txt", TEXT.encode("euc_jp")).text == TEXT
    assert read_upload("a.txt", TEXT.encode("utf-16")).text == TEXT
    head = "<html><head><title>T &amp; U</title><style>x</style></head>"
    page = f"{head}<body><p>{TEXT}<script>bad()</script><p>two</html>"
    found = read_upload("a.html", page.encode())
    assert (found.title, found.text) == ("T & U", f"{TEXT}\n\ntwo")
    assert read_upload("a.docx", docx(WORD.format(paragraph(TEXT) + paragraph("two")))).text == f"{TEXT}\ntwo"
    sentence = "An electrode of a fuel cell and a lithium battery with a separator"
    assert read_upload("a.pdf", pdf(sentence)).text == sentence


def test_a_patent_brings_its_language_and_priority_date() -> None:
    found = read_upload("a.xml", PATENT)
    assert (found.title, found.lang, found.date) == ("Fuel cell electrode", "en", "1998-11-11")
    assert "An electrode of a fuel cell." in found.text


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.exe", b"MZ", "not read"),
        ("noname", b"text", "not read"),
        ("a.txt", b"\x00\x01\x02", "not a text file"),
        ("a.txt", b"   ", "empty"),
        ("a.pdf", pdf(""), "pictures of pages"),
        ("a.pdf", b"%PDF-1.4 nonsense", "cannot be read"),
        ("a.pdf", b"", "cannot be read"),
        ("a.docx", b"PK\x03\x04 not a zip", "not a Word document"),
        ("a.docx", docx("<x/>", name="other.xml"), "not a Word document"),
        ("a.docx", docx("<not closed"), "damaged"),
        ("a.docx", docx(WORD.format("")), "no text"),
        ("a.xml", b"<html><p>not a patent</p></html>", "no patent"),
        ("a.xml", b"<not closed", "no patent"),
        ("a.html", b"", "no text"),
    ],
)
def test_files_that_cannot_be_read_are_refused_with_the_reason(name: str, data: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said) as refused:
        read_upload(name, data)
    assert "\n" not in str(refused.value)


def test_a_zip_bomb_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "XML_BYTES", 1 << 20)
    with pytest.raises(InputError, match="unpacks to more than 1 MiB"):
        reading.read_docx(docx(WORD.format(paragraph("a" * (2 << 20)))))


def test_an_xml_bomb_does_not_go_off() -> None:
    entities = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 12))
    bomb = f'<!DOCTYPE w [<!ENTITY e0 "boom">{entities}]>' + WORD.format(paragraph("&e11;"))
    with pytest.raises(InputError):
        read_upload("bomb.docx", docx(bomb))
    with pytest.raises(InputError):
        read_upload("bomb.xml", bomb.encode())


def test_an_entity_cannot_name_a_file(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("do not tell", encoding="utf-8")
    body = f'<!DOCTYPE w [<!ENTITY x SYSTEM "file://{secret}">]>' + WORD.format(paragraph("seen &x;"))
    found = read_upload("a.docx", docx(body))
    assert "do not tell" not in found.text


def test_a_reader_that_hangs_is_stopped_and_the_service_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kakehashi.serve.uploads.SECONDS", 1e-4)  # no reader is as fast as that
    with pytest.raises(InputError, match="too long"):
        read_upload("a.pdf", pdf("a text that is long enough to be taken for one, in a PDF"))


def test_a_file_becomes_the_text_of_the_form(client: Client) -> None:
    for name, data in (("a.txt", TEXT.encode()), ("b.docx", docx(WORD.format(paragraph(TEXT))))):
        answer = client.post("/c/toy", files={"file": (name, data)}, headers={"Accept": "text/html"})
        assert answer.status_code == 200, answer.text
        assert TEXT in answer.text
        assert "Hits 1" in answer.text


def test_a_patent_fills_in_the_date(client: Client) -> None:
    files = {"file": ("p.xml", PATENT)}
    answer = client.post("/c/toy", files=files, headers={"Accept": "text/html"}, follow_redirects=False)
    assert "before=1998-11-11" in answer.headers["location"]


def test_a_bad_file_is_said_on_the_page_whatever_its_name(client: Client) -> None:
    name = '"><script>alert(1)</script>.pdf'
    answer = client.post("/c/toy", files={"file": (name, b"nonsense")}, headers={"Accept": "text/html"})
    assert answer.status_code == 422
    assert "cannot be read" in answer.text
    assert "<script>alert" not in answer.text
    answer = client.post(
        "/c/toy", files={"file": ("../../etc/passwd", b"x")}, headers={"Accept": "text/html"}
    )
    assert answer.status_code == 422
