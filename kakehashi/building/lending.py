"""Models that travel: what a collection lacks the data to train, it borrows from another one.

The borrower is indexed with the lender's analyzers, so both speak of the same terms, and copies the lender's
models. How much each system counts in a combination is learned again from the lender's judgments, with the inputs
and features that both collections have: weights that were learned beside a missing feature would be wrong.
"""

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from kakehashi import store
from kakehashi.building.plan import DEV_QUERIES
from kakehashi.corpus.splits import QUERIES
from kakehashi.errors import InputError
from kakehashi.features.quantities import Citations
from kakehashi.features.sets import AUTO, NONE, features_of
from kakehashi.index.holdings import Holdings
from kakehashi.index.update import Analyzers
from kakehashi.progress import SILENT, Progress
from kakehashi.systems.linear import DENSE
from kakehashi.systems.opening import job_of
from kakehashi.systems.registry import SYSTEMS, TRAINERS
from kakehashi.systems.spec import Trainer, read_values


def lent_analyzers(lender: Holdings, borrower: Holdings) -> Analyzers:
    """Those of the lender's index; collections of other languages are refused."""
    ours, theirs = borrower.collection.info, lender.collection.info
    languages = [(info.source_language, info.target_language) for info in (ours, theirs)]
    if languages[0] != languages[1]:
        (source, target), (other_source, other_target) = languages
        raise InputError(
            f"{lender.folder} translates {other_source} to {other_target}, {borrower.folder} needs "
            f"{source} to {target}: borrow from a collection of the same languages"
        )
    return Analyzers(lender.index.analyzer, lender.index.source_analyzer)


def lends(lender: Holdings, trainer: Trainer) -> bool:
    """Whether it has a finished model of the usual name that is of use elsewhere."""
    return trainer.travels and (lender.model_folder(trainer.name) / trainer.parts[0] / store.META).is_file()


def borrow(lender: Holdings, borrower: Holdings, trainer: Trainer, progress: Progress = SILENT) -> None:
    """Put the lender's model, or one learned from its judgments for the borrower, among the borrower's models."""
    folder = borrower.model_folder(trainer.name)
    if trainer.name == DENSE and can_learn(lender):
        both = [name for name in trained_inputs(borrower) if SYSTEMS[name].is_trained(lender)]
        learn_weights(lender, folder, both, shared_fields(lender, borrower), progress)
    else:
        copy_model(lender.model_folder(trainer.name), folder, trainer)


def can_learn(lender: Holdings) -> bool:
    """Whether it has dev judgments to learn weights from."""
    return "dev" in lender.collection.splits and lender.collection.has(QUERIES)


def trained_inputs(holdings: Holdings) -> list[str]:
    """The systems that combinations take in, as far as they are trained."""
    return [name for name, spec in SYSTEMS.items() if spec.quick and spec.is_trained(holdings)]


def shared_fields(lender: Holdings, borrower: Holdings) -> list[str]:
    """The fields that the lender's queries are compared by and that look the same in the borrower's documents."""
    theirs = features_of(AUTO, lender, lender.split("dev", DEV_QUERIES)).uses
    ours = {use.field: use for use in features_of(AUTO, borrower).uses}
    return [
        use.field
        for use in theirs
        if use.field in ours
        and (use.form, use.separator) == (ours[use.field].form, ours[use.field].separator)
    ]


def learn_weights(
    lender: Holdings, folder: Path, inputs: Sequence[str], fields: Sequence[str], progress: Progress = SILENT
) -> None:
    """Train `dense` on the lender's dev judgments, into a folder of its own; citations stay at home."""
    trainer = TRAINERS[DENSE]
    own = {"features": AUTO, "fields": ",".join(fields), "without": Citations().group}
    values = {"inputs": " ".join(inputs), "queries": DEV_QUERIES, **(own if fields else {"features": NONE})}
    settings = read_values(DENSE, trainer.settings, values)
    job = job_of(DENSE, lender, settings, DENSE, progress=progress)
    trainer.train(replace(job, folder=folder))


def copy_model(source: Path, target: Path, trainer: Trainer) -> None:
    """The artifacts that make up a model, checked; the one that says it is finished comes last."""
    for part in reversed(trainer.parts):
        if (source / part / store.META).is_file():
            copy_artifact(source / part, target / part)
        elif part:
            shutil.rmtree(
                target / part, ignore_errors=True
            )  # one of an earlier model does not belong to this one


def copy_artifact(source: Path, target: Path) -> None:
    """All arrays, compared with their checksums, then meta.json."""
    artifact = store.read_any(source)
    artifact.verify()
    with store.locked(target):
        for entry in artifact.meta.arrays.values():
            shutil.copyfile(source / entry.file, target / entry.file)
            store.sync(target / entry.file)
        store.replace_file(target / store.META, (source / store.META).read_bytes())
