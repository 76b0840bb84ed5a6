"""What the arrays of a segment must be like, so that nothing that indexes by them leaves another array.

An array is checked when it is first used, not when the index is opened: an index of any size opens immediately.
"""

from collections.abc import Callable, Mapping
from datetime import date

import numpy as np

from kakehashi.compiled import kernel
from kakehashi.index.metadata import NO_DATE
from kakehashi.soundness import Unsound, setting_count, starts, text_ends, typed, within
from kakehashi.store import Artifact
from kakehashi.types import Array

LONGEST = 1 << 28  # words of a document; tables over lengths have a row for each
CODES, TFS, LENGTHS = (np.uint16, np.uint32), (np.uint8, np.uint32), (np.uint16, np.uint32)


class _Segment:
    """The sizes that arrays must agree with."""

    def __init__(self, artifact: Artifact):
        self.array, self.size, settings = artifact.array, artifact.length, artifact.meta.settings
        self.n_docs = setting_count(settings, "n_docs")
        self.n_terms = setting_count(settings, "first_term") + artifact.length("terms.ends")
        self.n_rows = artifact.length("post.terms")
        self.fields: Mapping[str, str] = {**settings["fields"], "lang": "keyword"}


def check_segment(artifact: Artifact, name: str, array: Array) -> None:
    """Refuse an array of a segment that does not fit the others."""
    if name.startswith("meta."):
        _check_column(_Segment(artifact), name, array)
    elif name.endswith((".bytes", ".ends")):
        _check_strings(artifact, name, array)
    elif name == "post.terms":
        typed(name, array, (np.int32,), None)
        ascending(name, array, np.array([0, len(array)]), _Segment(artifact).n_terms)
    elif name in _CHECKS:
        _CHECKS[name](_Segment(artifact), name, array)
    else:
        raise Unsound(f"{name} is not an array of a segment")


def _check_strings(artifact: Artifact, name: str, array: Array) -> None:
    """Ends and bytes are only ever used together."""
    kind = name.rpartition(".")[0]
    typed(name, array, (np.uint8,) if name.endswith(".bytes") else (np.int64,), None)
    if name.endswith(".ends") and kind in ("ids", "titles"):
        typed(name, array, (np.int64,), setting_count(artifact.meta.settings, "n_docs"))
    if name.endswith(".ends"):
        text_ends(name, array, artifact.array(f"{kind}.bytes"))


def _check_column(segment: _Segment, name: str, array: Array) -> None:
    """A column of metadata, see `metadata.column_arrays`."""
    field, _, part = name.removeprefix("meta.").partition(".")
    kind = segment.fields.get(field)
    if part in ("bytes", "ends"):
        typed(name, array, (np.uint8,) if part == "bytes" else (np.int64,), None)
        if part == "ends":
            text_ends(name, array, segment.array(f"meta.{field}.bytes"))
    elif part == "starts":
        starts(name, array, segment.n_docs, segment.size(f"meta.{field}.codes"))
    elif part == "codes":
        within(name, typed(name, array, (np.int32,), None), segment.size(f"meta.{field}.ends"))
    elif kind == "number":
        typed(name, array, (np.float64,), segment.n_docs)
    else:
        days = typed(name, array, (np.int32,), segment.n_docs)
        within(name, days[days != NO_DATE], date.max.toordinal() + 1, 1)


def _check_slots(segment: _Segment, name: str, array: Array) -> None:
    """A table to look words up in; a search of it ends at a free place."""
    n = segment.size("terms.ends")
    within(name, typed(name, array, (np.int32,), None), n, -1)
    if len(array) & (len(array) - 1) or not (array < 0).any():
        raise Unsound(f"{name} is full, or its length is not a power of two")


def _check_top(segment: _Segment, name: str, array: Array) -> None:
    typed(name, array, TFS, None, segment.n_docs)


def _check_lengths(segment: _Segment, name: str, array: Array) -> None:
    """Tables over lengths end at the longest length of a posting."""
    longest = int(segment.array("pairs.lengths").max(initial=0))
    within(name, typed(name, array, LENGTHS, segment.n_docs), longest + 1)


def _check_pairs(segment: _Segment, name: str, array: Array) -> None:
    n = None if name == "pairs.tfs" else segment.size("pairs.tfs")
    within(name, typed(name, array, (np.int32,), n), LONGEST)


def _check_per_term(segment: _Segment, name: str, array: Array) -> None:
    typed(name, array, (np.int64,) if name == "post.cf" else (np.int32,), segment.n_rows)
    within(name, array, 1 << 62)


_CHECKS: Mapping[str, Callable[[_Segment, str, Array], object]] = {
    "lengths": _check_lengths,
    "hashes": lambda segment, name, array: typed(name, array, (np.uint64,), segment.n_docs),
    "terms.slots": _check_slots,
    "pairs.tfs": _check_pairs,
    "pairs.lengths": _check_pairs,
    "post.starts": lambda segment, name, array: starts(
        name, array, segment.n_rows, segment.size("post.codes")
    ),
    "post.docs": lambda segment, name, array: ascending(
        name,
        typed(name, array, (np.int32,), segment.size("post.codes")),
        segment.array("post.starts"),
        segment.n_docs,
    ),
    "post.codes": lambda segment, name, array: within(
        name, typed(name, array, CODES, None), segment.size("pairs.tfs")
    ),
    "post.cf": _check_per_term,
    "post.max_tf": _check_per_term,
    "post.min_length": _check_per_term,
    "post.columns": lambda segment, name, array: within(
        name, typed(name, array, (np.int16,), segment.n_rows), segment.size("top.tfs"), -1
    ),
    "top.tfs": _check_top,
    "fwd.starts": lambda segment, name, array: starts(name, array, segment.n_docs, segment.size("fwd.tfs")),
    "fwd.terms": lambda segment, name, array: ascending(
        name,
        typed(name, array, (np.int32,), segment.size("fwd.tfs")),
        segment.array("fwd.starts"),
        segment.n_terms,
    ),
    "fwd.tfs": lambda segment, name, array: typed(name, array, TFS, None),
}


def ascending(name: str, array: Array, row_starts: Array, below: int) -> None:
    """Numbers ascend within each row and are in 0 .. below - 1; `row_starts` are checked already."""
    if not _ascends(array, row_starts, below):
        raise Unsound(f"{name} has a number outside 0 to {below - 1}, or not in its order")


@kernel
def _ascends(values: Array, row_starts: Array, below: int) -> bool:
    for row in range(len(row_starts) - 1):
        last = np.int64(-1)
        for p in range(row_starts[row], row_starts[row + 1]):
            value = np.int64(values[p])
            if value <= last or value >= below:
                return False
            last = value
    return True
