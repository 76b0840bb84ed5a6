"""Chooses the sentence pairs to learn from: each once, translated, and nothing that dev or test say."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import xxhash

from kakehashi.corpus.collection import Collection
from kakehashi.corpus.held_out import HeldOut, Quotations
from kakehashi.corpus.parallel_text.cleaning import same_letters, tidy
from kakehashi.corpus.parallel_text.sentence_pair import SentencePair

EMPTY, UNTRANSLATED, DUPLICATE, HELD_OUT = "empty", "untranslated", "duplicate", "in dev or test"


@dataclass
class Tally:
    """What became of the pairs of one source of text."""

    name: str
    used: int = 0
    left_out: Counter[str] = field(default_factory=Counter)  # why -> how many

    def record(self) -> dict[str, Any]:
        return {"file": self.name, "pairs": self.used, "left_out": dict(sorted(self.left_out.items()))}


class Unseen:
    """What dev and test queries say, in their own language and in the documents'.

    A sentence of a test query with its translation beside it would be the answer to the test. All splits but
    train count as test.
    """

    def __init__(self, collection: Collection):
        self._blocks, self._quotations = HeldOut(), Quotations()
        held = {id for split in collection.splits if split != "train" for id in collection.qrels(split)}
        for name in ("queries.jsonl", "originals.jsonl"):
            if held and collection.has(name):
                for text in collection.texts(name):
                    if text.id in held:
                        self._add(text.content)

    def _add(self, text: str) -> None:
        self._quotations.add(text)
        for block in text.splitlines():
            self._blocks.add(tidy(block))

    def has(self, passage: str, dictionary: bool = False) -> bool:
        """A word of a dictionary belongs to nobody, even where it is a whole title."""
        return self._quotations.has(passage) or (not dictionary and self._blocks.holds(passage))


class Selection:
    """Takes pairs of one text after the other; what one had, the next need not bring again.

    Without `unseen`, whoever learns from them must look for dev and test.
    """

    def __init__(self, unseen: Unseen | None = None, known: Iterable[tuple[str, str]] = ()):
        self._unseen = unseen
        self._known = {_key(tidy(source), tidy(target)) for source, target in known}

    def choose(
        self, pairs: Iterable[SentencePair], tally: Tally, dictionary: bool = False
    ) -> Iterator[SentencePair]:
        for pair in pairs:
            source, target = tidy(pair.source), tidy(pair.target)
            why = self._fault(source, target, dictionary)
            if why:
                tally.left_out[why] += 1
            else:
                yield SentencePair(source, target, pair.weight)

    def _fault(self, source: str, target: str, dictionary: bool) -> str:
        if not source or not target:
            return EMPTY
        if same_letters(source, target):
            return UNTRANSLATED
        key = _key(source, target)
        if key in self._known:
            return DUPLICATE
        self._known.add(key)
        if self._unseen is None:
            return ""
        unseen = self._unseen.has(source, dictionary) or self._unseen.has(target, dictionary)
        return HELD_OUT if unseen else ""


def _key(source: str, target: str) -> int:
    return xxhash.xxh3_64_intdigest(f"{source}\t{target}".encode())
