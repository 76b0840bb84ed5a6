"""What the machine can do at best: independent random 4-byte reads per second from an array of a given size."""

import time
from typing import Any

import numpy as np

from kakehashi.compiled import kernel
from kakehashi.types import Array

N_READS, ROUNDS = 1 << 25, 5


def random_reads_per_second(bits: int) -> float:
    """From 2^bits floats, one thread; the best of some rounds."""
    array = np.ones(1 << bits, np.float32)
    _read(array, 64 - bits, 1 << 10)
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.thread_time()
        total = _read(array, 64 - bits, N_READS)
        best = min(best, time.thread_time() - start)
        if total != N_READS:
            raise AssertionError("not every place was read")
    return N_READS / best


@kernel
def _read(array: Array, shift: int, n: int) -> Any:
    """No address depends on a value read, so the processor keeps as many reads under way as it can."""
    step, mix, down = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93), np.uint64(shift)
    a = b = c = d = np.float64(0.0)
    key = np.uint64(1)
    for _ in range(n // 4):
        a += array[((key ^ (key >> np.uint64(32))) * mix) >> down]
        key += step
        b += array[((key ^ (key >> np.uint64(32))) * mix) >> down]
        key += step
        c += array[((key ^ (key >> np.uint64(32))) * mix) >> down]
        key += step
        d += array[((key ^ (key >> np.uint64(32))) * mix) >> down]
        key += step
    return a + b + c + d
