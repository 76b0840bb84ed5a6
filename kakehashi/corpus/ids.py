"""What an id and the name of a split may be: judgments and runs separate columns by white space."""

import re

from kakehashi.errors import InputError

_SPLIT = re.compile("[^/\\\\\\s\x00-\x1f\x7f-\x9f]{1,200}")


def fault_of_id(id: str) -> str:
    """What is wrong with the id of a document or a query; empty if it is a good one."""
    if not id or id.split() != [id] or id[0] == "\ufeff":
        return f"id {id[:60]!r} is empty or contains white space"
    return ""


def refuse_bad_id(name: str, id: str) -> None:
    """`name` is that of the file or the place where the id was found."""
    if fault_of_id(id):
        raise InputError(f"{name}: an id must not be empty or contain white space: {id[:60]!r}")


def refuse_bad_split(name: str) -> None:
    """A split is a file's name."""
    if not _SPLIT.fullmatch(name) or name.startswith("."):
        raise InputError(f"{name[:60]!r} cannot name a split: use letters, digits and hyphens")
