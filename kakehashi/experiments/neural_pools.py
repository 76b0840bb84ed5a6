"""Trains the networks of K20's tables in a copy of a collection, and measures how they order candidate pools."""

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta

from kakehashi import store
from kakehashi.corpus.splits import Split
from kakehashi.evaluation.measures import parse
from kakehashi.experiments.contents import state_of
from kakehashi.experiments.patents import chain, for_language, linked_copy
from kakehashi.experiments.tables import Measured
from kakehashi.fuse.rules import Fusion
from kakehashi.fuse.tuning import tune
from kakehashi.index.holdings import INDEX
from kakehashi.library import Library
from kakehashi.progress import Progress
from kakehashi.retrieve.reranked import NumberScorer
from kakehashi.retrieve.sparse import Sparse
from kakehashi.retrieve.weighting import TfIdf
from kakehashi.systems.cnn import read_scorer, train_unweighted
from kakehashi.systems.cnn_files import KIND, VERSION
from kakehashi.systems.opening import job_of
from kakehashi.systems.registry import TRAINERS
from kakehashi.systems.spec import read_values
from kakehashi.systems.translation import DECODER, MODEL, TABLE
from kakehashi.training.candidate_pools import Pools, found_pools, random_pools
from kakehashi.training.measuring import measure_run
from kakehashi.training.settings import combined
from kakehashi.types import Run, in_order

MEASURE = "NDCG"
RATES = (1e-4, 1e-3)
TEST_SEED = 1  # of the random documents of dev and test pools
TFIDF = "tf-idf"
PAPER = {
    "vectors": "own", "start": "random", "hard": 0.0, "shared": 0, "epochs": 20, "patience": 20, "measure": MEASURE,
    "measured_on": "drawn", "candidates": 40, "document_length": 200, "first": "passthrough",
}  # fmt: skip


class Protocol(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How networks and tf-idf are compared."""

    translated: Annotated[
        Literal["dt", "psq"],
        Meta(
            description="Whose translation of a query tf-idf compares: that of the decoder, or word by word."
        ),
    ] = "dt"
    normalise: Annotated[
        Literal["none", "min-max", "z"],
        Meta(description="How scores are scaled, per query, before they are added."),
    ] = "none"


NetworkSettings = combined(
    "NetworkSettings", "Settings of the networks in tables.", TRAINERS["cnn-joint"].settings, Protocol
)


def measure_pools(folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress) -> Measured:
    """What a row is made of, alone or added by weights that are best on dev pools."""
    lab = _Lab(folder, work, settings, progress)
    test = lab.split("test")
    pools = lab.pools(test)
    runs = [lab.run(kind, test, pools) for kind in settings["of"]]
    facts = {"documents": round(float(np.mean([len(pool) for pool in pools.values()])), 1)}
    if len(runs) == 1:
        run = runs[0]
    else:
        run, weights = lab.added(runs)
        facts |= weights
    measure = parse(MEASURE)
    return Measured({MEASURE: measure_run(run, test, [measure]).of(measure)}, facts)


class _Lab:
    """One row's collection, networks and pools."""

    def __init__(self, folder: Path, work: Path, settings: Mapping[str, Any], progress: Progress):
        self._settings, self._progress = settings, progress
        self._changed = settings.get("set", {})
        given: Any = read_values("--set", NetworkSettings, self._changed)
        self._translated, self._normalise = given.translated, given.normalise
        self.library = _copied(folder, work, progress)

    def split(self, name: str) -> Split:
        return self.library.split(name, self._settings.get("queries"))

    def pools(self, split: Split) -> Pools:
        n, index = self._settings["others"], self.library.index
        if self._settings["drawn"] == "random":
            return random_pools(index, split, n, TEST_SEED)
        return found_pools(index, split, n, self._tfidf)

    def run(self, kind: str, split: Split, pools: Pools) -> Run:
        """The pools in the order of a network, or of tf-idf."""
        numbering, rankings = self.library.index.numbering, {}
        scorer = None if kind == TFIDF else self._scorer(kind)
        self._progress.start(f"{kind}, {split.name}", len(split))
        for query in split.queries:
            docs = [numbering.id(number) for number in pools[query.id].tolist()]
            if scorer:
                scores = scorer.scores(query, pools[query.id])
            else:
                scores = np.nan_to_num(self._tfidf.score(query, docs, split.scope))  # nothing in common: 0
            rankings[query.id] = in_order(docs, scores)
            self._progress.advance()
        self._progress.finish()
        return Run(kind, rankings)

    def added(self, runs: Sequence[Run]) -> tuple[Run, dict[str, float]]:
        """Under the weights that are best on dev, in pools of the same kind."""
        dev = self.split("dev")
        pools = self.pools(dev)
        depth = max(len(ranking) for run in runs for ranking in run.rankings.values())
        depth = max(depth, *map(len, pools.values()))
        fusion = Fusion("linear", normalise=self._normalise, depth=depth)
        on_dev = [self.run(run.system, dev, pools) for run in runs]
        found = tune(fusion, on_dev, dev.qrels, parse(MEASURE), k=depth, mate_level=dev.mate_level)
        weights = zip(found.runs, found.steps[0].weights, strict=True)
        facts = {f"weight of {name}": round(weight, 3) for name, weight in weights}
        return found.fuse(runs, depth), facts

    @cached_property
    def _tfidf(self) -> Sparse:
        place = self.library.model_folder(MODEL)
        if not (place / (DECODER if self._translated == "dt" else TABLE) / store.META).is_file():
            wanted = {"decoder": self._translated == "dt"}
            self.library.train(MODEL, wanted, progress=self._progress)
        translating: Any = self.library.system(self._translated)
        return Sparse(TFIDF, translating.compiler, TfIdf(), self.library.index)

    def _scorer(self, kind: str) -> NumberScorer:
        model = self._model(kind, self._settings["seed"], self._rate(kind))
        return read_scorer(f"cnn-{kind}", self.library, model)

    def _rate(self, kind: str) -> float:
        """The better step size on dev, with the first seed; as given, where it was."""
        if "rate" in self._changed:
            return float(self._changed["rate"])
        return max(RATES, key=lambda rate: self._on_dev(self._model(kind, 1, rate)))

    def _on_dev(self, model: str) -> float:
        kept = store.read(self.library.model_folder(model), KIND, VERSION).meta.made_from
        return max(kept["dev"]["by_epoch"], default=0.0)

    def _model(self, kind: str, seed: int, rate: float) -> str:
        """The name of a network, which is trained when it is first asked for."""
        name = f"cnn-{kind}"
        trainer = TRAINERS[name]
        known = {field.name for field in msgspec.structs.fields(trainer.settings)}
        asked = {**PAPER, "size": self._settings["size"], **self._changed, "rate": rate, "seed": seed}
        asked = {setting: value for setting, value in asked.items() if setting in known}
        model = f"{name}-{seed}-{key_of(asked)}"
        if not (self.library.model_folder(model) / store.META).is_file():
            settings = read_values(name, trainer.settings, asked)
            train_unweighted(name, job_of(name, self.library, settings, model, progress=self._progress))
        return model


def _copied(folder: Path, work: Path, progress: Progress) -> Library:
    """The same collection, indexed once as the paper reads texts: words in lower case, none left out."""
    library = linked_copy(folder, work / f"{folder.name}-k20-{key_of(state_of(folder))}")
    if (library.folder / INDEX / store.META).is_file():
        return library
    info = library.collection.info
    words = [for_language(lang, chain()) for lang in (info.target_language, info.source_language)]
    library.update_index(words[0], words[1], progress=progress)
    return library


def key_of(state: Any) -> str:
    return hashlib.blake2b(msgspec.json.encode(state, order="deterministic"), digest_size=6).hexdigest()
