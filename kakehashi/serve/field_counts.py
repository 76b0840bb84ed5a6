"""How many documents have which values in which fields, for filters; counted before anything is ranked."""

from collections import Counter
from collections.abc import Sequence
from datetime import date
from typing import Any

import numpy as np

from kakehashi.corpus.facts import CLASSES, PATENT_CLASSES
from kakehashi.index.holdings import Holdings
from kakehashi.index.index import Index
from kakehashi.index.metadata import NO_DATE, parse_condition
from kakehashi.index.segment import Segment
from kakehashi.types import Bools, Condition

SUBCLASS = 4  # letters of a patent class that are counted together: A61B of A61B 1/02


def field_counts(library: Holdings, where: Sequence[str], boolean: str, most: int) -> list[dict[str, Any]]:
    """Per field its kind and its commonest values among the documents that the conditions on other fields allow.

    The conditions on a field itself do not count for it, so that a reader sees what else could be chosen.
    """
    index, titles = library.index, library.class_titles
    conditions = [parse_condition(text) for text in where]
    found = []
    for name, kind in index.fields.items():
        others = [condition for condition in conditions if condition.field != name]
        masks = [index.allowed(i, others, boolean) for i in range(len(index.segments))]
        counted = _counts(index, name, kind, masks, most)
        if titles and name.lower() in CLASSES:
            for one in counted.get("values", ()):
                one["title"] = titles.of(one["value"])
        found.append({"field": name, "kind": kind, **counted})
    return found


def count_documents(index: Index, where: Sequence[str], boolean: str) -> int:
    """That the conditions allow."""
    conditions: list[Condition] = [parse_condition(text) for text in where]
    return int(index.numbering.allowed(conditions, boolean).sum())


def _counts(index: Index, name: str, kind: str, masks: Sequence[Bools | None], most: int) -> dict[str, Any]:
    if kind == "keyword":
        counter: Counter[str] = Counter()
        for segment, mask in zip(index.segments, masks, strict=True):
            counter += _keywords(segment, name, mask)
        listed = sorted(counter.items(), key=lambda pair: (-pair[1], pair[0]))
        values = [{"value": value, "documents": n} for value, n in listed[:most]]
        return {"values": values, "distinct": len(counter), "by_prefix": name.lower() in PATENT_CLASSES}
    column = _column(index, name, masks)
    if kind == "number":
        known = column[~np.isnan(column)]
        return {"least": float(known.min()), "most": float(known.max())} if len(known) else {}
    days = column[column != NO_DATE]
    if not len(days):
        return {}
    years: Counter[int] = Counter()
    for day, n in zip(*np.unique(days, return_counts=True), strict=True):
        years[date.fromordinal(int(day)).year] += int(n)
    values = [{"value": str(year), "documents": n} for year, n in sorted(years.items())]
    ends = {"first": date.fromordinal(int(days.min())), "last": date.fromordinal(int(days.max()))}
    return {"values": values, **{key: day.isoformat() for key, day in ends.items()}}


def _keywords(segment: Segment, name: str, mask: Bools | None) -> Counter[str]:
    """Documents by value; classes of patents by subclass."""
    array = segment.artifact.array
    starts, codes = array(f"meta.{name}.starts"), array(f"meta.{name}.codes")
    names = segment.artifact.strings(f"meta.{name}")
    owners = np.repeat(np.arange(segment.n_docs), np.diff(starts))
    if name.lower() in PATENT_CLASSES:
        short, groups = np.unique([value[:SUBCLASS].strip() for value in names], return_inverse=True)
        pairs = np.unique(owners * max(len(short), 1) + groups[codes]) if len(names) else owners[:0]
        owners, codes = np.divmod(pairs, max(len(short), 1))
        names = short.tolist()
    if mask is not None:
        codes = codes[mask[owners]]
    counts = np.bincount(codes, minlength=len(names))
    return Counter({names[i]: int(counts[i]) for i in np.flatnonzero(counts).tolist()})


def _column(index: Index, name: str, masks: Sequence[Bools | None]) -> np.ndarray[Any, Any]:
    parts = [segment.artifact.array(f"meta.{name}") for segment in index.segments]
    kept = [part if mask is None else part[mask] for part, mask in zip(parts, masks, strict=True)]
    return np.concatenate(kept) if kept else np.zeros(0)
