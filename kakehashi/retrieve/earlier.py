"""Earlier queries and what was found relevant to them, as arrays: which of them are like a query.

A query is a vector of (1 + ln tf)·idf over the words of the earlier queries, and likeness is the cosine. The
arrays are mapped from an artifact; nothing here knows the documents of an index.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from kakehashi.compiled import kernel
from kakehashi.soundness import Unsound, finite, starts, typed, within
from kakehashi.strings import Strings, read_strings, strings_arrays
from kakehashi.text.passages import char_columns
from kakehashi.types import Array, Floats, Longs, Text

FAMILY = "family"  # the field whose values say which texts are one invention
STRINGS = ("words", "ids", "titles", "doc_ids", "kin")
ARRAYS = ("idf", "starts", "rows", "values", "judged", "docs", "levels", "kin.starts", "kin.rows")
SHOWN = 48  # columns of an earlier query's title in an explanation


@dataclass(frozen=True)
class Judged:
    """One earlier query: its terms, and the documents that were relevant to it."""

    query: Text
    terms: Sequence[str]
    levels: Mapping[str, int]  # document -> level, above 0
    kin: Iterable[str] = ()  # ids and families that are the same thing as the query, besides its own


class Idf(NamedTuple):
    """ln((n + 1) / df): above 0 for every word, so that a single earlier query can be found."""

    n: int
    weights: Mapping[str, float]

    def of(self, word: str) -> float:
        """A word that no earlier query holds is as rare as one can be."""
        return self.weights.get(word, float(np.log(self.n + 1.0)) if self.n else 1.0)


def count_idf(texts: Iterable[Sequence[str]]) -> Idf:
    df, n = Counter[str](), 0
    for terms in texts:
        df.update(set(terms))
        n += 1
    return Idf(n, {word: float(np.log((n + 1.0) / count)) for word, count in sorted(df.items())})


@dataclass(frozen=True)
class Earlier:
    """Rows are queries in descending order of ids, so that among equals the first comes first."""

    n: int  # that idf was counted over
    words: Strings  # ascending
    idf: Array  # (words,)
    starts: Array  # (words + 1,)
    rows: Array  # (postings,) int32
    values: Array  # (postings,) float32, of vectors of length 1
    ids: Strings  # (rows,)
    titles: Strings  # (rows,)
    judged: Array  # (rows + 1,) where the judgments of a row begin
    docs: Array  # (judgments,) int32, into doc_ids
    levels: Array  # (judgments,) int16
    doc_ids: Strings  # ascending
    kin: Strings  # ascending
    kin_starts: Array  # (kin + 1,)
    kin_rows: Array  # (..,) int32

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    @cached_property
    def weights(self) -> Idf:
        return Idf(self.n, dict(zip(self.words, np.asarray(self.idf).tolist(), strict=True)))

    def likeness(self, vector: "Vector") -> Floats:
        """(rows,) cosines."""
        known = sorted((self.numbers[word], value) for word, value in vector.items() if word in self.numbers)
        words = np.array([word for word, _ in known], np.int64)
        values = np.array([value for _, value in known], np.float64)
        found: Floats = _cosines(words, values, self.starts, self.rows, self.values, len(self))
        return found

    def kin_of(self, names: Iterable[str]) -> Longs:
        """The rows that are one of these, or the same thing."""
        found = [np.zeros(0, np.int64)]
        for name in names:
            place = bisect_left(self.kin, name)
            if place < len(self.kin) and self.kin[place] == name:
                found.append(np.asarray(self.kin_rows[self.kin_starts[place] : self.kin_starts[place + 1]]))
        return np.concatenate(found).astype(np.int64)


Vector = dict[str, float]  # word -> value, of length 1


def vector_of(terms: Iterable[str], idf: Idf) -> Vector:
    """Words are added up in their own order, so that the length of a vector depends on the text alone."""
    values = {word: (1.0 + np.log(tf)) * idf.of(word) for word, tf in sorted(Counter(terms).items())}
    length = float(np.sqrt(sum(value * value for value in values.values())))
    return {word: float(value / length) for word, value in values.items()} if length else {}


def relatives(query: Text) -> list[str]:
    """The query's own id, and the families it is of."""
    value = query.meta.get(FAMILY)
    values = value if isinstance(value, list | tuple) else (value,)
    return [query.id, *(family_name(one) for one in values if one not in (None, ""))]


def family_name(value: object) -> str:
    """Unlike any id, which holds no blank."""
    return f"{FAMILY} {value}"


def earlier_arrays(judged: Iterable[Judged], idf: Idf) -> dict[str, Array]:
    """All arrays of `Earlier`, from queries in any order."""
    queries = sorted(judged, key=lambda one: one.query.id, reverse=True)
    doc_ids = sorted({doc for one in queries for doc in one.levels})
    places = {doc: place for place, doc in enumerate(doc_ids)}
    links = [(places[doc], level) for one in queries for doc, level in sorted(one.levels.items())]
    return {
        **_postings([one.terms for one in queries], idf),
        **_kin([{*relatives(one.query), *one.kin} for one in queries]),
        "judged": _ends([len(one.levels) for one in queries]),
        "docs": np.array([doc for doc, _ in links], np.int32),
        "levels": np.array([level for _, level in links], np.int16),
        **strings_arrays("ids", [one.query.id for one in queries]),
        **strings_arrays("titles", [title_of(one.query) for one in queries]),
        **strings_arrays("doc_ids", doc_ids),
    }


def _postings(texts: Sequence[Sequence[str]], idf: Idf) -> dict[str, Array]:
    words = sorted({word for terms in texts for word in terms})
    numbers = {word: number for number, word in enumerate(words)}
    columns, values = [np.zeros(0, np.int32)], [np.zeros(0, np.float32)]
    for terms in texts:
        vector = vector_of(terms, idf)
        columns.append(np.array([numbers[word] for word in vector], np.int32))
        values.append(np.array(list(vector.values()), np.float32))
    rows = np.repeat(np.arange(len(texts), dtype=np.int32), [len(part) for part in columns[1:]])
    flat = np.concatenate(columns)
    order = np.argsort(flat, kind="stable")
    return {
        "idf": np.array([idf.of(word) for word in words]),
        "starts": _ends(np.bincount(flat, minlength=len(words))),
        "rows": rows[order],
        "values": np.concatenate(values)[order],
        **strings_arrays("words", words),
    }


def _kin(names: Sequence[set[str]]) -> dict[str, Array]:
    found = sorted((name, row) for row, own in enumerate(names) for name in own)
    counts = Counter(name for name, _ in found)  # in the order of `found`
    return {
        "kin.starts": _ends(list(counts.values())),
        "kin.rows": np.array([row for _, row in found], np.int32),
        **strings_arrays("kin", list(counts)),
    }


def _ends(sizes: Sequence[int] | Array) -> Longs:
    return np.append(0, np.cumsum(np.asarray(sizes, np.int64))).astype(np.int64)


def read_earlier(array: Callable[[str], Array], counted: int) -> Earlier:
    """From `earlier_arrays`, or from an artifact that holds them; `counted` queries are behind idf."""
    found: dict[str, Any] = {name: read_strings(name, array) for name in STRINGS} | {
        name.replace(".", "_"): np.asarray(array(name)) for name in ARRAYS
    }
    return _checked(Earlier(counted, **found))


def _checked(earlier: Earlier) -> Earlier:
    """Numbers that stay inside the arrays they point into."""
    n, postings, judgments, kin = (
        len(part) for part in (earlier, earlier.rows, earlier.docs, earlier.kin_rows)
    )
    finite("idf", typed("idf", earlier.idf, (np.float64,), len(earlier.words)))
    starts("starts", earlier.starts, len(earlier.words), postings)
    within("rows", typed("rows", earlier.rows, (np.int32,), postings), n)
    finite("values", typed("values", earlier.values, (np.float32,), postings))
    starts("judged", earlier.judged, n, judgments)
    within("docs", typed("docs", earlier.docs, (np.int32,), judgments), len(earlier.doc_ids))
    typed("levels", earlier.levels, (np.int16,), judgments)
    starts("kin.starts", earlier.kin_starts, len(earlier.kin), kin)
    within("kin.rows", typed("kin.rows", earlier.kin_rows, (np.int32,), kin), n)
    if len(earlier.titles) != n:
        raise Unsound(f"titles has {len(earlier.titles)} entries for {n} queries")
    return earlier


def title_of(query: Text) -> str:
    """Its title, or how its text begins, in one line."""
    text, shown, columns = " ".join((query.title or query.text[:400]).split()), "", 0
    for char in text:
        columns += char_columns(char)
        if columns > SHOWN:
            return shown.rstrip() + "…"
        shown += char
    return shown


@kernel
def _cosines(words: Array, values: Array, starts: Array, rows: Array, weights: Array, n: int) -> Array:
    """Words come in ascending order, so a sum does not depend on anything but the two texts."""
    sums = np.zeros(n)
    for i in range(len(words)):
        for p in range(starts[words[i]], starts[words[i] + 1]):
            sums[rows[p]] += values[i] * weights[p]
    return sums
