"""Nothing that a command prints is a command to the terminal, wherever its words come from."""

import json
import re
import zipfile
from pathlib import Path

import msgspec
import pytest

import kakehashi.cli
from kakehashi.building.packing import CARD, FORMAT, Card
from kakehashi.cli.progress import Bars
from kakehashi.cli.terminal import escaped, harmless
from kakehashi.corpus.collection import CollectionInfo
from kakehashi.corpus.writing import CollectionWriter
from kakehashi.library import Library
from kakehashi.types import Text
from tests.cli.calling import CommandLine

HOSTILE = "\x1b]0;mine\x07\x9b2J\r\x7f\u202ea\u2066b\u2028"


def is_harmless(shown: str) -> bool:
    return all(char.isprintable() or char == "\n" for char in shown)


def test_commands_become_signs_and_tabs_blanks() -> None:
    assert harmless("a\tb\nc\x1b[1m\u202e") == "a b\nc\ufffd[1m\ufffd"
    assert harmless("電池 ñ שלום\u200f") == "電池 ñ שלום\u200f"  # a mark that texts of some languages need


def test_escaped_json_says_the_same() -> None:
    said = escaped(msgspec.json.encode({"a": HOSTILE}).decode())
    assert is_harmless(said)
    assert json.loads(said) == {"a": HOSTILE}


def test_no_command_prints_past_the_one_place() -> None:
    [folder] = kakehashi.cli.__path__
    found = {path.name: path.read_text(encoding="utf-8") for path in Path(folder).glob("*.py")}
    printing = {name for name, text in found.items() if re.search(r"(?<![\w.])print\(|typer\.echo", text)}
    assert printing == {"main.py", "terminal.py"}  # errors of main are one line already


@pytest.mark.parametrize("as_json", [False, True])
def test_the_card_of_models_by_others(as_json: bool, kakehashi: CommandLine, tmp_path: Path) -> None:
    card = Card(
        FORMAT, f"by {HOSTILE}", "2026-01-01", HOSTILE, HOSTILE, HOSTILE, "de", "en", 7,
        {f"translation{HOSTILE}": {"note": HOSTILE}}, {"system": HOSTILE, "measure": "MAP", "value": 0.5}, {},
    )  # fmt: skip
    with zipfile.ZipFile(tmp_path / "models.zip", "w") as archive:
        archive.writestr(CARD, msgspec.json.encode(card))
    shown = kakehashi("model", "show", tmp_path / "models.zip", *(["--json"] if as_json else [])).out
    assert "translation" in shown
    assert is_harmless(shown)


def test_hits_as_json(kakehashi: CommandLine, tmp_path: Path) -> None:
    with CollectionWriter(tmp_path / "x", CollectionInfo("x", "en", "en")) as writer:
        writer.document(Text("d1", "en", "a battery", f"cell {HOSTILE}"))
    Library(tmp_path / "x").update_index()
    called = kakehashi("search", tmp_path / "x", "battery", "--system", "bm25", "--json")
    assert is_harmless(called.out)
    assert HOSTILE in called.json["hits"][0]["title"]


def test_progress_takes_names_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    from rich.console import Console

    console = Console(force_terminal=True, color_system=None)
    bars = Bars(console)
    with console.capture() as captured:
        bars.start(f"reading [/bold]{HOSTILE}", 2)
        bars.finish()
    assert "reading [/bold]" in captured.get()
    assert "\x1b]0;mine" not in captured.get()
