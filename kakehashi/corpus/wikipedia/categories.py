"""Categories of articles, their graph and their links between languages, from the SQL dumps of two wikis.

    XXwiki-DATE-page.sql.gz             what pages are called
    XXwiki-DATE-categorylinks.sql.gz    which categories pages and categories are in
    enwiki-DATE-langlinks.sql.gz        what English categories are called elsewhere

A category is called LANGUAGE:Name here, with spaces, because both wikis have a graph of their own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kakehashi.corpus.wikipedia.sql_dump import read_table
from kakehashi.errors import FileError, InputError
from kakehashi.progress import SILENT, Progress, track

CATEGORY = "14"  # the number of the namespace


@dataclass(frozen=True)
class Categories:
    """Of one wiki."""

    of_articles: Mapping[str, list[str]] = field(default_factory=dict)  # page id -> categories
    edges: list[tuple[str, str]] = field(default_factory=list)  # child, parent
    names: Mapping[str, str] = field(default_factory=dict)  # page id of a category -> category


def read_categories(folder: Path, lang: str, articles: set[str], progress: Progress = SILENT) -> Categories:
    """All edges of the graph, and the categories of these articles."""
    path = dump(folder, lang, "page")
    rows = track(
        read_table(path, ("page_id", "page_namespace", "page_title")), f"pages, {lang}", None, progress
    )
    names = {page: called(lang, title) for page, space, title in rows if space == CATEGORY}
    path = dump(folder, lang, "categorylinks")
    rows = track(read_table(path, ("cl_from", "cl_to", "cl_type")), f"categories, {lang}", None, progress)
    of_articles: dict[str, list[str]] = {}
    edges = []
    for page, title, kind in rows:
        if kind == "page" and page in articles:
            of_articles.setdefault(page, []).append(called(lang, title))
        elif kind == "subcat" and page in names:
            edges.append((names[page], called(lang, title)))
    return Categories(of_articles, edges, names)


def read_links(
    folder: Path, names: Mapping[str, str], lang: str, progress: Progress = SILENT
) -> list[tuple[str, str]]:
    """(English category, category of the other wiki)"""
    path = dump(folder, "en", "langlinks")
    rows = track(read_table(path, ("ll_from", "ll_lang", "ll_title")), "links of languages", None, progress)
    found = []
    for page, other, title in rows:
        if other == lang and page in names:
            space, colon, name = title.partition(":")  # Kategorie:Physik
            found.append((names[page], called(lang, name if colon else space)))
    return found


def called(lang: str, title: str) -> str:
    return f"{lang}:{' '.join(title.replace('_', ' ').split())}"


def dump(folder: Path, lang: str, table: str) -> Path:
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder of SQL dumps")
    found = sorted(folder.glob(f"{lang}wiki-*-{table}.sql*"))
    if not found:
        raise FileError(folder / f"{lang}wiki-DATE-{table}.sql.gz", None, "is missing: download this dump")
    return found[-1]
