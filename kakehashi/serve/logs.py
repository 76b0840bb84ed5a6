"""What the service writes about its work: one JSON object per line, on standard error, without anyone's query."""

import logging
import sys
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from threading import Lock
from typing import Any, TextIO

import msgspec


class Log:
    """Safe for any number of threads."""

    def __init__(self, stream: TextIO | None = None, queries: bool = False):
        self._stream = stream
        self.queries = queries  # whether the text of queries may be written
        self._writing = Lock()

    def write(self, event: str, level: str = "info", **facts: Any) -> None:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        known = {name: value for name, value in facts.items() if value is not None}
        line = msgspec.json.encode({"time": now, "level": level, "event": event, **known}, enc_hook=str)
        stream = self._stream or sys.stderr
        with self._writing, suppress(OSError):  # a full disk under the log must not stop the service
            stream.write(line.decode() + "\n")
            stream.flush()

    def failure(self, error: BaseException, **facts: Any) -> None:
        """An error nobody expected, with its place; its message may hold a query."""
        frames = traceback.extract_tb(error.__traceback__)
        place = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames[-8:]]
        said = str(error) if self.queries else None
        self.write("failure", "error", error=type(error).__name__, message=said, place=place, **facts)


class LogHandler(logging.Handler):
    """What the web server logs, in the same form."""

    def __init__(self, log: Log):
        super().__init__()
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            self._log.failure(error)
        else:
            self._log.write("server", record.levelname.lower(), message=record.getMessage())
