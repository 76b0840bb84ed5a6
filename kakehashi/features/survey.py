"""Decides which declared fields of a collection can be compared, and how: from their values, never from their names.

The decision depends on the live documents and on the queries that are learned from. It is recorded in the trained
model, so updates of the index do not change what the weights stand for.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import msgspec
import numpy as np

from kakehashi.corpus.splits import Split
from kakehashi.errors import InputError
from kakehashi.features import forms
from kakehashi.features.agreement import Agreement
from kakehashi.features.classes import CodeParts, Graph, PathParts
from kakehashi.features.columns import Column, Spelling, as_list, date_column, keyword_column, number_column
from kakehashi.features.kind import Kind
from kakehashi.features.kinds import Overlap
from kakehashi.features.quantities import Dates, Near, Within
from kakehashi.index.index import Index
from kakehashi.index.numbering import UNKNOWN
from kakehashi.types import Floats

COARSER = 4  # levels of a code or path besides the whole
REPEATED = 0.05  # share of values that occur in two documents or more, below which each document has its own
IDENTITY = 0.9  # share of the query's own translations among the documents that share a value
LARGEST = 20_000_000  # values of documents spread along the class graph
WHOLE = 0


class FieldUse(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a field is compared."""

    field: str
    form: Literal["values", "codes", "paths", "number", "date"]
    spelling: str = ""  # of values, see `forms`
    separator: str = ""  # of paths
    levels: tuple[int, ...] = (WHOLE,)  # parts of codes and paths that count
    single: bool = False
    steps: tuple[int, ...] = ()  # along the class graph
    spread: float = 0.0  # of numbers
    is_ratio: bool = False  # whether numbers can be divided: none is negative

    @property
    def kinds(self) -> Iterator[Kind]:
        if self.form == "number":
            yield Within(self.field, self.spread)
            if self.is_ratio:
                yield Near(self.field)
        elif self.form == "date":
            yield Dates(self.field)
        else:
            for level in self.levels:
                label = f"{self.field} level {level}" if level else self.field
                yield Agreement(self.field, self.spelled(level), label, self.single)
            if self.steps:
                yield Overlap(self.field, name=f"{self.field} classes", steps=self.steps)

    def spelled(self, level: int = WHOLE) -> Spelling:
        """How values are written at a level; 0 is the whole."""
        n = level or 1_000
        if self.form == "codes":
            return CodeParts(n)
        if self.form == "paths":
            return PathParts(self.separator, n)
        return forms.SPELLINGS[self.spelling]

    @property
    def told(self) -> str:
        """In a few words."""
        words = {"number": "numbers", "date": "dates"}.get(self.form, self.spelling or self.form)
        if self.separator:
            words += f" separated by '{self.separator.strip()}'"
        if len(self.levels) > 1 or WHOLE not in self.levels:
            levels = ", ".join(str(level) if level else "whole" for level in self.levels)
            words += f" (levels {levels})"
        return words + (", class graph" if self.steps else "")


@dataclass(frozen=True)
class Survey:
    """The fields that can be compared, and why the others cannot."""

    uses: tuple[FieldUse, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)  # field -> reason


class Unusable(Exception):
    """Why a field is left out."""


class _Shared(NamedTuple):
    """What the queries have in common with documents through a field."""

    sharing: int  # queries that share one
    documents: int  # pairs that share one
    mates: int  # of these, a query and its own translation


def survey(index: Index, graph: Graph, split: Split | None, fields: Sequence[str] = ()) -> Survey:
    """All declared fields, or some; without a split, what documents alone can tell."""
    for name in fields:
        if name not in index.fields:
            known = ", ".join(index.fields) or "none"
            raise InputError(f"the index has no field '{name}': choose from {known}")
    uses: dict[str, FieldUse] = {}
    left_out: dict[str, str] = {}
    for name, kind in index.fields.items():
        if name == "lang" or (fields and name not in fields):  # documents have one language
            continue
        try:
            if kind == "keyword":
                uses[name] = _values(index, name, graph, split)
            else:
                uses[name] = _quantity(index, name, kind, split)
        except Unusable as reason:
            left_out[name] = str(reason)
    return Survey(tuple(uses.values()), left_out)


def _values(index: Index, name: str, graph: Graph, split: Split | None) -> FieldUse:
    raw = keyword_column(index, name)
    values = forms.examples(list(raw.codes))
    if not values:
        raise Unusable("no document has it")
    if split is not None and not any(as_list(query.meta.get(name)) for query in split.queries):
        raise Unusable("no query has it")
    if forms.are_addresses(values):
        raise Unusable("its values are web addresses")
    use = _form(name, values)
    columns = {level: keyword_column(index, name, use.spelled(level)) for level in use.levels}
    whole = columns[WHOLE]
    if len(whole.codes) == 1 and int((whole.sizes > 0).sum()) == whole.n_live:
        raise Unusable("all documents have the same value")
    shared = _shared(columns, split, index)
    if shared is not None and not shared.sharing:
        raise Unusable("no query shares a value with a document")
    if shared is not None and shared.mates >= IDENTITY * shared.documents:
        raise Unusable("it names the query's own translation")
    if _repeated(whole) < REPEATED and not (use.spelling == "names" and shared is not None):
        coarser = tuple(level for level in use.levels if level != WHOLE)
        if use.form != "paths" or not coarser:
            prose = forms.are_prose(values)
            raise Unusable("its values are free text" if prose else "every document has its own value")
        use = msgspec.structs.replace(use, levels=coarser)
    single = int(whole.sizes.max(initial=0)) <= 1
    return msgspec.structs.replace(use, single=single, steps=_steps(raw, graph))


def _form(name: str, values: Sequence[str]) -> FieldUse:
    """What values look like, with the levels at which fewer of them are different."""
    if forms.are_codes(values):
        use = FieldUse(name, "codes")
    elif separator := forms.separator_of(values):
        use = FieldUse(name, "paths", separator=separator)
    else:
        return FieldUse(name, "values", forms.spelling_of(values))
    depth = min(forms.depth_of(values, use.separator), COARSER + 1)
    sizes = [len({use.spelled(level)(value)[0] for value in values}) for level in range(1, depth)]
    levels = forms.useful_levels([*sizes, len(values)])
    return msgspec.structs.replace(use, levels=(*levels, WHOLE))


def _shared(columns: Mapping[int, Column], split: Split | None, index: Index) -> _Shared | None:
    if split is None:
        return None
    whole, coarsest = columns[WHOLE], next(iter(columns.values()))
    sharing = documents = mates = 0
    for query in split.queries:
        sharing += bool(coarsest.known(coarsest.values_of(query)))
        codes = whole.known(whole.values_of(query))
        if codes:
            holders = np.flatnonzero(whole.common(codes))
            judged = split.qrels[query.id].items()
            numbers = index.numbering.of([doc for doc, level in judged if level == split.mate_level])
            documents += len(holders)
            mates += int(np.isin(holders, numbers[numbers != UNKNOWN]).sum())
    return _Shared(sharing, max(documents, 1), mates)


def _repeated(column: Column) -> float:
    """The share of values, each time a document has one, that another document has too."""
    df = np.diff(column.doc_starts)
    return float(df[df > 1].sum() / max(df.sum(), 1))


def _steps(column: Column, graph: Graph) -> tuple[int, ...]:
    """Along the class graph, if half of what documents have is in it; not where that would be too much."""
    df = np.diff(column.doc_starts)
    within = [n for value, n in zip(column.codes, df.tolist(), strict=True) if value in graph]
    if not within or sum(within) < 0.5 * df.sum():
        return ()

    def size(steps: int) -> int:
        return sum(
            n * len(graph.around(value, steps)) for value, n in zip(column.codes, df.tolist(), strict=True)
        )

    return tuple(steps for steps in (-1, 1) if size(steps) <= LARGEST)


def _quantity(index: Index, name: str, kind: str, split: Split | None) -> FieldUse:
    column: Floats = number_column(index, name) if kind == "number" else date_column(index, name)
    known = np.sort(column[np.isfinite(column)])
    if not len(known):
        raise Unusable("no document has it")
    if split is not None and not any(query.meta.get(name) is not None for query in split.queries):
        raise Unusable("no query has it")
    if known[0] == known[-1] and len(known) == int(index.numbering.live.sum()):
        raise Unusable("all documents have the same value")
    if kind == "date":
        return FieldUse(name, "date")
    low, high = np.quantile(known, [0.25, 0.75]).tolist()
    spread = (high - low) or float(known.std()) or 1.0
    return FieldUse(name, "number", spread=spread, is_ratio=bool(known[0] >= 0.0))
