"""Links and images of some articles of a Wikipedia.

Links between articles are only counted: relevance is judged by them.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from kakehashi.corpus.wikipedia.dumps import FILE, Dumps


@dataclass
class Links:
    """By the id of a text; images by name, with spaces."""

    n_links: Counter[str] = field(default_factory=Counter)  # to articles
    web: dict[str, set[str]] = field(default_factory=dict)
    images: dict[str, set[str]] = field(default_factory=dict)


def read_links(dumps: Dumps, articles: Mapping[str, str]) -> Links:
    """`articles`: page id -> id of the text; a table that is missing adds nothing."""
    found = Links()
    for (page,) in dumps.rows("pagelinks", "pl_from"):
        if page in articles:
            found.n_links[articles[page]] += 1
    for page, image in dumps.named("imagelinks", "il", namespace=FILE):
        if page in articles:
            found.images.setdefault(articles[page], set()).add(image)
    whole = dumps.has_column("externallinks", "el_to")
    columns = ("el_to",) if whole else ("el_to_domain_index", "el_to_path")
    for page, *address in dumps.rows("externallinks", "el_from", *columns):
        if page in articles:
            found.web.setdefault(articles[page], set()).add("".join(address))
    return found
