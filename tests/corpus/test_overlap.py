"""Category overlap and its histogram."""

from kakehashi.corpus.overlap import overlap, overlap_histogram


def test_overlap_is_counted_on_the_documents_side() -> None:
    translation = {"batteries": ["電池"], "lamps": ["灯"], "pumps": ["ポンプ", "機械"]}
    assert overlap(["batteries", "pumps", "unknown"], ["電池", "機械", "車"], translation) == (2, 3)
    assert overlap(["lamps"], ["電池"], translation) == (0, 1)
    assert overlap(["lamps"], [], translation) == (0, 0)


def test_zero_has_its_own_bar_and_whole_tenths_belong_to_the_lower_bucket() -> None:
    pairs = [(0, 5), (0, 0), (3, 10), (1, 10), (1, 3), (5, 5), (91, 100), (9, 10)]
    shares = overlap_histogram(pairs) * len(pairs)
    assert shares.tolist() == [2, 1, 0, 1, 1, 0, 0, 0, 0, 1, 2]


def test_histogram_of_nothing_is_empty() -> None:
    assert overlap_histogram([]).sum() == 0
