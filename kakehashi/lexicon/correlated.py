"""Correlated feature hashing: replaces every word by the k frequent words it co-occurs with.

Based on the counts of `kakehashi/lexicon/company.py`. `kakehashi/index/rewrite.py` rewrites the documents of an
index, independent of where the targets come from.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kakehashi import store
from kakehashi.errors import FileError, InputError
from kakehashi.index.index import Index
from kakehashi.index.rewrite import state_of
from kakehashi.index.vocabulary import UNKNOWN
from kakehashi.lexicon.company import CfhSettings, Company, Counts, index_counts, named, text_counts
from kakehashi.progress import SILENT, Progress
from kakehashi.types import Bools, Condition, Floats32, Ints

KIND, VERSION = "correlated", 1


@dataclass(frozen=True)
class Correlated:
    """Every counted word by descending frequency, then by string; the first `words` of them are the targets.

    With `by_position`, a text is rewritten so that the first targets of its words differ from the second ones, and so
    on: `1:car` and `2:car`. A model then learns from pairs of targets of equal position.
    """

    terms: Sequence[str]  # (V,)
    targets: Ints  # (V, k) numbers of terms, best first; -1 where there are fewer
    dice: Floats32  # (V, k)
    settings: CfhSettings
    n_docs: int  # that were counted
    made_from: Mapping[str, Any] = field(
        default_factory=dict
    )  # the state of the index, and the documents counted
    by_position: bool = False

    def __len__(self) -> int:
        return len(self.terms)

    @cached_property
    def target_words(self) -> Sequence[str]:
        targets = self.terms[: self.settings.words]
        if not self.by_position:
            return targets
        return [positioned(place, target) for place in range(self.settings.k) for target in targets]

    @cached_property
    def numbers(self) -> dict[str, int]:
        return {term: number for number, term in enumerate(self.terms)}

    def row(self, term: str) -> list[tuple[str, float]]:
        """The word's targets with their DICE, best first; empty for a word that was not counted."""
        number = self.numbers.get(term)
        return [] if number is None else named(self.terms, self.targets[number], self.dice[number])

    def rewrite(self, terms: Iterable[str]) -> list[str]:
        """An analysed text with every word replaced by its targets; a word that was not counted is dropped."""
        known = [self.numbers[term] for term in terms if term in self.numbers]
        words = self.target_words
        return [words[target] for target in self._places[known].ravel().tolist() if target != UNKNOWN]

    def in_index(self, index: Index) -> Ints:
        """(index vocabulary, k) the targets of every term of an index, as `rewrite_index` expects them."""
        numbers = np.array(
            [self.numbers.get(term, UNKNOWN) for term in index.vocabulary.all_terms()], dtype=np.int64
        )
        targets = np.full((len(numbers), self.targets.shape[1]), UNKNOWN, dtype=np.int32)
        targets[numbers != UNKNOWN] = self._places[numbers[numbers != UNKNOWN]]
        return targets

    @cached_property
    def _places(self) -> Ints:
        """(V, k) the targets as numbers of `target_words`."""
        if not self.by_position:
            return self.targets
        n_targets = min(self.settings.words, len(self.terms))
        moved = self.targets + n_targets * np.arange(self.targets.shape[1], dtype=np.int32)
        return np.where(self.targets == UNKNOWN, UNKNOWN, moved).astype(np.int32)


def positioned(place: int, target: str) -> str:
    """The name of a target at a position, the first of which is 0."""
    return f"{place + 1}:{target}"


def position_of(name: str) -> tuple[int, str]:
    """(position, target) of a name that `positioned` made."""
    place, target = name.split(":", 1)
    return int(place) - 1, target


def correlate(
    terms: Sequence[str],
    counts: Counts,
    settings: CfhSettings | None = None,
    chosen: Bools | None = None,
    progress: Progress = SILENT,
) -> Correlated:
    """Map every word of the chosen documents (None: all of them); `terms` names the numbers in `counts`."""
    settings = settings or CfhSettings()
    company = Company(terms, counts, settings, chosen)
    targets, dice = company.nearest(np.arange(len(company.terms), dtype=np.int64), progress)
    return Correlated(company.terms, targets, dice, settings, company.n_docs)


def correlate_index(
    index: Index,
    settings: CfhSettings | None = None,
    conditions: Sequence[Condition] = (),
    progress: Progress = SILENT,
) -> Correlated:
    """Map the words of an index's live documents that satisfy the conditions, such as pool = train."""
    counts, chosen = index_counts(index, conditions)
    found = correlate(index.vocabulary.all_terms(), counts, settings, chosen, progress)
    return replace(found, made_from={"state": state_of(index), "where": [str(one) for one in conditions]})


def correlate_texts(
    texts: Iterable[Sequence[str]], settings: CfhSettings | None = None, progress: Progress = SILENT
) -> Correlated:
    """Map the words of analysed texts."""
    terms, counts = text_counts(texts)
    return correlate(terms, counts, settings, None, progress)


def save_correlated(folder: Path, found: Correlated) -> None:
    """Write an artifact folder; an existing one stays valid until the new one is complete."""
    with store.Writer(folder, KIND, VERSION) as writer:
        writer.put(store.strings_arrays("terms", found.terms))
        writer.put({"targets": found.targets, "dice": found.dice})
        own = {"n_docs": found.n_docs, "by_position": found.by_position}
        settings = {**msgspec.to_builtins(found.settings), **own}
        writer.commit(settings, found.made_from)


def read_correlated(folder: Path) -> Correlated:
    artifact = store.read(folder, KIND, VERSION)
    try:
        values = dict(artifact.meta.settings)
        n_docs = msgspec.convert(values.pop("n_docs", 0), int)
        by_position = msgspec.convert(values.pop("by_position", False), bool)
        settings = msgspec.convert(values, CfhSettings)
    except (msgspec.ValidationError, InputError) as error:
        raise FileError(folder / store.META, None, f"settings: {error}: build it again") from None
    terms = list(artifact.strings("terms"))
    targets, dice = np.asarray(artifact.array("targets")), np.asarray(artifact.array("dice"))
    shape, n_targets = (len(terms), settings.k), min(settings.words, len(terms))
    fits = targets.shape == dice.shape == shape and targets.dtype == np.int32
    if not fits or targets.min(initial=UNKNOWN) < UNKNOWN or targets.max(initial=UNKNOWN) >= n_targets:
        raise FileError(folder, None, "its targets do not fit its words: build it again")
    return Correlated(terms, targets, dice, settings, n_docs, artifact.meta.made_from, by_position)
