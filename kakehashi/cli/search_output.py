"""How `search` shows its hits: blocks or a table for people, an object for programs."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text as RichText

from kakehashi.cli.blocks import columns_of, print_block, print_line, print_units, width_of, wrapped
from kakehashi.cli.output import add_row, console, print_json, show, table_with
from kakehashi.cli.terminal import say
from kakehashi.export.listing import brief_reasons, more_digits, reason_lines
from kakehashi.hits import Hit, Hits, Word
from kakehashi.retrieve.prior_art import PriorArt
from kakehashi.text.marking import Piece

SHOWN_SHARES = 8
INDENT = 4
PART_INDENT = 2  # more, for the words of one part of a combination
SEPARATOR = " · "
SHOWN_CLASSES = 4


def show_words(words: Sequence[Word]) -> None:
    for word, times, translations in words:
        often = f" ({times:g} times)" if times != 1.0 else ""
        say(f"{word}{often}: {'  '.join(f'{term} {weight:.3f}' for term, weight in translations)}")


def json_hits(hits: Hits, words: Sequence[Word] | None = None, brief: bool = False) -> None:
    found = hits.as_dict(passages=not brief)
    if words is not None:
        found["translations"] = [
            {
                "word": word,
                "times": times,
                "translations": [{"word": term, "p": weight} for term, weight in translations],
            }
            for word, times, translations in words
        ]
    print_json(found)


def show_files(hits: Hits, paths: Sequence[Path]) -> None:
    """What was written, in place of the hits themselves."""
    for path in paths:
        say(f"{path}: {len(hits)} {'hit' if len(hits) == 1 else 'hits'}")
    if not len(hits):
        say(f"nothing found: {hits.nothing}")


def show_hits(hits: Hits, explain: bool, brief: bool = False) -> None:
    screen = console()
    if isinstance(hits.system, PriorArt):
        print_block(screen, [Piece(hits.system.headline(hits.query), False)])
    if not len(hits):
        print_block(screen, [Piece(f"nothing found: {hits.nothing}", False)])
    elif brief:
        _show_table(hits, explain)
    else:
        more = more_digits(hits[0].score)
        for hit in hits:
            _show_hit(screen, hit, explain, more)


def _show_hit(screen: Console, hit: Hit, explain: bool, more: int) -> None:
    """Rank, title and score; what it is; where it matches; and why it is here."""
    if hit.rank > 1:
        print_line(screen, RichText())
    _print_title(screen, hit, f"{hit.score:.{3 + more}f}")
    print_block(screen, [Piece(facts_line(hit), False)], INDENT, "dim")
    if family := hit.facts.get("family"):
        print_block(screen, [Piece(f"also: {', '.join(family)}", False)], INDENT, "dim")
    print_block(screen, hit.passage, INDENT)
    if explain:
        print_reasons(screen, hit, 2 + more, INDENT)


def print_reasons(screen: Console, hit: Hit, digits: int, indent: int, before: Sequence[str] = ()) -> None:
    """Where the score comes from; of a combination, subtotals and a line for each big part, two for the biggest."""
    first, *parts = reason_lines(hit.explanation, SHOWN_SHARES, digits)
    print_units(screen, [*before, *first], indent, "cyan")
    for number, line in enumerate(parts):
        print_units(screen, line, indent + PART_INDENT, "cyan", most_lines=2 if number == 0 else 1)


def _brief(hit: Hit, digits: int) -> list[str]:
    if hit.explanation.parts:
        return brief_reasons(hit.explanation, digits)
    return reason_lines(hit.explanation, SHOWN_SHARES, digits)[0]


def _print_title(screen: Console, hit: Hit, score: str) -> None:
    """Rank, title and score; a title longer than a line goes on under its first word."""
    titled = wrapped(hit.marked(hit.title or hit.id), width_of(screen) - INDENT - columns_of(score) - 2)
    for number, line in enumerate(titled):
        shown = RichText(f"{hit.rank:>{INDENT - 2}}. " if number == 0 else " " * INDENT)
        for text, match in line:
            shown.append(text, "bold underline" if match else "bold")
        if number == len(titled) - 1:
            shown.append(f"  {score}", "dim")
        print_line(screen, shown)


def facts_line(hit: Hit) -> str:
    about = hit.about
    date = about.date or ("no date" if "publication" in hit.facts else "")
    more = len(about.classes) - SHOWN_CLASSES
    classes = ", ".join(about.classes[:SHOWN_CLASSES]) + (f" and {more} more" if more > 0 else "")
    return SEPARATOR.join(fact for fact in (hit.id, date, about.applicant, classes) if fact)


def _show_table(hits: Hits, explain: bool) -> None:
    dated = any("publication" in hit.facts for hit in hits)
    because = "because of (query word: share)"
    columns = ["rank", "score", "document", *(["published"] if dated else []), "title"]
    table = table_with(
        *columns, *([because] if explain else []), left=0, texts=["document", "published", "title", because]
    )
    longest = max(columns_of(hit.id) for hit in hits)
    table.columns[2].min_width = min(longest, 24)
    more = more_digits(hits[0].score)
    for hit in hits:
        why = ["  ".join(_brief(hit, 2 + more))] if explain else []
        published = [hit.facts["publication"] or "no date"] if dated else []
        family = hit.facts.get("family")
        title = "\n".join([hit.title, *([f"also: {', '.join(family)}"] if family else [])])
        add_row(table, str(hit.rank), f"{hit.score:.{3 + more}f}", hit.id, *published, title, *why)
    show(table)
