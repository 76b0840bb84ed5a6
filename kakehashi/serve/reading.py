"""Reads the text of one document: HTML, Word, PDF or an office's patent XML.

Runs as a program of its own (`python -m kakehashi.serve.reading KIND`), because files from outside may be made to
exhaust whoever reads them: it limits its own memory and time, and whoever started it survives its end.
"""

import io
import resource
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec
from lxml import etree

from kakehashi.errors import InputError, KakehashiError, MissingDependency

Kind = Literal["html", "docx", "pdf", "xml"]
MEMORY = 2 << 30  # bytes of addresses; what the interpreter and its libraries map counts, too
SECONDS = 20  # of the processor
XML_BYTES = 100 << 20  # of the main part of a Word document when it is unpacked
PAGES = 2000
LETTERS = 40  # a page of a PDF with fewer is likely a picture
SKIPPED = frozenset({"script", "style", "noscript", "template", "head", "svg", "math"})
BLOCKS = frozenset(
    {"p", "div", "li", "tr", "br", "h1", "h2", "h3", "h4", "h5", "h6", "section", "article", "pre"}
)
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


class Read(msgspec.Struct, frozen=True):
    """What was found in a file; empty where it does not say."""

    text: str
    title: str = ""
    lang: str = ""
    date: str = ""  # the priority date of a patent
    error: str = ""


def read(kind: str, data: bytes) -> Read:
    readers = {"html": read_html, "docx": read_docx, "pdf": read_pdf, "xml": read_patent}
    return readers[kind](data)


def read_html(data: bytes) -> Read:
    try:
        data.decode()
        encoding = "utf-8"
    except UnicodeDecodeError:
        encoding = None  # as the page says
    root = etree.fromstring(data, etree.HTMLParser(encoding=encoding, no_network=True, recover=True))
    if root is None:
        raise InputError("the page holds no text")
    titles = root.xpath("//title/text()")
    title = " ".join(str(titles[0]).split()) if isinstance(titles, list) and titles else ""
    return Read(_lines("".join(_html_text(root))), title)


def _html_text(element: "etree._Element") -> Iterator[str]:
    """Without recursion: pages may be nested as deep as their author likes."""
    for event, one in etree.iterwalk(element, events=("start", "end")):
        name = one.tag if isinstance(one.tag, str) else ""
        hidden = name in SKIPPED or any(parent.tag in SKIPPED for parent in one.iterancestors())
        if event == "start" and name and not hidden:
            yield ("\n" if name in BLOCKS else "") + (one.text or "")
        elif event == "end":
            inside = not any(parent.tag in SKIPPED for parent in one.iterancestors())
            yield ("\n" if name in BLOCKS else "") + (one.tail or "") if inside else ""


def read_docx(data: bytes) -> Read:
    """The paragraphs of a Word document, from its main part alone."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive, archive.open("word/document.xml") as part:
            xml = part.read(XML_BYTES + 1)
    except (zipfile.BadZipFile, KeyError, OSError, EOFError, RuntimeError, NotImplementedError):
        raise InputError(
            "this is not a Word document that can be read: save it as .docx without a password"
        ) from None
    if len(xml) > XML_BYTES:
        raise InputError(f"the document unpacks to more than {XML_BYTES >> 20} MiB")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False)
    try:
        root = etree.fromstring(xml, parser)
    except etree.XMLSyntaxError as error:
        raise InputError(f"the Word document is damaged: {error.msg}") from None
    paragraphs = []
    for paragraph in root.iter(f"{_WORD}p"):
        pieces = (
            "\t" if one.tag == f"{_WORD}tab" else "\n" if one.tag == f"{_WORD}br" else one.text or ""
            for one in paragraph.iter(f"{_WORD}t", f"{_WORD}tab", f"{_WORD}br")
        )
        paragraphs.append("".join(pieces))
    return Read(_lines("\n".join(paragraphs)))


def read_pdf(data: bytes) -> Read:
    try:
        import pypdf
    except ImportError:
        raise MissingDependency("pypdf", "documents") from None
    try:
        document = pypdf.PdfReader(io.BytesIO(data))
        if document.is_encrypted and not document.decrypt(""):
            raise InputError("the PDF has a password: save it without one")
        pages = [page.extract_text() for page in document.pages[:PAGES]]
        title = str(document.metadata.title or "") if document.metadata else ""
    except InputError:
        raise
    except Exception as error:  # a damaged file can make it raise almost anything
        raise InputError(
            f"the PDF cannot be read ({type(error).__name__}): save it again or paste its text"
        ) from None
    if not pages or sum(len("".join(page.split())) for page in pages) < LETTERS * len(pages):
        raise InputError(
            "the PDF holds pictures of pages, not text: run text recognition over it, or paste its text"
        )
    return Read(_lines("\n".join(pages)), " ".join(title.split()))


def read_patent(data: bytes) -> Read:
    """The first record of an office's XML: title, abstract, first claim and priority date."""
    from kakehashi.corpus.patents.reading import read_patents
    from kakehashi.corpus.patents.tally import Tally

    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "upload.xml"
        path.write_bytes(data)
        record = next(read_patents([path], tally), None)
    if record is None:
        raise InputError(
            "there is no patent in this XML: it is read as MAREC, DOCDB, USPTO, EPO and JPO write it"
        )
    lang = next(iter({**record.abstracts, **record.first_claims, **record.titles}), "")
    parts = [side.get(lang, "") for side in (record.abstracts, record.first_claims)]
    title = record.titles.get(lang, "")
    return Read(_lines("\n\n".join(part for part in parts if part)) or title, title, lang, record.priority)


def _lines(text: str) -> str:
    """Without blanks at the ends of lines and without empty lines in a row."""
    lines = [" ".join(line.split()) for line in text.splitlines()]
    kept = [line for line, before in zip(lines, ["", *lines], strict=False) if line or before]
    return "\n".join(kept).strip()


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    try:
        found = read(sys.argv[1], sys.stdin.buffer.read())
    except KakehashiError as error:
        found = Read("", error=str(error))
    except OSError as error:
        found = Read("", error=f"the file cannot be read: {error.strerror or error}")
    except MemoryError:
        found = Read("", error="the file needs too much memory to be read: paste its text")
    except Exception as error:
        found = Read("", error=f"the file cannot be read ({type(error).__name__}): paste its text")
    sys.stdout.buffer.write(msgspec.json.encode(found))


if __name__ == "__main__":
    main()
