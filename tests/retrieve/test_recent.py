"""What was worked out for a query is remembered for this query alone."""

from kakehashi.query.edits import parse_edit, with_edits
from kakehashi.retrieve.recent import Recent
from kakehashi.types import Text

QUERY = Text("q", "de", "ein text")


def test_it_is_worked_out_once_and_again_when_it_was_forgotten() -> None:
    asked: list[str] = []

    def make(query: Text) -> int:
        asked.append(query.id)
        return len(asked)

    recent: Recent[int] = Recent(2)
    others = [Text(f"q{i}", "de", "") for i in range(2)]
    assert [recent.of(query, make) for query in (QUERY, QUERY, others[0], QUERY)] == [1, 1, 2, 1]
    assert [recent.of(query, make) for query in (others[1], QUERY)] == [3, 4]


def test_an_edited_query_is_another_one() -> None:
    recent: Recent[str] = Recent()
    recent.keep(QUERY, "plain")
    edited = with_edits(QUERY, [parse_edit("drop", "ein=one")])
    assert recent.find(edited) is None
    assert recent.of(edited, lambda query: "edited") == "edited"
    assert recent.find(QUERY) == "plain"


def test_an_equal_query_of_other_people_is_not_taken_for_it() -> None:
    recent: Recent[str] = Recent()
    recent.keep(QUERY, "known")
    assert recent.find(Text("q", "de", "ein text")) is None
