from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from kakehashi.cli import get_debian
from kakehashi.corpus.debian import build
from kakehashi.errors import InputError

APP = typer.Typer()
APP.command("help")(get_debian.help_pages)
APP.command("packages")(get_debian.packages)
APP.command("parallel")(get_debian.parallel)


@pytest.mark.parametrize("name", ["help", "packages", "parallel"])
def test_a_machine_without_apt_is_told_so(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    result = CliRunner().invoke(APP, [name, str(tmp_path / "out"), "--lang", "de"])
    assert isinstance(result.exception, InputError)
    assert "apt-get is not installed" in str(result.exception)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("words", [[], ["--lang", "xx"]])
def test_the_language_must_be_one_of_those_offered(words: list[str], tmp_path: Path) -> None:
    result = CliRunner().invoke(APP, ["help", str(tmp_path / "out"), *words])
    assert result.exit_code == 2


def test_counts_stand_beside_the_known_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def false_build(folder: Path, language: str, masked: bool, force: bool, *rest: object) -> dict[str, int]:
        asked.extend([language, masked, force])
        return {"documents": 33_000, "queries": 5}

    monkeypatch.setattr(build, "build_packages", false_build)
    monkeypatch.setattr("kakehashi.corpus.debian.process.find_program", lambda name, folders=None: name)
    result = CliRunner().invoke(
        APP, ["packages", str(tmp_path / "out"), "--lang", "ja", "--unmasked", "--force"]
    )
    assert asked == ["ja", False, True]
    rows = [line.split() for line in result.stdout.splitlines()]
    assert ["documents", "33,000", "33,844"] in rows
    assert ["queries", "5", "3,565"] in rows
