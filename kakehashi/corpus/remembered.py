"""A searcher's own finished searches, kept in the collection's folder as JSON lines: queries and relevant documents.

The file is replaced whole, so a crash leaves the old one or the new one. It belongs to the person who searches:
no training and no build writes it.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from kakehashi import store
from kakehashi.corpus.json_lines import read_records
from kakehashi.errors import FileError, InputError
from kakehashi.types import Text

FILE = "remembered.jsonl"
MOST_LEVEL = 9999  # as in judgments
_PREFIX = "search-"  # of ids that are given here


class Remembered(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One finished search."""

    query: Text
    documents: dict[str, int]  # document -> level, above 0


_decoder = msgspec.json.Decoder(Remembered)


def read_remembered(folder: Path) -> list[Remembered]:
    """In the order in which they were added; none where nothing was remembered."""
    path, found, seen = folder / FILE, list[Remembered](), set[str]()
    if not path.is_file():
        return found
    for number, one in read_records(path, _decoder, "remembered search"):
        if one.query.id in seen:
            raise FileError(path, number, f"repeats the search '{one.query.id}': remove one of the lines")
        if not all(1 <= level <= MOST_LEVEL for level in one.documents.values()):
            raise FileError(path, number, f"has a level that is not from 1 to {MOST_LEVEL}")
        seen.add(one.query.id)
        found.append(one)
    return found


def add_remembered(folder: Path, query: Text, documents: Mapping[str, int]) -> Remembered:
    """Add a search; one with the same id, or the same text, gets these documents besides its own.

    A query with an empty id is given one.
    """
    with store.locked(folder / "models"):
        known = read_remembered(folder)
        same = [one for one in known if _is_same(one.query, query)]
        if same:
            made = Remembered(same[0].query, same[0].documents | dict(documents))
            rest = [made if one is same[0] else one for one in known]
        else:
            named = msgspec.structs.replace(query, id=query.id or _next_id(known))
            made = Remembered(named, dict(documents))
            rest = [*known, made]
        _write(folder, rest)
    return made


def forget_remembered(folder: Path, ids: Iterable[str]) -> None:
    """Remove searches; an unknown id is an error, and nothing is removed."""
    wanted = set(ids)
    with store.locked(folder / "models"):
        known = read_remembered(folder)
        for id in sorted(wanted - {one.query.id for one in known}):
            raise InputError(f"there is no remembered search '{id}': see kakehashi remember {folder} --list")
        _write(folder, [one for one in known if one.query.id not in wanted])


def _is_same(one: Text, other: Text) -> bool:
    return one.id == other.id if other.id else one.content == other.content


def _next_id(known: Iterable[Remembered]) -> str:
    numbers = [one.query.id.removeprefix(_PREFIX) for one in known]
    return f"{_PREFIX}{1 + max((int(number) for number in numbers if number.isdecimal()), default=0)}"


def _write(folder: Path, searches: Iterable[Remembered]) -> None:
    data = b"".join(msgspec.json.encode(one) + b"\n" for one in searches)
    store.replace_file(folder / FILE, data)
