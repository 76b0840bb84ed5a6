"""The contents of a library: a collection folder, its index, texts and models, opened from one path.

Everything is opened when it is first used, and then kept. `kakehashi.library.Library`, which extends these
holdings, opens the systems over it.
"""

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from kakehashi import store
from kakehashi.corpus.class_titles import ClassTitles, read_class_titles
from kakehashi.corpus.collection import Collection
from kakehashi.corpus.folders import is_unfinished
from kakehashi.corpus.splits import QUERIES, Split, read_split
from kakehashi.errors import FileError, InputError
from kakehashi.types import Text

if TYPE_CHECKING:  # compiled code is imported with the index, not before
    from kakehashi.index.index import Index
    from kakehashi.index.texts import Texts

INDEX, MODELS, SEGMENTS = "index", "models", "segments"


class Holdings:
    """A collection folder and its contents; safe for any number of threads."""

    def __init__(self, folder: Path | str, index: "Index | None" = None):
        self.folder = Path(folder)
        if index is not None:
            self.index = index

    @cached_property
    def collection(self) -> Collection:
        return Collection(self.folder)

    @cached_property
    def index(self) -> "Index":
        from kakehashi.index.index import Index

        try:
            return Index(self.folder / INDEX)
        except FileError as error:
            self.collection  # noqa: B018  where there is none either, that is what must be said
            raise InputError(f"{error} (kakehashi index {self.folder})") from None

    def over(self, index: "Index") -> "Holdings":
        """The same holdings with an index over other words."""
        return Holdings(self.folder, index)

    def split(self, name: str, most: int | None = None, queries: str = QUERIES) -> Split:
        """The judged queries of a split; if there are more, `most` of them, evenly chosen."""
        if not self.collection.has(queries):
            raise InputError(f"{self.folder} has no {queries}")
        return read_split(self.collection, name, most, queries)

    def text(self, doc_id: str) -> Text:
        """A document from the collection's file."""
        return self._texts.of(doc_id)

    def some_texts(self, doc_ids: Iterable[str]) -> dict[str, Text]:
        """Several documents by id; those that the collection's file lacks are left out."""
        return self._texts.some(doc_ids)

    def is_document(self, query: Text) -> bool:
        """Whether the query is a document of this collection, in its own words."""
        found = self.some_texts([query.id]).get(query.id)
        return found is not None and (found.title, found.text) == (query.title, query.text)

    @cached_property
    def _texts(self) -> "Texts":
        from kakehashi.index.texts import Texts

        return Texts(self.collection, self.folder / INDEX)

    @cached_property
    def class_titles(self) -> ClassTitles:
        """What the classes of documents are called, where the collection says so."""
        return read_class_titles(self.collection)

    def faults(self) -> list[str]:
        """What is missing or differs from its checksum, in the index, all models and what was derived from them."""
        artifacts, arrays = self._folders_with(store.META), self._folders_with("*.npy")
        lost = sorted(folder for folder in arrays - artifacts if folder.parent.name != SEGMENTS)
        found = [f"{folder}: {store.META} is missing, or was never written" for folder in lost]
        for folder in sorted(artifacts):
            try:
                artifact = store.read_any(folder)
                found += artifact.faults()
                parts = artifact.meta.settings.get(SEGMENTS, ())
                found += [
                    f"{folder}: segment {name} is missing" for name in parts if not self._has(folder, name)
                ]
            except FileError as error:
                found.append(str(error))
        return found

    def _folders_with(self, name: str) -> set[Path]:
        """Those that hold such a file, except for what a killed writer left of a whole folder."""
        found = {path.parent.relative_to(self.folder) for path in self.folder.rglob(name)}
        return {self.folder / each for each in found if not any(map(is_unfinished, each.parts))}

    @staticmethod
    def _has(folder: Path, segment: str) -> bool:
        return (folder / SEGMENTS / str(segment) / store.META).is_file()

    def model_folder(self, name: str) -> Path:
        if not name or Path(name).name != name or name.startswith("."):
            raise InputError(f"'{name}' cannot name a model: use letters, digits and hyphens")
        return self.folder / MODELS / name

    @property
    def fingerprints(self) -> dict[str, str]:
        """What a model's artifact records about the analyzers it was trained with."""
        return {"query": self.index.source_analyzer.fingerprint, "document": self.index.analyzer.fingerprint}

    @property
    def origin(self) -> dict[str, object]:
        """What a model's artifact records about the data it was trained on."""
        return {
            "collection": self.collection.info.name,
            "index_generation": self.index.artifact.meta.generation,
        }
