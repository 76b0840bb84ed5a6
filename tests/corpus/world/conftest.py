from pathlib import Path

import pytest

from kakehashi.corpus.collection import Collection
from kakehashi.corpus.world import build_world


@pytest.fixture(scope="session")
def small_world(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    folder: Path = tmp_path_factory.mktemp("world") / "small"
    build_world(folder, documents=2_000, seed=7)
    return Collection(folder)
