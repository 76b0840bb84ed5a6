"""Where a record was found, and the counts of everything that was read."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from kakehashi.corpus.faults import Faults
from kakehashi.corpus.parallel_text.cleaning import tidy


@dataclass(frozen=True)
class Place:
    """A file, or a member of an archive."""

    path: Path
    member: str = ""  # a member of a member is written outer/inner

    @property
    def name(self) -> str:
        return (self.member or self.path.name).rpartition("/")[2]

    def inside(self, name: str) -> "Place":
        return Place(self.path, f"{self.member}/{tidy(name)[:200]}".removeprefix("/"))


@dataclass
class Tally:
    """What was read, and what could not be read."""

    records: Counter[str] = field(default_factory=Counter)  # name of the record's element -> how many
    other_documents: int = 0  # XML without patents, such as a table of contents
    faults: Faults = field(default_factory=Faults)

    def fault(self, place: Place, kind: str, message: str, offset: int | None = None) -> None:
        """Count a skipped record; `kind` is its name in the report."""
        where = [place.member] if place.member else []
        where += [f"byte {offset}"] if offset is not None else []
        self.faults.add(place.path, None, kind, ": ".join([*where, message]))
