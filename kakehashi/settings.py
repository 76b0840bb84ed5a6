"""The meaning of settings, read from the struct that declares them; reads no values."""

import types
import typing
from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

KINDS = {float: "number", int: "whole number", str: "text", bool: "true or false"}

ModelName = Annotated[
    str, Meta(description="Name of the trained model to use, as given to `kakehashi train` with `--name`.")
]


class Setting(NamedTuple):
    """One field of a settings struct, with everything that help and reference say about it."""

    name: str
    type: Any  # as declared, with its meaning
    default: Any  # `msgspec.NODEFAULT` if a value is required
    description: str  # Markdown; empty if there is none

    @property
    def choices(self) -> tuple[str, ...]:
        """The values of a Literal, otherwise empty."""
        return tuple(str(choice) for kind in _kinds(self.type) for choice in _literals(kind))

    @property
    def kind(self) -> str:
        """The kind of value if there are no choices."""
        return " or ".join(KINDS.get(kind, str(kind)) for kind in _kinds(self.type))

    @property
    def shown_default(self) -> str:
        """As typed after `--set name=`."""
        if self.default is msgspec.NODEFAULT:
            return ""
        if isinstance(self.default, bool):
            return str(self.default).lower()
        return '""' if self.default == "" else str(self.default)


def settings_of(struct: type[msgspec.Struct]) -> Iterator[Setting]:
    """Every setting; a struct that only changes an inherited default also inherits the description."""
    for field in msgspec.structs.fields(struct):
        kind, description = field.type, _description(field.type)
        if not description and (description := _inherited(struct, field.name)):
            kind = Annotated[kind, Meta(description=description)]
        yield Setting(field.name, kind, field.default, description)


def _inherited(struct: type[msgspec.Struct], name: str) -> str:
    """From the nearest parent that has one."""
    parents = [parent for parent in struct.__mro__[1:] if issubclass(parent, msgspec.Struct)]
    for parent in parents[:-1]:  # the last is Struct itself, which has no fields to ask for
        for field in msgspec.structs.fields(parent):
            if field.name == name and (found := _description(field.type)):
                return found
    return ""


def _description(kind: Any) -> str:
    metas = [meta for meta in getattr(kind, "__metadata__", ()) if isinstance(meta, Meta)]
    return next((meta.description for meta in metas if meta.description), "")


def _kinds(kind: Any) -> list[Any]:
    """The type without its meaning; the members of a union, without None."""
    if typing.get_origin(kind) is Annotated:
        return _kinds(kind.__origin__)
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        return [one for member in typing.get_args(kind) if member is not type(None) for one in _kinds(member)]
    return [kind]


def _literals(kind: Any) -> tuple[Any, ...]:
    return typing.get_args(kind) if typing.get_origin(kind) is typing.Literal else ()
