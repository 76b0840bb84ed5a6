"""The command `demo`: a Japanese patent finds English prior art in the built-in world."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from kakehashi.cli.terminal import say

if TYPE_CHECKING:
    from kakehashi.library import Library
    from kakehashi.types import Run

TRAINED = ("translation", "bilinear", "lowrank", "dense")
SYSTEMS = ("passthrough", "psq", "bilinear", "lowrank", "dense", "monolingual")
MEASURES = "MAP, MAP-mate, PRES@1000"
HITS = 3


def demo(
    folder: Path = typer.Option(Path("results/demo"), "--folder", help="Where the collection is kept."),
    documents: int = typer.Option(
        2_000, "--documents", min=500, max=2_000_000, help="Size of the synthetic world."
    ),
    seed: int = typer.Option(7, "--seed", min=0, help="Same seed, same world."),
    serve: bool = typer.Option(
        False, "--serve", help="Open the world as a search page instead of printing comparisons."
    ),
    port: int = typer.Option(8080, "--port", min=0, max=65_535, help="With --serve: the port to listen on."),
) -> None:
    """Build the synthetic world, train on its citations, compare the systems, and search for prior art."""
    from kakehashi.cli.progress import progress
    from kakehashi.corpus.world.build import build_world
    from kakehashi.library import Library

    place = folder / f"world-{documents}-{seed}"
    say(f"1. A synthetic world: Japanese patents are the queries, {documents} English patents the documents")
    if not (place / "collection.toml").exists():
        build_world(place, documents=documents, seed=seed, progress=progress())
    library = Library(place)
    _build(library)
    if serve:
        _serve(library, port)
        return
    _compare(library)
    _search(library)
    say(
        f"\nGo on: kakehashi search {place} --id {_example(library)} --explain, or with Japanese text of your own"
    )


def _build(library: "Library") -> None:
    from kakehashi.building.build import told
    from kakehashi.cli.progress import progress

    say("2. Index it, and learn from its parallel text, citations and metadata (kakehashi build does this)")
    built = library.build(
        only=TRAINED, progress=progress(), report=lambda done: say(f"   {told(done)}", file=sys.stderr)
    )
    say(f"   best on dev: {built.best.system}")


def _serve(library: "Library", port: int) -> None:
    from kakehashi.cli.serve import serve_locally

    say(f"3. Search with Japanese text, or with an id such as {_example(library)}, until Ctrl-C:", flush=True)
    serve_locally([library.folder], port)


def _compare(library: "Library") -> None:
    from kakehashi.cli import evaluate_output as output
    from kakehashi.cli.progress import progress
    from kakehashi.evaluation.comparison import compare
    from kakehashi.evaluation.measures import parse

    n_queries = len(library.qrels("test"))
    say(
        f"3. Search with {n_queries} Japanese patents that no system has seen, and compare with their citations"
    )
    runs: list[Run] = [library.rank(name, "test", progress=progress()) for name in SYSTEMS]
    scores = [library.measure(run, "test", [MEASURES]) for run in runs]
    output.table_of_scores(scores, per_query=False)
    say(
        "   passthrough: untranslated words. psq: every word as the set of its translations. bilinear, lowrank:\n"
        "   learned from citations. dense: all of these and metadata. monolingual: a human translation of the query.\n"
        "   MAP-mate leaves the query's own English version out."
    )
    for pair in compare(scores[::-1], parse("MAP"), against_first=True):
        say(f"   monolingual against {pair.b}: MAP {pair.difference:+.4f}, p = {pair.p_holm:.2g} (Holm)")


def _search(library: "Library") -> None:
    from kakehashi.cli import search_output as output

    query = library.known_query(_example(library))
    say(f"\n4. Prior art for one of them: {query.id} {query.title}")
    say(f"   {query.text[:160]}…\n")
    [query] = library.with_bibliography([query])
    hits = library.search(query, HITS, rules=library.rules(prior_art=True))
    output.show_hits(hits, explain=True)


def _example(library: "Library") -> str:
    """The first test query that has a relevant document besides its own translation."""
    mates = library.collection.info.mate_level
    judged = library.qrels("test")
    return next(query for query, levels in judged.items() if {*levels.values()} - {0, mates})
