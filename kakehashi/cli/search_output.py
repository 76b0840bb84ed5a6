"""How `search` shows its hits: a table for people, an object for programs."""

from collections.abc import Sequence

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text as RichText

from kakehashi.retrieve.sparse import Explanation
from kakehashi.types import Ranking, Text

SHOWN_SHARES = 8


def json_hits(ranking: Ranking, titles: Sequence[str], explanations: Sequence[Explanation]) -> None:
    hits = [
        {"id": doc, "score": float(score), "title": title, "shares": msgspec.to_builtins(explanation.shares)}
        for doc, score, title, explanation in zip(
            ranking.docs, ranking.scores, titles, explanations, strict=True
        )
    ]
    print(msgspec.json.encode({"hits": hits}).decode())


def show_hits(
    query: Text, ranking: Ranking, titles: Sequence[str], explanations: Sequence[Explanation]
) -> None:
    console = Console(highlight=False)
    if len(ranking) == 0:
        console.print("nothing found: no document shares a word with the query")
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("rank", justify="right")
    table.add_column("score", justify="right")
    table.add_column("document", no_wrap=True)
    table.add_column("title")
    if explanations:
        table.add_column("because of (query word: share)")
    for i, (doc, score) in enumerate(zip(ranking.docs, ranking.scores, strict=True)):
        reasons = [RichText(_reasons(explanations[i]))] if explanations else []
        table.add_row(str(i + 1), f"{score:.3f}", RichText(doc), RichText(titles[i]), *reasons)
    console.print(table)


def _reasons(explanation: Explanation) -> str:
    """The largest shares; the rest is summed up, so that what is shown still adds up to the score."""
    shown, rest = explanation.shares[:SHOWN_SHARES], explanation.shares[SHOWN_SHARES:]
    parts = [
        f"{share.query}{' → ' + share.document if share.document not in ('', share.query) else ''}: {share.share:.2f}"
        for share in shown
    ]
    if rest:
        parts.append(f"{len(rest)} more: {sum(share.share for share in rest):.2f}")
    return "  ".join(parts)
