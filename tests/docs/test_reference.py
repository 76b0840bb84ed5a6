"""The reference of commands and systems says what the program does."""

import msgspec
import pytest

from kakehashi.fuse.rules import RULES
from kakehashi.systems.registry import SYSTEMS, TRAINERS
from tests.docs.pages import all_commands, command_tree, options, read, script

COMMANDS = list(all_commands(command_tree()))


def section(page: str, title: str) -> str:
    """From the heading to the next one of its level."""
    assert f"\n## {title}\n" in page, f"no heading '## {title}'"
    return page.split(f"\n## {title}\n")[1].split("\n## ")[0]


@pytest.mark.parametrize("name", ["commands.md", "systems.md"])
def test_generated_part_is_fresh(name: str) -> None:
    generate = script("generate")
    assert generate.refreshed(name) == read(f"docs/{name}"), f"docs/{name}: run python docs/generate.py"


@pytest.mark.parametrize(("path", "command"), COMMANDS, ids=[" ".join(path) or "-" for path, _ in COMMANDS])
def test_command_and_every_option_is_in_the_reference(path: tuple[str, ...], command: object) -> None:
    text = section(read("docs/commands.md"), " ".join(("kakehashi", *path)))
    missing = {option for option in options(command) - {"--help"} if option not in text}
    assert not missing


@pytest.mark.parametrize("name", SYSTEMS)
def test_system_and_every_setting_is_explained(name: str) -> None:
    page = read("docs/systems.md")
    section(page, name)
    by_hand = section(page, "What the settings mean")
    assert f"`{name}`" in by_hand
    for field in msgspec.structs.fields(SYSTEMS[name].settings):
        assert f"`{field.name}`" in by_hand, f"{name}: setting {field.name}"


def test_every_rule_of_fusion_is_listed() -> None:
    text = section(read("docs/systems.md"), "Rules of `kakehashi fuse`")
    assert all(f"`{rule}`" in text for rule in RULES)


@pytest.mark.parametrize("name", ["lowrank", "topics"])
def test_every_setting_of_a_dense_training_is_explained(name: str) -> None:
    pages = read("docs/lowrank.md") + read("docs/learning.md")
    for field in msgspec.structs.fields(TRAINERS[name].settings):
        assert f"`{field.name}`" in pages, f"{name}: setting {field.name}"


def test_every_setting_of_the_training_of_fused_is_explained() -> None:
    page = read("docs/fusion.md")
    for field in msgspec.structs.fields(TRAINERS["fused"].settings):
        assert f"`{field.name}`" in page, f"fused: setting {field.name}"


@pytest.mark.parametrize("name", ["knowledge", "dense"])
def test_every_setting_of_a_linear_training_is_explained(name: str) -> None:
    page = read("docs/knowledge.md")
    for field in msgspec.structs.fields(TRAINERS[name].settings):
        assert f"`{field.name}`" in page, f"{name}: setting {field.name}"
