"""Finds text of dev and test in a collection's own parallel text; changes nothing.

A test query beside its translation would teach a translation table the answers. Sentences count, and whole lines;
parts of sentences do not: those that training pages share with others would cost up to a quarter of the pairs.
"""

from collections.abc import Iterable, Iterator

from kakehashi.corpus.collection import Collection
from kakehashi.corpus.held_out import HeldOut, is_phrase, is_term

OWN = "parallel.tsv"
NAMED = 5  # lines that a warning names


class HeldOutText:
    """Queries of all splits except train, their originals, and the documents that are their translations."""

    def __init__(self, collection: Collection):
        self._asked, self._mates = HeldOut(), HeldOut()
        judged = [collection.qrels(split) for split in collection.splits if split != "train"]
        queries = {query for qrels in judged for query in qrels}
        for name in ("queries.jsonl", "originals.jsonl"):
            _add(self._asked, collection, name, queries)
        level = collection.info.mate_level
        mates = {
            doc for qrels in judged for docs in qrels.values() for doc, own in docs.items() if own == level
        }
        _add(self._mates, collection, "documents.jsonl", mates)

    def has(self, source: str, target: str) -> bool:
        """Whether either side occurs in a query or its original, or the target, if it is specific, in a mate.

        A word or two beside their translation are vocabulary, even if a query has them for a title.
        """
        if is_term(source) and is_term(target):
            return False
        if self._asked.holds(source) or self._asked.holds(target):
            return True
        return self._mates.holds(target) and not is_phrase(target)

    def lines(self, pairs: Iterable[tuple[str, str]]) -> Iterator[int]:
        """The numbers, from 1, of the pairs that hold such text."""
        return (number for number, pair in enumerate(pairs, 1) if self.has(*pair))


def warning(collection: Collection) -> str:
    """How many pairs of a collection's parallel text hold text of dev or test, and where; empty if none does."""
    if not collection.has(OWN) or not any(split != "train" for split in collection.splits):
        return ""
    numbers = list(HeldOutText(collection).lines(collection.parallel()))
    if not numbers:
        return ""
    first = ", ".join(map(str, numbers[:NAMED])) + (", ..." if len(numbers) > NAMED else "")
    return (
        f"{len(numbers):,} pairs hold text of dev or test queries or of their translations (lines {first}): "
        "train translation leaves them out, remove them for other programs"
    )


def _add(held: HeldOut, collection: Collection, name: str, ids: set[str]) -> None:
    if ids and collection.has(name):
        for text in collection.texts(name):
            if text.id in ids:
                for block in text.content.splitlines():
                    held.add(block)
