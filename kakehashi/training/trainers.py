"""All that can be trained, by its short name: a system, or the translation that several systems use."""

from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from kakehashi.training import bilinear, boosted, fused, linear, lowrank, topics, translation
from kakehashi.training.outcome import Outcome


@dataclass(frozen=True)
class Trainer:
    settings: type[msgspec.Struct]
    train: Callable[..., Outcome]  # (collection, index, folder, settings, threads, progress)


TRAINERS = {
    "bilinear": Trainer(bilinear.BilinearTraining, bilinear.train),
    "boosted": Trainer(boosted.BoostedTraining, boosted.train),
    "dense": Trainer(linear.DenseTraining, linear.train),
    "fused": Trainer(fused.FusedTraining, fused.train),
    "knowledge": Trainer(linear.KnowledgeTraining, linear.train),
    "lowrank": Trainer(lowrank.LowRankTraining, lowrank.train),
    "topics": Trainer(topics.TopicTraining, topics.train),
    "translation": Trainer(translation.TranslationTraining, translation.train),
}
