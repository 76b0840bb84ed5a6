"""Reasons in lines: subtotals of a combination first, then the words of its big parts."""

import pytest

from kakehashi.export.listing import brief_reasons, by_word, reason_lines
from kakehashi.types import ANY, PASSAGE, Explanation, Part, Share

SHARES = [
    Share("python", "python, script", 2.0, "psq"),
    Share("(any document)", "", 0.7, ANY),
    Share("appel", "call", 1.1, "psq"),
    Share("python", "script", 1.5, "bilinear"),
    Share("python", "macro", 0.25, "bilinear"),
    Share("appel", "macro", -0.5, "bilinear"),
    Share("topic 4", "", 0.1, "topics"),
    Share("tags", "", 1.0, "metadata: tags"),
    Share("rare tags", "", -0.2, "metadata: tags"),
    Share("citations received", "", 0.4, "metadata: citations"),
]
COMBINED = Explanation(sum(one.share for one in SHARES), SHARES)


def test_parts_are_subtotals_without_what_any_document_gets() -> None:
    parts = {part.name: part.share for part in COMBINED.parts}
    assert parts == pytest.approx(
        {"psq": 3.1, "bilinear": 1.25, "metadata: tags": 0.8, "metadata: citations": 0.4, "topics": 0.1}
    )
    assert list(parts) == ["psq", "bilinear", "metadata: tags", "metadata: citations", "topics"]
    assert sum(parts.values()) == pytest.approx(COMBINED.score - 0.7)
    assert COMBINED.parts[0] == Part("psq", 3.1, [SHARES[0], SHARES[2]])


def test_lines_of_a_combination() -> None:
    assert reason_lines(COMBINED, 8) == [
        ["psq 3.10", "bilinear 1.25", "topics 0.10", "metadata: tags 0.80", "citations 0.40"],
        ["psq:", "python → python, script: 2.00", "appel → call: 1.10"],
        ["bilinear:", "python → script, macro: 1.75", "appel → macro: -0.50"],
    ]
    assert reason_lines(COMBINED, 1)[1] == ["psq:", "python → python, script: 2.00"]
    assert brief_reasons(COMBINED, 1)[0] == "psq 3.1"


def test_system_that_is_no_combination_has_one_line_that_adds_up() -> None:
    shares = [Share(f"w{i}", f"w{i}", 10.0 - i) for i in range(9)]
    [line] = reason_lines(Explanation(54.0, shares), 2)
    assert line == ["w0: 10.00", "w1: 9.00", "7 more: 35.00"]
    assert reason_lines(Explanation(0.0, []), 2) == [[]]


def test_votes_of_earlier_queries_are_counted() -> None:
    votes = [Share("q1 a player", "(cited)", 0.3), Share("q2", "(mate)", 0.2), Share("q3", "(cited)", 0.1)]
    assert reason_lines(Explanation(0.6, votes), 1) == [
        ["cited by 3 similar earlier queries:", "q1 a player → (cited): 0.30", "2 more: 0.30"]
    ]
    parts = [Share(one.query, one.document, one.share, "examples") for one in votes[:1]]
    assert reason_lines(Explanation(0.3, parts), 2)[1] == [
        "examples:",
        "cited by 1 similar earlier query:",
        "q1 a player → (cited): 0.30",
    ]


def test_nearest_passage_is_named_once_before_what_pieces_of_the_query_gave() -> None:
    met = f"{PASSAGE}Insert images, and more)"
    shares = [Share("insérer une", met, 0.3), Share("image", met, 0.15), Share("dans", met, 0.01)]
    assert reason_lines(Explanation(0.46, shares), 2) == [
        [
            'nearest passage "Insert images, and more …", estimated:',
            "insérer une: 0.30",
            "image: 0.15",
            "1 more: 0.01",
        ]
    ]


def test_words_of_a_query_are_told_once_with_the_words_that_gave_most() -> None:
    shares = [Share("a", met, share) for met, share in {"x": 1.0, "y": 3.0, "z, x": -2.0, "v": 0.5}.items()]
    assert by_word([*shares, Share("b", "u", 4.0)]) == [Share("b", "u", 4.0), Share("a", "y, z, x", 2.5)]


def test_share_without_a_part_has_no_such_field_in_json() -> None:
    import msgspec

    assert msgspec.to_builtins(Share("a", "b", 1.0)) == {"query": "a", "document": "b", "share": 1.0}
    assert msgspec.to_builtins(SHARES[2])["part"] == "psq"
