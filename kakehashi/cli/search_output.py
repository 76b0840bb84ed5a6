"""How `search` shows its hits: a table for people, an object for programs."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text as RichText

from kakehashi.cli.prior_art import Hits
from kakehashi.index.index import Index
from kakehashi.retrieve.sparse import Explanation
from kakehashi.types import Ranking, TermQuery, Text

SHOWN_SHARES = 8


class Word(NamedTuple):
    """A word of the query and what it is looked for as."""

    word: str
    times: float
    translations: list[tuple[str, float]]  # likeliest first


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


def show_words(words: Sequence[Word]) -> None:
    for word, times, translations in words:
        often = f" ({times:g} times)" if times != 1.0 else ""
        print(f"{word}{often}: {'  '.join(f'{term} {weight:.3f}' for term, weight in translations)}")


def json_hits(
    ranking: Ranking,
    titles: Sequence[str],
    explanations: Sequence[Explanation],
    words: Sequence[Word] | None = None,
    about: Hits | None = None,
) -> None:
    hits: list[dict[str, Any]] = [
        {"id": doc, "score": float(score), "title": title, "shares": msgspec.to_builtins(explanation.shares)}
        for doc, score, title, explanation in zip(
            ranking.docs, ranking.scores, titles, explanations, strict=True
        )
    ]
    answer: dict[str, Any] = {"hits": hits}
    if about is not None:
        answer["prior_art"] = about.summary
        for hit, more in zip(hits, about.facts, strict=True):
            hit.update(more)
    if words is not None:
        answer["translations"] = [
            {
                "word": word,
                "times": times,
                "translations": [{"word": term, "p": weight} for term, weight in translations],
            }
            for word, times, translations in words
        ]
    print(msgspec.json.encode(answer).decode())


def show_hits(
    query: Text,
    ranking: Ranking,
    titles: Sequence[str],
    explanations: Sequence[Explanation],
    about: Hits | None = None,
) -> None:
    console = Console(highlight=False)
    if about is not None:
        console.print(RichText(about.headline))
    if len(ranking) == 0:
        console.print(f"nothing found: no {'such ' if about else ''}document shares a word with the query")
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("rank", justify="right")
    table.add_column("score", justify="right")
    table.add_column("document", no_wrap=True)
    if dated := about is not None and any("publication" in facts for facts in about.facts):
        table.add_column("published", no_wrap=True)
    table.add_column("title")
    if explanations:
        table.add_column("because of (query word: share)")
    more = _more_digits(float(ranking.scores[0]))
    for i, (doc, score) in enumerate(zip(ranking.docs, ranking.scores, strict=True)):
        reasons = [RichText(_reasons(explanations[i], 2 + more))] if explanations else []
        facts = about.facts[i] if about else {}
        published = [facts["publication"] or "no date"] if dated else []
        title = "\n".join(
            [titles[i], *([f"also: {', '.join(facts['family'])}"] if facts.get("family") else [])]
        )
        table.add_row(
            str(i + 1), f"{score:.{3 + more}f}", RichText(doc), *published, RichText(title), *reasons
        )
    console.print(table)


def _more_digits(best: float) -> int:
    """Shares of a whole list are small: as many digits more as the best score has zeros after the point."""
    return min(9, max(0, math.ceil(-math.log10(abs(best))) - 1)) if best else 0


def _reasons(explanation: Explanation, digits: int) -> str:
    """The largest shares; the rest is summed up, so that what is shown still adds up to the score."""
    shown, rest = explanation.shares[:SHOWN_SHARES], explanation.shares[SHOWN_SHARES:]
    parts = []
    for share in shown:
        met = f" → {share.document}" if share.document not in ("", share.query) else ""
        parts.append(f"{share.query}{met}: {share.share:.{digits}f}")
    if rest:
        parts.append(f"{len(rest)} more: {sum(share.share for share in rest):.{digits}f}")
    return "  ".join(parts)
