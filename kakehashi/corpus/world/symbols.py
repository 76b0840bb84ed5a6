"""IPC symbols of topics and subgroups: subclasses are real, the group numbers below them are invented."""

from collections.abc import Iterator

from kakehashi.corpus.world.glossary import glossary
from kakehashi.corpus.world.topics import SUBGROUPS, Topics


def symbol(topics: Topics, subgroup: int) -> str:
    """The full symbol of a subgroup, such as H01L 21/04."""
    topic, place = divmod(subgroup, SUBGROUPS)
    subclass = glossary().subclasses[int(topics.subclass[topic])].symbol
    return f"{subclass} {int(topics.group[topic])}/{2 + 2 * place:02d}"


def class_titles() -> Iterator[tuple[str, str]]:
    """Subclasses and what they are about, in the words of the glossary."""
    return ((each.symbol, each.en) for each in glossary().subclasses)


def class_edges(topics: Topics) -> Iterator[tuple[str, str]]:
    """child, parent: subgroup, main group, subclass, class, section."""
    seen = set()
    for subgroup in range(len(topics) * SUBGROUPS):
        full = symbol(topics, subgroup)
        main, subclass = full.split("/")[0] + "/00", full[:4]
        for edge in ((full, main), (main, subclass), (subclass, full[:3]), (full[:3], full[0])):
            if edge not in seen:
                seen.add(edge)
                yield edge
