"""Memory of training on many pairs, in a fresh process: the highest resident memory less the weights."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec

from kakehashi.corpus.pairs import PairSettings
from kakehashi.index.holdings import Holdings
from kakehashi.learn.bilinear import BilinearSettings, train_bilinear
from kakehashi.training.data import WordSettings, prepare

BITS = 24


def peak_besides_weights(collection: Path, folder: Path, pairs: int) -> dict[str, Any]:
    """Everything counts: sampling the pairs, the index, the vectors of all documents, compiled code."""
    command = [sys.executable, __file__, str(collection), str(folder / "many-pairs"), str(pairs)]
    measured: dict[str, Any] = msgspec.json.decode(subprocess.run(command, check=True, stdout=-1).stdout)
    return measured


def _measure(holdings: Holdings, folder: Path, n_pairs: int) -> dict[str, Any]:
    pairs = PairSettings(scheme="3", pairs=n_pairs, margin="one")
    data = prepare(holdings, WordSettings(), pairs, folder)
    settings = BilinearSettings(layout="blocks", bits=BITS, rates="fixed", epochs=1)
    sizes = len(data.query_words), len(data.document_words)
    trained = train_bilinear(data.blocks, data.queries, data.documents, *sizes, settings, threads=1)
    weights = 2 * trained.weights.nbytes / 2**20  # while they are learned and once more when finished
    return {
        "streaming_pairs": data.pairs.n_pairs,
        "streaming_mib_besides_weights": round(peak_mib() - weights),
    }


def peak_mib() -> float:
    """Of this program alone: what getrusage says includes the memory of the process that started it."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


if __name__ == "__main__":
    measured = _measure(Holdings(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
    sys.stdout.write(msgspec.json.encode(measured).decode())
