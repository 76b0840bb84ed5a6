"""What tables open to tell whether a row was measured before."""

from pathlib import Path

from kakehashi.corpus.collection import Collection
from kakehashi.experiments.contents import opened
from kakehashi.index.prepare import index_collection
from tests.toy import toy_collection


def _open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_rows_share_one_opened_collection_until_something_changes(tmp_path: Path) -> None:
    """A process may have a thousand files open, and each opening maps a hundred."""
    folder = toy_collection(tmp_path / "toy")
    index_collection(Collection(folder))
    first = opened(folder).index
    before = _open_files()
    assert all(opened(folder).index is first for _ in range(20))
    assert _open_files() == before
    documents = folder / "documents.jsonl"
    lines = documents.read_text(encoding="utf-8").splitlines(keepends=True)
    documents.write_text("".join(lines[1:]), encoding="utf-8")
    index_collection(Collection(folder))
    assert opened(folder).index.n_docs == first.n_docs - 1


def test_model_that_was_trained_again_is_opened_again(tmp_path: Path) -> None:
    folder = toy_collection(tmp_path / "toy")
    index_collection(Collection(folder))
    first = opened(folder)
    first.train("examples", {"power": 1.0, "mates": 1.0, "rarity": 0.0})
    second = opened(folder)
    assert second is not first
    assert opened(folder) is second
