"""The training data of linear rankers: queries of a split, and for each a sample of its full list of documents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta

from kakehashi.corpus.collection import Collection
from kakehashi.corpus.splits import TRAIN, Split, citations_received
from kakehashi.errors import InputError
from kakehashi.evaluation.measures import parse_all
from kakehashi.features.kind import Kind
from kakehashi.features.quantities import Citations, Lengths
from kakehashi.features.sets import FeatureSet, features_of
from kakehashi.index.holdings import Holdings
from kakehashi.index.numbering import UNKNOWN
from kakehashi.learn.linear import Lists, Weights
from kakehashi.learn.linear_model import Worth
from kakehashi.progress import SILENT, Progress
from kakehashi.retrieve.adapted import Adapted
from kakehashi.retrieve.inputs import Input, Scaling
from kakehashi.retrieve.linear import LinearRanker, open_evidence
from kakehashi.training.measuring import depth_of, measure_run
from kakehashi.training.settings import part
from kakehashi.training.shortening import own_id, shorten
from kakehashi.training.side_by_side import side_by_side
from kakehashi.training.weighing import names_in
from kakehashi.types import Array, Floats, Longs, Ranking, Run, Text

RELATED = "related"
NOTHING = np.array([np.nan])  # scores of a query that has nothing in common with any document


class EvidenceSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which numbers are weighted, and which queries the weights are learned from."""

    features: Annotated[
        str,
        Meta(
            description="Metadata features: `auto` compares every declared field that queries and documents share, "
            "a name such as `patents` uses a set made for some collections, `none` uses no features."
        ),
    ] = "auto"
    fields: Annotated[
        str,
        Meta(description="`features=auto`: fields to compare, separated by commas; empty means all."),
    ] = ""
    scaling: Annotated[
        Scaling,
        Meta(
            description="How a system's scores are made comparable: `found` divides by the query's best score, after "
            "moving likelihoods so that the worst found document counts as much as one that is not found; "
            "`best` divides without moving; `range` maps lowest to best onto 0..1; `raw` leaves scores as "
            "they are."
        ),
    ] = "found"
    citations: Annotated[
        Literal["related", "plain"],
        Meta(
            description="How citations received count: `related` multiplies them by how well the inputs find the "
            "document, so that they lift documents on the subject and cannot push new ones out of the list; `plain` "
            "adds them whatever the query is about."
        ),
    ] = "related"
    uncited: Annotated[
        float,
        Meta(
            description="Share of the relevant documents that are learned from as if they had never been cited: new "
            "documents have no citations yet."
        ),
    ] = 0.35
    short: Annotated[
        bool,
        Meta(
            description="`dense` with `loss=softmax` or `both`: learn from every query twice, whole and cut to 2 to "
            "30 words without metadata, and let weights depend on the number of words."
        ),
    ] = True
    without: Annotated[
        str, Meta(description="Features, groups of features or inputs to leave out, separated by commas.")
    ] = ""
    split: Annotated[
        str,
        Meta(
            description="Split whose queries are learned from. Learned systems have seen those of `train` and score "
            "them too well."
        ),
    ] = "dev"
    queries: Annotated[int, Meta(description="Maximum number of queries, evenly chosen.")] = 500
    best: Annotated[
        int,
        Meta(
            description="Documents per query to learn from, besides the relevant ones: this many of the best by "
            "each system and by features."
        ),
    ] = 200
    random: Annotated[
        int,
        Meta(
            description="Further documents per query to learn from, drawn at random from all others, which they "
            "represent."
        ),
    ] = 1000
    measure: Annotated[
        str, Meta(description="Measure that the cross-validation reports, such as `MAP` or `PRES@1000`.")
    ] = "MAP"
    folds: Annotated[
        int,
        Meta(description="Folds of the cross-validation that estimates how good the model is; at least 2."),
    ] = 5

    def __post_init__(self) -> None:
        for name in ("queries", "best", "random", "folds"):
            if getattr(self, name) < 2:
                raise InputError(f"{name} must be at least 2, not {getattr(self, name)}")
        if not 0.0 <= self.uncited < 1.0:
            raise InputError(f"uncited must be at least 0 and below 1, not {self.uncited}")


@dataclass(frozen=True)
class Material:
    """A ranker without weights, its training queries and their judgments."""

    ranker: LinearRanker
    split: Split
    features: FeatureSet
    citations: Mapping[str, float]
    more: int = 0  # features besides those of the set, at the end

    @property
    def names(self) -> list[str]:
        return self.ranker.evidence.names

    def group(self, names: Sequence[str]) -> Longs:
        """The numbers of features with this name, or in a group of this name."""
        groups = self.ranker.evidence.groups
        for name in names:
            if name not in self.names and name not in groups:
                raise InputError(
                    f"there is no input or feature '{name}': use one of {', '.join(dict.fromkeys(groups))}"
                )
        return np.array(
            [i for i, pair in enumerate(zip(self.names, groups, strict=True)) if {*pair} & {*names}], np.int64
        )


def lists_without(material: Material, lists: Lists, left_out: Longs) -> Lists:
    """With some inputs and features always 0, and nothing that depends on these inputs."""
    rows = np.ascontiguousarray(lists.features.T)
    fitted = material.ranker.evidence.refitted(rows, left_out)
    return replace(lists, features=np.ascontiguousarray(fitted.T)).without(left_out)


def open_material(
    holdings: Holdings, inputs: Sequence[Input], settings: EvidenceSettings, more: Sequence[Kind] = ()
) -> Material:
    """`more` are features besides those of the set."""
    split = holdings.split(settings.split, settings.queries)
    features = features_of(settings.features, holdings, split, names_in(settings.fields))
    name, kinds = features.name, features.kinds
    if settings.split == TRAIN and any(isinstance(kind, Citations) for kind in kinds):
        raise InputError(
            f"features '{name}' count citations in the training judgments: learn from dev (split=dev), "
            "or choose features that do not"
        )
    if not inputs and not kinds:
        raise InputError("there is nothing to weight: name inputs or features")
    if not inputs and all(isinstance(kind, Lengths | Citations) for kind in kinds):
        reasons = "".join(f"; {field}: {reason}" for field, reason in features.left_out.items())
        raise InputError(
            f"{holdings.folder} has no metadata that queries and documents can share: features '{name}' know only "
            f"lengths and citations (declare fields in collection.toml, or train dense){reasons}"
        )
    if len(split) < settings.folds:
        raise InputError(f"{settings.split} has {len(split)} queries, fewer than folds={settings.folds}")
    cited = citations(holdings.collection)
    related = settings.citations == RELATED
    evidence = open_evidence(holdings, inputs, settings.scaling, (*kinds, *more), cited, related)
    ranker = LinearRanker("linear", evidence, Weights(np.zeros(len(evidence.names))))
    return Material(ranker, split, features, cited, sum(len(kind.names) for kind in more))


def citations(collection: Collection) -> dict[str, float]:
    """In how many training judgments a document is relevant; a query's own translation is not a citation."""
    qrels = collection.qrels(TRAIN) if TRAIN in collection.splits else {}
    found = citations_received(qrels, collection.info.mate_level)
    return {doc: float(n) for doc, n in sorted(found.items())}


def learned_from(material: Material, settings: Any) -> list[Text]:
    """The queries of the split, then the same cut to a few words, where weights are to depend on that."""
    told, queries = part(settings, EvidenceSettings), material.split.queries
    inputs = [each.system for each in material.ranker.evidence.inputs]
    if not told.short or settings.loss not in ("softmax", "both") or not inputs:
        return queries
    if any(isinstance(system, Adapted) for system in inputs):
        return queries  # a run of another program knows whole queries only
    analyzer = material.ranker.index.source_analyzer
    return queries + shorten(queries, analyzer, np.random.default_rng(settings.seed))


def sample_lists(
    material: Material,
    settings: EvidenceSettings,
    seed: int,
    progress: Progress = SILENT,
    queries: Sequence[Text] = (),
) -> Lists:
    """All relevant documents of each query, the best ones by each number, and some random others.

    `queries` are those of `learned_from`; without them, those of the split, and weights do not depend on their length.
    """
    chosen = queries or material.split.queries
    evidence, split = material.ranker.evidence, material.split
    numbering, n_inputs = evidence.index.numbering, len(evidence.inputs)
    allowed = numbering.allowed(split.scope.where, split.scope.expression)
    evidence.prepare(chosen, progress)

    def sampled(query: Text) -> tuple[Array, Array, Floats]:
        rows = evidence.rows(query)
        if rows is None:
            return np.zeros((0, len(evidence.names)), np.float32), np.zeros(0, np.int32), np.zeros(0)
        judged = {doc: level for doc, level in split.qrels[own_id(query)].items() if level > 0}
        [own, *numbers] = numbering.of([own_id(query), *judged]).tolist()
        found = zip(numbers, judged.values(), strict=True)
        relevant = {n: level for n, level in found if n not in (UNKNOWN, own) and allowed[n]}
        crude = [*rows[:n_inputs], rows[n_inputs : len(rows) - material.more].sum(axis=0)]
        return _sampled(rows, crude, relevant, own, allowed, settings, _generator(seed, query))

    parts = list(side_by_side(sampled, chosen, "scoring documents", progress))
    features, levels, stands_for = (np.concatenate(part) for part in zip(*parts, strict=True))
    starts = np.append(0, np.cumsum([len(part[0]) for part in parts])).astype(np.int64)
    depends = len(chosen) > len(split)
    amounts = np.array([evidence.amount(query) for query in chosen]) if depends else None
    return some_uncited(
        Lists(starts, features, levels, stands_for, amounts), evidence.priors, settings.uncited, seed
    )


def some_uncited(lists: Lists, priors: Longs, share: float, seed: int) -> Lists:
    """With the citations of a share of the relevant documents, drawn at random, forgotten."""
    drawn = np.random.default_rng(seed).random(len(lists.levels)) < share
    features = lists.features.copy()
    features[np.ix_(lists.relevant & drawn, priors)] = 0.0
    return replace(lists, features=features)


def _generator(seed: int, query: Text) -> np.random.Generator:
    """One for each query, so that threads may sample in any order."""
    return np.random.default_rng([seed, *query.id.encode()])


def _sampled(
    rows: Array,
    crude: Sequence[Array],
    relevant: Mapping[int, int],
    own: int,
    allowed: Array,
    settings: EvidenceSettings,
    rng: np.random.Generator,
) -> tuple[Array, Array, Floats]:
    """(features, levels, how many documents each represents); `relevant` is a document's number -> level."""
    open_to = allowed.copy()
    if own >= 0:
        open_to[own] = False
    candidates = np.flatnonzero(open_to)
    chosen = np.zeros(len(allowed), bool)
    chosen[list(relevant)] = True
    for row in crude:
        best = min(settings.best, len(candidates))
        chosen[candidates[np.argpartition(-row[candidates], best - 1)[:best]]] = True
    rest = candidates[~chosen[candidates]]
    drawn = np.sort(rng.choice(rest, min(settings.random, len(rest)), replace=False))
    kept = np.concatenate([np.flatnonzero(chosen), drawn])
    stands_for = np.ones(len(kept))
    stands_for[len(kept) - len(drawn) :] = len(rest) / max(len(drawn), 1)
    levels = np.array([relevant.get(number, 0) for number in kept.tolist()], np.int32)
    return np.ascontiguousarray(rows[:, kept].T), levels, stands_for


def answered(
    material: Material,
    models: Sequence[Sequence[Worth]],
    measures: Sequence[str],
    progress: Progress = SILENT,
    left_out: Sequence[Longs] = (),
) -> list[Run]:
    """Per set of models, one for each query: the lists these give, as long as the measures need them.

    `left_out` are the inputs and features that each set was learned without.
    """
    gone = left_out or [np.zeros(0, np.int64)] * len(models)
    ranker, split, depth = material.ranker, material.split, depth_of(parse_all(measures))

    def ranked(number: int) -> list[Ranking]:
        query = split.queries[number]
        rows, said = ranker.evidence.rows(query), ranker.evidence.amount(query)
        found = []
        for by_query, out in zip(models, gone, strict=True):
            scores = NOTHING
            if rows is not None:
                scores = by_query[number].at(said).scores(ranker.evidence.refitted(rows, out))
            found.append(ranker.best(query, scores, depth, split.scope))
        return found

    runs: list[Run] = [Run(f"{i}", {}) for i in range(len(models))]
    answers = side_by_side(ranked, range(len(split)), "measuring", progress)
    for query, rankings in zip(split.queries, answers, strict=True):
        for run, ranking in zip(runs, rankings, strict=True):
            run.rankings[query.id] = ranking
    return runs


def measured(
    material: Material, runs: Sequence[Run], measures: Sequence[str]
) -> list[dict[str, dict[str, float]]]:
    """Per run: measure -> query -> score."""
    wanted = parse_all(measures)
    found = [measure_run(run, material.split, wanted) for run in runs]
    return [
        {name: scores.of(measure) for name, measure in zip(measures, wanted, strict=True)} for scores in found
    ]
