"""The file of pairs: the same bytes every time, whole or refused, and no larger in memory when longer."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kakehashi.corpus.columns import Column
from kakehashi.corpus.pairs import KIND, VERSION, Pairs, PairSettings, sample_pairs
from kakehashi.errors import FileError, InputError
from kakehashi.progress import Silent
from kakehashi.store import Writer, read
from tests.corpus.pair_reference import groups
from tests.toy import DOCUMENTS, QRELS

POOL = [document[0] for document in DOCUMENTS]
ARRAYS = ["group.queries", "group.starts", "positives", "negatives", "margins", "queries.ends"]


def sample(folder: Path, seed: int = 1, pairs: int = 500) -> Pairs:
    return sample_pairs(folder, QRELS["train"], POOL, PairSettings(pairs=pairs, seed=seed))


def test_same_seed_gives_the_same_bytes_and_another_seed_does_not(tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        sample(tmp_path / name, seed)
    bytes_of = {
        name: {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in "abc"
    }
    assert bytes_of["a"] == bytes_of["b"]
    assert bytes_of["a"]["negatives.1.npy"] != bytes_of["c"]["negatives.1.npy"]
    assert bytes_of["a"]["group.queries.1.npy"] != bytes_of["c"]["group.queries.1.npy"]


def test_file_says_everything_by_itself(tmp_path: Path) -> None:
    settings = PairSettings("bootstrap", 100, 5, True, "one", 77)
    sample_pairs(tmp_path, QRELS["train"], POOL, settings)
    pairs = Pairs(tmp_path)
    assert pairs.settings == settings
    assert read(tmp_path, KIND, VERSION).meta.seed == 77
    assert list(pairs.query_ids) == ["j1", "j2", "j3"]
    assert list(pairs.document_ids) == POOL


def test_blocks_of_any_size_hold_the_same_pairs(tmp_path: Path) -> None:
    pairs = sample(tmp_path)
    whole = list(groups(pairs, pairs.n_groups))
    for size in (1, 7, 4096):
        assert list(groups(pairs, size)) == whole
    assert [len(block.queries) for block in pairs.blocks(100)] == [100, pairs.n_groups - 100]
    block = next(pairs.blocks())
    assert [array.dtype for array in block] == [np.int32, np.int64, np.int32, np.int32, np.float32]
    with pytest.raises(InputError, match="1 group or more"):
        next(pairs.blocks(0))


@pytest.mark.parametrize("name", ARRAYS)
def test_truncated_file_is_refused_with_its_name(tmp_path: Path, name: str) -> None:
    sample(tmp_path)
    path = tmp_path / f"{name}.1.npy"
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(FileError, match=rf"{path.name}: has \d+ bytes instead of \d+: .* build it again"):
        Pairs(tmp_path)


@pytest.mark.parametrize("name", ["group.queries", "group.starts", "positives", "negatives"])
@pytest.mark.parametrize("value", [-1, 12, 2**31 - 1])
def test_number_that_leads_nowhere_is_refused_before_a_learner_sees_it(
    tmp_path: Path, name: str, value: int
) -> None:
    sample(tmp_path)
    np.load(tmp_path / f"{name}.1.npy", mmap_mode="r+")[1] = value
    with pytest.raises(FileError, match=r"the pairs are damaged \(.*\): sample them again"):
        list(Pairs(tmp_path).blocks(2))


def test_arrays_of_different_lengths_are_refused(tmp_path: Path) -> None:
    sample(tmp_path)
    whole = read(tmp_path, KIND, VERSION)
    arrays = {name: whole.array(name) for name in whole.meta.arrays}
    with Writer(tmp_path, KIND, VERSION) as writer:
        writer.put({**arrays, "negatives": np.zeros(3, np.int32)})
        writer.commit({"pairs": 500})
    with pytest.raises(FileError, match=r"damaged \(its arrays differ in length\)"):
        Pairs(tmp_path)


@pytest.mark.parametrize("old", ['"scheme": "3"', '"pairs": 500', '"margin": "levels"', '"queries": 3'])
def test_unreadable_header_is_refused(tmp_path: Path, old: str) -> None:
    sample(tmp_path)
    meta = tmp_path / "meta.json"
    name = old.split(":")[0]
    assert old in meta.read_text()
    meta.write_text(meta.read_text().replace(old, f'{name}: "no"'))
    with pytest.raises(FileError, match=r"meta\.json: the pairs are damaged \(.*\): sample them again"):
        Pairs(tmp_path)


class Interrupted(Silent):
    def advance(self, n: int = 1) -> None:
        raise KeyboardInterrupt


def test_interrupted_sampling_leaves_the_old_pairs(tmp_path: Path) -> None:
    before = list(groups(sample(tmp_path)))
    with pytest.raises(KeyboardInterrupt):
        sample_pairs(tmp_path, QRELS["train"], POOL, PairSettings(seed=5), Interrupted())
    assert list(groups(Pairs(tmp_path))) == before
    sample(tmp_path, seed=6)
    assert len(list(tmp_path.glob("positives.*"))) == 1


def test_nothing_is_written_where_nothing_can_be_sampled(tmp_path: Path) -> None:
    for qrels in ({}, {"j1": {"elsewhere": 2, "d01": 0}}):
        with pytest.raises(InputError, match=r"no pair can be sampled: .* of the same collection"):
            sample_pairs(tmp_path / "new", qrels, POOL, PairSettings())
    assert not (tmp_path / "new").exists()


def test_bad_input_is_refused_in_one_line(tmp_path: Path) -> None:
    for pool, level, message in ((["a", "a"], 1, "document twice"), (["a"], 256, "above 255")):
        with pytest.raises(InputError, match=message):
            sample_pairs(tmp_path, {"q": {"a": level}}, pool, PairSettings())
    with pytest.raises(InputError, match="above 255"):
        sample_pairs(tmp_path, {"q": {"a": 10**30}}, ["a"], PairSettings())


@pytest.mark.parametrize(
    "bad",
    [{"scheme": "5"}, {"margin": "two"}, {"pairs": 0}, {"per_query": 0}, {"per_query": 10**7}, {"seed": -1}],
)
def test_settings_outside_their_range_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(InputError, match=f"{next(iter(bad))} must be"):
        PairSettings(**bad)


def test_column_has_the_bytes_of_an_array_that_was_saved(tmp_path: Path) -> None:
    whole = np.arange(1_000_003, dtype=np.int32)  # more digits in its length than the header had at first
    with Column(tmp_path / "grown.npy", np.int32) as column:
        for first in range(0, len(whole), 70_001):
            column.append(whole[first : first + 70_001])
    np.save(tmp_path / "saved.npy", whole)
    assert (tmp_path / "grown.npy").read_bytes() == (tmp_path / "saved.npy").read_bytes()
    with Column(tmp_path / "empty.npy", np.uint8):
        pass
    assert np.load(tmp_path / "empty.npy").shape == (0,)


PEAK = """
import sys
from pathlib import Path
from kakehashi.corpus.pairs import PairSettings, sample_pairs

def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))

folder = Path(sys.argv[1])
sample_pairs(folder, {"q": {"a": 1}}, ["a", "b"], PairSettings(pairs=1))  # compiles
pool = [str(i) for i in range(100_000)]
qrels = {f"q{q}": {pool[(q * 37 + i * 101) % 100_000]: 1 + i % 3 for i in range(13)} for q in range(20_000)}
Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew with what is used now
before = peak()
sample_pairs(folder, qrels, pool, PairSettings(scheme="1", pairs=int(sys.argv[2])))
print(peak() - before)
"""


def megabytes_to_sample(folder: Path, pairs: int) -> float:
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-c", PEAK, str(folder), str(pairs)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return int(done.stdout) / 1024


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs the peak memory Linux reports")
def test_five_million_pairs_need_no_more_memory_than_a_hundred_thousand(tmp_path: Path) -> None:
    few, many = (megabytes_to_sample(tmp_path, pairs) for pairs in (100_000, 5_000_000))
    assert many < 100
    assert many < few + 10
    assert sum(path.stat().st_size for path in tmp_path.glob("*.npy")) > 100e6
