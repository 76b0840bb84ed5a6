"""Texts cut into passages: what is encoded of queries and documents, and what is shown of a passage."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from kakehashi.errors import InputError
from kakehashi.index.builder import content_hash
from kakehashi.index.holdings import Holdings
from kakehashi.retrieve.passage_vectors import PART, Passages, passages_of
from kakehashi.text.windows import windows
from kakehashi.types import Floats32, Text

FEW = 1000  # documents that are looked up one by one
MOST_DIMENSIONS = 1 << 13  # sums of this many products are exact
SHOWN = 90  # columns of a passage in an explanation


@dataclass(frozen=True)
class Cutting:
    """How a text becomes passages."""

    columns: int
    overlap: int
    title: bool  # put before every passage

    def cut(self, text: Text, most: int) -> list[str]:
        """The first passages of a text, or all for 0."""
        if not self.title or not text.title.strip():
            return windows(text.content, self.columns, self.overlap, most)
        title = " ".join(text.title.split())
        room = max(self.columns - len(title), self.columns // 2)
        parts = windows(text.text, room, min(self.overlap, room // 2), most)
        return [f"{title}\n{part}" for part in parts] or [title]


@dataclass(frozen=True)
class DocumentPassages:
    """The passages of documents."""

    holdings: Holdings
    cutting: Cutting
    most: int  # of a document, from its beginning; 0: all

    def shown(self, doc_id: str, place: int) -> str:
        """The beginning of a passage."""
        text = self.holdings.some_texts([doc_id]).get(doc_id)
        own = self.cutting.cut(text, self.most)[place : place + 1] if text else []
        return windows(own[0], SHOWN, most=1)[0] if own and own[0].strip() else f"passage {place + 1}"

    def encoded(
        self, ids: Sequence[str], encode: Callable[[Sequence[str]], Floats32], largest: int
    ) -> Iterator[Passages]:
        """Vectors of these documents, a part at a time."""
        texts = self._texts(ids)
        while some := list(islice(texts, PART)):
            cut = [self.cutting.cut(text, self.most) for text in some]
            vectors = encode([passage for own in cut for passage in own])
            if vectors.shape[1] > MOST_DIMENSIONS:
                raise InputError(f"vectors have at most {MOST_DIMENSIONS} dimensions, not {vectors.shape[1]}")
            hashes = [content_hash(text) for text in some]
            yield passages_of(hashes, [len(own) for own in cut], vectors, largest)

    def _texts(self, ids: Sequence[str]) -> Iterator[Text]:
        if len(ids) <= FEW:
            return iter(self.holdings.some_texts(ids).values())
        wanted = {*ids}
        return (text for text in self.holdings.collection.documents() if text.id in wanted)
