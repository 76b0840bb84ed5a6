from collections import Counter

import pytest

from kakehashi.corpus.debian.splits import HeldOut, same_letters, split_of


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


@pytest.mark.parametrize(
    ("pair", "kept"),
    [
        (("Etwas anderes", "Something else"), True),
        (("ein ganz bestimmter langer satz steht hier.", "x"), False),  # case does not matter
        (("y", "Vor dem Test. Ein ganz bestimmter langer Satz steht hier."), False),  # nor which side
        (("Kurz.", "Short."), False),  # a whole block, however short
        (("Kurz. Und mehr davon.", "Short. And more of it."), True),  # a short sentence belongs to nobody
        (("これは試験のページにある長い文章です。短い文。", "z"), False),
    ],
)
def test_pairs_with_a_side_in_dev_or_test_are_dropped(pair: tuple[str, str], kept: bool) -> None:
    held = HeldOut()
    for block in (
        "Ein ganz bestimmter langer Satz steht hier. Kurz.",
        "Kurz.",
        "これは試験のページにある長い文章です。",
    ):
        held.add(block)
    assert list(held.without([pair])) == ([pair] if kept else [])


def test_spaces_case_and_punctuation_do_not_make_a_translation() -> None:
    assert same_letters("Click OK .", "click “OK”.")
    assert not same_letters("Klicken", "Click")
    assert not same_letters("見出し 1", "見出し 2")
