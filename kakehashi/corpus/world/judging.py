"""From citations and families to relevance levels: family 3, examiner 2, applicant 1; the highest counts."""

from collections.abc import Iterable, Sequence

FAMILY = 3


def judge(mates: Sequence[str], cited: Iterable[tuple[Sequence[str], int]]) -> dict[str, int]:
    """Levels of one query's documents; every family member of a cited patent gets the level of the citation."""
    levels: dict[str, int] = {}
    for members, level in [*cited, (mates, FAMILY)]:
        for document in members:
            levels[document] = max(level, levels.get(document, 0))
    return dict(sorted(levels.items(), key=lambda item: (-item[1], item[0])))
