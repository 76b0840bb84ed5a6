"""Errors that say in one line what is wrong and what to do."""

from pathlib import Path


def one_line(text: object) -> str:
    """A message whose parts may come from a file or a server: no line breaks, no commands to a terminal."""
    shown = str(text) or type(text).__name__
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in shown)


class KakehashiError(Exception):
    """An error to show the user as one line; the command line exits with `exit_status`."""

    exit_status = 1

    def __str__(self) -> str:
        return one_line(super().__str__())


class InputError(KakehashiError):
    """The user's input is wrong: a file, an option, a name."""

    exit_status = 2


class FileError(InputError):
    """Wrong input at a known place; prints as `file:line: what is wrong`."""

    def __init__(self, path: Path | str, line: int | None, message: str):
        self.path, self.line, self.message = Path(path), line, message
        place = f"{path}:{line}" if line is not None else str(path)
        super().__init__(f"{place}: {message}")


class UnreadableError(FileError):
    """The system failed to read a file; that says nothing about its contents, so nothing is rebuilt because of it."""


class MissingDependency(InputError):
    """An optional package is missing; names the extra that installs it."""

    def __init__(self, package: str, extra: str):
        super().__init__(f"{package} is not installed: run pip install 'kakehashi[{extra}]'")


class Notice(UserWarning):
    """Information that does not stop the command; the command line prints it as one line."""
