"""Ablation of a linear ranker: retrains and measures it without each input and each group of features.

Measured by cross-validation over the training queries of the ranker; the test split is not used.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kakehashi.corpus.splits import Split
from kakehashi.errors import InputError
from kakehashi.evaluation.measures import parse_all
from kakehashi.evaluation.significance import randomization_p
from kakehashi.progress import track
from kakehashi.training.evidence import (
    EvidenceSettings,
    Material,
    answered,
    learned_from,
    lists_without,
    measured,
    open_material,
    sample_lists,
)
from kakehashi.training.job import Job
from kakehashi.training.settings import part
from kakehashi.training.weighing import folds_of, held_out, learner, names_in
from kakehashi.types import Longs

ALL = "(all)"  # the row of the full model
MEASURES = ("MAP", "PRES@1000")
NEW = "R@100:new"  # a popular document is easy to find: what is lost for those nobody cited yet?


@dataclass(frozen=True)
class AblationRow:
    """One group left out; `difference` and `p` compare with the full model, whose own values are 0 and 1."""

    group: str
    features: tuple[str, ...]  # inputs and features of the group
    weights: tuple[
        float, ...
    ]  # weights of these, or shares of gains of trees, in the full model of all queries
    means: Mapping[str, float]  # measure -> mean over queries without the group
    difference: Mapping[str, float]  # measure -> that mean minus the full model's
    p: Mapping[str, float]  # measure -> randomization test over queries, paired, two-sided


def ablate(job: Job, measures: Sequence[str] = (), groups: Sequence[Sequence[str]] = ()) -> list[AblationRow]:
    """The full model, then one row per group, the largest loss first (by the first measure).

    The job is that of a training; `groups` names what to leave out together: features, groups of them or
    inputs. Without it each group is left out separately. Without measures, they are MAP, PRES@1000 and, where
    training judgments tell cited documents from others, R@100:new.
    """
    settings, progress = job.settings, job.progress
    told, seed = part(settings, EvidenceSettings), settings.seed
    if told.split == "test":
        raise InputError("ablation never uses the test split: train with split=dev")
    material = open_material(job.holdings, job.inputs, told)
    learn = learner(settings, material.ranker.evidence.priors)
    names = [str(measure) for measure in parse_all(measures or default_measures(material.split))]
    chosen = _chosen(material, groups, names_in(told.without))
    queries = learned_from(material, settings)
    lists = sample_lists(material, told, seed, progress, queries)
    lists = lists.without(material.group(names_in(told.without)))
    weights = learn(lists).each()
    folds = folds_of(queries, told.folds, seed)
    left_out = [np.zeros(0, np.int64), *chosen.values()]
    variants = [
        held_out(lists_without(material, lists, group), learn, folds)
        for group in track(left_out, "learning without each group", len(left_out), progress)
    ]
    full, *without = measured(material, answered(material, variants, names, progress, left_out), names)
    rows = [compared(ALL, (), (), full, full)]
    for (name, group), scores in zip(chosen.items(), without, strict=True):
        features = tuple(material.names[i] for i in group.tolist())
        rows.append(compared(name, features, tuple(weights[group].tolist()), scores, full))
    return rows[:1] + sorted(rows[1:], key=lambda row: row.difference[names[0]])


def default_measures(split: Split) -> Sequence[str]:
    """Also those of never-cited documents, where training judgments tell them from others."""
    if split.cited is None:
        return MEASURES
    judged = {
        doc
        for of_query in split.qrels.values()
        for doc, level in of_query.items()
        if 0 < level != split.mate_level
    }
    return [*MEASURES, NEW] if judged - split.cited else MEASURES


def _chosen(material: Material, groups: Sequence[Sequence[str]], without: Sequence[str]) -> dict[str, Longs]:
    """Numbers of the features to leave out, by the name of their group; without those already left out."""
    gone = set(material.group(without).tolist())
    wanted = groups or [[group] for group in dict.fromkeys(material.ranker.evidence.groups)]
    found = {}
    for names in wanted:
        left = [i for i in material.group(names).tolist() if i not in gone]
        if left:
            found[", ".join(names)] = np.array(left, np.int64)
    if not found:
        raise InputError("nothing is left to leave out: the model was trained without all of this")
    return found


def compared(
    group: str,
    features: tuple[str, ...],
    weights: tuple[float, ...],
    scores: Mapping[str, Mapping[str, float]],
    full: Mapping[str, Mapping[str, float]],
) -> AblationRow:
    """Scores without the group and scores of the full model, each as measure -> query -> score."""
    means, differences, ps = {}, {}, {}
    for measure, by_query in scores.items():
        own, other = np.array(list(by_query.values())), np.array([full[measure][q] for q in by_query])
        means[measure] = float(own.mean())
        differences[measure] = float((own - other).mean())
        ps[measure] = randomization_p(other, own, np.random.default_rng(0))
    return AblationRow(group, features, weights, means, differences, ps)
