"""The memory of this process: how much is in use, and how what nobody needs any more is given back."""

import ctypes
import gc
import os
from pathlib import Path


def give_back() -> None:
    """Free unused objects that hold each other, and return what was freed to the system.

    Python looks for such cycles when enough new objects were made, which says nothing of their size; and the C library
    keeps what was freed, in pieces that the next index does not fit into.
    """
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc alone has it
    if trim is not None:
        trim(0)


def resident() -> float:
    """Bytes in use; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0.0
    return float(pages * os.sysconf("SC_PAGE_SIZE"))
