"""Which classes are above another, by their spelling."""

import pytest

from kakehashi.retrieve.cnn_parts import classes_above


@pytest.mark.parametrize(
    ("name", "above"),
    [
        ("A01B 33/08", ["A01B 33", "A01B", "A01", "A"]),
        ("H01M4/02", ["H01M4", "H01M", "H01", "H"]),
        ("H01M4/02B2", ["H01M4/02B", "H01M4/02", "H01M4", "H01M", "H01", "H"]),  # ECLA
        ("H01M 4/02,101@Z", ["H01M 4/02,101", "H01M 4/02", "H01M 4", "H01M", "H01", "H"]),  # FI
        ("H01M4/02@A", ["H01M4/02", "H01M4", "H01M", "H01", "H"]),
        ("use::editing::text", ["use::editing", "use"]),
        ("plain", []),
    ],
)
def test_codes_and_paths_are_below_what_they_begin_with(name: str, above: list[str]) -> None:
    assert classes_above(name) == above
