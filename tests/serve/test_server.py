"""The service in a process of its own: how it starts, ends, dies and comes back."""

import signal
import socket
import threading
from pathlib import Path
from typing import Any
from urllib.parse import quote
from urllib.request import urlopen

import pytest

from tests.cli.calling import CommandLine
from tests.serve.running import running

QUERY = "燃料電池の電極"


def test_sigterm_ends_it_after_the_requests_that_are_running(built_toy: Path) -> None:
    with running(built_toy, "--limit", "rate=100000", "--limit", "burst=100000") as service:
        answers: list[Any] = []
        asking = [threading.Thread(target=lambda: answers.append(service.ask(text=QUERY))) for _ in range(8)]
        first = service.ask(text=QUERY)
        for thread in asking:
            thread.start()
        status = service.stop(signal.SIGTERM)
        for thread in asking:
            thread.join(120)
        assert status == 0
        events = [line["event"] for line in service.log]
        assert events[0] == "serving"
        assert events[-1] == "stopped"
        assert all(answer["hits"] == first["hits"] for answer in answers)  # none is broken off in the middle
        assert QUERY not in service.logged.read_text(encoding="utf-8")


def test_after_a_kill_it_starts_and_answers_as_before(built_toy: Path) -> None:
    with running(built_toy) as service:
        before = service.ask(text=QUERY)
        assert service.stop(signal.SIGKILL) == -signal.SIGKILL
    with running(built_toy) as service:
        assert service.ask(text=QUERY) == before


@pytest.mark.slow
def test_the_demo_opens_as_a_page(tmp_path: Path) -> None:
    with running("--folder", tmp_path, "--documents", 500, command=("demo", "--serve")) as service:
        with urlopen(service.address, timeout=120) as home:
            page = home.read().decode()
        assert home.url == f"{service.address}/c/world-500-7"
        assert "Synthetic patent world" in page
        with urlopen(f"{home.url}?q={quote('超音波診断装置の光源')}", timeout=120) as answer:
            assert '<li class="hit"' in answer.read().decode()
        assert service.stop() == 0


def test_it_does_not_start_where_it_cannot_serve(
    built_toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    call = CommandLine(monkeypatch, capsys)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    assert "kakehashi token add NAME" in call.refused("serve", built_toy, "--host", "0.0.0.0")
    assert "is not a collection" in call.refused("serve", tmp_path, "--port", "0")
    assert "limits are body" in call.refused("serve", built_toy, "--limit", "hits=0")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert f"cannot listen on 127.0.0.1:{port}" in call.refused("serve", built_toy, "--port", port)
