"""Answers of the Open Patent Services as JSON: their elements, with `@` before attributes and `$` for text."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lxml import etree

from kakehashi.corpus.patents.marec import read_family_member, read_marec
from kakehashi.corpus.patents.record import PatentRecord, Wanted

ANSWER = "ops:world-patent-data"
READERS: Mapping[str, Callable[[etree._Element, Wanted], PatentRecord]] = {
    "family-member": read_family_member,
    "exchange-document": read_marec,
    "fulltext-document": read_marec,
}


def records_of(value: Any) -> Iterator[Mapping[str, Any]]:
    """Every record of an answer, under the name of its element."""
    for key, one in value.items() if isinstance(value, Mapping) else ():
        name = _local(key)
        for inner in one if isinstance(one, list) else [one]:
            if name in READERS:
                yield {name: inner}
            else:
                yield from records_of(inner)


def is_record(value: Any) -> bool:
    return isinstance(value, Mapping) and len(value) == 1 and next(iter(value)) in READERS


def read_answer(record: Mapping[str, Any], wanted: Wanted) -> PatentRecord:
    [(name, value)] = record.items()
    return READERS[name](_element(name, value), wanted)


def _element(name: str, value: Any) -> etree._Element:
    element = etree.Element(_local(name))
    if not isinstance(value, Mapping):
        element.text = "" if value is None else str(value)
        return element
    for key, one in value.items():
        if key == "$":
            element.text = str(one)
        elif key.startswith("@"):
            if not key.startswith("@xmlns"):
                element.set(_local(key[1:]), str(one))
        else:
            element.extend(_element(key, inner) for inner in (one if isinstance(one, list) else [one]))
    return element


def _local(name: str) -> str:
    return name.rpartition(":")[2]
