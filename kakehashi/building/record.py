"""What a build did, kept beside the index: which models it trained from what, how they did on dev, which is best."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import numpy as np
import xxhash

from kakehashi import store
from kakehashi.errors import FileError, InputError, UnreadableError
from kakehashi.evaluation.measures import parse_all
from kakehashi.evaluation.scores import Scores
from kakehashi.index.index import Index

FOLDER, KIND, VERSION = "build", "build", 1


class Made(msgspec.Struct, frozen=True):
    """A model as it was trained."""

    made_from: str  # checksum of all that its training read
    model: str  # checksum of what it wrote; another one means that somebody else trained it since
    seconds: float


class Best(msgspec.Struct, frozen=True):
    """The collection's own system."""

    system: str
    measure: str = ""  # what it was chosen by, on dev; empty where nothing could be measured
    value: float = 0.0
    settings: dict[str, str] = {}


class Summary(msgspec.Struct, frozen=True):
    """All but the scores of single queries."""

    models: dict[str, Made] = {}
    measured_on: dict[str, str] = {}  # system -> checksum of all that its scores depend on
    best: Best | None = None
    index: str = ""  # checksum of the index that the last build saw


@dataclass
class Record:
    """A build so far; written after every step, so that an interrupted build resumes."""

    models: dict[str, Made] = field(default_factory=dict)
    measured_on: dict[str, str] = field(default_factory=dict)
    scores: dict[str, Scores] = field(default_factory=dict)  # by system, on dev
    best: Best | None = None
    index: str = ""

    def save(self, folder: Path) -> None:
        summary = Summary(self.models, self.measured_on, self.best, self.index)
        with store.Writer(folder / FOLDER, KIND, VERSION) as writer:
            measures = {}
            for system, scores in self.scores.items():
                writer.put({f"{system}.values": scores.values})
                writer.put(store.strings_arrays(f"{system}.queries", scores.queries))
                measures[system] = [str(measure) for measure in scores.measures]
            writer.commit({"measures": measures}, msgspec.to_builtins(summary))


def index_state(index: Index) -> str:
    """Changes whenever documents are added, replaced or deleted."""
    state = [index.contents, index.n_docs, index.fingerprint]
    return xxhash.xxh3_128(msgspec.json.encode(state)).hexdigest()


def read_summary(folder: Path) -> Summary | None:
    """None where nothing was built yet, or what is there cannot be read and must be made again."""
    try:
        return _summary(store.read(folder / FOLDER, KIND, VERSION))
    except FileError:
        return None


def read_record(folder: Path) -> Record:
    """That of the last build, or an empty one."""
    try:
        artifact = store.read(folder / FOLDER, KIND, VERSION)
        with store.reading(artifact.folder):
            summary, measures = _summary(artifact), artifact.meta.settings["measures"]
            scores = {system: _scores(artifact, system, names) for system, names in measures.items()}
    except UnreadableError:
        raise
    except InputError:
        return Record()
    return Record(dict(summary.models), dict(summary.measured_on), scores, summary.best, summary.index)


def _summary(artifact: store.Artifact) -> Summary:
    try:
        return msgspec.convert(artifact.meta.made_from, Summary)
    except msgspec.ValidationError as error:
        raise FileError(artifact.folder, None, f"is damaged ({error}): build it again") from None


def _scores(artifact: store.Artifact, system: str, names: list[str]) -> Scores:
    values = np.array(artifact.array(f"{system}.values"), np.float64)
    queries = tuple(artifact.strings(f"{system}.queries"))
    if values.shape != (len(queries), len(names)):
        raise ValueError(f"scores of {system} have another shape than their queries")
    return Scores(system, queries, tuple(parse_all(names)), values)


def chosen(scores: Mapping[str, Scores], measure: str, foreign: Mapping[str, bool]) -> Best | None:
    """The best by its mean, among systems that answer the collection's queries; None where nothing was measured."""
    [wanted] = parse_all([measure])
    means = {system: found.mean(wanted) for system, found in scores.items() if foreign.get(system, True)}
    if not means:
        return None
    system = max(means, key=lambda name: means[name])
    return Best(system, measure, means[system])
