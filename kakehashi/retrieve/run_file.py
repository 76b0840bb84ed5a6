"""A TREC run file as a system: it answers the queries it holds, and no others."""

from collections.abc import Sequence, Set
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from kakehashi.corpus.collection import Collection
from kakehashi.corpus.trec import read_run
from kakehashi.errors import FileError, InputError
from kakehashi.index.index import Index
from kakehashi.retrieve.adapted import Adapted
from kakehashi.retrieve.sparse import Scope
from kakehashi.types import Ranking, Run, Text

SPLIT = "{split}"


class RunUse(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which file answers: path = runs/other.run, or runs/other.{split}.run for a file per split.

    A relative path is meant from the collection's folder.
    """

    path: Annotated[
        str,
        Meta(
            description="Run file, such as `runs/other.run`, or `runs/other.{split}.run` for one file per split; "
            "relative to the collection's folder. Required."
        ),
    ] = ""


class RunFile:
    """Looks queries up by their ids."""

    def __init__(self, rankings: dict[str, Ranking]):
        self._rankings = rankings

    @property
    def queries(self) -> Set[str]:
        """Those it can answer."""
        return self._rankings.keys()

    def search(self, queries: Sequence[Text], k: int = 1000) -> Run:
        """What the file says; a query that it does not hold is left out."""
        rankings = {}
        for query in queries:
            if query.id in self._rankings:
                found = self._rankings[query.id]
                rankings[query.id] = Ranking(found.docs[:k], found.scores[:k])
        return Run("run", rankings)


def open_run(name: str, index: Index, settings: RunUse, scope: Scope) -> Adapted:
    rankings: dict[str, Ranking] = {}
    for path in _files(index.folder.parent, settings.path):
        for query_id, ranking in read_run(path).rankings.items():
            if query_id in rankings:
                raise FileError(path, None, f"answers query {query_id}, as the file of another split does")
            rankings[query_id] = ranking
    return Adapted(name, RunFile(rankings), index, scope)


def _files(folder: Path, path: str) -> list[Path]:
    """One, or those of the collection's splits that are there."""
    if not path:
        raise InputError(f"run needs a file: run(path=other.run), or run(path=other.{SPLIT}.run)")
    if SPLIT not in path:
        return [folder / path]
    splits = Collection.split_names(folder)
    files = [folder / path.replace(SPLIT, split) for split in splits]
    there = [file for file in files if file.is_file()]
    if not there:
        raise FileError(folder / path, None, f"there is no such file for {', '.join(splits) or 'any split'}")
    return there
