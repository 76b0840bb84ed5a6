"""Related words of one language, as a model: by the company they keep, or as a lexicon lists them.

A model holds the words of a collection and any number of kinds of relatedness between them. A kind that comes from
vectors keeps them, because other kinds are made from them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from kakehashi import store
from kakehashi.errors import InputError
from kakehashi.lexicon.neighbours import Related
from kakehashi.soundness import finite, setting_number, starts, typed, within
from kakehashi.store import Artifact
from kakehashi.types import Floats32

KIND, VERSION = "related", 1


@dataclass(frozen=True)
class RelatedWords:
    """Words by descending frequency in the text they were counted in, then by string."""

    terms: tuple[str, ...]
    kinds: Mapping[str, Related]  # by name, such as skipgram or retro-ppdb
    vectors: Mapping[str, Floats32]  # (words, dimensions) of the kinds that have any
    least: float  # the lowest similarity that is kept
    made_with: Mapping[str, str] = field(default_factory=dict)  # fingerprints of the analyzers

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        return {term: number for number, term in enumerate(self.terms)}

    def kind(self, name: str) -> Related:
        if name not in self.kinds:
            known = ", ".join(self.kinds) or "none"
            raise InputError(
                f"there are no related words of the kind '{name}': the model has {known} "
                f"(kakehashi train related DIR --set kinds={name})"
            )
        return self.kinds[name]

    def checked(self, least: float) -> float:
        """A threshold that the kept words can answer."""
        if not self.least <= least <= 1.0:
            raise InputError(
                f"a threshold of {least:g} needs related words down to it: this model keeps those from {self.least:g} "
                f"to 1 (kakehashi train related DIR --set least={least:g})"
            )
        return least

    def row(self, kind: str, term: str, least: float = 0.0) -> list[tuple[str, float]]:
        """The words related to one, most similar first; empty for an unknown word."""
        number = self.numbers.get(term)
        if number is None:
            return []
        words, similarities = self.kind(kind).row(number, least)
        return [(self.terms[w], float(s)) for w, s in zip(words.tolist(), similarities, strict=True)]

    def save(
        self, folder: Path, settings: Mapping[str, Any], made_from: Mapping[str, Any], seed: int | None = None
    ) -> None:
        """`settings` are those of the training; an existing model stays valid until this one is complete."""
        with store.Writer(folder, KIND, VERSION) as writer:
            writer.put(store.strings_arrays("terms", self.terms))
            for name, found in self.kinds.items():
                writer.put({f"{name}.starts": found.starts, f"{name}.words": found.words})
                writer.put({f"{name}.similarities": found.similarities})
            for name, vectors in self.vectors.items():
                writer.put({f"{name}.vectors": vectors})
            own = {"kinds": [*self.kinds], "least": self.least, "analyzers": dict(self.made_with)}
            writer.commit({**own, "training": dict(settings)}, made_from, seed)


def related_of(artifact: Artifact) -> RelatedWords:
    artifact.map_all()
    settings, terms = artifact.meta.settings, tuple(artifact.strings("terms"))
    kinds, vectors = {}, {}
    for name in settings["kinds"]:
        words = typed(name, artifact.array(f"{name}.words"), (np.int32,), None)
        similarities = typed(name, artifact.array(f"{name}.similarities"), (np.float32,), len(words))
        kinds[name] = Related(
            starts(name, artifact.array(f"{name}.starts"), len(terms), len(words)),
            within(name, words, len(terms)),
            finite(name, similarities),
        )
        if f"{name}.vectors" in artifact:
            vectors[name] = artifact.array(f"{name}.vectors")
            finite(name, typed(name, vectors[name], (np.float32,), len(terms), None))
    return RelatedWords(terms, kinds, vectors, setting_number(settings, "least"), settings["analyzers"])
