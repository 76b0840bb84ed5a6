"""Combines several sets of settings into one, so that `--set name=value` reaches all of them."""

from typing import Any, TypeVar

import msgspec

from kakehashi.settings import settings_of

Part = TypeVar("Part", bound=msgspec.Struct)


def combined(name: str, doc: str, *parts: type[msgspec.Struct]) -> type[msgspec.Struct]:
    """A struct with the fields of all parts and their descriptions; a later part's field of the same name wins."""
    fields: dict[str, tuple[str, Any, Any]] = {}
    for part in parts:
        for setting in settings_of(part):
            fields[setting.name] = (setting.name, setting.type, setting.default)
    return msgspec.defstruct(
        name, list(fields.values()), frozen=True, forbid_unknown_fields=True, namespace={"__doc__": doc}
    )


def part(settings: msgspec.Struct, kind: type[Part]) -> Part:
    """The fields of one part; its own checks apply."""
    return kind(**{field.name: getattr(settings, field.name) for field in msgspec.structs.fields(kind)})
