"""An index opened for reading: segments, live statistics, vocabulary, filters. `update.py` writes it.

Opening maps every array and reads none, so an index of any size opens immediately, and an open one stays
intact whatever is written meanwhile. Checksums are verified on request (`faults`), not on opening.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kakehashi import store
from kakehashi.corpus.collection import FieldKind
from kakehashi.errors import FileError, InputError, UnreadableError
from kakehashi.index import boolean
from kakehashi.index.numbering import Numbering
from kakehashi.index.segment import Segment, vocabulary_of
from kakehashi.index.segment_layout import LONGEST
from kakehashi.index.statistics import Statistics, count
from kakehashi.index.term_order import NO_RANKS, term_ranks
from kakehashi.index.vocabulary import Vocabulary
from kakehashi.soundness import Unsound, setting_count, text_ends, typed, within
from kakehashi.text.analyzer import Analyzer
from kakehashi.text.settings import read_settings
from kakehashi.text.state import state_from_arrays
from kakehashi.types import Array, Bools, Condition, Floats, Ints

KIND, VERSION = "index", 2
RANKS, RANKED = "ranks", "ranked"  # an array, and the setting that gives its absence a meaning
_SEGMENT = re.compile("s[0-9]{1,18}")
MASKS = 64  # maximum number of cached filters
PLACES = 4096  # and of cached places of documents


class Index:
    """The documents of a collection, ready to be searched by any number of threads."""

    def __init__(self, folder: Path | str):
        self.folder = Path(folder)
        self.artifact, self.segments = _open(self.folder)
        settings = self.artifact.meta.settings
        with store.reading(self.folder):
            self.fields: dict[str, str] = msgspec.convert(settings["fields"], dict[str, FieldKind])
            self.n_docs = setting_count(settings, "n_docs")
            self.longest = setting_count(settings, "longest", LONGEST)  # length of the longest live document
            self.fingerprint = msgspec.convert(settings["fingerprint"], str)
            setting_count(settings, "total_length", 1 << 62)
            _check_parts(self.segments)
        self._masks: dict[tuple[int, tuple[Condition, ...], str], Bools | None] = {}
        self._places: dict[str, tuple[int, int]] = {}

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Words of dead documents alone are unknown; a rewritten index knows all its words, whoever contains them."""
        return vocabulary_of(self.segments, None if self.artifact.meta.made_from else self._by_term("df"))

    @cached_property
    def numbering(self) -> Numbering:
        """Documents numbered across all segments."""
        return Numbering(self)

    @cached_property
    def analyzer(self) -> Analyzer:
        return read_analyzer(self.artifact, "target")

    @cached_property
    def source_analyzer(self) -> Analyzer:
        return read_analyzer(self.artifact, "source")

    @cached_property
    def statistics(self) -> Statistics:
        """Over the live documents, as if the index had just been built from them."""
        total = self.artifact.meta.settings["total_length"]
        return Statistics(self.n_docs, total, self._by_term("df"), self._by_term("cf"), self._ranks)

    def _by_term(self, name: str) -> Array:
        """An array with one number per term."""
        with store.reading(self.folder):
            return typed(
                name, self.artifact.array(name), (np.int32 if name == RANKS else np.int64,), self._n_terms
            )

    @property
    def _n_terms(self) -> int:
        return sum(segment.artifact.length("terms.ends") for segment in self.segments)

    @cached_property
    def _ranks(self) -> Ints:
        """See `term_order`; computed here only for an index written before ranks were stored."""
        if RANKS in self.artifact:
            return self._by_term(RANKS)
        if self.artifact.meta.settings.get(RANKED) or self.artifact.meta.made_from:
            return NO_RANKS
        return term_ranks(self.vocabulary, self.artifact.array("cf"))

    def statistics_where(self, conditions: Sequence[Condition]) -> Statistics:
        """Over the live documents that satisfy the conditions, for example those of the training pool."""
        parts = [(segment, self.allowed(i, conditions)) for i, segment in enumerate(self.segments)]
        return replace(count(parts, len(self.vocabulary)), ranks=self._ranks)

    @cached_property
    def contents(self) -> list[list[Any]]:
        """Distinguishes this index from any with other postings or terms, also after a rebuild or merge."""
        names = ("fwd.starts", "fwd.terms", "fwd.tfs", "terms.bytes", "terms.ends")
        return [
            [segment.first_term, *(segment.artifact.meta.arrays[name].xxh3 for name in names)]
            for segment in self.segments
        ]

    def allowed(
        self, segment: int, conditions: Sequence[Condition] = (), expression: str = ""
    ) -> Bools | None:
        """Which documents of a segment may be ranked: live, matching, and in the Boolean set; None = all."""
        if not (conditions or expression):
            return self._live(segment)
        asked = segment, tuple(conditions), expression
        found = self._masks.get(asked)
        if found is None:
            if len(self._masks) >= MASKS:  # a server must not grow with every new filter
                self._masks.clear()
            found = self._masks[asked] = self._mask(*asked)
        return found

    def _mask(self, segment: int, conditions: Sequence[Condition], expression: str) -> Bools | None:
        masks = [self.segments[segment].matching(conditions), self._live(segment)]
        if expression:
            masks.append(boolean.matching(expression, self.segments[segment], self.vocabulary, self.analyzer))
        chosen = None
        for mask in masks:
            if mask is not None:
                chosen = mask if chosen is None else chosen & mask
        return chosen

    def place(self, doc_id: str) -> tuple[int, int] | None:
        """Here is my document id: (segment, number) of the live document, or None."""
        found = self._places.get(doc_id)
        if found is None and (found := self._find(doc_id)) is not None:
            if len(self._places) >= PLACES:
                self._places.clear()
            self._places[doc_id] = found  # each input of a combination asks for the same few again
        return found

    def _find(self, doc_id: str) -> tuple[int, int] | None:
        for i, segment in enumerate(self.segments):
            number = segment.number(doc_id)
            live = self._live(i)
            if number >= 0 and (live is None or live[number]):
                return i, number
        return None

    def known_place(self, doc_id: str) -> tuple[int, int]:
        """Like `place`, but an unknown document is an error."""
        place = self.place(doc_id)
        if place is None:
            raise InputError(f"there is no document '{doc_id}' in the index")
        return place

    def title(self, doc_id: str) -> str:
        place = self.place(doc_id)
        return str(self.segments[place[0]].titles[place[1]]) if place else ""

    def faults(self) -> list[str]:
        """What does not match its checksum, over all segments; empty for an intact index."""
        return self.artifact.faults() + [
            fault for segment in self.segments for fault in segment.artifact.faults()
        ]

    def verify(self) -> None:
        """Refuse a damaged index before anything is derived from it that gets checksums of its own."""
        for artifact in (self.artifact, *(segment.artifact for segment in self.segments)):
            artifact.verify()

    def dead(self, segment: int) -> Bools | None:
        """Documents of the segment that were deleted or replaced; None if all are live."""
        name = f"dead.{self.segments[segment].name}"
        if name not in self.artifact:
            return None
        with store.reading(self.folder):
            return typed(name, self.artifact.array(name), (np.bool_,), self.segments[segment].n_docs)

    def without_dead(self, scores: Floats) -> Floats:
        """Scores of all documents, numbered across all segments; set to NaN in place for dead documents."""
        first = 0
        for i, segment in enumerate(self.segments):
            dead = self.dead(i)
            if dead is not None:
                scores[first : first + segment.n_docs][dead] = np.nan
            first += segment.n_docs
        return scores

    def _live(self, segment: int) -> Bools | None:
        dead = self.dead(segment)
        return None if dead is None else ~dead


def _open(folder: Path) -> tuple[store.Artifact, list[Segment]]:
    """Map everything; start over if a commit removed a file between two steps."""
    for last_try in (False, False, True):
        artifact = store.read(folder, KIND, VERSION, check_index)
        try:
            artifact.map_all()
            segments = [Segment(folder / "segments" / name) for name in _names(artifact)]
            for segment in segments:
                segment.artifact.map_all()
            return artifact, segments
        except UnreadableError:
            raise
        except FileError as error:
            if last_try or store.read(folder, KIND, VERSION).meta.generation == artifact.meta.generation:
                hint = f"{error.message} (kakehashi index DIR --rebuild)"
                raise FileError(error.path, error.line, hint) from None
    raise AssertionError("the last try returns or raises")


def read_analyzer(artifact: store.Artifact, side: str) -> Analyzer:
    with store.reading(artifact.folder):
        settings = read_settings(artifact.meta.settings[f"{side}_analyzer"])
        return Analyzer(settings, state_from_arrays(artifact.array, side))


def _names(artifact: store.Artifact) -> list[str]:
    """The segments' folders, inside that of the index."""
    with store.reading(artifact.folder):
        names = msgspec.convert(artifact.meta.settings["segments"], list[str])
        if not all(_SEGMENT.fullmatch(name) for name in names):
            raise Unsound("it names a segment outside its own folder")
    return names


def _check_parts(segments: Sequence[Segment]) -> None:
    """Terms are numbered through, so that a number leads to one word."""
    n_terms = 0
    for segment in segments:
        if segment.first_term != n_terms:
            raise Unsound(
                f"segment {segment.name} numbers its terms from {segment.first_term}, not {n_terms}"
            )
        n_terms += segment.artifact.length("terms.ends")


def check_index(artifact: store.Artifact, name: str, array: Array) -> None:
    """Refuse an array of an index that does not fit its segments; sizes by terms are checked with them."""
    if name in ("df", "cf"):
        within(name, typed(name, array, (np.int64,), None), 1 << 62)
    elif name == RANKS:
        within(name, typed(name, array, (np.int32,), None), len(array))
    elif name.startswith("dead."):
        typed(name, array, (np.bool_,), None)
    elif name.endswith(".counts"):
        within(name, typed(name, array, (np.int64,), None), 1 << 62)
    elif name.endswith(".ends"):
        text_ends(name, array, artifact.array(f"{name.removesuffix('.ends')}.bytes"))
    else:
        typed(name, array, (np.uint8,), None)
