"""The nouns and protocols used by all other packages; no files, no algorithms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

import msgspec
import numpy as np
from numpy.typing import NDArray

from kakehashi.progress import SILENT, Progress

Floats: TypeAlias = NDArray[np.float64]
Floats32: TypeAlias = NDArray[np.float32]
Ints: TypeAlias = NDArray[np.int32]
Longs: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]
Array: TypeAlias = NDArray[Any]

Qrels: TypeAlias = dict[
    str, dict[str, int]
]  # query id -> {document id: level}; level 0 = judged, not relevant


class Text(msgspec.Struct, frozen=True):
    """A query or a document, before analysis."""

    id: str
    lang: str
    text: str
    title: str = ""
    meta: Mapping[str, Any] = {}

    @property
    def content(self) -> str:
        """The searched text: the title, then the text."""
        return f"{self.title}\n{self.text}" if self.title else self.text


@dataclass(frozen=True)
class TermQuery:
    """A weighted set of groups; each group is a weighted set of target terms (one concept of the query).

    Group g holds terms[starts[g]:starts[g + 1]] with term_weights at the same places.
    """

    weights: Floats  # (groups,)
    starts: Longs  # (groups + 1,)
    terms: Ints  # (entries,) term numbers of one index
    term_weights: Floats  # (entries,)
    labels: tuple[str, ...]  # (groups,) the source word of a group; empty: the compiler provides `sources`
    df: Floats | None = None  # (groups,) and
    cf: Floats | None = None  # (groups,) where they are not the sums of those of the terms, by their weights
    lost: Floats | None = (
        None  # (entries,) how much shorter a document counts for its group by each occurrence
    )

    def __len__(self) -> int:
        return len(self.weights)


@dataclass(frozen=True)
class Ranking:
    """One query's list, best first, ties in trec_eval's order (see `in_order`)."""

    docs: Sequence[str]
    scores: Floats

    def __len__(self) -> int:
        return len(self.docs)


@dataclass(frozen=True)
class Run:
    """The answers of one system: query id -> Ranking."""

    system: str
    rankings: dict[str, Ranking]


def in_order(docs: Sequence[str], scores: Floats, k: int | None = None) -> Ranking:
    """The one place where ties are broken: by score descending, then by document id descending."""
    by_id = sorted(range(len(docs)), key=docs.__getitem__, reverse=True)
    order = np.array(by_id, dtype=np.int64)
    order = order[np.argsort(-np.asarray(scores)[order], kind="stable")][:k]
    return Ranking([docs[i] for i in order], np.asarray(scores, dtype=np.float64)[order])


@dataclass(frozen=True)
class Condition:
    """One condition on one field, such as `ipc=A01B*` or `publication<2006-01-01`; a final * means prefix."""

    field: str
    operator: str
    value: str

    def __str__(self) -> str:
        return f"{self.field}{self.operator}{self.value}"


@dataclass(frozen=True)
class Scope:
    """Which documents may be found; applied before ranking, so that k results stay k results."""

    where: tuple[Condition, ...] = ()
    expression: str = ""  # a Boolean query
    not_itself: bool = False  # leave out the document with the query's own id


EVERYTHING = Scope()


class Share(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one group of the query gave a document."""

    query: str  # the query word
    document: str  # the matching words of the document, joined by a comma; empty for the part that all documents share
    share: float
    part: str = (
        ""  # of a combination: the input, or `metadata: ` and the group of features; ANY for any document's
    )


ANY = "(any document)"  # part of what every document gets, whatever the query
PASSAGE = "(≈ "  # begins the `document` of a share that is an estimate, over the whole passage that follows


def largest_first(shares: list[Share]) -> list[Share]:
    """By size, whatever the sign; equal ones stay in their order."""
    order = np.argsort([-abs(one.share) for one in shares], kind="stable")
    return [shares[i] for i in order.tolist()]


@dataclass(frozen=True)
class Explanation:
    """Where a score comes from; the shares sum to it."""

    score: float
    shares: list[Share]

    @property
    def parts(self) -> list["Part"]:
        """Of a combination: what each part gave, largest first, without what any document gets."""
        found: dict[str, list[Share]] = {}
        for one in self.shares:
            if one.part not in ("", ANY):
                found.setdefault(one.part, []).append(one)
        parts = [Part(name, sum(one.share for one in shares), shares) for name, shares in found.items()]
        return sorted(parts, key=lambda part: -abs(part.share))


class Part(NamedTuple):
    """What one part of a combination gave a document, and its words."""

    name: str
    share: float
    shares: list[Share]


class System(Protocol):
    """Answers queries with rankings; stores nothing about a query, so one object serves many threads at once."""

    @property
    def name(self) -> str: ...
    def search(self, queries: Sequence[Text], k: int = 1000, scope: Scope = EVERYTHING) -> Run: ...


class Compiler(Protocol):
    """Turns a source-language query into a grouped term query over the target index."""

    def compile(self, query: Text) -> TermQuery: ...


@dataclass(frozen=True)
class Sources:
    """What every word of a query gave to the weights of terms; the parts of a term sum to its weight."""

    words: Sequence[str]
    parts: Floats  # (terms, words)


@runtime_checkable
class SourcedCompiler(Compiler, Protocol):
    """A compiler whose queries have no labels: its groups are single terms, each from several source words."""

    def sources(self, query: Text, terms: Ints) -> Sources:
        """What is behind these terms of the index."""
        ...


@runtime_checkable
class CountingCompiler(Compiler, Protocol):
    """A compiler whose groups have statistics of their own."""

    def counted(self, query: TermQuery) -> TermQuery:
        """The query with the statistics of its groups, whatever terms they hold by now."""
        ...


@runtime_checkable
class PreparingCompiler(Compiler, Protocol):
    """A compiler for which many queries at once are cheaper than one after another."""

    def prepare(self, queries: Sequence[Text], progress: Progress = SILENT) -> None:
        """Prepare what compiling these queries will need."""
        ...


class Scorer(Protocol):
    """Scores given documents for one query."""

    def score(self, query: Text, doc_ids: Sequence[str]) -> Floats: ...


class Fuser(Protocol):
    """Merges several rankings of the same query into one."""

    def fuse(self, rankings: Sequence[Ranking]) -> Ranking: ...
