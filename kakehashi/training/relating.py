"""Kinds of related words by name, and how each is made from text, vectors and lexicons."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kakehashi.corpus.lines import read_lines
from kakehashi.errors import InputError
from kakehashi.index.holdings import Holdings
from kakehashi.learn.retrofit import Form, retrofit
from kakehashi.learn.skipgram import Texts
from kakehashi.lexicon.neighbours import Related, neighbours, unit_vectors
from kakehashi.progress import SILENT, Progress, track
from kakehashi.text.analyzer import Analyzer
from kakehashi.types import Floats32

SKIPGRAM, LSI, RETRO, EXTRETRO = "skipgram", "lsi", "retro", "extretro"
VECTORS = (SKIPGRAM, LSI)  # made from text alone


class Resource(NamedTuple):
    """What vectors are retrofitted to: a lexicon, or the words related by LSI from a threshold on."""

    name: str
    least: float | None


@dataclass(frozen=True)
class Kind:
    """The recipe behind a name such as skipgram, ppdb, retro-lsi@0.7 or extretro-lsi@0.7-ppdb."""

    name: str
    method: str  # SKIPGRAM, LSI, RETRO, EXTRETRO, or empty for a lexicon itself
    resources: tuple[Resource, ...] = ()

    @property
    def lexicons(self) -> set[str]:
        named = {one.name for one in self.resources if one.name not in VECTORS}
        return named if self.method else {self.name}


def parse_kind(name: str) -> Kind:
    method, *named = name.split("-")
    if method in VECTORS and not named:
        return Kind(name, method)
    if not named and method.removesuffix("+").isalnum():
        return Kind(name, "")
    if len(named) != {RETRO: 1, EXTRETRO: 2}.get(method):
        raise InputError(
            f"'{name}' is not a kind of related words: write skipgram, lsi, a lexicon's name, retro-ppdb, "
            "retro-lsi@0.7 or extretro-lsi@0.7-ppdb"
        )
    return Kind(name, method, tuple(_resource(name, one) for one in named))


def _resource(kind: str, text: str) -> Resource:
    name, at, least = text.partition("@")
    if (name in VECTORS) != bool(at) or name == SKIPGRAM:
        raise InputError(
            f"'{kind}' retrofits skip-gram vectors to a lexicon (ppdb), or to LSI from a threshold on (lsi@0.7)"
        )
    try:
        return Resource(name, float(least) if at else None)
    except ValueError:
        raise InputError(f"'{kind}': {least} is not a threshold: write lsi@0.7") from None


@dataclass
class Relating:
    """Makes kinds of related words over one vocabulary; what several need is made once."""

    n_words: int
    least: float
    vectors_of: Callable[[str], Floats32]  # of skipgram and lsi
    lexicon_of: Callable[[str], Related]
    gamma: float = 0.5
    form: Form = "consistent"
    threads: int = 0
    progress: Progress = SILENT
    vectors: dict[str, Floats32] = field(default_factory=dict)  # what was made so far
    related: dict[str, Related] = field(default_factory=dict)

    def make(self, kind: Kind) -> Related:
        if kind.name not in self.related:
            if kind.method:
                made = neighbours(
                    self.made_vectors(kind), self.least, threads=self.threads, progress=self.progress
                )
            else:
                made = self.lexicon_of(kind.name)
            self.related[kind.name] = made
        return self.related[kind.name]

    def made_vectors(self, kind: Kind) -> Floats32:
        if kind.name not in self.vectors:
            if kind.method in VECTORS:
                made = self.vectors_of(kind.name)
            else:
                base = unit_vectors(self.made_vectors(Kind(SKIPGRAM, SKIPGRAM)))
                made = retrofit(base, [*map(self._resource, kind.resources)], self.gamma, self.form)
            self.vectors[kind.name] = made
        return self.vectors[kind.name]

    def _resource(self, resource: Resource) -> Related:
        if resource.least is None:
            return self.make(Kind(resource.name, ""))
        if resource.least < self.least:
            raise InputError(
                f"{resource.name}@{resource.least:g} lies below least={self.least:g}: lower least"
            )
        return self.make(Kind(resource.name, resource.name)).above(resource.least)


def read_texts(holdings: Holdings, files: Sequence[Path], progress: Progress = SILENT) -> Texts:
    """The collection's documents, and the lines of further files, through the documents' analyzer."""
    n_docs = holdings.index.n_docs
    documents = track(holdings.collection.documents(), "reading documents", n_docs, progress)
    lines = (line for path in files for _, line in read_lines(path))
    return analysed(chain((text.content for text in documents), lines), holdings.index.analyzer)


def analysed(contents: Iterable[str], analyzer: Analyzer) -> Texts:
    numbers: dict[str, int] = {}
    words = [
        np.array([numbers.setdefault(term, len(numbers)) for term in analyzer.terms(content)], dtype=np.int32)
        for content in contents
    ]
    ends = np.cumsum([len(each) for each in words]).astype(np.int64)
    return Texts(list(numbers), np.concatenate([*words, np.zeros(0, np.int32)]), ends)


def frequent_terms(texts: Texts, least: int) -> tuple[str, ...]:
    """By descending frequency, then by string."""
    counts: Mapping[str, int] = dict(zip(texts.terms, texts.counts().tolist(), strict=True))
    return tuple(sorted((t for t, n in counts.items() if n >= least), key=lambda t: (-counts[t], t)))
