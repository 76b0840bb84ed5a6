"""`kakehashi show`: look into documents, and into what was counted or learned."""

import sys
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from kakehashi.cli import show_document, show_related
from kakehashi.cli.options import JSON
from kakehashi.cli.output import print_json
from kakehashi.cli.terminal import say
from kakehashi.errors import InputError

if TYPE_CHECKING:
    from kakehashi.index.index import Index
    from kakehashi.learn.bilinear_model import Bilinear
    from kakehashi.lexicon.company import Company
    from kakehashi.lexicon.correlated import Correlated
    from kakehashi.library import Library

app = typer.Typer(help="Look into documents, and into what was counted or learned.", no_args_is_help=True)


class Side(StrEnum):
    """The language of the queries, or that of the documents."""

    source = "source"
    target = "target"


class Counting(StrEnum):
    """How two words of one document are counted together."""

    binary = "binary"
    min = "min"
    max = "max"


@app.callback()
def group() -> None:
    """Look into documents, and into what was counted or learned."""


app.command("document")(show_document.document)
app.command("related")(show_related.related)


@app.command()
def cfh(
    folder: Path = typer.Argument(..., metavar="DIR", help="A collection folder with an index."),
    words: list[str] = typer.Argument(..., metavar="WORD", help="Words to look up."),
    side: Side = typer.Option(
        Side.target, "--side", help="Count over the documents (target) or the training queries (source)."
    ),
    n_words: int | None = typer.Option(
        None, "--words", help="How many frequent words are targets (default 30000)."
    ),
    k: int | None = typer.Option(None, "-k", help="Targets per word (default 5)."),
    count: Counting | None = typer.Option(
        None, "--count", help="What a document counts that holds both words (default min)."
    ),
    pool: str = typer.Option(
        "",
        "--pool",
        help="Count over this pool of documents, or 'all' (default: train, where there are pools).",
    ),
    as_json: bool = JSON,
) -> None:
    """The frequent words that stand for a word, with their DICE: from DIR/models/cfh-SIDE or counted now."""
    from kakehashi.library import Library

    library = Library(folder)
    index = library.index
    chosen = {"words": n_words, "k": k, "count": None if count is None else count.value}
    given = {name: value for name, value in chosen.items() if value is not None}
    saved = None if given or pool else _saved(library, side)
    found = saved or _counted(library, side, given, pool)
    analyzer = index.analyzer if side is Side.target else index.source_analyzer
    answers = [(word, term, found.row(term)) for word in words for term in analyzer.terms(word) or [""]]
    if as_json:
        _json_rows(side, found, answers)
    else:
        _print_rows(side, found, answers)


def _saved(library: "Library", side: Side) -> "Correlated | None":
    """The map a model was trained with, if there is one; it counts even where the index has changed since."""
    from kakehashi.index.rewrite import state_of
    from kakehashi.lexicon.correlated import read_correlated
    from kakehashi.store import META

    folder = library.model_folder(f"cfh-{side.value}")
    if not (folder / META).exists():
        return None
    found = read_correlated(folder)
    state = state_of(library.index)
    if found.made_from.get("state", state) != state:
        say(f"{folder} was made before the index last changed", file=sys.stderr)
    return found


def _counted(library: "Library", side: Side, given: dict[str, Any], pool: str) -> "Company":
    from kakehashi.corpus.pools import POOL
    from kakehashi.lexicon.company import CfhSettings, Company, index_counts, text_counts
    from kakehashi.types import Condition

    collection, index, settings = library.collection, library.index, CfhSettings(**given)
    has_pools = POOL in collection.info.fields
    if pool and (side is Side.source or not has_pools):
        raise InputError("--pool is for the documents of a collection with pools: leave it out")
    if side is Side.target:
        wanted = pool or "train"
        conditions = [Condition(POOL, "=", wanted)] if has_pools and wanted != "all" else []
        counts, chosen = index_counts(index, conditions)
        return Company(index.vocabulary.all_terms(), counts, settings, chosen)
    in_train = "train" in collection.splits
    queries = collection.split_queries("train") if in_train else collection.queries()
    terms, counts = text_counts(index.source_analyzer.terms(query.content) for query in queries)
    return Company(terms, counts, settings)


def _json_rows(
    side: Side, found: "Company | Correlated", answers: list[tuple[str, str, list[tuple[str, float]]]]
) -> None:
    rows = [
        {"word": word, "term": term, "targets": [{"word": target, "dice": dice} for target, dice in row]}
        for word, term, row in answers
    ]
    made = {"side": side.value, "settings": found.settings, "texts": found.n_docs}
    print_json({**made, "words": rows})


def _print_rows(
    side: Side, found: "Company | Correlated", answers: list[tuple[str, str, list[tuple[str, float]]]]
) -> None:
    settings = found.settings
    texts = "documents" if side is Side.target else "queries"
    say(f"{settings.k} of {settings.words} words each, by {settings.count}, over {found.n_docs} {texts}")
    for word, term, row in answers:
        shown = word if word == term or not term else f"{word} ({term})"
        company = "  ".join(f"{target} {dice:.3f}" for target, dice in row)
        say(f"{shown}: {company or 'not counted'}")


def _bilinear(folder: Path, model: str) -> "tuple[Index, Bilinear]":
    """The index of a collection and a bilinear model beside it."""
    from kakehashi.library import Library
    from kakehashi.systems.bilinear import read_bilinear

    library = Library(folder)
    return library.index, read_bilinear(library, model)


@app.command()
def pairs(
    folder: Path = typer.Argument(..., metavar="DIR", help="A collection folder with a trained model."),
    words: list[str] = typer.Argument(
        None, metavar="WORD", help="Query words to look up (default: the strongest pairs of all)."
    ),
    model: str = typer.Option("bilinear", "--model", help="The model's name."),
    n: int = typer.Option(
        50, "-n", min=1, max=100_000, help="How many pairs, of each word where words are given."
    ),
    least: bool = typer.Option(False, "--least", help="The most negative pairs instead."),
    as_json: bool = JSON,
) -> None:
    """The pairs of words a bilinear model has learned, with their weights: its translation table."""
    index, found = _bilinear(folder, model)
    if words and least:
        raise InputError("--least lists pairs of the whole model: leave the words out")
    terms = [term for word in words or [] for term in index.source_analyzer.terms(word)]
    if words:
        unknown = [term for term in terms if term not in found.query_words.numbers]
        if not terms or unknown:
            raise InputError(f"the model does not know {', '.join(unknown) or 'any of these words'}")
    listed = [pair for term in terms for pair in found.translations(term, n)] if words else None
    shown = found.strongest(n, least) if listed is None else listed
    if as_json:
        print_json({"pairs": shown})
        return
    for pair in shown:
        shared = f"  (shared: {pair.share:.0%} its own)" if pair.share < 1.0 else ""
        say(f"{pair.weight:10.4f}  {pair.query}  {pair.document}{shared}")


@app.command()
def translations(
    folder: Path = typer.Argument(..., metavar="DIR", help="A collection folder with trained translation."),
    words: list[str] = typer.Argument(
        None, metavar="WORD", help="Words to look up (default: those linked most often)."
    ),
    model: str = typer.Option("translation", "--model", help="The model's name."),
    n: int = typer.Option(20, "-n", min=1, max=100_000, help="How many words, where none are given."),
    least: float = typer.Option(0.01, "--least", help="Translations below this probability are left out."),
    mass: float = typer.Option(0.95, "--mass", help="So are those after this much probability."),
    as_json: bool = JSON,
) -> None:
    """The translations of words, with their probabilities, as the system psq uses them."""
    from kakehashi.library import Library
    from kakehashi.systems.translation import read_table

    library = Library(folder)
    index = library.index
    table = read_table(library, model).pruned(least, mass)
    terms = [term for word in words or [] for term in index.source_analyzer.terms(word)]
    if words and not terms:
        raise InputError("nothing is left of these words after analysis: they may be stop words")
    rows = [(term, table.row(term)) for term in (terms if words else table.most_linked(n))]
    if as_json:
        found = [
            {"word": term, "translations": [{"word": word, "p": p} for word, p in row]} for term, row in rows
        ]
        print_json({"words": found})
        return
    for term, row in rows:
        say(f"{term}: {'  '.join(f'{word} {p:.3f}' for word, p in row) or 'not in the table'}")


@app.command()
def collisions(
    folder: Path = typer.Argument(..., metavar="DIR", help="A collection folder with a trained model."),
    model: str = typer.Option("bilinear", "--model", help="The model's name."),
    as_json: bool = JSON,
) -> None:
    """How crowded the hashed weights of a bilinear model are: how many pairs of words share a place."""
    counts = _bilinear(folder, model)[1].collisions
    if counts is None:
        raise InputError(
            f"'{model}' has a weight for every pair of words, or was trained with readable=0: nothing was counted"
        )
    if as_json:
        print_json({**counts._asdict(), "overload": counts.overload})
        return
    say(
        f"{counts.possible:,} pairs of words are possible, {counts.overload:.3g} for each of {counts.places:,} places"
    )
    say(f"{counts.met:,} met in training, and use {counts.used:,} places")
    say(
        f"{counts.lost:,} of those that met have no place of their own ({counts.lost / max(1, counts.met):.2%})"
    )


@app.command()
def boosted(
    folder: Path = typer.Argument(..., metavar="DIR", help="A collection folder with a trained model."),
    words: list[str] = typer.Argument(
        None, metavar="WORD", help="Only features with one of these words of the query."
    ),
    model: str = typer.Option("boosted", "--model", help="The model's name."),
    sample: int = typer.Option(
        0, "--sample", min=0, help="The rounds of one sample, counted from 1 (default: the average of all)."
    ),
    negative: bool = typer.Option(False, "--negative", help="Only what speaks against a document."),
    n: int = typer.Option(50, "-n", min=1, max=1_000_000, help="How many features."),
    as_json: bool = JSON,
) -> None:
    """The features of a boosted model in the order in which they were chosen: round, words, weight."""
    from kakehashi.library import Library
    from kakehashi.systems.boosted import read_boosted
    from kakehashi.training.boosting_jobs import sample_features

    library = Library(folder)
    index, found = library.index, read_boosted(library, model)
    if sample > found.n_samples:
        raise InputError(f"'{model}' has {found.n_samples} samples, there is no sample {sample}")
    terms = {term for word in words or [] for term in index.source_analyzer.terms(word)}
    if words and not terms:
        raise InputError("nothing is left of these words after analysis: they may be stop words")
    listed = found.features() if not sample else sample_features(library.model_folder(model), sample - 1)
    chosen = (
        feature
        for feature in listed
        if (not terms or terms & {*feature.query.split()}) and not (negative and feature.weight >= 0.0)
    )
    shown = list(islice(chosen, n))
    if as_json:
        print_json({"features": shown})
        return
    for each in shown:
        by = "" if sample else f"  ({each.samples} of {found.n_samples} samples)"
        say(f"{each.round:6}  {each.weight:8.4f}  {each.query} - {each.document}{by}")
