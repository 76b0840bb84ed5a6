"""Metadata columns of a segment, and filters over them that apply before ranking.

A filter becomes a mask of allowed documents, so k results stay k results. A document without the field
matches no condition on it except `!=`.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import numpy as np

from kakehashi.errors import InputError
from kakehashi.store import Artifact, strings_arrays
from kakehashi.types import Array, Bools, Condition, Text

NO_DATE = np.iinfo(np.int32).min
_BAR = re.compile(r"(?<!\\)\|")  # between alternatives; \| is a bar of the value itself
_CONDITION = re.compile(r"\s*([\w.-]+)\s*(!=|<=|>=|=|<|>)\s*(.*?)\s*", re.DOTALL)


def parse_condition(text: str) -> Condition:
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise InputError(
            f"'{text}' is not a condition: write field=value, field=a|b, field=prefix*, field!=value or field<value"
        )
    return Condition(*match.groups())


def any_of(field: str, values: Sequence[str]) -> str:
    """The condition that a field has one of these values, as `parse_condition` reads it."""
    escaped = [value.replace("|", "\\|") for value in values]
    return f"{field}={'|'.join(escaped)}"


def column_arrays(fields: Mapping[str, str], texts: Sequence[Text]) -> dict[str, Array]:
    """Arrays of every declared field and of `lang`, over documents in the segment's order."""
    arrays = _keyword_arrays("lang", [text.lang for text in texts])
    for name, kind in fields.items():
        if name == "lang":  # always exists, whatever a collection declares
            continue
        values = [text.meta.get(name) for text in texts]
        if kind == "keyword":
            arrays |= _keyword_arrays(name, values)
        elif kind == "number":
            arrays[f"meta.{name}"] = np.array([_as_number(value) for value in values], dtype=np.float64)
        else:
            arrays[f"meta.{name}"] = np.array([as_day(name, value) for value in values], dtype=np.int32)
    return arrays


def matching(artifact: Artifact, kinds: Mapping[str, str], condition: Condition, n_docs: int) -> Bools:
    """Which documents of a segment satisfy the condition; with several values, `=` any of them and `!=` none."""
    if condition.operator in ("=", "!="):
        values = [value.strip().replace(r"\|", "|") for value in _BAR.split(condition.value)]
        equal = [Condition(condition.field, "=", value) for value in values]
        mask = np.logical_or.reduce([_satisfying(artifact, kinds, one, n_docs) for one in equal])
        return np.asarray(mask if condition.operator == "=" else ~mask)
    return _satisfying(artifact, kinds, condition, n_docs)


def _satisfying(artifact: Artifact, kinds: Mapping[str, str], condition: Condition, n_docs: int) -> Bools:
    kind = "keyword" if condition.field == "lang" else kinds.get(condition.field)
    if kind is None:
        known = ", ".join(sorted({*kinds, "lang"}))
        raise InputError(f"no metadata field '{condition.field}': this index has {known}")
    if kind == "keyword":
        return _keyword_mask(artifact, condition, n_docs)
    column = artifact.array(f"meta.{condition.field}")
    if kind == "number":
        return _compare(column, condition.operator, _number(condition), ~np.isnan(column))
    return _compare(column, condition.operator, as_day(condition.field, condition.value), column != NO_DATE)


def values(artifact: Artifact, kinds: Mapping[str, str], field: str, doc: int) -> list[str]:
    """The values of a document in a field, as a person would write them."""
    kind = "keyword" if field == "lang" else kinds[field]
    if kind == "keyword":
        starts, codes = artifact.array(f"meta.{field}.starts"), artifact.array(f"meta.{field}.codes")
        names = artifact.strings(f"meta.{field}")
        return [names[code] for code in codes[starts[doc] : starts[doc + 1]]]
    value = artifact.array(f"meta.{field}")[doc]
    if kind == "number":
        return [] if np.isnan(value) else [str(int(value)) if value.is_integer() else repr(float(value))]
    return [] if value == NO_DATE else [date.fromordinal(int(value)).isoformat()]


def _keyword_arrays(name: str, values: list[Any]) -> dict[str, Array]:
    """Strings by code, and per document its codes, ascending and each once; values are None, one or many each."""
    flat: list[Any] = []
    sizes = np.empty(len(values), dtype=np.int64)
    for i, value in enumerate(values):
        before = len(flat)
        if isinstance(value, list | tuple):
            flat.extend(value)
        elif value is not None:
            flat.append(value)
        sizes[i] = len(flat) - before
    flat = [item if isinstance(item, str) else str(item) for item in flat]
    names = sorted(set(flat))
    code = {item: number for number, item in enumerate(names)}
    codes = np.fromiter(map(code.__getitem__, flat), dtype=np.int64, count=len(flat))
    owners = np.repeat(np.arange(len(values)), sizes)
    rows = np.unique(owners * max(len(names), 1) + codes)
    starts = np.searchsorted(rows, np.arange(len(values) + 1) * max(len(names), 1))
    return {
        **strings_arrays(f"meta.{name}", names),
        f"meta.{name}.starts": starts.astype(np.int64),
        f"meta.{name}.codes": (rows % max(len(names), 1)).astype(np.int32),
    }


def _keyword_mask(artifact: Artifact, condition: Condition, n_docs: int) -> Bools:
    if condition.operator != "=":
        raise InputError(
            f"'{condition}': {condition.field} is a keyword, use = or != (a final * means prefix)"
        )
    names = artifact.strings(f"meta.{condition.field}")
    wanted = condition.value
    if wanted.endswith("*"):
        hit = np.array([name.startswith(wanted[:-1]) for name in names], dtype=bool)
    else:
        hit = np.array([name == wanted for name in names], dtype=bool)
    starts, codes = (
        artifact.array(f"meta.{condition.field}.starts"),
        artifact.array(f"meta.{condition.field}.codes"),
    )
    mask = np.zeros(n_docs, dtype=bool)
    if hit.any():
        owner = np.repeat(np.arange(n_docs), np.diff(starts))
        mask[owner[hit[codes]]] = True
    return mask


def _compare(column: Array, operator: str, value: float, present: Bools) -> Bools:
    holds = {
        "=": column == value,
        "<": column < value,
        "<=": column <= value,
        ">": column > value,
        ">=": column >= value,
    }[operator]
    result: Bools = present & holds
    return result


def _as_number(value: Any) -> float:
    try:
        return float(value) if isinstance(value, int | float) else float("nan")
    except OverflowError:  # a whole number of 400 digits
        return float("inf") if value > 0 else float("-inf")


def as_day(field: str, value: Any) -> int:
    """A date as a number that grows by one per day; `NO_DATE` if there is none."""
    if value is None or value == "":
        return int(NO_DATE)
    try:
        return date.fromisoformat(str(value)).toordinal()
    except ValueError:
        raise InputError(f"{field}: '{value}' is not a date: write it as 2006-12-31") from None


def _number(condition: Condition) -> float:
    try:
        return float(condition.value)
    except ValueError:
        raise InputError(f"'{condition}': '{condition.value}' is not a number") from None
