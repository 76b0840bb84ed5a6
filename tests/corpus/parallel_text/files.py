"""Small files of parallel text, written by the tests."""

import struct
from collections.abc import Mapping


def catalogue(messages: Mapping[str, str], header: str | None = None, order: str = "<") -> bytes:
    """A .mo file; `header` is the translation of the empty message."""
    header = "Content-Type: text/plain; charset=UTF-8\n" if header is None else header
    charset = header.partition("charset=")[2].split("\n")[0] or "utf-8"
    pairs = sorted({"": header, **messages}.items())
    strings = [message.encode() for message, _ in pairs]
    strings += [translation.encode(charset) for _, translation in pairs]
    place, table, content = 28 + 8 * len(strings), b"", b""
    for string in strings:
        table += struct.pack(order + "II", len(string), place + len(content))
        content += string + b"\0"
    n = len(pairs)
    return struct.pack(order + "7I", 0x950412DE, 0, n, 28, 28 + 8 * n, 0, 0) + table + content


def memory(*units: str) -> str:
    """A translation memory around units such as <tuv xml:lang="de"><seg>..."""
    body = "".join(f"<tu>{unit}</tu>" for unit in units)
    return (
        '<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE tmx SYSTEM "tmx14.dtd">'
        f'<tmx version="1.4"><header srclang="en"/><body>{body}</body></tmx>'
    )


def variant(lang: str, text: str) -> str:
    return f'<tuv xml:lang="{lang}"><seg>{text}</seg></tuv>'


def tei(*entries: str) -> str:
    body = "".join(f"<entry>{entry}</entry>" for entry in entries)
    return f'<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body>{body}</body></text></TEI>'
