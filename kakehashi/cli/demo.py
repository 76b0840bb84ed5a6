"""The command `demo`: the whole story on the built-in world, from nothing to an explained search."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from kakehashi.corpus.collection import Collection
    from kakehashi.index.index import Index

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
    from kakehashi.corpus.collection import Collection
    from kakehashi.corpus.world.build import build_world
    from kakehashi.index.index import Index
    from kakehashi.index.prepare import index_collection, index_folder

    place = folder / f"world-{documents}-{seed}"
    print(f"1. A synthetic world of {documents} English patents with Japanese queries: {place}")
    if not (place / "collection.toml").exists():
        build_world(place, documents=documents, seed=seed, progress=progress())
    collection = Collection(place)
    print("2. Index it (only what changed since the last time)")
    changes = index_collection(collection, progress=progress())
    index = Index(index_folder(collection))
    print(f"   {index.n_docs} documents, {len(index.vocabulary)} terms; {changes.added} new")
    _rank(collection, index)
    _explain(collection, index)
    print(f"\nGo on by hand: kakehashi search {place} --id QUERY --system monolingual --explain")


def _rank(collection: "Collection", index: "Index") -> None:
    from kakehashi.cli import evaluate_output as output
    from kakehashi.cli.progress import progress
    from kakehashi.evaluate.comparison import compare
    from kakehashi.evaluate.measures import parse_all
    from kakehashi.evaluate.scores import evaluate
    from kakehashi.registry import build, spec_of

    qrels, scores = collection.qrels("test"), []
    print(f"3. Rank all documents for the {len(qrels)} test queries and measure")
    for name in SYSTEMS:
        system = build(name, index)
        system.progress = progress()
        run = system.search(collection.split_queries("test", spec_of(name).queries))
        wanted = parse_all([MEASURES])
        scores.append(evaluate(qrels, run, wanted, mate_level=collection.info.mate_level))
    output.table_of_scores(scores, per_query=False)
    print(
        "   passthrough and lm see only words both languages share; monolingual searches with the English original"
    )
    for pair in compare(scores, parse_all(["MAP"])[0], against_first=True):
        print(f"   {pair.a} against {pair.b}: MAP {pair.difference:+.4f}, p = {pair.p:.2g}")


def _explain(collection: "Collection", index: "Index") -> None:
    from kakehashi.cli import search_output as output
    from kakehashi.registry import build

    query = collection.split_queries("test")[0]
    original = collection.split_queries("test", "originals.jsonl")[0]
    for name, text, what in (
        ("passthrough", query, "in Japanese, by the words it shares with English documents"),
        ("monolingual", original, "by its English original, which a translation can hope to equal"),
    ):
        print(f"\n4. {query.id} {text.title}: {what}")
        system = build(name, index)
        ranking = system.search([text], k=3).rankings[text.id]
        explanations = [system.explain(text, doc) for doc in ranking.docs]
        output.show_hits(text, ranking, [index.title(doc) for doc in ranking.docs], explanations)
