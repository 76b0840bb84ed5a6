"""Opens systems and trains models by name; their inputs are opened first, and only once."""

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import msgspec

from kakehashi.corpus.splits import QUERIES
from kakehashi.errors import InputError
from kakehashi.index.holdings import Holdings
from kakehashi.progress import SILENT, Progress
from kakehashi.systems.registry import SYSTEMS, spec_of, trainer_of
from kakehashi.systems.spec import Opening, read_settings, read_values

if TYPE_CHECKING:  # a search waits for nothing that only training imports
    from kakehashi.learn.asked import Asked
    from kakehashi.retrieve.inputs import Input
    from kakehashi.retrieve.system import IndexSystem
    from kakehashi.training.job import Job
    from kakehashi.training.outcome import Outcome

AUTO = "auto"
FIRST = ("psq", "bm25")  # what hard negatives are taken from
RERANKED = ("psq-hmm", "psq", "hmm")  # what is reranked; where none can search, untranslated words must do
Opened = MutableMapping[tuple[str, bytes], "IndexSystem"]  # by name and settings
_being_made: ContextVar[tuple[tuple[str, str], ...]] = ContextVar("being_made", default=())


def open_system(
    name: str,
    holdings: Holdings,
    settings: Mapping[str, Any] | None = None,
    opened: Opened | None = None,
    called: str = "",
) -> "IndexSystem":
    """The named system, ready to search; one that is in `opened` is not opened again.

    `called` is its own name, if several with different settings may be in use.
    """
    opened = {} if opened is None else opened
    spec = spec_of(name)
    given = read_settings(spec, settings or {})
    called = called or name
    key = called, msgspec.json.encode(given, order="deterministic")
    if key not in opened:
        with making(name, str(getattr(given, "model", ""))):

            def inputs(asked: "Sequence[Asked]") -> "list[Input]":
                return open_inputs(asked, holdings, opened)

            opened[key] = spec.open(Opening(called, holdings, given, inputs))
    return opened[key]


def open_inputs(asked: "Sequence[Asked]", holdings: Holdings, opened: Opened | None = None) -> "list[Input]":
    """Systems that another one is made of, under the names they were asked for by."""
    from kakehashi.retrieve.inputs import Input

    found = []
    for one in asked:
        spec = spec_of(one.system)
        if spec.queries != QUERIES:
            raise InputError(f"inputs: {one.system} searches with {spec.queries}, inputs with {QUERIES}")
        system = open_system(one.system, holdings, one.settings, opened, one.name)
        found.append(Input(one.name, system, holdings.index))
    return found


def train_model(
    name: str,
    holdings: Holdings,
    values: Mapping[str, Any] | None = None,
    model: str = "",
    parallel: Sequence[str] = (),
    threads: int = 0,
    progress: Progress = SILENT,
) -> "tuple[Job, Outcome]":
    """Train what `name` stands for, with these settings, into the model of that name or its usual one."""
    trainer = trainer_of(name)
    if parallel and not trainer.takes_text:
        raise InputError(f"{name} does not use parallel text: leave out --parallel")
    settings = read_values(name, trainer.settings, values or {})
    job = job_of(name, holdings, settings, model or name, parallel, threads, progress)
    return job, trainer.train(job)


def job_of(
    name: str,
    holdings: Holdings,
    settings: Any,
    model: str,
    parallel: Sequence[str] = (),
    threads: int = 0,
    progress: Progress = SILENT,
) -> "Job":
    """A training with the systems it is made of, or takes hard negatives from, opened."""
    from kakehashi.learn.asked import parse_inputs
    from kakehashi.training.job import Job

    folder, inputs = holdings.model_folder(model), []
    for setting, choose in (
        ("inputs", chosen_inputs),
        ("hard_from", _first_system),
        ("first", _reranked_system),
    ):
        if hasattr(settings, setting):
            chosen = choose(getattr(settings, setting), holdings)
            settings = msgspec.structs.replace(
                settings, **{setting: chosen}
            )  # what the model says it was made of
            with making(name, model):
                inputs = open_inputs(parse_inputs(chosen), holdings)
    return Job(holdings, folder, settings, inputs, parallel, threads, progress)


def chosen_inputs(text: str, holdings: Holdings) -> str:
    """As given; for `auto`, all quick systems that have a model with the default name or need none here."""
    if text.strip() != AUTO:
        return text
    quick = {name: spec for name, spec in SYSTEMS.items() if spec.quick}
    found = [name for name, spec in quick.items() if spec.is_trained(holdings)]
    if not found:
        trained = ", ".join(name for name, spec in quick.items() if spec.trainer)
        raise InputError(
            f"inputs=auto takes trained systems, and {holdings.folder} has none: train some of {trained}, as with "
            f"kakehashi train bilinear {holdings.folder}, or name others"
        )
    return " ".join(found)


def _first_system(text: str, holdings: Holdings) -> str:
    """As given; for `auto`, the simplest system that can search here, or none."""
    if text.strip() != AUTO:
        return text
    return next((name for name in FIRST if SYSTEMS[name].is_trained(holdings)), "")


def _reranked_system(text: str, holdings: Holdings) -> str:
    """As given; for `auto`, the best of the cheap systems that can search here."""
    if text.strip() != AUTO:
        return text
    return next((name for name in RERANKED if SYSTEMS[name].is_trained(holdings)), "passthrough")


@contextmanager
def making(system: str, model: str) -> Iterator[None]:
    """While a model is trained or opened, none of its inputs may depend on it."""
    made = _being_made.get()
    if (system, model) in made:
        raise InputError(f"{system} '{model}' contains itself: train it again with other inputs")
    token = _being_made.set((*made, (system, model)))
    try:
        yield
    finally:
        _being_made.reset(token)
