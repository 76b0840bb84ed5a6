from collections import Counter

import pytest

from kakehashi.corpus.debian.splits import split_of


def test_splits_have_about_their_share() -> None:
    sizes = Counter(split_of(f"page/{number}") for number in range(20_000))
    assert sizes["train"] / 20_000 == pytest.approx(0.7, abs=0.01)
    assert sizes["dev"] / 20_000 == pytest.approx(0.1, abs=0.01)
    assert sizes["test"] / 20_000 == pytest.approx(0.2, abs=0.01)


def test_splits_never_change() -> None:
    # the first four digits that any md5sum prints, as a share of 0x10000
    assert split_of("a") == "train"  # 0cc1: 0.05
    assert split_of("d") == "train"  # 8277: 0.51
    assert split_of("jj") == "dev"  # bf2b: 0.75
    assert split_of("e") == "test"  # e167: 0.88
