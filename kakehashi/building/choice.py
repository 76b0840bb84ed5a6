"""Which system answers where none is named, and what a user should know about that choice."""

from dataclasses import dataclass

from kakehashi.building.record import index_state, read_summary
from kakehashi.index.holdings import Holdings


@dataclass(frozen=True)
class Choice:
    """A system, and one line about why it answers; empty where the user named it."""

    system: str
    note: str = ""
    advice: str = ""  # what to run for a better answer


def choose(holdings: Holdings, system: str, lang: str, untrained: str) -> Choice:
    """`untrained` answers where nothing was built, and queries in the documents' own language."""
    if system:
        return Choice(system)
    info, command = holdings.collection.info, f"kakehashi build {holdings.folder}"
    if lang and lang == info.target_language != info.source_language:
        return Choice(untrained, f"searching with {untrained}: the query is in the documents' language")
    summary = read_summary(holdings.folder)
    best = summary.best if summary else None
    if summary is None or best is None:
        return Choice(
            untrained,
            f"searching with {untrained}, which translates nothing: no system of this collection is built yet",
            f"to search across languages, run: {command}",
        )
    measured = f", best on dev ({best.measure} {best.value:.4f})" if best.measure else ""
    stale = summary.index != index_state(holdings.index)
    advice = (
        f"the index changed since the models were trained; to update them, run: {command}" if stale else ""
    )
    return Choice(best.system, f"searching with {best.system}{measured}", advice)
