"""Chooses the training sentence pairs: no duplicates, nothing untranslated, nothing from dev or test."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import xxhash

from kakehashi.corpus.collection import Collection
from kakehashi.corpus.held_out import HeldOut, Quotations, is_phrase
from kakehashi.corpus.parallel_text.cleaning import same_letters, tidy
from kakehashi.corpus.parallel_text.sentence_pair import SentencePair
from kakehashi.errors import FileError

EMPTY, UNTRANSLATED, DUPLICATE, HELD_OUT = "empty", "untranslated", "duplicate", "in dev or test"
UNUSABLE = "unusable files"


@dataclass
class Tally:
    """How many pairs of one source were used or skipped."""

    name: str
    used: int = 0
    left_out: Counter[str] = field(default_factory=Counter)  # reason -> count

    def skip(self, error: FileError) -> None:
        """Count a skipped file of a folder."""
        self.left_out[UNUSABLE] += 1

    def record(self) -> dict[str, Any]:
        return {"file": self.name, "pairs": self.used, "left_out": dict(sorted(self.left_out.items()))}

    def told(self) -> str:
        left_out = ", ".join(f"{count:,} {why}" for why, count in sorted(self.left_out.items()))
        return f"{self.name}: {self.used:,} pairs used" + (f"; skipped: {left_out}" if left_out else "")


class Unseen:
    """The text of dev and test queries, in their own language and in the documents'.

    A sentence of a test query next to its translation would reveal the answer. All splits except train count as
    test.
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

    def has(self, passage: str, is_entry: bool = False) -> bool:
        """A dictionary word or phrase is allowed, even if it is a whole title."""
        if self._quotations.has(passage):
            return True
        return not (is_entry and is_phrase(passage)) and self._blocks.holds(passage)


class Selection:
    """Takes the pairs of one text after the other and skips those that an earlier text had.

    Without `unseen`, the caller must check the pairs against dev and test.
    """

    def __init__(self, unseen: Unseen | None = None, known: Iterable[tuple[str, str]] = ()):
        self._unseen = unseen
        self._known = {_key(tidy(source), tidy(target)) for source, target in known}

    def choose(self, pairs: Iterable[SentencePair], tally: Tally) -> Iterator[SentencePair]:
        for given in pairs:
            pair = given._replace(source=tidy(given.source), target=tidy(given.target))
            why = self._fault(pair)
            if why:
                tally.left_out[why] += 1
            else:
                yield pair

    def _fault(self, pair: SentencePair) -> str:
        if not pair.source or not pair.target:
            return EMPTY
        # a dictionary entry that translates Computer as computer is a real translation
        if not pair.is_entry and same_letters(pair.source, pair.target):
            return UNTRANSLATED
        key = _key(pair.source, pair.target)
        if key in self._known:
            return DUPLICATE
        self._known.add(key)
        if self._unseen is None:
            return ""
        unseen = any(self._unseen.has(side, pair.is_entry) for side in (pair.source, pair.target))
        return HELD_OUT if unseen else ""


def _key(source: str, target: str) -> int:
    return xxhash.xxh3_64_intdigest(f"{source}\t{target}".encode())
