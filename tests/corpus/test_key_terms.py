"""Short queries out of long documents."""

from kakehashi.corpus.key_terms import key_terms


def test_rare_and_frequent_terms_come_first() -> None:
    # ln(100/1) = 4.61, ln(100/10) * 3 = 6.91, ln(100/100) = 0
    assert key_terms(
        ["the", "pump", "the", "valve", "pump", "pump"], {"the": 100, "pump": 10, "valve": 1}, 100
    ) == [
        "pump",
        "valve",
        "the",
    ]


def test_a_hundred_distinct_terms_at_most_and_ties_by_string() -> None:
    tokens = [f"t{i:03}" for i in range(150)] * 2
    assert key_terms(tokens[::-1], {}, 10) == [f"t{i:03}" for i in range(100)]
