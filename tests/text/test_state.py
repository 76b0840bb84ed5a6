from pathlib import Path

import msgspec
import pytest

from kakehashi import store
from kakehashi.errors import InputError
from kakehashi.text.state import AnalyzerState, read_state, state_from_arrays

STATE = AnalyzerState(
    words=("データ", "ベース"), counts=(3, 5), vocabulary=("a", "ä"), stop_words=("of", "the")
)


@pytest.mark.parametrize("state", [STATE, AnalyzerState()])
def test_state_survives_an_artifact_on_disk(state: AnalyzerState, tmp_path: Path) -> None:
    with store.Writer(tmp_path / "index", "index", 1) as writer:
        writer.put(state.arrays("source"))
        writer.commit({})
    artifact = store.read(tmp_path / "index", "index", 1)
    assert state_from_arrays(artifact.array, "source") == state


def test_state_survives_json() -> None:
    assert read_state(msgspec.json.decode(msgspec.json.encode(STATE))) == STATE


@pytest.mark.parametrize("values", [{"words": ["a"]}, {"words": [1]}, {"wrods": []}])
def test_bad_state_is_refused(values: dict[str, object]) -> None:
    with pytest.raises(InputError, match="analyzer state"):
        read_state(values)
