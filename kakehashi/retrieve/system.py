"""What commands ask of a system over an index, whatever its kind, and how one is described."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

import msgspec

from kakehashi.index.index import Index
from kakehashi.progress import Progress
from kakehashi.retrieve.sparse import Explanation, Scope
from kakehashi.types import Floats, Run, Text


@runtime_checkable
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


@dataclass(frozen=True)
class SystemSpec:
    """How a system is called, described, set and built."""

    name: str
    kind: Literal["Sparse", "Dense", "Rerank", "Fused", "Outside"]  # Outside: made by others
    summary: str
    settings: type[msgspec.Struct]
    build: Callable[[str, Index, Any, Scope], IndexSystem]
    queries: Literal["queries.jsonl", "originals.jsonl"] = "queries.jsonl"
    trainer: str = (
        ""  # what `kakehashi train` must have trained; it knows the words of the source language only
    )

    @property
    def source_only(self) -> bool:
        """Whether it takes no query in the documents' language."""
        return bool(self.trainer)
