"""Queries cut to a few words, as a searcher types them: the words a text begins with, without metadata."""

from collections.abc import Sequence

import msgspec
import numpy as np

from kakehashi.text.analyzer import Analyzer
from kakehashi.types import Text

FEWEST, MOST = 2, 30  # words; numbers in between are drawn so that halves and doubles are equally likely
MARK = " (short)"  # after the id: no query has a blank in its id


def shorten(queries: Sequence[Text], analyzer: Analyzer, rng: np.random.Generator) -> list[Text]:
    """Each query cut to some number of words."""
    words = np.exp(rng.uniform(np.log(FEWEST), np.log(MOST), len(queries))).round().astype(int)
    return [first_words(query, n, analyzer) for query, n in zip(queries, words.tolist(), strict=True)]


def first_words(query: Text, n: int, analyzer: Analyzer) -> Text:
    """Title and text up to the nth word; the whole text where it has no more."""
    content, end = query.content, 0
    for chunk in analyzer.segment(content)[:n]:
        place = content.find(chunk, end)
        end = (
            place + len(chunk) if place >= 0 else end
        )  # a chunk that was rewritten stands where the last one ends
    return msgspec.structs.replace(query, id=query.id + MARK, title="", text=content[:end], meta={})


def own_id(query: Text) -> str:
    """The id of the query that was cut."""
    return query.id.removesuffix(MARK)
