"""Settings as printed in a terminal: name, default, possible values, meaning."""

import shutil
import textwrap
from collections.abc import Iterator

import msgspec

from kakehashi.settings import Setting, settings_of

NARROWEST = 40  # columns; below that, the terminal wraps lines


def setting_lines(kind: type[msgspec.Struct], columns: int = 0) -> Iterator[str]:
    """Every setting with its meaning below it, wrapped to the terminal or the columns given."""
    columns = max(NARROWEST, columns or shutil.get_terminal_size().columns)
    for setting in settings_of(kind):
        given = ", ".join(setting.choices) or setting.kind
        yield from wrapped(f"{setting.name}={setting.shown_default}  ({given})", "  ", columns)
        yield from wrapped(plain(setting), "      ", columns)


def plain(setting: Setting) -> str:
    """Code is shown in quotes, as in errors, because a terminal does not render Markdown."""
    return setting.description.replace("`", "'")


def wrapped(text: str, indent: str, columns: int) -> list[str]:
    """Lines no longer than the columns, except for single words that are."""
    return textwrap.wrap(
        text,
        columns,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
