"""What several rooms' tests share: the toy collection, indexed once."""

import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from kakehashi.corpus.collection import Collection
from kakehashi.index.index import Index
from kakehashi.index.prepare import index_collection, index_folder
from tests.toy import toy_collection

# no limit on an example's time: on a busy machine it would fail for no fault of the program
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


@pytest.fixture(scope="session")
def indexed_toy(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """The toy collection with its index; for reading only."""
    collection = Collection(toy_collection(tmp_path_factory.mktemp("shared") / "toy"))
    index_collection(collection)
    return collection


@pytest.fixture(scope="session")
def toy_index(indexed_toy: Collection) -> Index:
    return Index(index_folder(indexed_toy))


@pytest.fixture
def toy_copy(indexed_toy: Collection, tmp_path: Path) -> Path:
    """A copy of the indexed toy collection that a test may change."""
    return Path(shutil.copytree(indexed_toy.folder, tmp_path / "toy"))
