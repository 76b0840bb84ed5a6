"""The command `verify`."""

from pathlib import Path

from kakehashi.cli.options import COLLECTION
from kakehashi.cli.terminal import say
from kakehashi.errors import InputError


def verify(folder: Path = COLLECTION) -> None:
    """Compare the index and the models of a collection with their checksums."""
    from kakehashi.library import Library

    library = Library(folder)
    library.collection  # noqa: B018  a folder that is not a collection is refused
    faults = library.faults()
    for fault in faults:
        say(fault)
    if faults:
        raise InputError(
            f"{folder} is damaged: run kakehashi index {folder} --rebuild, then kakehashi build {folder}"
        )
    say(f"{folder}: index and models are as they were written")
