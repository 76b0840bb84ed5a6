"""The kind of feature for any field of values: in how many of them, and in how rare ones, two texts agree."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kakehashi.compiled import kernel
from kakehashi.features.columns import Docs, Spelling, keyword_column
from kakehashi.features.kind import Bound, Known
from kakehashi.types import Array, Floats, Text


@dataclass(frozen=True)
class Agreement:
    """For S of the query and T of the document, where a value weighs r = ln(N / df):

        shared   1 if S ∩ T is not empty
        rarity   Σ_{S∩T} r / ln N
        cosine   Σ_{S∩T} r² / √(Σ_S r² · Σ_T r²)
        overlap  ½(|S ∩ T| / |S| + |S ∩ T| / |T|)

    Of single values cosine and overlap would be equal to the first, so there are none.
    """

    field: str
    spelling: Spelling
    label: str  # which of its levels, as in `tags level 1`
    single: bool = False  # documents have one value at most

    @property
    def group(self) -> str:
        return self.field

    @property
    def names(self) -> Sequence[str]:
        measured = ("shared", "rarity") if self.single else ("shared", "rarity", "cosine", "overlap")
        return [f"{self.label} {name}" for name in measured]

    def bind(self, known: Known) -> Bound:
        column = keyword_column(known.index, self.field, self.spelling)
        rarity, squares = column.rarity, column.rarity**2
        most = max(float(np.log(max(column.n_live, 1))), 1e-9)
        owners = np.repeat(np.arange(column.n_docs), column.sizes)
        lengths = np.sqrt(np.bincount(owners, squares[column.values], column.n_docs))

        def fill(query: Text, docs: Docs, out: Array) -> bool:
            values = column.values_of(query)
            codes = column.known(values)
            if not codes:
                return False
            common, sums = column.shared(codes, (rarity,) if self.single else (rarity, squares), docs)
            out[0] = common > 0
            out[1] = sums[0] / most
            length = float(np.sqrt(squares[codes].sum()))
            if not self.single and length > 0.0:
                out[2] = sums[1] / np.maximum(lengths[docs] * length, 1e-9)
            if not self.single:
                out[3] = 0.5 * (common / len(values) + common / np.maximum(column.sizes[docs], 1))
            return True

        def add(query: Text, weights: Floats, out: Array) -> bool:
            values = column.values_of(query)
            codes = column.known(values)
            if codes:
                length = float(np.sqrt(squares[codes].sum()))
                worth = np.zeros(4)
                worth[: len(weights)] = weights
                worth[1] /= most
                worth[2] /= max(length, 1e-9)
                numbers = np.array(codes, np.int64)
                _add_agreement(
                    numbers, column.doc_starts, column.docs, rarity, lengths, column.sizes, len(values), worth, out
                )  # fmt: skip
            return bool(codes)

        return Bound(fill, add)


@kernel
def _add_agreement(
    codes: Array,
    doc_starts: Array,
    docs: Array,
    rarity: Array,
    lengths: Array,
    sizes: Array,
    n_asked: int,
    worth: Array,
    out: Array,
) -> None:
    """Touches only documents that have one of the values: pages of zeros that nobody writes to cost nothing."""
    counts = np.zeros(len(out), np.int32)
    rare, square = np.zeros(len(out), np.float32), np.zeros(len(out), np.float32)
    for code in codes:
        for i in range(doc_starts[code], doc_starts[code + 1]):
            counts[docs[i]] += 1
            rare[docs[i]] += np.float32(rarity[code])
            square[docs[i]] += np.float32(rarity[code] * rarity[code])
    for code in codes:
        for i in range(doc_starts[code], doc_starts[code + 1]):
            d = docs[i]
            if counts[d] > 0:
                share = 0.5 * (counts[d] / n_asked + counts[d] / sizes[d])
                cosine = square[d] / max(lengths[d], 1e-9)
                out[d] += worth[0] + worth[1] * rare[d] + worth[2] * cosine + worth[3] * share
                counts[d] = 0
