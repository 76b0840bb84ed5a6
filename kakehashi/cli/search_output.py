"""How `search` shows its hits: a table for people, an object for programs."""

import math
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text as RichText

from kakehashi.cli.output import print_json
from kakehashi.hits import Hits, Word
from kakehashi.retrieve.prior_art import PriorArt
from kakehashi.types import Share

SHOWN_SHARES = 8


def show_words(words: Sequence[Word]) -> None:
    for word, times, translations in words:
        often = f" ({times:g} times)" if times != 1.0 else ""
        print(f"{word}{often}: {'  '.join(f'{term} {weight:.3f}' for term, weight in translations)}")


def json_hits(hits: Hits, words: Sequence[Word] | None = None) -> None:
    found = hits.as_dict()
    if words is not None:
        found["translations"] = [
            {
                "word": word,
                "times": times,
                "translations": [{"word": term, "p": weight} for term, weight in translations],
            }
            for word, times, translations in words
        ]
    print_json(found)


def show_hits(hits: Hits, explain: bool) -> None:
    console = Console(highlight=False)
    ruled = isinstance(hits.system, PriorArt)
    if isinstance(hits.system, PriorArt):
        console.print(RichText(hits.system.headline(hits.query)))
    if not len(hits):
        console.print(f"nothing found: no {'such ' if ruled else ''}document shares a word with the query")
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("rank", justify="right")
    table.add_column("score", justify="right")
    table.add_column("document", no_wrap=True)
    if dated := any("publication" in hit.facts for hit in hits):
        table.add_column("published", no_wrap=True)
    table.add_column("title")
    if explain:
        table.add_column("because of (query word: share)")
    more = _more_digits(hits[0].score)
    for hit in hits:
        reasons = [RichText(_reasons(hit.why, 2 + more))] if explain else []
        published = [hit.facts["publication"] or "no date"] if dated else []
        family = hit.facts.get("family")
        title = "\n".join([hit.title, *([f"also: {', '.join(family)}"] if family else [])])
        score = f"{hit.score:.{3 + more}f}"
        table.add_row(str(hit.rank), score, RichText(hit.id), *published, RichText(title), *reasons)
    console.print(table)


def _more_digits(best: float) -> int:
    """Shares of a whole list are small: as many digits more as the best score has zeros after the point."""
    return min(9, max(0, math.ceil(-math.log10(abs(best))) - 1)) if best else 0


def _reasons(shares: Sequence[Share], digits: int) -> str:
    """The largest shares; the rest is summed up, so that what is shown still adds up to the score."""
    shown, rest = shares[:SHOWN_SHARES], shares[SHOWN_SHARES:]
    parts = []
    for share in shown:
        met = f" → {share.document}" if share.document not in ("", share.query) else ""
        parts.append(f"{share.query}{met}: {share.share:.{digits}f}")
    if rest:
        parts.append(f"{len(rest)} more: {sum(share.share for share in rest):.{digits}f}")
    return "  ".join(parts)
