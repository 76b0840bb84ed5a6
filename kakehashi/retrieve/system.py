"""What commands ask of a system over an index, whatever its kind."""

from collections.abc import Sequence
from typing import Protocol

from kakehashi.index.index import Index
from kakehashi.progress import Progress
from kakehashi.retrieve.sparse import Explanation
from kakehashi.types import Floats, Run, Text


class IndexSystem(Protocol):
    """A `System` that can also score given documents and say why."""

    name: str
    index: Index
    threads: int  # 0: one per core
    progress: Progress

    def search(self, queries: Sequence[Text], k: int = 1000) -> Run: ...

    def score(self, query: Text, doc_ids: Sequence[str]) -> Floats:
        """NaN for a document that is unknown or that `search` would never list."""
        ...

    def score_all(self, query: Text) -> Floats:
        """Of all documents, numbered through all segments of its index; NaN as above."""
        ...

    def explain(self, query: Text, doc_id: str) -> Explanation: ...
