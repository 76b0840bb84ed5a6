"""What a Wikipedia knows of some of its articles: links, images, categories and their graph, from database dumps.

Links between articles are only counted, and their language links are not read: relevance is judged by them.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from kakehashi.corpus.wikipedia.sql_dump import columns_of, find_table, read_rows
from kakehashi.errors import FileError, InputError
from kakehashi.progress import SILENT, Progress

Ids = Literal["page", "title"]
ARTICLE, FILE, CATEGORY = "0", "6", "14"  # namespaces
SUBCATEGORY = "subcat"


@dataclass
class Wiki:
    """By the id of a text; categories and images by name, with spaces."""

    articles: dict[str, str] = field(default_factory=dict)  # page id -> id of the text
    category_pages: dict[str, str] = field(default_factory=dict)  # page id -> name
    n_links: Counter[str] = field(default_factory=Counter)
    web_links: dict[str, set[str]] = field(default_factory=dict)
    images: dict[str, set[str]] = field(default_factory=dict)
    categories: dict[str, set[str]] = field(default_factory=dict)
    graph: set[tuple[str, str]] = field(default_factory=set)  # child, parent
    translations: dict[str, str] = field(default_factory=dict)  # category -> its name in the other language


def read_wiki(
    folder: Path, texts: Collection[str], ids: Ids = "page", other: str = "", progress: Progress = SILENT
) -> Wiki:
    """Of the articles that these ids of texts name; `other` is the language that categories are translated into."""
    wiki = Wiki()
    dumps = _Dumps(folder, progress)
    _read_pages(dumps, wiki, set(texts), ids)
    if not wiki.articles:
        choice = "title" if ids == "page" else "page"
        raise InputError(
            f"{folder}: no article has the {ids} id of a text: is it the Wikipedia of their language? "
            f"If so, try --ids {choice}"
        )
    _read_categories(dumps, wiki)
    _read_links(dumps, wiki)
    if other:
        _read_translations(dumps, wiki, other)
    return wiki


def spelled(title: str) -> str:
    """As people write it: dumps have underscores where titles have spaces."""
    return title.replace("_", " ").strip()


class _Dumps:
    """The tables of one folder."""

    def __init__(self, folder: Path, progress: Progress):
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

    def targets(self, namespace: str) -> dict[str, str]:
        """link target -> name; dumps since 2023 name categories and images by these numbers"""
        rows = self.rows("linktarget", "lt_id", "lt_namespace", "lt_title", needed=True)
        return {number: spelled(title) for number, space, title in rows if space == namespace}

    def named(self, table: str, start: str, *more: str, namespace: str) -> Iterator[tuple[str, ...]]:
        """Page, name of what it links to, and more columns, from either generation of dumps."""
        if self.has_column(table, f"{start}_to"):
            for page, title, *rest in self.rows(table, f"{start}_from", f"{start}_to", *more):
                yield page, spelled(title), *rest
            return
        targets = self.targets(namespace) if find_table(self.folder, table) else {}
        for page, number, *rest in self.rows(table, f"{start}_from", f"{start}_target_id", *more):
            if number in targets:
                yield page, targets[number], *rest


def _read_pages(dumps: _Dumps, wiki: Wiki, texts: set[str], ids: Ids) -> None:
    by_name = {spelled(text): text for text in texts} if ids == "title" else {}
    for page, namespace, title in dumps.rows("page", "page_id", "page_namespace", "page_title", needed=True):
        if namespace == CATEGORY:
            wiki.category_pages[page] = spelled(title)
        elif namespace == ARTICLE:
            text = by_name.get(spelled(title), "") if ids == "title" else page if page in texts else ""
            if text:
                wiki.articles[page] = text


def _read_categories(dumps: _Dumps, wiki: Wiki) -> None:
    dumps.require("categorylinks")
    for page, category, kind in dumps.named("categorylinks", "cl", "cl_type", namespace=CATEGORY):
        if page in wiki.articles:
            wiki.categories.setdefault(wiki.articles[page], set()).add(category)
        elif kind == SUBCATEGORY and page in wiki.category_pages:
            wiki.graph.add((wiki.category_pages[page], category))


def _read_links(dumps: _Dumps, wiki: Wiki) -> None:
    for (page,) in dumps.rows("pagelinks", "pl_from"):
        if page in wiki.articles:
            wiki.n_links[wiki.articles[page]] += 1
    for page, image in dumps.named("imagelinks", "il", namespace=FILE):
        if page in wiki.articles:
            wiki.images.setdefault(wiki.articles[page], set()).add(image)
    whole = dumps.has_column("externallinks", "el_to")
    columns = ("el_to",) if whole else ("el_to_domain_index", "el_to_path")
    for page, *address in dumps.rows("externallinks", "el_from", *columns):
        if page in wiki.articles:
            wiki.web_links.setdefault(wiki.articles[page], set()).add("".join(address))


def _read_translations(dumps: _Dumps, wiki: Wiki, other: str) -> None:
    rows = dumps.rows("langlinks", "ll_from", "ll_lang", "ll_title", needed=True)
    for page, language, title in rows:
        if language == other and page in wiki.category_pages:
            _, colon, name = spelled(title).partition(":")
            if colon and name:
                wiki.translations[wiki.category_pages[page]] = name
