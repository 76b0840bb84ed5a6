"""Settings as a person reads them: name, default, what may be given."""

import typing
from collections.abc import Iterator
from typing import Any

import msgspec

NAMES = {float: "number", int: "whole number", str: "text", bool: "true or false"}


def setting_lines(kind: type[msgspec.Struct]) -> Iterator[str]:
    fields = msgspec.structs.fields(kind)
    width = max(len(f"{field.name}={shown(field.default)}") for field in fields)
    for field in fields:
        yield f"{f'{field.name}={shown(field.default)}':{width}}  {choices(field.type)}"


def choices(kind: Any) -> str:
    """The values of a Literal, else the kind of value."""
    given = typing.get_args(kind)
    return ", ".join(map(str, given)) if given else NAMES[kind]


def shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return '""' if value == "" else str(value)
