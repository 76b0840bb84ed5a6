"""Sets a collection up: indexes it, trains what its data allow, measures on dev and chooses its best system."""

import shutil
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any, Literal

from kakehashi.building.lending import borrow, lends, trained_inputs
from kakehashi.building.plan import DEV, DEV_QUERIES, State, Step, plan
from kakehashi.building.record import Best, Made, Record, chosen, index_state, read_record
from kakehashi.corpus.splits import QUERIES
from kakehashi.errors import InputError
from kakehashi.evaluation.comparison import compare
from kakehashi.evaluation.measures import parse, parse_all
from kakehashi.evaluation.scores import Scores
from kakehashi.index.holdings import Holdings
from kakehashi.progress import SILENT, Progress
from kakehashi.systems.opening import open_system, train_model
from kakehashi.systems.registry import SYSTEMS
from kakehashi.systems.spec import SystemSpec
from kakehashi.tabular import Tabular
from kakehashi.training.measuring import measure_run, measure_system
from kakehashi.types import Run

BASELINES = ("passthrough", "monolingual")
UNMEASURED = (
    "psq-hmm",
    "psq",
    "dense",
    "fused",
    "lowrank",
    "bilinear",
)  # chosen in this order without judgments
SINGLE = 0.75  # of a time limit is for single systems, the rest for combining them
Happened = Literal["trained", "kept", "borrowed", "skipped", "stopped"]


@dataclass(frozen=True)
class Wanted:
    """What a build is asked for."""

    only: Collection[str] = ()  # trainings; empty: all
    without: Collection[str] = ()
    budget: float | None = None  # seconds
    measure: str = "MAP"  # chooses the best system
    again: bool = False  # train even what is up to date
    threads: int = 0
    lender: Holdings | None = None  # lends models that the collection lacks the data for
    lender_name: str = ""  # what to call it in reports


@dataclass(frozen=True)
class Done:
    """What became of one training."""

    step: str
    happened: Happened
    why: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Built(Tabular):
    """How a build went: what was trained, how the systems did on dev, and which is best."""

    done: list[Done]
    scores: dict[str, Scores]
    best: Best
    measures: list[str]
    p: dict[str, float] = field(
        default_factory=dict
    )  # system -> p of its difference to the best, Holm-corrected

    def rows(self) -> list[dict[str, Any]]:
        """A row per system, best first."""
        by = parse(self.best.measure or "MAP")
        ordered = sorted(self.scores.items(), key=lambda pair: -pair[1].mean(by))
        return [{"system": name, **scores.means(), "p": self.p.get(name)} for name, scores in ordered]


class OutOfTime(Exception):
    """Raised inside a training when its share of the time limit is spent."""


@dataclass
class Timed:
    """Progress that says which training it belongs to, and ends one whose time is up."""

    progress: Progress
    prefix: str
    until: float | None = None  # as time.monotonic tells it

    def start(self, what: str, total: int | None = None) -> None:
        self._check()
        self.progress.start(f"{self.prefix}: {what}", total)

    def advance(self, n: int = 1) -> None:
        self.progress.advance(n)
        self._check()

    def finish(self) -> None:
        self.progress.finish()

    def _check(self) -> None:
        if self.until is not None and time.monotonic() > self.until:
            raise OutOfTime


def build(
    holdings: Holdings,
    wanted: Wanted,
    progress: Progress = SILENT,
    report: Callable[[Done], None] = lambda done: None,
) -> Built:
    """Train what is missing or stale over an index that is up to date; rerun to go on after an interruption."""
    return _Build(holdings, wanted, progress, report).run()


class _Build:
    def __init__(
        self, holdings: Holdings, wanted: Wanted, progress: Progress, report: Callable[[Done], None]
    ):
        self._own, self._wanted, self._progress, self._report = holdings, wanted, progress, report
        self._started = time.monotonic()
        self._record: Record = read_record(holdings.folder)
        self._state = State(holdings)
        self._done: list[Done] = []
        self._dev = holdings.split(DEV, DEV_QUERIES) if _has_dev(holdings) else None
        mates = ["MAP-mate"] if self._dev and self._dev.mate_level is not None else []
        self._measures = list(dict.fromkeys([wanted.measure, "MAP", *mates, "PRES@1000"]))

    def run(self) -> Built:
        parse_all(self._measures)
        steps = plan(self._own, self._wanted.only, self._wanted.without)
        for number, step in enumerate(steps, 1):
            done = self._step(step, f"{step.name} ({number} of {len(steps)})")
            self._done.append(done)
            self._report(done)
        self._baselines()
        self._forget_others()
        best = chosen(self._record.scores, self._wanted.measure, _crossing()) or self._unmeasured()
        self._record.best, self._record.index = best, index_state(self._own.index)
        self._record.save(self._own.folder)
        return Built(self._done, self._record.scores, best, self._measures, self._significance(best))

    def _step(self, step: Step, prefix: str) -> Done:
        if step.missing:
            return self._borrow(step, prefix)
        if reason := self._nothing_to_combine(step):
            return Done(step.name, "skipped", reason)
        made_from = self._state.made_from(step, self._inputs())
        model = self._state.model(step.trainer)
        known = self._record.models.get(step.name)
        current = known is not None and (known.made_from, known.model) == (made_from, model)
        foreign = bool(model) and (known is None or known.model != model) and not step.trainer.combines
        if (current or foreign) and not self._wanted.again and self._opens(step):
            self._record.models[step.name] = known if current and known else Made(made_from, model, 0.0)
            self._measure(step, Timed(self._progress, prefix))
            return Done(step.name, "kept", "up to date" if current else "trained by hand")
        return self._train(step, prefix, made_from)

    def _borrow(self, step: Step, prefix: str) -> Done:
        """From the lender, where there is one that has the model; one that was borrowed before is kept."""
        lender, known = self._wanted.lender, self._record.models.get(step.name)
        if lender is None or not lends(lender, step.trainer) or "metadata" in step.trainer.needs:
            if known and known.model == self._state.model(step.trainer) and self._opens(step):
                return Done(step.name, "kept", f"borrowed before; {step.missing}")
            stays = lender is not None and not step.trainer.travels
            at_home = "; it is not borrowed, because it knows documents by their ids" if stays else ""
            return Done(step.name, "skipped", step.missing + at_home)
        started, timed = time.monotonic(), Timed(self._progress, prefix)
        made_from = self._state.borrowed_from(lender, step, self._inputs())
        current = known is not None and (known.made_from, known.model) == (
            made_from,
            self._state.model(step.trainer),
        )
        if not current or self._wanted.again:
            borrow(lender, self._own, step.trainer, timed)
            if not self._opens(step):  # it combines systems that the lender did not lend
                shutil.rmtree(self._own.model_folder(step.name), ignore_errors=True)
                return Done(
                    step.name, "skipped", f"{self._wanted.lender_name} lacks systems that it combines"
                )
        seconds = round(time.monotonic() - started, 1)
        self._record.models[step.name] = Made(made_from, self._state.model(step.trainer), seconds)
        self._measure(step, timed)
        return Done(step.name, "kept" if current else "borrowed", f"from {self._wanted.lender_name}", seconds)

    def _train(self, step: Step, prefix: str, made_from: str) -> Done:
        until = None if step.trainer.combines else self._until(SINGLE)
        if until is not None and time.monotonic() > until:
            return Done(step.name, "stopped", "the time limit left no time for it")
        started = time.monotonic()
        timed = Timed(self._progress, prefix, until)
        try:
            _, outcome = train_model(
                step.name, self._own, step.settings, threads=self._wanted.threads, progress=timed
            )
        except OutOfTime:
            return Done(
                step.name, "stopped", "its share of the time limit was spent", time.monotonic() - started
            )
        except InputError as error:
            return Done(step.name, "skipped", str(error), time.monotonic() - started)
        seconds = time.monotonic() - started
        self._record.models[step.name] = Made(made_from, self._state.model(step.trainer), round(seconds, 1))
        self._measure(step, Timed(self._progress, prefix), outcome.held_out)
        return Done(step.name, "trained", "", seconds)

    def _until(self, share: float) -> float | None:
        return None if self._wanted.budget is None else self._started + share * self._wanted.budget

    def _nothing_to_combine(self, step: Step) -> str:
        if not step.trainer.combines:
            return ""
        return "" if len(trained_inputs(self._own)) > 1 else "needs two trained systems to combine"

    def _inputs(self) -> dict[str, str]:
        """The models that combinations are made of, with their checksums, and the systems that answer with them."""
        names = {spec.trainer.name for spec in SYSTEMS.values() if spec.trainer and spec.quick}
        models = {name: made.model for name, made in self._record.models.items() if name in names}
        return models | {"(systems)": " ".join(trained_inputs(self._own))}

    def _opens(self, step: Step) -> bool:
        """Whether the model there fits the index as it is."""
        try:
            for spec in step.systems:
                open_system(spec.name, self._own)
        except InputError:
            return False
        return True

    def _measure(self, step: Step, progress: Progress, held_out: Run | None = None) -> None:
        """On dev, what a system did not learn from; then everything is written down."""
        model = self._record.models[step.name].model
        for spec in step.systems if self._dev else ():
            if spec.is_trained(self._own):
                self._measure_system(spec, model, progress, held_out)
        self._record.save(self._own.folder)

    def _measure_system(
        self, spec: SystemSpec, model: str, progress: Progress, held_out: Run | None = None
    ) -> None:
        assert self._dev is not None
        on = self._state.measured_on(model, self._measures)
        if self._record.measured_on.get(spec.name) == on and spec.name in self._record.scores:
            return
        wanted = parse_all(self._measures)
        if held_out is not None:
            scores = measure_run(Run(spec.name, held_out.rankings), self._dev, wanted)
        else:
            split = self._own.split(DEV, DEV_QUERIES, spec.queries)
            system = open_system(spec.name, self._own)
            scores = measure_system(system, split, wanted, threads=self._wanted.threads, progress=progress)
        self._record.scores[spec.name], self._record.measured_on[spec.name] = scores, on

    def _baselines(self) -> None:
        ready = [
            name
            for name, spec in SYSTEMS.items()
            if not spec.trainer and spec.quick and spec.is_trained(self._own)
        ]
        for name in (*BASELINES, *ready) if self._dev else ():
            spec = SYSTEMS[name]
            if self._own.collection.has(spec.queries):
                self._measure_system(spec, "", Timed(self._progress, name))

    def _forget_others(self) -> None:
        """Scores of systems whose model is gone."""
        for name in list(self._record.scores):
            spec = SYSTEMS.get(name)
            if spec is None or self._dev is None or (spec.trainer and not spec.is_trained(self._own)):
                del self._record.scores[name]

    def _unmeasured(self) -> Best:
        """Where there are no dev judgments: translation before what was learned elsewhere, which travels less well."""
        trained = [name for name, spec in SYSTEMS.items() if spec.trainer and spec.is_trained(self._own)]
        found = [name for name in UNMEASURED if name in trained]
        return Best(found[0] if found else BASELINES[0])

    def _significance(self, best: Best) -> dict[str, float]:
        first = self._record.scores.get(best.system)
        others = [scores for name, scores in self._record.scores.items() if name != best.system]
        if first is None or not others:
            return {}
        found = compare([first, *others], parse(best.measure), against_first=True)
        return {one.b: one.p_holm for one in found}


def _has_dev(holdings: Holdings) -> bool:
    return DEV in holdings.collection.splits and holdings.collection.has(QUERIES)


def _crossing() -> dict[str, bool]:
    """Which systems answer queries of the collection, not their originals in the documents' language."""
    return {name: spec.queries == QUERIES for name, spec in SYSTEMS.items()}


def parse_duration(text: str) -> float:
    """Seconds, from `90s`, `10m` or `1.5h`."""
    units = {"s": 1.0, "m": 60.0, "h": 3600.0}
    try:
        value = float(text[:-1]) * units[text[-1:]]
    except (ValueError, KeyError):
        raise InputError(f"'{text}' is not a duration: write 90s, 10m or 1.5h") from None
    if not 0 < value < float("inf"):
        raise InputError(f"'{text}' is not a duration: it must be more than 0")
    return value


def told(one: Done, timed: bool = True) -> str:
    """A line about a training."""
    seconds = f" in {one.seconds:.0f} s" if timed and one.seconds >= 1 else ""
    return f"{one.step}: {one.happened}{seconds}{f' ({one.why})' if one.why else ''}"
