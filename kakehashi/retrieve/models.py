"""Where the trained models of a collection lie: beside its index."""

from pathlib import Path

from kakehashi.errors import InputError
from kakehashi.index.index import Index


def model_folder(index: Index, name: str) -> Path:
    if not name or Path(name).name != name or name.startswith("."):
        raise InputError(f"'{name}' is no name for a model: use letters, digits and hyphens")
    return index.folder.parent / "models" / name
