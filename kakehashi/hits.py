"""What a search found, as data: hits with titles, scores and reasons; commands and pages draw it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import msgspec

from kakehashi.errors import InputError
from kakehashi.index.holdings import Holdings
from kakehashi.index.index import Index
from kakehashi.retrieve.prior_art import PriorArt
from kakehashi.retrieve.system import IndexSystem, takes_edits
from kakehashi.tabular import Tabular
from kakehashi.types import EVERYTHING, Explanation, Ranking, Scope, Share, TermQuery, Text

REASONS = 3  # words named in a row of a table


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
        return self.found_by.explanations[self.rank - 1].shares

    @property
    def text(self) -> Text:
        """The document itself."""
        return self.found_by.holdings.text(self.id)


@dataclass(frozen=True)
class Hits(Tabular, Sequence[Hit]):
    """The answer to one query, best first; reasons are worked out for all hits when one is asked for."""

    query: Text
    ranking: Ranking
    system: IndexSystem = field(repr=False)
    holdings: Holdings = field(repr=False)
    scope: Scope = EVERYTHING

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
                "because of": ", ".join(_met(share) for share in hit.why[:REASONS]),
            }
            for hit in self
        ]

    def as_dict(self) -> dict[str, Any]:
        """As one JSON object: every hit with all its reasons."""
        found: dict[str, Any] = {
            "system": self.system.name,
            "hits": [
                {
                    "id": hit.id,
                    "score": hit.score,
                    "title": hit.title,
                    "shares": msgspec.to_builtins(hit.why),
                    **hit.facts,
                }
                for hit in self
            ],
        }
        if isinstance(self.system, PriorArt):
            found["prior_art"] = self.system.summary(self.query, self.ranking)
        return found


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


def _met(share: Share) -> str:
    met = f" → {share.document}" if share.document not in ("", share.query) else ""
    return f"{share.query}{met} {share.share:.2f}"
