"""The interface that commands need from a system over an index, whatever its kind."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, runtime_checkable

from kakehashi.index.index import Index
from kakehashi.progress import SILENT, Progress
from kakehashi.query.edits import Edit
from kakehashi.types import EVERYTHING, Explanation, Floats, Run, Scope, Text


@runtime_checkable
class IndexSystem(Protocol):
    """A `System` that can also score given documents and explain scores.

    Whatever belongs to a question is an argument, so that one opened system answers any number of threads. Scores
    depend on the scope only where lists are fused, because what a list gives depends on what else it holds.
    """

    @property
    def name(self) -> str: ...
    @property
    def index(self) -> Index: ...

    def search(
        self,
        queries: Sequence[Text],
        k: int = 1000,
        scope: Scope = EVERYTHING,
        *,
        threads: int = 0,
        progress: Progress = SILENT,
    ) -> Run:
        """The k best documents of each query; `threads` 0: one per core."""
        ...

    def score(self, query: Text, doc_ids: Sequence[str], scope: Scope = EVERYTHING) -> Floats:
        """NaN for a document that is unknown or that `search` would never list, whether or not it is in the scope."""
        ...

    def score_all(self, query: Text, scope: Scope = EVERYTHING) -> Floats:
        """Of all documents, numbered across all segments of its index; NaN as above."""
        ...

    def explain(self, query: Text, doc_ids: Sequence[str], scope: Scope = EVERYTHING) -> list[Explanation]:
        """One explanation per document, all computed in one pass."""
        ...


@runtime_checkable
class PreparingSystem(Protocol):
    """A system for which many queries at once are cheaper than one after another, or that cannot answer some."""

    def prepare(self, queries: Sequence[Text], progress: Progress = SILENT) -> None: ...


def prepare(system: object, queries: Sequence[Text], progress: Progress = SILENT) -> None:
    """Let a system or compiler that translates do so for all queries at once; a system from outside names those it
    cannot answer."""
    own = getattr(
        system, "prepare", None
    )  # asking whether it is a `PreparingSystem` takes longer than most do
    if own is not None:
        own(queries, progress)


def takes_edits(system: object) -> bool:
    """Whether edits of translations (`query/edits.py`) apply to a system."""
    return bool(getattr(system, "takes_edits", False))


def used_edits(systems: Iterable[Any], query: Text) -> set[Edit]:
    """The query's edits that have an effect in any of these systems."""
    return {edit for system in systems if takes_edits(system) for edit in system.used_edits(query)}
