"""What an analyzer learned from a corpus, as plain data for arrays or JSON; `learn` does the learning."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from kakehashi.errors import InputError
from kakehashi.strings import read_strings, strings_arrays

Array = NDArray[Any]


class AnalyzerState(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Word counts for compounds, the vocabulary, and stop words by statistics; sorted, empty if not needed."""

    words: tuple[str, ...] = ()
    counts: tuple[int, ...] = ()  # how often each of `words` occurs
    vocabulary: tuple[str, ...] = ()
    stop_words: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.words) != len(self.counts):
            raise InputError(
                f"analyzer state has {len(self.words)} words but {len(self.counts)} counts: learn it again"
            )

    def arrays(self, prefix: str = "analyzer") -> dict[str, Array]:
        """Arrays for an artifact; each name starts with `prefix`."""
        return {
            **strings_arrays(f"{prefix}.words", self.words),
            f"{prefix}.counts": np.array(self.counts, dtype=np.int64),
            **strings_arrays(f"{prefix}.vocabulary", self.vocabulary),
            **strings_arrays(f"{prefix}.stop", self.stop_words),
        }


def state_from_arrays(array: Callable[[str], Array], prefix: str = "analyzer") -> AnalyzerState:
    """The state stored in the arrays with that prefix; `array` fetches one by name, like `Artifact.array`."""

    def strings(name: str) -> tuple[str, ...]:
        return tuple(read_strings(f"{prefix}.{name}", array))

    return AnalyzerState(
        words=strings("words"),
        counts=tuple(array(f"{prefix}.counts").tolist()),
        vocabulary=strings("vocabulary"),
        stop_words=strings("stop"),
    )


def read_state(values: Mapping[str, Any]) -> AnalyzerState:
    """The state from JSON values."""
    try:
        return msgspec.convert(values, AnalyzerState)
    except msgspec.ValidationError as error:
        raise InputError(f"analyzer state: {error}") from None
