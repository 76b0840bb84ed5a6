"""How a model reads texts: as they are analysed, or rewritten into correlated words.

A model that was trained on rewritten texts stores the maps and the index rewritten with them; when the
collection's index has changed, it is rewritten again.
"""

from dataclasses import dataclass
from pathlib import Path

from kakehashi.errors import InputError
from kakehashi.index.index import Index
from kakehashi.index.rewrite import origin_of, read_origin, rewrite_index
from kakehashi.lexicon.correlated import Correlated, read_correlated, save_correlated
from kakehashi.progress import SILENT, Progress
from kakehashi.query.terms import source_terms
from kakehashi.types import Text

SOURCE, TARGET, REWRITTEN = "cfh-source", "cfh-target", "rewritten"


@dataclass(frozen=True)
class Reading:
    """The index a model searches, and how it reads queries."""

    index: Index
    queries: Correlated | None = None
    documents: Correlated | None = None  # the map with which the index was rewritten

    @property
    def by_position(self) -> bool:
        """Whether words of both sides meet by position alone."""
        return self.documents is not None and self.documents.by_position

    def terms(self, query: Text) -> list[str]:
        return self.rewritten(source_terms(self.index, query))

    def rewritten(self, terms: list[str]) -> list[str]:
        """An analysed query in the words of its map."""
        return self.queries.rewrite(terms) if self.queries else terms


def keep_reading(folder: Path, reading: Reading) -> None:
    for name, found in ((SOURCE, reading.queries), (TARGET, reading.documents)):
        if found:
            save_correlated(folder / name, found)


def open_reading(
    index: Index, folder: Path, of_queries: bool, of_documents: bool, progress: Progress = SILENT
) -> Reading:
    """As the model in `folder` was trained; the model says which sides were rewritten, because maps of an
    earlier one may still exist there."""
    queries = read_correlated(folder / SOURCE) if of_queries else None
    if not of_documents:
        return Reading(index, queries)
    documents = read_correlated(folder / TARGET)
    return Reading(rewritten(index, documents, folder / REWRITTEN, progress), queries, documents)


def rewritten(index: Index, documents: Correlated, folder: Path, progress: Progress = SILENT) -> Index:
    """The index in the words of the map; the one in `folder` is used if it matches this index and this map."""
    targets, words = documents.in_index(index), list(documents.target_words)
    try:
        found = Index(folder)
        if read_origin(found) == origin_of(index, targets, words):
            return found
    except InputError:
        pass  # none yet, or damaged: it can be rebuilt
    return rewrite_index(index, targets, words, folder, progress)
