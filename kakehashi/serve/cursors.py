"""Where the next page of a search begins, as an opaque text.

A list of any system is the beginning of a longer one, so places in it are enough, as long as question, index and models
stay the same. The cursor says which these were; with others it is refused, so that no document is skipped or repeated.
"""

import base64
from typing import NamedTuple

import msgspec
import xxhash

from kakehashi.serve.problems import Problem
from kakehashi.serve.questions import Question


class _Cursor(NamedTuple):
    place: int
    question: str
    state: str


_decoder = msgspec.json.Decoder(_Cursor)


def cursor_at(place: int, question: Question) -> str:
    said = msgspec.json.encode(_Cursor(place, question.digest, _state(question)))
    return base64.urlsafe_b64encode(said).decode().rstrip("=")


def place_of(cursor: str, question: Question) -> int:
    """Hits before the page that the cursor leads to."""
    if not cursor:
        return 0
    try:
        found = _decoder.decode(base64.b64decode(cursor + "=" * (-len(cursor) % 4), b"-_", validate=True))
    except (ValueError, msgspec.MsgspecError):
        raise Problem("bad-cursor", "send 'next' of the page before, unchanged") from None
    if found.question != question.digest or found.place < 1:
        raise Problem("bad-cursor", "it was made for another search: begin with the first page")
    if found.state != _state(question):
        raise Problem("changed", "the index or a model changed: begin with the first page")
    return found.place


def _state(question: Question) -> str:
    return xxhash.xxh3_64_hexdigest(msgspec.json.encode(question.volume.fingerprints, order="deterministic"))
