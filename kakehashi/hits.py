"""What a search found, as data: hits with titles, scores and reasons; commands and pages draw it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from kakehashi.corpus.facts import Facts, facts_of
from kakehashi.errors import InputError
from kakehashi.export.listing import Entry, Listing, brief_reasons
from kakehashi.index.holdings import Holdings
from kakehashi.index.index import Index
from kakehashi.retrieve.nothing import why_nothing
from kakehashi.retrieve.prior_art import PriorArt
from kakehashi.retrieve.system import IndexSystem, takes_edits
from kakehashi.tabular import Tabular
from kakehashi.text.analyzer import NGRAM_SEPARATOR
from kakehashi.text.marking import Piece, marked
from kakehashi.text.passages import passage
from kakehashi.types import EVERYTHING, Explanation, Ranking, Scope, Share, TermQuery, Text

REASONS = 3  # words named in a row of a table
MARKED = 24  # different words marked in one document
FAINT = 0.1  # of the largest share of a document's word: what got less is not marked


class Word(NamedTuple):
    """A word of the query and what it is looked for as."""

    word: str
    times: float
    translations: list[tuple[str, float]]  # likeliest first


@dataclass(frozen=True)
class Hit:
    """One document that was found."""

    rank: int
    id: str
    score: float
    title: str
    facts: dict[str, Any]  # what prior-art rules looked at: publication, family
    found_by: "Hits" = field(repr=False, compare=False)

    @property
    def why(self) -> list[Share]:
        """What gave the score, most important first; the shares sum to it."""
        return self.explanation.shares

    @property
    def explanation(self) -> Explanation:
        """Where the score comes from, with subtotals of the parts of a combination."""
        return self.found_by.explanations[self.rank - 1]

    @property
    def text(self) -> Text:
        """The document itself."""
        return self.found_by.holdings.text(self.id)

    @property
    def meta(self) -> Mapping[str, Any]:
        """The document's metadata."""
        found = self.found_by.texts.get(self.id)
        return found.meta if found else {}

    @cached_property
    def about(self) -> Facts:
        """Date, applicants and classes, under whatever names the collection has them."""
        found = self.found_by.texts.get(self.id)
        about = facts_of(found, self.found_by.holdings.collection.info.fields) if found else Facts()
        published = self.facts.get("publication")
        return replace(about, date=published) if published else about

    @cached_property
    def worth(self) -> dict[str, float]:
        """The document's terms that brought it here, with what each gave; only those worth showing."""
        return _worth(self.why)

    @cached_property
    def passage(self) -> list[Piece]:
        """About two lines of the text around the place that matches best, as stretches that match or do not."""
        found = self.found_by.texts.get(self.id)
        return passage(found.text, self.worth, self.found_by.system.index.analyzer) if found else []

    def marked(self, text: str) -> list[Piece]:
        """A text, such as the document's title or all of it, with the words marked that brought it here."""
        return marked(text, frozenset(self.worth), self.found_by.system.index.analyzer)

    def as_dict(self, passage: bool = True, reasons: bool = True) -> dict[str, Any]:
        """As a JSON object."""
        parts = self.explanation.parts if reasons else ()
        return {
            "id": self.id,
            "score": self.score,
            "title": self.title,
            **({"shares": msgspec.to_builtins(self.why)} if reasons else {}),
            **({"parts": parts_dict(self.explanation)} if parts else {}),
            "date": self.about.date or None,
            "applicant": self.about.applicant or None,
            "classes": list(self.about.classes),
            **({"passage": [piece._asdict() for piece in self.passage]} if passage else {}),
            **self.facts,
        }

    @property
    def entry(self) -> Entry:
        """What is written about it in files."""
        family = self.facts.get("family", [])
        return Entry(
            self.rank, self.id, self.score, self.title, self.about, self.passage, self.explanation, family
        )


@dataclass(frozen=True)
class Hits(Tabular, Sequence[Hit]):
    """The answer to one query, best first; reasons are worked out for all hits when one is asked for."""

    query: Text
    ranking: Ranking
    system: IndexSystem = field(repr=False)
    holdings: Holdings = field(repr=False)
    scope: Scope = EVERYTHING
    settings: Mapping[str, Any] = field(default_factory=dict)  # those of the system that were asked for

    def __len__(self) -> int:
        return len(self.ranking)

    def __getitem__(self, place: Any) -> Any:
        return self._all[place]

    def __iter__(self) -> Iterator[Hit]:
        return iter(self._all)

    @cached_property
    def _all(self) -> list[Hit]:
        listed = zip(self.ranking.docs, self.ranking.scores.tolist(), self._facts, strict=True)
        title = self.holdings.index.title
        return [
            Hit(rank, doc, score, title(doc), facts, self)
            for rank, (doc, score, facts) in enumerate(listed, 1)
        ]

    @cached_property
    def explanations(self) -> list[Explanation]:
        return self.system.explain(self.query, self.ranking.docs, self.scope)

    @cached_property
    def texts(self) -> dict[str, Text]:
        """The documents by id, read when the first is asked for."""
        return self.holdings.some_texts(self.ranking.docs)

    @cached_property
    def nothing(self) -> str:
        """Why there are no hits; empty where there are some."""
        return "" if len(self) else why_nothing(self.query, self.system, self.scope)

    @property
    def words(self) -> list[Word]:
        """What each word of the query is looked for as, by a system that translates."""
        inner = self.system.system if isinstance(self.system, PriorArt) else self.system
        compiled = getattr(inner, "compiled", None)
        if compiled is None or not takes_edits(inner):
            raise InputError(f"{self.system.name} does not look for words by their translations")
        return words_of(compiled(self.query), self.system.index)

    @cached_property
    def _facts(self) -> list[dict[str, Any]]:
        if isinstance(self.system, PriorArt):
            return [self.system.facts(self.query, doc) for doc in self.ranking.docs]
        return [{} for _ in self.ranking.docs]

    def rows(self) -> list[dict[str, Any]]:
        return [
            {
                "rank": hit.rank,
                "score": hit.score,
                "document": hit.id,
                "title": hit.title,
                **{name: value for name, value in hit.facts.items() if name == "publication"},
                "because of": ", ".join(brief_reasons(hit.explanation)[:REASONS]),
            }
            for hit in self
        ]

    def as_dict(self, passages: bool = True) -> dict[str, Any]:
        """As one JSON object: every hit with all its reasons."""
        found: dict[str, Any] = {
            "system": self.system.name,
            "hits": [hit.as_dict(passages) for hit in self],
        }
        if isinstance(self.system, PriorArt):
            found["prior_art"] = self.system.summary(self.query, self.ranking)
        return found

    def write(self, path: Path | str) -> None:
        """Write the hits to a file: .csv, .xlsx, .ris, .html or .json, as its name ends."""
        from kakehashi.export.writing import write_listing

        write_listing(self.listing, path)

    @property
    def listing(self) -> Listing:
        """The search and its hits as plain values."""
        scope = [*map(str, self.scope.where), *([self.scope.expression] if self.scope.expression else [])]
        ruled = {"prior art": self.system.headline(self.query)} if isinstance(self.system, PriorArt) else {}
        return Listing(
            query=self.query.content,
            language=self.query.lang,
            system=self.system.name,
            settings={
                **(
                    {"settings": ", ".join(f"{k}={v}" for k, v in self.settings.items())}
                    if self.settings
                    else {}
                ),
                **({"filters": ", ".join(scope)} if scope else {}),
                **ruled,
            },
            collection=self.holdings.collection.info.name,
            made=date.today().isoformat(),
            entries=[hit.entry for hit in self],
            as_dict=self.as_dict(),
        )


def hit_of(query: Text, doc_id: str, system: IndexSystem, holdings: Holdings) -> Hit:
    """One document as if a search had found it alone, whether it would or not."""
    [explanation] = system.explain(query, [doc_id])
    scores = np.array([explanation.score])
    [hit] = Hits(query, Ranking([doc_id], scores), system, holdings)
    return hit


def words_of(query: TermQuery, index: Index) -> list[Word]:
    """The groups of a compiled query."""
    found = []
    for g, label in enumerate(query.labels):
        entries = slice(query.starts[g], query.starts[g + 1])
        pairs = zip(query.terms[entries].tolist(), query.term_weights[entries].tolist(), strict=True)
        named = sorted(
            ((index.vocabulary[term], weight) for term, weight in pairs), key=lambda pair: -pair[1]
        )
        found.append(Word(label, float(query.weights[g]), named))
    return found


def _worth(shares: Sequence[Share]) -> dict[str, float]:
    """Terms with what they gave; a share of several terms counts for each of them in part."""
    worth: dict[str, float] = {}
    for share in shares:
        terms = terms_of(share)
        for term in terms:
            worth[term] = worth.get(term, 0.0) + share.share / len(terms)
    most = max(worth.values(), default=0.0)
    told = sorted(((term, value) for term, value in worth.items() if value > 0.0), key=lambda pair: -pair[1])
    return {term: value for term, value in told[:MARKED] if value >= FAINT * most}


def terms_of(share: Share) -> list[str]:
    """The document's terms that a share names; n-grams as their words. What stands in brackets is not a word."""
    if share.document.startswith("("):
        return []
    return [term for ngram in share.document.split(", ") for term in ngram.split(NGRAM_SEPARATOR) if term]


def parts_dict(explanation: Explanation) -> list[dict[str, Any]]:
    """Subtotals of a combination as JSON objects."""
    return [{"part": part.name, "share": part.share} for part in explanation.parts]
