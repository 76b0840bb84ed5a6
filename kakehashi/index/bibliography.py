"""Publication dates and families of the documents of an index; computed once, used by any search."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kakehashi.errors import InputError
from kakehashi.index.families import Families
from kakehashi.index.index import Index
from kakehashi.index.metadata import NO_DATE
from kakehashi.types import Ints


@dataclass(frozen=True)
class Fields:
    """The fields with the publication date and family of documents and queries."""

    publication: str = "publication"
    priority: str = "priority"
    filing: str = "filing"
    family: str = "family"


PATENT_FIELDS = Fields()


@dataclass(frozen=True)
class Bibliography:
    """Read fields of these names; a field missing from the index is rejected when it is first needed."""

    index: Index
    fields: Fields = PATENT_FIELDS

    @cached_property
    def days(self) -> Ints:
        """(documents,) publication date, NO_DATE if there is none."""
        self._check("publication", self.fields.publication, "date")
        days: Ints = self.index.numbering.column(f"meta.{self.fields.publication}")
        return days

    @cached_property
    def sorted_days(self) -> Ints:
        """Of the live documents, ascending."""
        return np.sort(self.days[self.index.numbering.live])

    @property
    def n_undated(self) -> int:
        return int(np.searchsorted(self.sorted_days, NO_DATE, side="right"))

    @cached_property
    def families(self) -> Families:
        self._check("family", self.fields.family, "keyword")
        return Families(self.index, self.fields.family, self.index.numbering)

    @cached_property
    def n_families(self) -> int:
        return len(np.unique(self.families.of_documents[self.index.numbering.live]))

    def _check(self, role: str, field: str, kind: str) -> None:
        if self.index.fields.get(field) != kind:
            others = ", ".join(sorted(name for name, other in self.index.fields.items() if other == kind))
            raise InputError(
                f"prior art needs the {kind} field '{field}', but this index has {others or 'none of that kind'}: "
                f"give another name with --field {role}=NAME, or declare it in collection.toml and index again"
            )
