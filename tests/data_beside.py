"""Where the real data beside the clone lies; tests that need it skip where it is absent."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def data_file(name: str) -> Path:
    """The file, or a skip that says what is missing."""
    path = Path(os.environ.get("KAKEHASHI_DATA", ROOT / ".." / "shared" / "data")) / name
    if not path.exists():
        pytest.skip(f"{name} is not in KAKEHASHI_DATA or ../shared/data")
    return path
