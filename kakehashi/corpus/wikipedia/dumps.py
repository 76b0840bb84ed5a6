"""The folder with the SQL dumps of one Wikipedia: its tables, as dumps of any year have them."""

from collections.abc import Iterator
from pathlib import Path

from kakehashi.corpus.wikipedia.sql_dump import columns_of, find_table, read_rows
from kakehashi.errors import FileError
from kakehashi.progress import SILENT, Progress

ARTICLE, FILE, CATEGORY = "0", "6", "14"  # namespaces


def spelled(title: str) -> str:
    """As people write it: dumps have underscores where titles have spaces."""
    return title.replace("_", " ").strip()


class Dumps:
    """The tables of one folder."""

    def __init__(self, folder: Path, progress: Progress = SILENT):
        if not folder.is_dir():
            raise FileError(folder, None, "is not a folder of SQL dumps")
        self.folder, self._progress = folder, progress

    def rows(self, table: str, *columns: str, needed: bool = False) -> Iterator[tuple[str, ...]]:
        """Nothing where a table that is not needed is missing."""
        path = self.require(table) if needed else find_table(self.folder, table)
        if path is None:
            return
        self._progress.start(f"reading {path.name}", None)
        try:
            for row in read_rows(path, columns):
                self._progress.advance(1)
                yield row
        finally:
            self._progress.finish()

    def require(self, table: str) -> Path:
        path = find_table(self.folder, table)
        if path is None:
            raise FileError(self.folder / f"{table}.sql.gz", None, "is missing: download this table's dump")
        return path

    def has_column(self, table: str, column: str) -> bool:
        path = find_table(self.folder, table)
        return path is not None and column in columns_of(path)

    def named(self, table: str, start: str, *more: str, namespace: str) -> Iterator[tuple[str, ...]]:
        """Page, name of what it links to, and more columns, from either generation of dumps."""
        if self.has_column(table, f"{start}_to"):
            for page, title, *rest in self.rows(table, f"{start}_from", f"{start}_to", *more):
                yield page, spelled(title), *rest
            return
        targets = self._targets(namespace) if find_table(self.folder, table) else {}
        for page, number, *rest in self.rows(table, f"{start}_from", f"{start}_target_id", *more):
            if number in targets:
                yield page, targets[number], *rest

    def _targets(self, namespace: str) -> dict[str, str]:
        """link target -> name; dumps since 2023 name categories and images by these numbers"""
        rows = self.rows("linktarget", "lt_id", "lt_namespace", "lt_title", needed=True)
        return {number: spelled(title) for number, space, title in rows if space == namespace}
