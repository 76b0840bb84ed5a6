"""Calls the command line in this process, as a person would from a shell."""

import json
import signal
import sys
from dataclasses import dataclass
from typing import Any

import pytest

from kakehashi.cli.main import ENDING, main


@dataclass(frozen=True)
class Called:
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one object on standard output."""
        return json.loads(self.out)


@dataclass(frozen=True)
class CommandLine:
    monkeypatch: pytest.MonkeyPatch
    capture: pytest.CaptureFixture[str]

    def __call__(self, *words: object, status: int = 0) -> Called:
        self.monkeypatch.setattr(sys, "argv", ["kakehashi", *map(str, words)])
        before = {number: signal.getsignal(number) for number in (signal.SIGINT, *ENDING)}
        self.capture.readouterr()
        try:
            main()
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        else:
            code = 0
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        out, err = self.capture.readouterr()
        assert code == status, f"exit status {code}, expected {status}\n{out}{err}"
        return Called(code, out, err)

    def refused(self, *words: object, status: int = 2) -> str:
        """The one line a failing command prints, without the program's name."""
        called = self(*words, status=status)
        assert called.out == ""
        [line] = called.err.splitlines()
        assert line.startswith("kakehashi: ")
        return line.removeprefix("kakehashi: ")
