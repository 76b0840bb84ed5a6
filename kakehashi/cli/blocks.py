"""Text in lines that fit a screen, with words set apart; a wide character takes two columns."""

import re
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.text import Text

from kakehashi.text.marking import Piece, merged
from kakehashi.text.passages import char_columns

READABLE = 110  # columns; longer lines are hard to read
# a word with the blanks before it; a wide character is a word by itself, and closing signs stay with it
_UNITS = re.compile(r"\s*(?:[⺀-￯][、。，．」』）】〕！？ー]*|[^\s⺀-￯]+)|\s+")


def print_block(
    console: Console, pieces: Iterable[Piece], indent: int = 0, style: str = "", match: str = "bold"
) -> None:
    """Print a text in lines after `indent` blanks."""
    for line in wrapped(pieces, width_of(console) - indent):
        shown = Text(" " * indent)
        for text, is_match in line:
            shown.append(text, f"{style} {match}".strip() if is_match else style)
        print_line(console, shown)


def print_units(console: Console, units: Sequence[str], indent: int, style: str = "") -> None:
    """Print units two blanks apart; a line ends between two of them unless one is longer than a line."""
    width, line = width_of(console) - indent, ""
    for unit in units:
        if line and columns_of(line) + 2 + columns_of(unit) > width:
            print_block(console, [Piece(line, False)], indent, style)
            line = unit
        else:
            line = f"{line}  {unit}" if line else unit
    if line:
        print_block(console, [Piece(line, False)], indent, style)


def print_line(console: Console, line: Text) -> None:
    """As it is: it fits, or nothing can be done."""
    console.print(line, soft_wrap=True)


def width_of(console: Console) -> int:
    """Of text: a wide screen is not filled, a narrow one not overfilled; without a screen lines stay whole."""
    return console.width if console.width > 1000 else max(20, min(console.width, READABLE))


def columns_of(text: str) -> int:
    return sum(map(char_columns, text))


def wrapped(pieces: Iterable[Piece], width: int) -> list[list[Piece]]:
    """Lines of at most `width` columns; blanks at a break vanish, a word longer than a line is parted."""
    lines: list[list[Piece]] = [[]]
    used = 0
    for text, match in pieces:
        for unit in _units(text, width):
            if unit == "\n":
                lines.append([])
                used = 0
                continue
            if used + columns_of(unit.rstrip()) > width:
                lines.append([])
                used = 0
            kept = unit if used else unit.lstrip()
            if kept:
                lines[-1].append(Piece(kept, match))
                used += columns_of(kept)
    return [_trimmed(line) for line in lines]


def _trimmed(line: list[Piece]) -> list[Piece]:
    """Without blanks at its end, and as few pieces as there are changes."""
    whole = merged(line)
    return [*whole[:-1], Piece(whole[-1].text.rstrip(), whole[-1].match)] if whole else whole


def _units(text: str, width: int) -> Iterable[str]:
    for number, line in enumerate(text.split("\n")):
        if number:
            yield "\n"
        for unit in _UNITS.findall(line):
            if columns_of(unit) <= width:
                yield unit
            else:
                yield from _parted(unit, width)


def _parted(unit: str, width: int) -> Iterable[str]:
    part = ""
    for char in unit:
        if part and columns_of(part) + char_columns(char) > width:
            yield part
            part = ""
        part += char
    yield part
