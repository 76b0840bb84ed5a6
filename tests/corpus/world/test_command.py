from pathlib import Path

import typer
from typer.testing import CliRunner

from kakehashi.cli.get_world import world
from kakehashi.corpus.collection import Collection

app = typer.Typer()
app.command()(world)


def test_command_builds_what_was_ordered(tmp_path: Path) -> None:
    folder = tmp_path / "w"
    result = CliRunner().invoke(app, [str(folder), "--documents", "500", "--seed", "3"])
    assert result.exit_code == 0
    assert "synthetic" in result.stdout
    assert dict(Collection(folder).info.made_with) == {
        "command": "data get world",
        "documents": 500,
        "seed": 3,
    }
