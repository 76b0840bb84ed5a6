"""Streams the stanzas of Debian control data with only the requested fields; opens no files."""

from collections.abc import Iterable, Iterator, Sequence

from kakehashi.errors import KakehashiError

MAX_STANZA = 16 << 20  # bytes; real ones are below one MiB


def read_stanzas(blocks: Iterable[bytes], fields: Sequence[str]) -> Iterator[dict[str, str]]:
    """One dictionary per stanza; a multi-line value keeps its line breaks and leading spaces."""
    wanted = {f"{field}:".encode(): field for field in fields}
    for stanza in _split(blocks):
        found: dict[str, str] = {}
        lines = stanza.split(b"\n")
        for number, line in enumerate(lines):
            if line[:1] in b" \t":  # also true of an empty line
                continue
            name, colon, value = line.partition(b":")
            field = wanted.get(name + colon)
            if field is not None:
                found[field] = _whole(value, lines, number).decode(errors="replace")
        if found:
            yield found


def _whole(first: bytes, lines: list[bytes], number: int) -> bytes:
    """A field's first line and the indented ones below it."""
    end = number + 1
    while end < len(lines) and lines[end][:1] in (b" ", b"\t"):
        end += 1
    return b"\n".join([first.strip(), *lines[number + 1 : end]])


def _split(blocks: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for block in blocks:
        *whole, rest = (rest + block).split(b"\n\n")
        yield from whole
        if len(rest) > MAX_STANZA:
            raise KakehashiError(
                f"a package index has a stanza of over {MAX_STANZA >> 20} MiB: it is broken, run apt-get update"
            )
    yield rest
