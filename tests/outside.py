"""Systems as others would write them, and packages that offer such systems, put where Python finds them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from kakehashi.types import Floats, Ranking, Run, Text, in_order


class Given:
    """Answers from a table: query id -> {document: score}; counts how often it was asked."""

    def __init__(self, lists: Mapping[str, Mapping[str, float]]):
        self.lists, self.asked = lists, 0

    def search(self, queries: Sequence[Text], k: int = 1000) -> Run:
        self.asked += 1
        return Run(
            "given", {query.id: self._ranking(query, k) for query in queries if query.id in self.lists}
        )

    def _ranking(self, query: Text, k: int) -> Ranking:
        found = self.lists[query.id]
        return in_order(list(found), np.array(list(found.values()), dtype=np.float64), k)


class Scoring(Given):
    def score(self, query: Text, doc_ids: Sequence[str]) -> Floats:
        found = self.lists.get(query.id, {})
        return np.array([found.get(doc, np.nan) for doc in doc_ids])


def put_package(
    folder: Path, name: str, entries: Mapping[str, str], code: str = "", group: str = "kakehashi.systems"
) -> None:
    """As if installed: a module, and what its packager's metadata say of it."""
    module = name.replace("-", "_")
    (folder / f"{module}.py").write_text(code, encoding="utf-8")
    about = folder / f"{module}-1.2.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n", encoding="utf-8")
    lines = "".join(f"{entry} = {value}\n" for entry, value in entries.items())
    (about / "entry_points.txt").write_text(f"[{group}]\n{lines}", encoding="utf-8")


SHARED_WORDS = '''
"""A toy: documents by how many words of the query they hold."""
import msgspec
import numpy as np

from kakehashi.systems.spec import SystemSpec
from kakehashi.types import Run, in_order


class SharedWords:
    def __init__(self, index, power):
        self.index, self.power = index, power
        self.words = {
            doc: {index.vocabulary[t] for t in segment.document_terms(d)[0].tolist()}
            for segment in index.segments for d, doc in enumerate(segment.ids)
        }

    def search(self, queries, k=1000):
        return Run("shared", {query.id: self.best(query, k) for query in queries})

    def best(self, query, k):
        index = self.index
        asked = set(index.analyzer.terms_of_chunks(index.source_analyzer.segment(query.content)))
        found = {doc: len(asked & words) ** self.power for doc, words in self.words.items() if asked & words}
        return in_order(list(found), np.array(list(found.values()), dtype=np.float64), k)


def plain(name, holdings, settings):
    return SharedWords(holdings.index, float(settings.get("power", 1.0)))


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much more two words are worth than one."""
    power: float = 1.0


described = SystemSpec(
    "other-name", "Sparse", "documents by shared words", Settings,
    lambda opening: SharedWords(opening.holdings.index, opening.settings.power),
)
nonsense = 7


def failing(name, holdings, settings):
    raise ValueError("no licence\\nfound")
'''
