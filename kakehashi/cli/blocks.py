"""Text in lines that fit a screen, with words set apart; a wide character takes two columns."""

import re
from collections.abc import Iterable, Iterator, Sequence

from rich.console import Console
from rich.text import Text

from kakehashi.cli.terminal import harmless
from kakehashi.text.marking import Piece, merged
from kakehashi.text.passages import char_columns

READABLE = 110  # columns; longer lines are hard to read
_WIDE = "⺀-￯"  # from the first to the last of the common ones
_CLOSING = "、。，．」』）】〕！？ー…"  # never at the beginning of a line
# a word with the blanks before it; a wide character is a word by itself
_UNITS = re.compile(rf"\s*(?:[{_WIDE}][{_CLOSING}]*|[^\s{_WIDE}]+)|\s+")
_MAY_BREAK = re.compile(rf"\s+[^\s…]|\s+$|[{_WIDE}]")


def print_block(
    console: Console, pieces: Iterable[Piece], indent: int = 0, style: str = "", match: str = "bold"
) -> None:
    """Print a text in lines after `indent` blanks."""
    for line in wrapped(pieces, width_of(console) - indent):
        shown = Text(" " * indent)
        for text, is_match in line:
            shown.append(text, f"{style} {match}".strip() if is_match else style)
        print_line(console, shown)


def print_field(console: Console, name: str, value: str, indent: int) -> None:
    """Print a name and what it stands for, whose lines all begin after `indent` columns."""
    name = harmless(name)
    for number, line in enumerate(wrapped([Piece(value, False)], width_of(console) - indent)):
        head = name if number == 0 else ""
        text = "".join(piece.text for piece in line)
        print_line(console, Text(f"{head}{' ' * (indent - columns_of(head))}{text}", "dim"))


def print_units(
    console: Console, units: Sequence[str], indent: int, style: str = "", most_lines: int | None = None
) -> None:
    """Print units two blanks apart; a line ends between two of them unless one is longer than a line.

    Units beyond the lines that are wanted are left out, but never the first two: a name and the most important one.
    """
    width, lines = width_of(console) - indent, [""]
    for number, unit in enumerate(units):
        if lines[-1] and columns_of(lines[-1]) + 2 + columns_of(unit) > width:
            if most_lines is not None and len(lines) >= most_lines and number > 1:
                break
            lines.append(unit)
        else:
            lines[-1] = f"{lines[-1]}  {unit}" if lines[-1] else unit
    for line in filter(None, lines):
        print_block(console, [Piece(line, False)], indent, style)


def print_line(console: Console, line: Text) -> None:
    """As it is: it fits, or nothing can be done."""
    console.print(line, soft_wrap=True)


def width_of(console: Console) -> int:
    """Of text: a wide screen is not filled, a narrow one not overfilled; without a screen lines stay whole."""
    return console.width if console.width > 1000 else max(20, min(console.width, READABLE))


def columns_of(text: str) -> int:
    return len(text) if text.isascii() else sum(map(char_columns, text))


def wrapped(pieces: Iterable[Piece], width: int) -> list[list[Piece]]:
    """Lines of at most `width` columns; blanks at a break vanish, a word longer than a line is parted."""
    lines: list[list[Piece]] = [[]]
    used = 0
    for word in _words(pieces):
        size = sum(columns_of(piece.text) for piece in word)
        if word[0].text == "\n" or (used and used + size > width and used + _visible(word) > width):
            lines.append([])
            used = 0
        for text, match in word:
            for part in _parted(text if used else text.lstrip(), width):
                if used and used + columns_of(part) > width and size > width:
                    lines.append([])
                    used = 0
                lines[-1].append(Piece(part, match))
                used += columns_of(part)
    return [_trimmed(line) for line in lines]


def _visible(word: Sequence[Piece]) -> int:
    """Columns without the blanks at its end, which may stand over."""
    return columns_of("".join(piece.text for piece in word).rstrip())


def _words(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    """Pieces that a line must not end between; a word may be partly a match, and signs follow it."""
    word: list[Piece] = []
    after_wide = False
    for text, match in pieces:
        for number, line in enumerate(harmless(text).split("\n")):
            if number:
                yield from ([word] if word else [])
                yield [Piece("\n", False)]
                word = []
            for unit in _UNITS.findall(line):
                may_break = _MAY_BREAK.match(unit) or after_wide
                if word and may_break and unit[0] not in _CLOSING:
                    yield word
                    word = []
                word.append(Piece(unit, match))
                after_wide = columns_of(unit[-1]) == 2
    if word:
        yield word


def _trimmed(line: list[Piece]) -> list[Piece]:
    """Without blanks at its end, and as few pieces as there are changes."""
    whole = merged(line)
    return [*whole[:-1], Piece(whole[-1].text.rstrip(), whole[-1].match)] if whole else whole


def _parted(unit: str, width: int) -> Iterator[str]:
    """As it is where it fits, else in parts that do."""
    if columns_of(unit) <= width:
        yield unit
        return
    part = ""
    for char in unit:
        if part and columns_of(part) + char_columns(char) > width:
            yield part
            part = ""
        part += char
    if part:
        yield part
