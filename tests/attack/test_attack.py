"""A few cases of every class of attack, always the same; `make test-attack` does any number of others."""

import pytest

from tests.attack.__main__ import ROUND, run


def test_artifacts_with_right_checksums_and_wrong_contents_are_harmless() -> None:
    counts = run(1, 60, 600.0, ["artifacts"], print)
    assert counts.failures == []
    assert counts.by_class["artifacts"].total() >= 60


@pytest.mark.attack
@pytest.mark.parametrize("kind", [kind for kind in ROUND if kind != "artifacts"])
def test_a_round_of_every_class_finds_no_failure(kind: str) -> None:
    assert run(1, 2 * ROUND[kind], 600.0, [kind], print).failures == []
