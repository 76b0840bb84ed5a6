"""Compares the metadata of texts with the fields that collection.toml declares; keeps a few numbers per field."""

import datetime
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kakehashi.corpus.collection import INFO, CollectionInfo
from kakehashi.corpus.faults import Faults
from kakehashi.types import Text

PROSE = 100  # mean number of letters from which values are taken to be text, not something to filter or compare by
MOST_FIELDS = 1_000  # whose use is counted; a collection with more has something else in its metadata


def _is_keyword(value: Any) -> bool:
    return isinstance(value, str | bool) or (
        isinstance(value, list) and all(isinstance(item, str) for item in value)
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_date(value: Any) -> bool:
    try:
        # fromisoformat alone would also accept 20061231 and 2006-W52-7
        return isinstance(value, str) and str(datetime.date.fromisoformat(value)) == value
    except ValueError:
        return False


# in the order in which they are guessed: a date is a keyword, too
KINDS: Mapping[str, Callable[[Any], bool]] = {"number": _is_number, "date": _is_date, "keyword": _is_keyword}
_MEANING = {
    "keyword": "a string, a list of strings, true or false",
    "number": "a number",
    "date": "a date like 2006-12-31",
}


@dataclass
class _Seen:
    """One field over all texts."""

    kinds: tuple[str, ...] = tuple(KINDS)  # that every value so far could be
    files: Counter[str] = field(default_factory=Counter)  # texts that have it, by name of their file
    letters: int = 0
    values: int = 0

    def add(self, file: str, value: Any) -> None:
        self.files[file] += 1
        if self.kinds:
            self.kinds = tuple(kind for kind in self.kinds if KINDS[kind](value))
        items = value if isinstance(value, list) else [value]
        self.values += len(items)
        self.letters += sum(len(item) for item in items if isinstance(item, str))


class FieldsSeen:
    """What metadata the texts of a collection have."""

    def __init__(self, info: CollectionInfo | None):
        self._info, self._seen = info, dict[str, _Seen]()

    def add(self, path: Path, number: int, text: Text, faults: Faults) -> None:
        """Check the values of declared fields and remember all."""
        if self._info is None:
            return
        for name, value in text.meta.items():
            kind = self._info.fields.get(name)
            if kind is not None and not KINDS[kind](value):
                message = f"field '{name}' of '{text.id}' is not {_MEANING[kind]}: {str(value)[:40]!r}"
                faults.add(path, number, f"wrong values of field '{name}'", message)
            if value is not None and (name in self._seen or len(self._seen) < MOST_FIELDS):
                self._seen.setdefault(name, _Seen()).add(path.name.partition(".")[0], value)

    def report(self, folder: Path, faults: Faults) -> None:
        """Fields that could be declared and are not, and those that are and that nothing has.

        A command that made the collection has declared what it knows of, whether or not these texts have it.
        """
        if self._info is None or self._info.made_with:
            return
        declared, path = self._info.fields, folder / INFO
        for name, seen in self._seen.items():
            is_prose = seen.letters > PROSE * seen.values
            if name not in declared and seen.files["documents"] and seen.kinds and not is_prose:
                where = " and ".join(
                    f"{count:,} {file}" for file, count in seen.files.items() if file != "originals"
                )
                message = (
                    f"field '{name}' of {where} is not declared, so nothing filters or ranks by it: "
                    f'add "{name}" = "{seen.kinds[0]}" under [fields]'
                )
                faults.add(path, None, "undeclared fields", message, "warning")
        for name in declared:
            if name not in self._seen and name != "lang":
                message = (
                    f"field '{name}' is declared, but no document or query has it: remove it from [fields]"
                )
                faults.add(path, None, "unused fields", message, "warning")
