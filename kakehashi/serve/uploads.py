"""Files that a searcher hands over: what kind they are, and their text."""

import sys
from pathlib import Path

import msgspec

from kakehashi import programs
from kakehashi.errors import InputError
from kakehashi.serve.reading import SECONDS, Kind, Read

TEXT = (".txt", ".text", ".md")
KINDS: dict[str, Kind] = {
    ".html": "html", ".htm": "html", ".xhtml": "html", ".docx": "docx", ".pdf": "pdf", ".xml": "xml",
}  # fmt: skip
ACCEPTED = (*TEXT, *KINDS)
ENCODINGS = ("utf-8-sig", "shift_jis", "euc_jp", "cp1252")  # the first that fits; cp1252 fits nearly anything
LONGEST = 4 << 20  # bytes of text that a reader may return


def read_upload(name: str, data: bytes) -> Read:
    """The text of a file, read by a program of its own where its form is not plain text."""
    suffix = Path(name).suffix.lower()
    if suffix in TEXT:
        return Read(_decoded(data))
    if suffix not in KINDS:
        raise InputError(f"files of this kind are not read: upload {', '.join(ACCEPTED)}, or paste the text")
    command = [sys.executable, "-m", "kakehashi.serve.reading", KINDS[suffix]]
    try:
        outcome = programs.run(command, 2.0 * SECONDS, data, LONGEST)
    except programs.NotStarted as error:  # such as no room for the file
        raise error.__cause__ or error from None
    except programs.TooSlow:
        raise InputError("the file took too long to read: paste its text") from None
    except programs.TooLong:
        raise InputError("the file holds too much text: paste a part of it") from None
    if outcome.status:
        raise InputError("the file could not be read: it needs too much time or memory; paste its text")
    found = msgspec.json.decode(outcome.output, type=Read)
    if found.error:
        raise InputError(found.error)
    if not found.text.strip():
        raise InputError("the file holds no text")
    return found


def _decoded(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        encodings: tuple[str, ...] = ("utf-16",)
    else:
        encodings = ENCODINGS
    for encoding in encodings:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text and text.strip():
            return text
        raise InputError("the file is not a text file, or it is empty")
    raise InputError("the letters of the file cannot be read: save it as UTF-8")
