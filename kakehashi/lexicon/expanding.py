"""Translation tables whose rows also contain words related to the translations."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kakehashi.errors import InputError
from kakehashi.lexicon.neighbours import Related
from kakehashi.lexicon.translations import Translations, from_entries


def expanded(table: Translations, terms: Sequence[str], related: Related, share: float) -> Translations:
    """A share of the probability of every translation goes to the words related to it, by their similarity.

    `terms` names the words of `related`. A translation without related words keeps all of its probability.
    """
    if not 0.0 <= share < 1.0:
        raise InputError(f"related words get a share from 0 to below 1, not {share}")
    places = {term: place for place, term in enumerate(terms)}
    targets = [*table.targets, *sorted({*terms} - {*table.targets})]
    numbers = {word: number for number, word in enumerate(targets)}
    column_of = np.array([numbers[term] for term in terms], dtype=np.int64)  # (words of related,)
    place_of = np.array([places.get(word, -1) for word in table.targets], dtype=np.int64)

    rows = np.repeat(np.arange(len(table), dtype=np.int64), np.diff(table.starts))
    own = place_of[table.columns]
    sizes = np.where(own >= 0, np.diff(related.starts)[np.maximum(own, 0)], 0)
    chances = table.chances.astype(np.float64)
    kept = np.where(sizes > 0, 1.0 - share, 1.0) * chances

    firsts = np.repeat(related.starts[np.maximum(own, 0)] - np.append(0, np.cumsum(sizes))[:-1], sizes)
    entries = firsts + np.arange(int(sizes.sum()))
    similarities = related.similarities[entries].astype(np.float64)
    owners = np.repeat(np.arange(len(own)), sizes)
    sums = np.bincount(owners, similarities, minlength=len(own))
    given = share * chances[owners] * similarities / sums[owners]

    all_rows = np.concatenate([rows, rows[owners]])
    columns = np.concatenate([table.columns.astype(np.int64), column_of[related.words[entries]]])
    keys, summed = np.unique(all_rows * len(targets) + columns, return_inverse=True)
    weights = np.bincount(summed, np.concatenate([kept, given]), minlength=len(keys)).astype(np.float64)
    used = weights > 0.0
    found = from_entries(
        table.sources,
        targets,
        (keys // len(targets))[used],
        (keys % len(targets))[used],
        weights[used],
        table.analyzers,
    )
    return replace(found, counts=table.counts)
