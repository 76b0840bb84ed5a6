"""Plain lines of output: texts come from anywhere, and a terminal obeys some of their characters."""

import re
from typing import TextIO

# what a terminal obeys, what turns the direction of writing, and what some take for the end of a line
_COMMANDS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def harmless(text: str) -> str:
    """Without commands to the terminal: blanks for tabs, a sign for every other."""
    return _COMMANDS.sub(lambda found: " " if found[0] == "\t" else "\ufffd", text)


def say(text: object, file: TextIO | None = None, flush: bool = False) -> None:
    """Print a text; commands print with nothing else, or with tables and blocks."""
    print(harmless(str(text)), file=file, flush=flush)


def escaped(json: str) -> str:
    """The same JSON, in which no character is a command to the terminal; JSON itself has escapes for the first 32."""
    return _COMMANDS.sub(lambda found: f"\\u{ord(found[0]):04x}", json)
