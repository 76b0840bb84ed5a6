"""Words of the queries' language and the words of the documents' language nearest to each in one space, as a model."""

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from kakehashi import store
from kakehashi.errors import InputError
from kakehashi.lexicon.neighbours import Related
from kakehashi.lexicon.translations import Translations, from_entries
from kakehashi.soundness import finite, setting_number, starts, typed, within
from kakehashi.store import Artifact

KIND, VERSION = "mapped", 1


@dataclass(frozen=True)
class MappedWords:
    """Rows are words of the queries' language, entries words of the documents' language."""

    sources: tuple[str, ...]
    targets: tuple[str, ...]
    near: Related  # (sources,) rows of numbers of targets
    least: float  # the lowest similarity that is kept
    made_with: Mapping[str, str] = field(default_factory=dict)  # fingerprints of the analyzers

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        return {word: number for number, word in enumerate(self.sources)}

    def row(self, word: str, least: float = 0.0) -> list[tuple[str, float]]:
        """The words nearest to one, most similar first; empty for an unknown word."""
        number = self.numbers.get(word)
        if number is None:
            return []
        words, similarities = self.near.row(number, least)
        return [(self.targets[w], float(s)) for w, s in zip(words.tolist(), similarities, strict=True)]

    def as_table(self, threshold: float, most: int, words: Container[str] | None = None) -> Translations:
        """The `most` nearest words from a similarity on as translations, as probable as they are similar.

        With `words`, rows of these alone.
        """
        if not self.least <= threshold <= 1.0:
            raise InputError(
                f"a threshold of {threshold:g} needs near words down to it: this model keeps those from "
                f"{self.least:g} to 1 (kakehashi train mapped DIR --set least={threshold:g})"
            )
        if most < 1:
            raise InputError(f"most must be at least 1, not {most}")
        sizes = np.diff(self.near.starts)
        rows = np.repeat(np.arange(len(sizes)), sizes)
        places = np.arange(len(rows)) - self.near.starts[rows]
        kept = (places < most) & (self.near.similarities >= np.float32(threshold))
        if words is not None:
            kept &= np.array([source in words for source in self.sources], dtype=np.bool_)[rows]
        held, rows = np.unique(rows[kept], return_inverse=True)
        return from_entries(
            [self.sources[row] for row in held.tolist()],
            self.targets,
            rows.astype(np.int64),
            self.near.words[kept].astype(np.int64),
            self.near.similarities[kept].astype(np.float64),
            self.made_with,
        )

    def save(
        self, folder: Path, settings: Mapping[str, Any], made_from: Mapping[str, Any], seed: int
    ) -> None:
        """`settings` are those of the training; an existing model stays valid until this one is complete."""
        with store.Writer(folder, KIND, VERSION) as writer:
            writer.put(store.strings_arrays("sources", self.sources))
            writer.put(store.strings_arrays("targets", self.targets))
            writer.put({"starts": self.near.starts, "words": self.near.words})
            writer.put({"similarities": self.near.similarities})
            own = {"least": self.least, "analyzers": dict(self.made_with)}
            writer.commit({**own, "training": dict(settings)}, made_from, seed)


def mapped_of(artifact: Artifact) -> MappedWords:
    sources, targets = tuple(artifact.strings("sources")), tuple(artifact.strings("targets"))
    words = typed("words", artifact.array("words"), (np.int32,), None)
    near = Related(
        starts("starts", artifact.array("starts"), len(sources), len(words)),
        within("words", words, len(targets)),
        finite(
            "similarities", typed("similarities", artifact.array("similarities"), (np.float32,), len(words))
        ),
    )
    settings = artifact.meta.settings
    return MappedWords(sources, targets, near, setting_number(settings, "least"), settings["analyzers"])
