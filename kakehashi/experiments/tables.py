"""A published table as a list of configurations, each measured once and cached, so that a table can be resumed.

Per-query scores are cached under a key made of the configuration and the data it was measured on; rows are
compared with the row before them by a randomization test.
"""

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kakehashi.errors import InputError
from kakehashi.evaluation.significance import randomization_p
from kakehashi.experiments.contents import state_of
from kakehashi.progress import SILENT, Progress
from kakehashi.store import replace_file
from kakehashi.systems.spec import read_values

ROUNDS = 20_000
RATIO = "relative change"  # a measure of a table that is the first one in parts of the row compared with


class Measured(msgspec.Struct, frozen=True):
    """The result of one configuration."""

    scores: dict[str, dict[str, float]]  # measure -> query -> score
    facts: dict[str, float]  # such as seconds of training and weights that are not zero

    def mean(self, measure: str) -> float:
        return float(np.mean(list(self.scores[measure].values())))


@dataclass(frozen=True)
class Configuration:
    """One row: its settings, and the published values (measure -> value)."""

    label: str
    settings: Mapping[str, Any]
    published: Mapping[str, float] = field(default_factory=dict)
    compared_with: str | tuple[str, ...] = (
        ""  # label of the row it is tested against, or of several of which the best counts
    )
    mean_of: Sequence[str] = ()  # labels of rows before it, whose mean it is; nothing else is measured


@dataclass(frozen=True)
class Row:
    """A cell of the printed table."""

    row: str
    collection: str
    measure: str
    published: float | None
    measured: float
    p: float | None  # against the row named in the configuration
    facts: Mapping[str, float]


@dataclass(frozen=True)
class Contrast:
    """Two rows that a table tests against each other, besides those that each row is compared with."""

    row: str
    other: str
    measure: str


@dataclass(frozen=True)
class Tested:
    """What a contrast came to on one collection."""

    row: str
    other: str
    measure: str
    collection: str
    difference: float  # of the row over the other
    p: float


@dataclass(frozen=True)
class Point:
    """Where a plot puts a measure: a panel, and the place on its lower axis; without a place it is a level."""

    panel: str
    x: float | None


@dataclass(frozen=True)
class Recipe:
    """How a table is made; `measure` gets the collection's folder, the work folder and a configuration."""

    name: str
    title: str
    collections: str  # what --collection may be
    departs: Sequence[str]  # differences from the paper
    configurations: Sequence[Configuration]
    measures: Sequence[str]
    measure: Callable[[Path, Path, Mapping[str, Any], Progress], Measured]
    against: Sequence[str] = ()  # facts against which a plot draws the first measure
    over: str = ""  # the fact over which a plot draws all measures, one line per collection and kind of row
    curves: Mapping[str, Point] = field(
        default_factory=dict
    )  # measures that are points of a line of each row; a row need not have all of them
    logarithmic: bool = False  # the lower axis of these lines
    bars: Sequence[str] = ()  # names of the places 0, 1, ... on that axis; points are then drawn as bars
    state: Callable[[Path, Mapping[str, Any]], Any] = lambda collection, settings: (
        None
    )  # what a row depends on besides the collection's files
    has: Callable[[Path, Mapping[str, Any]], bool] = lambda collection, settings: (
        True
    )  # otherwise a row is skipped
    relative_to: str = ""  # the row of which all others are given as percentages
    drawn: str = ""  # the measure that a plot shows
    headline: Mapping[str, str] = field(
        default_factory=dict
    )  # rows that a page shows first: what to call it -> label
    headlined: Sequence[str] = ()  # the measures shown there
    ladder: "Ladder | None" = None  # what a plot shows of it
    together: Callable[[Path, Path, Sequence[Mapping[str, Any]], Progress], list[Measured]] | None = (
        None  # measures several rows at once, where that saves work
    )
    contrasts: Sequence[Contrast] = ()
    takes_queries: bool = False  # whether rows can be measured on fewer queries (`queries` in their settings)
    settings: type[msgspec.Struct] | None = None  # what can be changed in all rows (`set` in their settings)
    rounds: int = ROUNDS  # of the randomization test


@dataclass(frozen=True)
class Ladder:
    """Rows of which each adds something to the one before, and others to compare them with."""

    steps: Mapping[str, str]  # what is added -> label of the row
    lines: Sequence[str]  # labels of the rows to compare with


Published = float | str | tuple[float, ...]


@dataclass(frozen=True)
class Listed:
    """A line of a table of examples, without measures."""

    row: str
    published: str
    found: str


@dataclass(frozen=True)
class Listing:
    """A table of examples; one that needs no collection is measured on this machine."""

    name: str
    title: str
    collections: str
    departs: Sequence[str]
    rows: Callable[[Path, Path], list[Listed]]  # of a collection's folder, with a work folder
    published: Mapping[str, Mapping[str, Published]] = field(
        default_factory=dict
    )  # row -> column -> as printed


def only_rows(recipe: Recipe, text: str, without: str = "") -> Recipe:
    """The same table with the rows whose label contains the one text and not the other."""
    chosen = [row for row in recipe.configurations if text in row.label]
    chosen = [row for row in chosen if not without or without not in row.label]
    if not chosen:
        raise InputError(f"no row of {recipe.name} is called '{text or 'anything else'}'")
    return replace(recipe, configurations=chosen)


def with_queries(recipe: Recipe, most: int) -> Recipe:
    """The same table, measured on at most this many test queries, evenly chosen."""
    if not recipe.takes_queries:
        raise InputError(f"{recipe.name} is always measured on the same queries: leave out --queries")
    chosen = [replace(row, settings={**row.settings, "queries": most}) for row in recipe.configurations]
    return replace(recipe, configurations=chosen)


def with_settings(recipe: Recipe, values: Mapping[str, Any]) -> Recipe:
    """The same table, with some settings changed in all rows."""
    if recipe.settings is None:
        raise InputError(f"{recipe.name} has no settings: leave out --set")
    read_values(recipe.name, recipe.settings, values)
    chosen = [replace(row, settings={**row.settings, "set": values}) for row in recipe.configurations]
    return replace(recipe, configurations=chosen)


def run(recipe: Recipe, collection: Path, work: Path, progress: Progress = SILENT) -> list[Row]:
    """All rows; results for the same configuration are reused."""
    found: dict[str, Measured] = {}
    rows = []
    wanted = [one for one in recipe.configurations if recipe.has(collection, one.settings)]
    if not wanted:
        raise InputError(f"{recipe.name} has no row for {collection}: it is measured on {recipe.collections}")
    if recipe.together:
        _measure_together(recipe, collection, work, wanted, progress)
    for configuration in wanted:
        if not {*configuration.mean_of} <= {*found}:  # some of its rows were not chosen
            continue
        measured = found[configuration.label] = (
            _mean([found[label] for label in configuration.mean_of])
            if configuration.mean_of
            else _kept(recipe, collection, work, configuration, progress)
        )
        for measure in recipe.measures:
            published = configuration.published.get(measure)
            if measure == RATIO:
                rows += _ratio(configuration, collection, recipe.measures[0], found)
                continue
            if recipe.curves and measure not in measured.scores:
                continue
            other = _rival(configuration.compared_with, found, measure)
            p = _p(measured, other, measure, recipe.rounds) if other else None
            mean = measured.mean(measure)
            rows.append(
                Row(configuration.label, collection.name, measure, published, mean, p, measured.facts)
            )
    return rows


def _ratio(
    configuration: Configuration, collection: Path, measure: str, found: Mapping[str, Measured]
) -> list[Row]:
    """What a row comes to in parts of the row it is compared with, if that was published, too."""
    other = _rival(configuration.compared_with, found, measure)
    if other is None or RATIO not in configuration.published:
        return []
    own = found[configuration.label]
    share = own.mean(measure) / other.mean(measure)
    published = configuration.published[RATIO]
    return [Row(configuration.label, collection.name, RATIO, published, share, None, own.facts)]


def differences(recipe: Recipe, collection: Path, work: Path) -> list[Tested]:
    """The contrasts of a table between rows that were measured before."""
    paths = {one.label: _place(recipe, collection, work, one) for one in recipe.configurations}
    kept = {label: path for label, path in paths.items() if path.is_file()}
    found = {label: msgspec.json.decode(path.read_bytes(), type=Measured) for label, path in kept.items()}
    tests = []
    for one in recipe.contrasts:
        if one.row in found and one.other in found:
            a, b, measure = found[one.row], found[one.other], one.measure
            difference = a.mean(measure) - b.mean(measure)
            tests.append(
                Tested(
                    one.row, one.other, measure, collection.name, difference, _p(a, b, measure, recipe.rounds)
                )
            )
    return tests


def _rival(labels: str | tuple[str, ...], found: Mapping[str, Measured], measure: str) -> Measured | None:
    """The row to beat: for each measure, the best of those named that were measured."""
    known = [found[label] for label in ([labels] if isinstance(labels, str) else labels) if label in found]
    known = [one for one in known if measure in one.scores]
    return max(known, key=lambda one: one.mean(measure)) if known else None


def _measure_together(
    recipe: Recipe, collection: Path, work: Path, wanted: Sequence[Configuration], progress: Progress
) -> None:
    """Whatever is not kept yet."""
    paths = [(one, _place(recipe, collection, work, one)) for one in wanted]
    missing = [(one, path) for one, path in paths if not path.is_file()]
    if missing and recipe.together:
        found = recipe.together(collection, work, [one.settings for one, _ in missing], progress)
        for (_, path), measured in zip(missing, found, strict=True):
            replace_file(path, msgspec.json.encode(measured))


def _place(recipe: Recipe, collection: Path, work: Path, configuration: Configuration) -> Path:
    """Where the scores of a row are kept; another place as soon as something that they depend on changes."""
    depends = [state_of(collection), dict(configuration.settings)]
    if (more := recipe.state(collection, configuration.settings)) is not None:
        depends.append(more)
    told = msgspec.json.encode(depends, order="sorted")
    key = hashlib.blake2b(told, digest_size=8).hexdigest()
    return work / f"{collection.name}-{key}.json"


def _kept(
    recipe: Recipe, collection: Path, work: Path, configuration: Configuration, progress: Progress
) -> Measured:
    path = _place(recipe, collection, work, configuration)
    if path.is_file():
        kept = msgspec.json.decode(path.read_bytes(), type=Measured)
        if recipe.curves or {*recipe.measures} - {RATIO} <= {
            *kept.scores
        }:  # another table may need other measures
            return kept
    began = time.perf_counter()
    measured = recipe.measure(collection, work, configuration.settings, progress)
    facts = {**measured.facts, "seconds": round(time.perf_counter() - began, 1)}
    measured = Measured(measured.scores, facts)
    replace_file(path, msgspec.json.encode(measured))
    return measured


def _mean(parts: Sequence[Measured]) -> Measured:
    """Of each query's scores."""
    scores = {
        measure: {
            query: float(np.mean([part.scores[measure][query] for part in parts]))
            for query in parts[0].scores[measure]
        }
        for measure in parts[0].scores
    }
    return Measured(scores, {})


def _p(one: Measured, other: Measured, measure: str, rounds: int) -> float:
    queries = [query for query in one.scores[measure] if query in other.scores[measure]]
    a = np.array([one.scores[measure][query] for query in queries])
    b = np.array([other.scores[measure][query] for query in queries])
    return randomization_p(a, b, np.random.default_rng(1), rounds)


def in_percent(recipe: Recipe, rows: Sequence[Row]) -> dict[tuple[str, str, str], float]:
    """(row, collection, measure) -> percentage of the row that the recipe names; empty if it names none."""
    whole = {(row.collection, row.measure): row.measured for row in rows if row.row == recipe.relative_to}
    return {
        (row.row, row.collection, row.measure): 100.0 * row.measured / whole[row.collection, row.measure]
        for row in rows
        if whole.get((row.collection, row.measure))
    }
