"""What `build` trains on a collection, in which order, and what a trained model depends on."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import xxhash

from kakehashi import store
from kakehashi.corpus import lines
from kakehashi.corpus.remembered import FILE as REMEMBERED
from kakehashi.errors import InputError
from kakehashi.index.holdings import Holdings
from kakehashi.learn.cnn_settings import has_torch
from kakehashi.learn.skipgram import has_gensim
from kakehashi.systems.models import has_model
from kakehashi.systems.registry import SYSTEMS, TRAINERS
from kakehashi.systems.spec import Need, SystemSpec, Trainer, read_values

DEV, TRAIN, ENCODER = "dev", "train", "encoder"
TRANSLATION = "translation"  # the model of the system that hard negatives are taken from
DEV_QUERIES = 500  # at most, evenly chosen: every system is measured on the same ones

# The collection's files that a training reads where it has this need.
_JUDGED = (
    "collection.toml",
    "documents.jsonl",
    "queries.jsonl",
    "classes.tsv",
    "qrels/train.tsv",
    "qrels/dev.tsv",
)
FILES: Mapping[Need, tuple[str, ...]] = {
    # what dev and test say is left out; documents are not named, so that new ones do not mean a new table
    "parallel text": (
        "parallel.tsv",
        "queries.jsonl",
        "originals.jsonl",
        "qrels/dev.tsv",
        "qrels/test.tsv",
    ),
    "train judgments": _JUDGED,
    "dev judgments": _JUDGED,
    "metadata": _JUDGED,
    "one language": ("documents.jsonl",),
    "gensim": (),
    "engine": ("documents.jsonl",),
    "torch": (),
}
MISSING: Mapping[Need, Callable[[Holdings], str]] = {
    "parallel text": lambda own: "" if own.collection.has("parallel.tsv") else "no parallel.tsv",
    "train judgments": lambda own: _judged(own, TRAIN),
    "dev judgments": lambda own: _judged(own, DEV),
    "metadata": lambda own: "" if own.collection.info.fields else "no metadata field in collection.toml",
    "one language": lambda own: _two_languages(own),
    "gensim": lambda own: "" if has_gensim() else "gensim is not installed: pip install 'kakehashi[related]'",
    "engine": lambda own: "" if has_model(ENCODER)(own) else "nobody chose an engine for it",
    "torch": lambda own: "" if has_torch() else "torch is not installed: pip install 'kakehashi[neural]'",
}


def _two_languages(holdings: Holdings) -> str:
    info = holdings.collection.info
    return "" if info.source_language == info.target_language else "its queries are in another language"


def _judged(holdings: Holdings, split: str) -> str:
    if not holdings.collection.has("queries.jsonl"):
        return "no queries.jsonl"
    return "" if split in holdings.collection.splits else f"no qrels/{split}.tsv"


@dataclass(frozen=True)
class Step:
    """One model that may be trained."""

    trainer: Trainer
    missing: str = ""  # what the collection lacks for it; empty where it can be trained

    @property
    def name(self) -> str:
        return self.trainer.name

    @property
    def settings(self) -> dict[str, Any]:
        """Those that `build` sets; everything else has its default."""
        known = {field.name for field in msgspec.structs.fields(self.trainer.settings)}
        return {"queries": DEV_QUERIES} if "queries" in known else {}

    @property
    def systems(self) -> list[SystemSpec]:
        """The systems that answer with this model and are fast enough to be measured in passing."""
        return [
            spec
            for spec in SYSTEMS.values()
            if spec.trainer is self.trainer and (spec.quick or spec.name == self.name)
        ]


def plan(holdings: Holdings, only: Collection[str] = (), without: Collection[str] = ()) -> list[Step]:
    """Every training in its turn, with what the collection lacks for it."""
    for name in (*only, *without):
        if name not in TRAINERS:
            raise InputError(f"'{name}' cannot be trained: choose from {', '.join(TRAINERS)}")
    wanted = [
        trainer
        for name, trainer in TRAINERS.items()
        if (name in only if only else not trainer.asked) and name not in without
    ]
    return [
        Step(trainer, next(filter(None, (MISSING[need](holdings) for need in trainer.needs)), ""))
        for trainer in sorted(wanted, key=lambda trainer: trainer.turn)
    ]


class State:
    """What the collection's files and models are like now, as checksums."""

    def __init__(self, holdings: Holdings):
        self._holdings = holdings
        self._files: dict[str, str] = {}

    def made_from(self, step: Step, models: Mapping[str, str]) -> str:
        """All that a training reads; a combination also reads the models it combines."""
        read = models if step.trainer.combines else {}
        if step.trainer.compares:
            read = {name: model for name, model in models.items() if name == TRANSLATION}
        files = sorted({name for need in step.trainer.needs for name in FILES[need]})
        return self._digest(
            step.name,
            msgspec.to_builtins(
                read_values(step.name, step.trainer.settings, step.settings)
            ),  # defaults included
            self._analyzers,
            {name: self.file(name) for name in files},
            dict(sorted(read.items())),
        )

    def borrowed_from(self, lender: Holdings, step: Step, models: Mapping[str, str]) -> str:
        """The lender's model, and what a combination is made of here."""
        model = State(lender).model(step.trainer)
        return self._digest(step.name, model, dict(sorted(models.items())) if step.trainer.combines else {})

    def measured_on(self, model: str, measures: list[str]) -> str:
        """All that the scores of a system depend on; what a searcher has added counts where there is any."""
        files = [*_JUDGED, *([REMEMBERED] if self.file(REMEMBERED) else [])]
        return self._digest(model, measures, self._analyzers, {name: self.file(name) for name in files})

    def model(self, trainer: Trainer) -> str:
        """That of a trained model; empty where there is none."""
        path = self.path(trainer)
        return store.checksum(path) if path.is_file() else ""

    def path(self, trainer: Trainer) -> Path:
        return self._holdings.model_folder(trainer.name) / trainer.parts[0] / store.META

    def file(self, name: str) -> str:
        if name not in self._files:
            path = lines.find(self._holdings.folder, name)
            self._files[name] = store.checksum(path) if path else ""
        return self._files[name]

    @cached_property
    def _analyzers(self) -> dict[str, str]:
        return self._holdings.fingerprints

    @staticmethod
    def _digest(*parts: Any) -> str:
        return xxhash.xxh3_128(msgspec.json.encode(parts, order="deterministic")).hexdigest()
