"""What `import kakehashi as kk` offers, whatever else is imported."""

import subprocess
import sys
from pathlib import Path

import pytest

import kakehashi as kk
from kakehashi.corpus.collection import Collection
from kakehashi.errors import FileError, InputError

ORDERS = [
    "import kakehashi.evaluation.measures",
    "import kakehashi.front",
    "from kakehashi.evaluation import plots",
]


@pytest.mark.parametrize("first", ORDERS)
def test_room_of_the_same_name_does_not_hide_the_function(first: str) -> None:
    code = f"{first}\nimport kakehashi as kk\nprint(kk.evaluate.__module__, kk.compare.__module__)"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["kakehashi.front", "kakehashi.front"]


def test_nothing_heavy_is_imported_before_it_is_used() -> None:
    code = "import sys, kakehashi; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"numpy", "numba", "kakehashi.front", "kakehashi.library"} & {*done.stdout.split()}


def test_collection_is_opened_searched_ranked_and_measured(indexed_toy: Collection) -> None:
    library = kk.open(indexed_toy.folder)
    hits = library.search("lithium electrodes", lang="en")
    assert [(hit.rank, hit.id, hit.title) for hit in hits] == [
        (1, "d01", "electrode"),
        (2, "d04", "fuel cell"),
    ]
    assert sum(share.share for share in hits[0].why) == pytest.approx(hits[0].score)
    assert hits[0].text.text == "lithium battery electrode"
    good, poor = (library.rank("monolingual", "train", k) for k in (10, 1))
    scores = kk.evaluate(library.qrels("train"), good, "MAP", "MAP-mate", mate_level=3)
    assert scores.means() == library.measure("monolingual", "train", ["MAP", "MAP-mate"]).means()
    [pair] = kk.compare(library.qrels("train"), good, poor)
    assert pair.difference > 0.0


def test_tables_become_frames(indexed_toy: Collection) -> None:
    pytest.importorskip("pandas", reason="the extra `frames` is not installed")
    library = kk.open(indexed_toy.folder)
    frame = library.search("lithium electrodes", lang="en").to_frame()
    assert frame["document"].tolist() == ["d01", "d04"]
    runs = [library.rank("monolingual", "train", k) for k in (10, 1)]
    assert len(kk.evaluate(library.qrels("train"), runs[0], "MAP").to_frame()) > 0
    assert len(kk.compare(library.qrels("train"), *runs).to_frame()) == 1


def test_folder_that_is_not_a_collection_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="is not a collection"):
        kk.open(tmp_path)


def test_unknown_names_and_systems_are_refused(indexed_toy: Collection) -> None:
    with pytest.raises(AttributeError, match="has no attribute 'close'"):
        kk.close  # noqa: B018
    with pytest.raises(InputError, match="no system is called 'bm26'"):
        kk.open(indexed_toy.folder).search("x", system="bm26")
