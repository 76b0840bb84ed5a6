import pytest

from tests.cli.calling import CommandLine


@pytest.fixture
def kakehashi(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    monkeypatch.setenv("KAKEHASHI_DEBUG", "")  # so that what --debug sets is taken back
    monkeypatch.delenv("KAKEHASHI_DEBUG")
    monkeypatch.setenv("COLUMNS", "200")
    return CommandLine(monkeypatch, capsys)
