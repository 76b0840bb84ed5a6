"""Converts document numbers of a segment to ids, and merges the lists of several segments."""

import numpy as np

from kakehashi.index.segment import Segment
from kakehashi.types import Array, in_order


class DocIds:
    """Strings for numbers; once a large part of a segment was requested, all are kept decoded."""

    def __init__(self, segment: Segment):
        self._segment = segment
        self._all: Array | None = None
        self._asked = 0

    def of(self, docs: Array) -> list[str]:
        self._asked += len(docs)
        if self._all is None and self._asked > self._segment.n_docs // 16:
            self._all = np.array(list(self._segment.ids), dtype=object)
        if self._all is None:
            return [self._segment.ids[d] for d in docs.tolist()]
        ids: list[str] = self._all[docs].tolist()
        return ids


def merged(lists: list[tuple[list[str], Array]]) -> tuple[list[str], Array]:
    """One list (ids best first, scores) from those of all segments."""
    if len(lists) == 1:
        return lists[0]
    ids = [doc_id for part, _ in lists for doc_id in part]
    scores = [part for _, part in lists] or [np.zeros(0)]  # an index without documents has no segments
    ranking = in_order(ids, np.concatenate(scores).astype(np.float64))
    return list(ranking.docs), ranking.scores


def without(doc_id: str, ids: list[str], scores: Array) -> tuple[list[str], Array]:
    """The list without one document, such as the query itself."""
    if doc_id not in ids:
        return ids, scores
    place = ids.index(doc_id)
    return ids[:place] + ids[place + 1 :], np.delete(scores, place)
