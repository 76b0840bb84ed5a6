"""Categories of some articles of a Wikipedia, the graph of all categories, and their names in another language.

Language links of articles are not read: relevance is judged by them.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal

from kakehashi.corpus.wikipedia.dumps import ARTICLE, CATEGORY, Dumps, spelled
from kakehashi.errors import InputError

Ids = Literal["page", "title"]
FIELD = "categories"  # of texts
SUBCATEGORY = "subcat"


@dataclass
class Categories:
    """Categories by name, with spaces."""

    articles: dict[str, str] = field(default_factory=dict)  # page id -> id of the text
    pages: dict[str, str] = field(default_factory=dict)  # page id -> category
    of_texts: dict[str, set[str]] = field(default_factory=dict)
    graph: set[tuple[str, str]] = field(default_factory=set)  # child, parent
    translations: dict[str, str] = field(default_factory=dict)  # category -> its name in the other language


def read_categories(
    dumps: Dumps, texts: Collection[str], ids: Ids = "page", other: str = "", advice: str = ""
) -> Categories:
    """Of the articles that these ids of texts name; `other` is the language that categories are translated into."""
    found = Categories()
    _read_pages(dumps, found, set(texts), ids)
    if not found.articles:
        raise InputError(
            f"{dumps.folder}: no article has the {ids} id of a text: is it the Wikipedia of their language?{advice}"
        )
    dumps.require("categorylinks")
    for page, category, kind in dumps.named("categorylinks", "cl", "cl_type", namespace=CATEGORY):
        if page in found.articles:
            found.of_texts.setdefault(found.articles[page], set()).add(category)
        elif kind == SUBCATEGORY and page in found.pages:
            found.graph.add((found.pages[page], category))
    if other:
        _read_translations(dumps, found, other)
    return found


def _read_pages(dumps: Dumps, found: Categories, texts: set[str], ids: Ids) -> None:
    by_name = {spelled(text): text for text in texts} if ids == "title" else {}
    for page, namespace, title in dumps.rows("page", "page_id", "page_namespace", "page_title", needed=True):
        if namespace == CATEGORY:
            found.pages[page] = spelled(title)
        elif namespace == ARTICLE:
            text = by_name.get(spelled(title), "") if ids == "title" else page if page in texts else ""
            if text:
                found.articles[page] = text


def _read_translations(dumps: Dumps, found: Categories, other: str) -> None:
    for page, language, title in dumps.rows("langlinks", "ll_from", "ll_lang", "ll_title", needed=True):
        if language == other and page in found.pages:
            _, colon, name = spelled(title).partition(":")  # Kategorie:Physik
            if colon and name:
                found.translations[found.pages[page]] = name
