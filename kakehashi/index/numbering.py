"""Documents numbered across all segments of an index, for arrays over all of them.

Dead documents also have numbers, because segments keep them; they are not found by id.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from kakehashi.types import Array, Bools, Condition, Longs

if TYPE_CHECKING:
    from kakehashi.index.index import Index

UNKNOWN = -1


class Numbering:
    """Numbers of ids and back; once a large part of the documents was requested, all ids are kept decoded."""

    def __init__(self, index: "Index"):
        self._index = index
        self.firsts: Longs = np.cumsum([0, *(segment.n_docs for segment in index.segments)], dtype=np.int64)
        self._all: dict[str, int] | None = None
        self._asked = 0

    def __len__(self) -> int:
        """Of all segments, including dead documents."""
        return int(self.firsts[-1])

    @cached_property
    def live(self) -> Bools:
        """(documents,)"""
        return self.allowed()

    @property
    def ids(self) -> list[str]:
        """By number; a replaced document has its id twice."""
        return [doc_id for segment in self._index.segments for doc_id in segment.ids]

    def allowed(self, conditions: Sequence[Condition] = (), expression: str = "") -> Bools:
        """(documents,) which may be ranked: live, matching, and in the Boolean set."""
        masks: list[Bools] = [np.zeros(0, dtype=bool)]
        for i, segment in enumerate(self._index.segments):
            mask = self._index.allowed(i, conditions, expression)
            masks.append(np.ones(segment.n_docs, dtype=bool) if mask is None else mask)
        return np.concatenate(masks)

    def of(self, ids: Sequence[str]) -> Longs:
        """`UNKNOWN` for an id that no live document has."""
        self._asked += len(ids)
        if self._all is None and self._asked > len(self) // 16:
            live = self.live
            self._all = {doc_id: number for number, doc_id in enumerate(self.ids) if live[number]}
        if self._all is not None:
            found = map(self._all.get, ids)
            return np.array([UNKNOWN if number is None else number for number in found], dtype=np.int64)
        places = map(self._index.place, ids)
        numbers = (int(self.firsts[place[0]]) + place[1] if place else UNKNOWN for place in places)
        return np.fromiter(numbers, np.int64, len(ids))

    def id(self, number: int) -> str:
        segment = int(np.searchsorted(self.firsts, number, side="right")) - 1
        found: str = self._index.segments[segment].ids[number - int(self.firsts[segment])]
        return found

    def column(self, name: str) -> Array:
        """An array with one value per document, over all segments."""
        parts = [segment.artifact.array(name) for segment in self._index.segments]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int32)
