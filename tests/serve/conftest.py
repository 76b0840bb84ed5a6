"""The toy collection with translations trained, and clients of a service over it."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from kakehashi.library import Library
from kakehashi.serve.guard import Access
from kakehashi.serve.limits import Limits
from kakehashi.serve.shelf import Shelf
from tests.serve.serving import Client, client_of
from tests.toy import toy_collection


@pytest.fixture(scope="session")
def built_toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """For reading only."""
    folder = toy_collection(tmp_path_factory.mktemp("serve") / "toy")
    Library(folder).build(only=("translation",))
    return folder


@pytest.fixture
def folder(built_toy: Path, tmp_path: Path) -> Path:
    """A copy that a test may change."""
    return Path(shutil.copytree(built_toy, tmp_path / "toy"))


@pytest.fixture(scope="session")
def shelf(built_toy: Path) -> Shelf:
    found = Shelf([built_toy])
    found.open()
    return found


@pytest.fixture
def serve() -> Iterator[Callable[..., Client]]:
    """Makes clients of services; each ends with the test."""
    with ExitStack() as stack:

        def make(shelf: Shelf, access: Access | None = None, limits: Limits | None = None) -> Client:
            return stack.enter_context(client_of(shelf, access, limits))

        yield make


@pytest.fixture
def client(shelf: Shelf, serve: Callable[..., Client]) -> Client:
    """One that may ask as often as it likes."""
    return serve(shelf)
