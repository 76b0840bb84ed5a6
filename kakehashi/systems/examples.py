"""The system `examples`: what similar earlier queries cited, among training queries and a searcher's own."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from kakehashi import store
from kakehashi.corpus.collection import Collection
from kakehashi.corpus.splits import TRAIN, Split, evenly_chosen
from kakehashi.errors import FileError, InputError
from kakehashi.evaluation.measures import parse
from kakehashi.features.columns import keyword_column
from kakehashi.index.holdings import Holdings
from kakehashi.index.numbering import UNKNOWN
from kakehashi.progress import Progress, track
from kakehashi.query.terms import source_terms
from kakehashi.retrieve.earlier import (
    FAMILY,
    Earlier,
    Idf,
    Judged,
    count_idf,
    earlier_arrays,
    family_name,
    read_earlier,
)
from kakehashi.retrieve.examples import Examples, Neighbours, Votes
from kakehashi.settings import ModelName
from kakehashi.soundness import setting_count
from kakehashi.systems.models import check_analyzers, has_model, read_model
from kakehashi.systems.own_searches import has_searches, own_searches
from kakehashi.systems.spec import Opening, SystemSpec, Trainer
from kakehashi.training.dev import SPLIT
from kakehashi.training.job import Job
from kakehashi.training.measuring import measure_system
from kakehashi.training.outcome import Outcome
from kakehashi.types import EVERYTHING, Array, Text

MODEL, KIND, VERSION = "examples", "examples", 1
REMEMBERED = "remembered"  # the folder of arrays made from a searcher's own searches
TUNED = -1  # of a setting: choose it on dev
GRID: dict[str, tuple[float, ...]] = {
    "neighbours": (10, 30, 100, 300),
    "power": (1.0, 2.0, 3.0, 4.0, 6.0),
    "mates": (0.3, 1.0, 2.0),
    "rarity": (0.0, 0.15, 0.3, 0.5),
}
ROUNDS = 2  # of changing each setting in turn


class ExamplesUse(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The trained model to use."""

    model: ModelName = "examples"


class ExamplesTraining(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Training settings of `examples`."""

    neighbours: Annotated[
        int,
        Meta(
            description="Earlier queries that vote, the nearest ones; `-1` tunes it on dev, for `examples` alone, "
            "which wants fewer than `dense` does."
        ),
    ] = 100
    power: Annotated[
        float,
        Meta(
            description="Power of the cosine that a vote counts: the higher it is, the more the nearest decide; "
            "`-1` tunes it on dev."
        ),
    ] = TUNED
    mates: Annotated[
        float,
        Meta(
            description="What a vote for the translation of an earlier query itself counts; one for any other "
            "relevant document counts 1. `-1` tunes it on dev."
        ),
    ] = TUNED
    rarity: Annotated[
        float,
        Meta(
            description="How much less a vote counts for documents that many earlier queries cite: it is divided by "
            "this power of their number; 0 makes no difference, `-1` tunes it on dev."
        ),
    ] = TUNED
    measure: Annotated[
        str,
        Meta(
            description="Measure that settings are tuned for, such as `MAP`; empty: `MAP-mate` where the collection "
            "has mates, which earlier queries cannot know, else `MAP`."
        ),
    ] = ""
    dev_queries: Annotated[
        int,
        Meta(description="Maximum number of dev queries to tune on, evenly chosen; 0 disables tuning."),
    ] = 500
    share: Annotated[
        float,
        Meta(
            description="Part of the training queries that is used, evenly chosen, for learning curves; above 0, "
            "at most 1."
        ),
    ] = 1.0

    def __post_init__(self) -> None:
        for name in GRID:
            value = getattr(self, name)
            if (value < 0 and value != TUNED) or (name == "neighbours" and value == 0):
                raise InputError(
                    f"{name} must not be {value}: give a positive number, or -1 to tune it on dev"
                )
        if not 0.0 < self.share <= 1.0:
            raise InputError(f"share must be above 0 and at most 1, not {self.share}")


class About(msgspec.Struct, frozen=True):
    """What the collection says of levels of relevance."""

    names: dict[str, str] = {}
    mate_level: int | None = None


def train(job: Job) -> Outcome:
    """Keep the training queries as vectors with their judgments, and tune on dev what votes count."""
    holdings, settings, progress = job.holdings, job.settings, job.progress
    judged = list(_training_queries(holdings, settings.share, progress))
    if not judged:
        raise InputError(f"{holdings.folder} has no training query with a relevant document")
    idf = count_idf(one.terms for one in judged)
    arrays = earlier_arrays(judged, idf)
    earlier, about = read_earlier(arrays.__getitem__, idf.n), _about(holdings.collection)

    near = dict[str, Neighbours]()

    def measured(votes: Votes) -> float:
        system = _Tried(MODEL, holdings.index, [earlier], votes, about.names, about.mate_level, near=near)
        return measure_system(system, dev, [measure], threads=job.threads).mean(measure)

    dev = _dev(holdings, settings.dev_queries)
    measure = parse(settings.measure or ("MAP-mate" if _has_others(dev) else "MAP"))
    votes, values = _tuned(settings, measured if len(dev) else None, progress)
    made_from = {
        **holdings.origin,
        "queries": len(judged),
        "judgments": len(arrays["docs"]),
        "votes": msgspec.to_builtins(votes),
        "dev": {"measure": str(measure), "queries": len(dev), "value": values.get(votes)},
    }
    kept = {"training": msgspec.to_builtins(settings), "analyzers": holdings.fingerprints}
    save_examples(job.folder, arrays, idf.n, votes, about, kept, made_from)
    return Outcome(0, [], [], len(arrays["docs"]), made_from, _told(made_from, len(values)), "judgments")


def save_examples(
    folder: Path,
    arrays: Mapping[str, Array],
    counted: int,
    votes: Votes,
    about: About,
    settings: Mapping[str, Any],
    made_from: Mapping[str, Any],
) -> None:
    """`arrays` are those of `earlier_arrays`, `settings` those of the training, with the analyzers' fingerprints."""
    own = {"votes": msgspec.to_builtins(votes), "about": msgspec.to_builtins(about)}
    with store.Writer(folder, KIND, VERSION) as writer:
        writer.put(arrays)
        writer.commit({"counted": counted, **own, **settings}, made_from)


@dataclass
class _Tried(Examples):
    """Looks for the neighbours of a dev query once, however many settings are tried."""

    near: dict[str, Neighbours] = field(default_factory=dict)

    def neighbours(self, query: Text) -> Neighbours:
        if query.id not in self.near:
            widest = replace(self, votes=Votes(neighbours=int(max(GRID["neighbours"]))))
            self.near[query.id] = Examples.neighbours(widest, query)
        parts, rows, likeness = self.near[query.id]
        n = self.votes.neighbours
        return Neighbours(parts[:n], rows[:n], likeness[:n])


def _training_queries(holdings: Holdings, share: float, progress: Progress) -> Iterator[Judged]:
    """Dev and test queries are not among them; neither is a query that is judged in several splits."""
    collection = holdings.collection
    split, mate = holdings.split(TRAIN), collection.info.mate_level
    held_out = {id for name in collection.splits if name != TRAIN for id in collection.qrels(name)}
    queries = [query for query in split.queries if query.id not in held_out]
    chosen = evenly_chosen(queries, max(1, round(share * len(queries)))) if queries else []
    families = _families(holdings)
    for query in track(chosen, "reading training queries", len(chosen), progress):
        levels = {doc: level for doc, level in split.qrels[query.id].items() if level > 0}
        mates = [doc for doc, level in levels.items() if level == mate]
        kin = {*mates, *(name for doc in mates for name in families(doc))}
        if levels:
            yield Judged(query, source_terms(holdings.index, query), levels, kin)


def _families(holdings: Holdings) -> Callable[[str], list[str]]:
    """The families of a document, as `relatives` names those of a query."""
    if holdings.index.fields.get(FAMILY) != "keyword":
        return lambda doc: []
    column, numbering = keyword_column(holdings.index, FAMILY), holdings.index.numbering
    names = {code: name for name, code in column.codes.items()}

    def of(doc: str) -> list[str]:
        [number] = numbering.of([doc]).tolist()
        if number == UNKNOWN:
            return []
        held = column.values[column.starts[number] : column.starts[number + 1]].tolist()
        return [family_name(names[code]) for code in held]

    return of


def _about(collection: Collection) -> About:
    info = collection.info
    return About(dict(info.levels), info.mate_level)


def _dev(holdings: Holdings, most: int) -> Split:
    wanted = SPLIT in holdings.collection.splits and most > 0
    return holdings.split(SPLIT, most) if wanted else Split(SPLIT, [], {}, EVERYTHING, None)


def _has_others(dev: Split) -> bool:
    """Whether there are mates, and relevant documents besides."""
    levels = {level for judged in dev.qrels.values() for level in judged.values() if level > 0}
    return dev.mate_level in levels and len(levels) > 1


def _tuned(
    settings: ExamplesTraining, measured: Callable[[Votes], float] | None, progress: Progress
) -> tuple[Votes, dict[Votes, float]]:
    """Change each setting in turn to its best value, and again; what was measured."""
    given = {name: getattr(settings, name) for name in GRID if getattr(settings, name) != TUNED}
    best, values = msgspec.structs.replace(Votes(), **given), dict[Votes, float]()
    free = [name for name in GRID if name not in given]
    if measured is None:
        return best, values
    values[best] = measured(best)
    steps = [(name, value) for _ in range(ROUNDS) for name in free for value in GRID[name]]
    for name, value in track(steps, "tuning on dev", len(steps), progress):
        tried = msgspec.structs.replace(best, **{name: type(getattr(best, name))(value)})
        if tried not in values:
            values[tried] = measured(tried)
        if values[tried] > values[best]:
            best = tried
    return best, values


def _told(made_from: Mapping[str, Any], tried: int) -> list[str]:
    votes, dev = made_from["votes"], made_from["dev"]
    lines = [f"{made_from['queries']} earlier queries"]
    lines += [f"{name}: {value:g}" for name, value in votes.items()]
    if dev["value"] is not None:
        lines.append(f"{dev['measure']} on dev, the best of {tried} settings: {dev['value']:.4f}")
    return lines


def open_examples(opening: Opening) -> Examples:
    """Of the trained model, and of what was remembered since; either may be missing, but not both."""
    holdings, name = opening.holdings, opening.settings.model
    if name == MODEL and has_searches(holdings) and not has_model(MODEL)(holdings):
        votes, about, earlier = Votes(), _about(holdings.collection), _nothing()
    else:
        votes, about, earlier = read_model(MODEL, holdings, name, lambda folder: _read(folder, holdings))
    own = own_searches(holdings, earlier, holdings.model_folder(name) / REMEMBERED)
    return Examples(opening.name, holdings.index, [earlier, *own], votes, about.names, about.mate_level)


def _read(folder: Path, holdings: Holdings) -> tuple[Votes, About, Earlier]:
    artifact = check_analyzers(store.read(folder, KIND, VERSION), holdings)
    artifact.map_all()
    settings = artifact.meta.settings
    try:
        votes, about = msgspec.convert(settings["votes"], Votes), msgspec.convert(settings["about"], About)
        return votes, about, read_earlier(artifact.array, setting_count(settings, "counted"))
    except (KeyError, msgspec.ValidationError) as error:
        raise FileError(folder, None, f"is damaged ({error}): train it again") from None


def _nothing() -> Earlier:
    return read_earlier(earlier_arrays([], Idf(0, {})).__getitem__, 0)


def is_trained(holdings: Holdings) -> bool:
    """There is a model, or a searcher has added searches to answer from."""
    return has_model(MODEL)(holdings) or has_searches(holdings)


TRAINER = Trainer(
    MODEL,
    "Keep the training queries and their judgments, and tune on dev what their votes count.",
    ExamplesTraining,
    train,
    turn=1,
    needs=("train judgments",),
    travels=False,
)
SPECS = (
    SystemSpec(
        MODEL,
        "Examples",
        "what similar earlier queries cited: training queries, and searches of your own",
        ExamplesUse,
        open_examples,
        trainer=TRAINER,
        is_trained=is_trained,
        quick=True,
    ),
)
