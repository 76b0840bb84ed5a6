"""The command `demo`: the whole story on the built-in world, from nothing to an explained search."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from kakehashi.library import Library

SYSTEMS = ("passthrough", "lm", "monolingual")
MEASURES = "MAP, MAP-mate, PRES@1000, R@1000"


def demo(
    folder: Path = typer.Option(
        Path("results/demo"), "--folder", help="Where the collection is built and kept."
    ),
    documents: int = typer.Option(
        5_000, "--documents", min=500, max=2_000_000, help="Size of the synthetic world."
    ),
    seed: int = typer.Option(7, "--seed", min=0, help="Same seed, same world."),
) -> None:
    """Build the synthetic world, index it, rank, compare, and explain one search."""
    from kakehashi.cli.progress import progress
    from kakehashi.corpus.world.build import build_world
    from kakehashi.library import Library

    place = folder / f"world-{documents}-{seed}"
    print(f"1. A synthetic world of {documents} English patents with Japanese queries: {place}")
    if not (place / "collection.toml").exists():
        build_world(place, documents=documents, seed=seed, progress=progress())
    library = Library(place)
    print("2. Index it (only what changed since the last time)")
    changes = library.update_index(progress=progress())
    index = library.index
    print(f"   {index.n_docs} documents, {len(index.vocabulary)} terms; {changes.added} new")
    _rank(library)
    _explain(library)
    print(f"\nGo on by hand: kakehashi search {place} --id QUERY --system monolingual --explain")


def _rank(library: "Library") -> None:
    from kakehashi.cli import evaluate_output as output
    from kakehashi.cli.progress import progress
    from kakehashi.evaluation.comparison import compare
    from kakehashi.evaluation.measures import parse_all

    print(f"3. Rank all documents for the {len(library.qrels('test'))} test queries and measure")
    runs = [library.rank(name, "test", progress=progress()) for name in SYSTEMS]
    scores = [library.measure(run, "test", [MEASURES]) for run in runs]
    output.table_of_scores(scores, per_query=False)
    print(
        "   passthrough and lm see only words both languages share; monolingual searches with the English original"
    )
    for pair in compare(scores, parse_all(["MAP"])[0], against_first=True):
        print(f"   {pair.a} against {pair.b}: MAP {pair.difference:+.4f}, p = {pair.p:.2g}")


def _explain(library: "Library") -> None:
    from kakehashi.cli import search_output as output

    query = library.split_queries("test")[0]
    for name, what in (
        ("passthrough", "in Japanese, by the words it shares with English documents"),
        ("monolingual", "by its English original, which a translation can hope to equal"),
    ):
        text = library.known_query(query.id, name)
        print(f"\n4. {query.id} {text.title}: {what}")
        output.show_hits(library.search(text, 3, name), explain=True)
