"""A searcher's own finished searches: added, listed and forgotten; `examples` answers from them at once."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np

from kakehashi import store
from kakehashi.corpus.remembered import FILE, Remembered, add_remembered, forget_remembered, read_remembered
from kakehashi.corpus.splits import QUERIES, TRAIN
from kakehashi.errors import InputError
from kakehashi.index.holdings import Holdings
from kakehashi.query.terms import source_terms
from kakehashi.retrieve.earlier import Earlier, Judged, count_idf, earlier_arrays, read_earlier
from kakehashi.soundness import setting_count
from kakehashi.types import Text

KIND, VERSION = "own-searches", 1


class OwnSearches:
    """Those of one collection, in the order in which they were added; read from its folder whenever asked for."""

    def __init__(self, holdings: Holdings, changed: Callable[[], None] = lambda: None):
        self._holdings, self._changed = holdings, changed

    def __iter__(self) -> Iterator[Remembered]:
        return iter(read_remembered(self._holdings.folder))

    def __len__(self) -> int:
        return len(read_remembered(self._holdings.folder))

    def add(
        self, query: str | Text, documents: Mapping[str, int] | Iterable[str], lang: str = ""
    ) -> Remembered:
        """Add a query and the documents that were relevant to it, with their levels or with the lowest one.

        The same query again gets these documents besides its own.
        """
        info = self._holdings.collection.info
        asked = query if isinstance(query, Text) else Text("", lang or info.source_language, query)
        levels = dict(documents) if isinstance(documents, Mapping) else dict.fromkeys(documents, 0)
        self._check_query(asked)
        known = sorted(int(level) for level in info.levels) or [1]
        given = {doc: level or known[0] for doc, level in levels.items()}
        self._check_documents(given, [level for level in known if level > 0] if info.levels else [])
        made = add_remembered(self._holdings.folder, asked, given)
        self._changed()
        return made

    def forget(self, *ids: str) -> None:
        """Remove searches by their ids."""
        forget_remembered(self._holdings.folder, ids)
        self._changed()

    def _check_query(self, query: Text) -> None:
        """It must have words, and must not be one that figures are measured with."""
        if any("\ud800" <= char <= "\udfff" for char in query.content):
            raise InputError("the query is not valid Unicode text: give it as UTF-8")
        if not source_terms(self._holdings.index, query):
            raise InputError("the query has no word that is searched for: give a text to remember")
        collection = self._holdings.collection
        others = [name for name in collection.splits if name != TRAIN]
        judged = {id: name for name in others for id in collection.qrels(name)}
        for one in collection.queries() if judged and collection.has(QUERIES) else ():
            if one.id in judged and (one.id == query.id or _plain(one) == _plain(query)):
                raise InputError(
                    f"this is the query '{one.id}' of {judged[one.id]}: remembering it would spoil what is "
                    "measured there"
                )

    def _check_documents(self, documents: Mapping[str, int], levels: list[int]) -> None:
        if not documents:
            raise InputError("name at least one document that was relevant to the query")
        for doc, level in documents.items():
            self._holdings.index.known_place(doc)
            if (levels and level not in levels) or level < 1:
                named = ", ".join(map(str, levels)) or "1 or more"
                raise InputError(f"{doc}: {level} is not a level of relevance here: use {named}")


def _plain(text: Text) -> str:
    return " ".join(text.content.split()).casefold()


def has_searches(holdings: Holdings) -> bool:
    path = holdings.folder / FILE
    return path.is_file() and path.stat().st_size > 0


def own_searches(holdings: Holdings, trained: Earlier, folder: Path) -> list[Earlier]:
    """As arrays, kept in `folder` and made again when the file or the training has changed; none where there are none.

    Words are as rare as among the training queries; without these, as among the searches themselves.
    """
    if not has_searches(holdings):
        return []
    made_from = {
        "file": store.checksum(holdings.folder / FILE),
        "analyzers": holdings.fingerprints,
        "training": [trained.n, float(np.sum(trained.idf))],
    }
    kept = store.read_kept(
        folder,
        KIND,
        VERSION,
        made_from,
        lambda it: read_earlier(it.array, setting_count(it.meta.settings, "counted")),
    )
    if kept is not None:
        return [kept]
    judged = [
        Judged(one.query, source_terms(holdings.index, one.query), one.documents)
        for one in read_remembered(holdings.folder)
    ]
    idf = trained.weights if len(trained) else count_idf(one.terms for one in judged)
    arrays = earlier_arrays(judged, idf)
    with suppress(OSError, InputError), store.Writer(folder, KIND, VERSION) as writer:  # else kept in memory
        writer.put(arrays)
        writer.commit({"counted": idf.n}, made_from)
    return [read_earlier(arrays.__getitem__, idf.n)]
