"""A service in a process of its own, as a user starts it."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_MAIN = "import sys; from kakehashi.cli.main import main; sys.argv[0] = 'kakehashi'; main()"


@dataclass(frozen=True)
class Running:
    process: "subprocess.Popen[str]"
    address: str
    logged: Path

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(120)

    @property
    def log(self) -> list[dict[str, Any]]:
        lines = self.logged.read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines if line.startswith("{")]

    def ask(self, **asked: Any) -> Any:
        """The answer to a search in the toy collection; `urllib.error.HTTPError` for a problem."""
        request = urllib.request.Request(
            f"{self.address}/api/v1/collections/toy/search",
            json.dumps(asked).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)


@contextmanager
def running(
    *words: object, command: tuple[str, ...] = ("serve",), log: Path | None = None, **environment: str
) -> Iterator[Running]:
    """`kakehashi serve` on a free port, or another command that serves; it has ended when the block ends."""
    with tempfile.TemporaryDirectory() as place:
        logged = log or Path(place) / "log"
        with logged.open("w") as errors:
            process = subprocess.Popen(
                [sys.executable, "-c", _MAIN, *command, *map(str, words), "--port", "0"],
                stdout=subprocess.PIPE, stderr=errors, text=True,
                env={**os.environ, "XDG_CONFIG_HOME": place, **environment},
            )  # fmt: skip
        try:
            assert process.stdout is not None
            address = next((line.strip() for line in process.stdout if line.startswith("http://")), "")
            assert address, logged.read_text(encoding="utf-8")
            yield Running(process, address, logged)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
            assert process.stdout is not None
            process.stdout.close()
