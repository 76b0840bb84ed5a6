"""Translation tables p(e | f): for every word of one language the words of another, as an artifact folder."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kakehashi import store
from kakehashi.errors import InputError
from kakehashi.soundness import finite, starts, typed, within
from kakehashi.types import Bools, Floats, Floats32, Ints, Longs

KIND, VERSION = "translations", 1
ROUNDING = 1e-7  # more than float32 takes from a row of probabilities; nearer than this to a limit is at it


@dataclass(frozen=True)
class Translations:
    """Row f contains columns[starts[f]:starts[f + 1]], most probable first; a row sums to 1 unless it was `turned`."""

    sources: Sequence[str]
    targets: Sequence[str]
    starts: Longs  # (sources + 1,)
    columns: Ints  # (entries,) numbers of targets
    chances: Floats32  # (entries,)
    counts: Floats  # (sources,) how often a word was linked: how reliable its row is
    analyzers: Mapping[str, str] = field(default_factory=dict)  # fingerprints of the analyzers of both sides

    def __len__(self) -> int:
        return len(self.sources)

    @property
    def n_entries(self) -> int:
        return len(self.columns)

    @cached_property
    def numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.sources)}

    def row(self, word: str) -> list[tuple[str, float]]:
        """The word's translations, most probable first; none for a word that is not in the table."""
        number = self.numbers.get(word)
        if number is None:
            return []
        entries = slice(self.starts[number], self.starts[number + 1])
        chances = self.chances[entries].tolist()
        return [
            (self.targets[column], chance)
            for column, chance in zip(self.columns[entries].tolist(), chances, strict=True)
        ]

    def most_linked(self, n: int) -> list[str]:
        """The n words that were linked most often."""
        return [self.sources[i] for i in np.argsort(-self.counts, kind="stable")[:n].tolist()]

    def pruned(self, least: float = 0.0, mass: float = 1.0) -> "Translations":
        """Rows pruned where probabilities fall to `least` or add up to `mass`, and scaled to sum to 1 again.

        The entry that reaches the mass is kept, and so is the first of a row, whatever its probability.
        """
        kept = kept_entries(self.starts, self.chances, least, mass)
        starts = np.append(0, np.cumsum(kept))[self.starts].astype(np.int64)
        chances = self.chances[kept].astype(np.float64)
        return replace(self, starts=starts, columns=self.columns[kept], chances=_to_one(starts, chances))

    def turned(self) -> "Translations":
        """Rows and columns exchanged, same probabilities: rows need not sum to 1, words without entries get none."""
        rows = np.repeat(np.arange(len(self)), np.diff(self.starts))
        order = np.lexsort((rows, -self.chances, self.columns))
        sizes = np.bincount(self.columns, minlength=len(self.targets))
        counts = np.bincount(self.columns, self.chances * self.counts[rows], len(self.targets))
        used = np.flatnonzero(sizes)
        sides = {"query": "document", "document": "query"}
        return Translations(
            [self.targets[i] for i in used.tolist()],
            self.sources,
            np.append(0, np.cumsum(sizes[used])).astype(np.int64),
            rows[order].astype(np.int32),
            self.chances[order],
            counts[used].astype(np.float64),
            {sides[side]: name for side, name in self.analyzers.items()},
        )

    def save(self, folder: Path, settings: Mapping[str, Any], made_from: Mapping[str, Any]) -> None:
        with store.Writer(folder, KIND, VERSION) as writer:
            writer.put(store.strings_arrays("sources", self.sources))
            writer.put(store.strings_arrays("targets", self.targets))
            writer.put({"starts": self.starts, "columns": self.columns})
            writer.put({"chances": self.chances, "counts": self.counts})
            writer.commit({"analyzers": dict(self.analyzers), "training": dict(settings)}, made_from)


def read_translations(folder: Path) -> Translations:
    return translations_of(store.read(folder, KIND, VERSION))


def translations_of(artifact: store.Artifact) -> Translations:
    array = artifact.array
    with store.reading(artifact.folder):
        sources, targets = list(artifact.strings("sources")), list(artifact.strings("targets"))
        columns = within("columns", typed("columns", array("columns"), (np.int32,), None), len(targets))
        return Translations(
            sources,
            targets,
            starts("starts", array("starts"), len(sources), len(columns)),
            columns,
            finite("chances", typed("chances", array("chances"), (np.float32,), len(columns))),
            finite("counts", typed("counts", array("counts"), (np.float64,), len(sources))),
            msgspec.convert(artifact.meta.settings["analyzers"], dict[str, str]),
        )


def count_translations(
    sources: Iterable[str],
    targets: Iterable[str],
    weights: Floats,
    analyzers: Mapping[str, str] | None = None,
) -> Translations:
    """Relative frequencies of linked words: p(e | f) = links of f and e / links of f."""
    source_words, source_numbers = _numbered(sources)
    target_words, target_numbers = _numbered(targets)
    keys = source_numbers * max(1, len(target_words)) + target_numbers
    distinct, place = np.unique(keys, return_inverse=True)
    counts = _summed(place, weights, len(distinct))
    return from_entries(
        source_words,
        target_words,
        distinct // max(1, len(target_words)),
        distinct % max(1, len(target_words)),
        counts,
        analyzers,
    )


def from_entries(
    sources: Sequence[str],
    targets: Sequence[str],
    rows: Longs,
    columns: Longs,
    weights: Floats,
    analyzers: Mapping[str, str] | None = None,
) -> Translations:
    """A table of weighted entries, each pair once; equal probabilities are ordered by word."""
    by_word = np.argsort(np.argsort(np.array(targets, dtype=object), kind="stable"), kind="stable")
    order = np.lexsort((by_word[columns], -weights, rows))
    starts = np.append(0, np.cumsum(np.bincount(rows, minlength=len(sources)))).astype(np.int64)
    return Translations(
        sources,
        targets,
        starts,
        columns[order].astype(np.int32),
        _to_one(starts, weights[order]),
        _summed(rows, weights, len(sources)),
        analyzers or {},
    )


def interpolated(one: Translations, other: Translations, share: float) -> Translations:
    """share·one + (1 - share)·other; a word that only one table has keeps that row."""
    if not 0.0 <= share <= 1.0:
        raise InputError(f"a table's share is 0 to 1, not {share}")
    sources, targets = (
        sorted({*getattr(one, side), *getattr(other, side)}) for side in ("sources", "targets")
    )
    parts = []
    for table, part, rival in ((one, share, other), (other, 1.0 - share, one)):
        of_source = np.searchsorted(sources, list(table.sources)).astype(np.int64)
        of_target = np.searchsorted(targets, list(table.targets)).astype(np.int64)
        alone = np.array([not rival.row(word) for word in table.sources], dtype=np.bool_)
        factors = np.where(alone, 1.0, part)
        rows = np.repeat(np.arange(len(table)), np.diff(table.starts))
        parts.append((of_source[rows], of_target[table.columns], table.chances * factors[rows]))
    rows, columns, weights = (np.concatenate(each) for each in zip(*parts, strict=True))
    distinct, place = np.unique(rows * max(1, len(targets)) + columns, return_inverse=True)
    summed = _summed(place, weights, len(distinct))
    used = summed > 0.0
    return from_entries(
        sources,
        targets,
        (distinct // max(1, len(targets)))[used],
        (distinct % max(1, len(targets)))[used],
        summed[used],
        one.analyzers,
    )


def _numbered(words: Iterable[str]) -> tuple[list[str], Longs]:
    """(distinct words in order, the number of each word given)."""
    given = list(words)
    distinct = sorted({*given})
    numbers = {word: number for number, word in enumerate(distinct)}
    return distinct, np.array([numbers[word] for word in given], dtype=np.int64)


def _summed(places: Longs, weights: Floats, n: int) -> Floats:
    return np.bincount(places, weights, minlength=n).astype(np.float64)


def kept_entries(starts: Longs, chances: Floats32 | Floats, least: float, mass: float) -> Bools:
    """(entries,) which ones `Translations.pruned` keeps; the probabilities of each row must descend.

    An entry is kept while it is above `least` and the sum of those before it is below `mass`; a mass of 1 keeps all.
    """
    if not (0.0 <= least < 1.0 and 0.0 < mass <= 1.0):
        raise InputError(f"a table is pruned with 0 <= least < 1 and 0 < mass <= 1, not {least} and {mass}")
    first = np.zeros(len(chances), dtype=np.bool_)
    first[starts[:-1][np.diff(starts) > 0]] = True
    exact = chances.astype(np.float64)
    kept: Bools = first | (exact > least * (1.0 + ROUNDING))
    if mass < 1.0:
        kept &= first | (_summed_before(starts, exact) < mass - ROUNDING)
    return kept


def _summed_before(starts: Longs, chances: Floats) -> Floats:
    """(entries,) the sum of a row's entries before each one."""
    sums = np.append(0.0, np.cumsum(chances))
    before: Floats = sums[:-1] - np.repeat(sums[starts[:-1]], np.diff(starts))
    return before


def _to_one(starts: Longs, weights: Floats) -> Floats32:
    rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    totals = np.bincount(rows, weights, minlength=len(starts) - 1)
    return (weights / totals[rows]).astype(np.float32)
