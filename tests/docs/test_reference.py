"""The reference of commands and systems says what the program does."""

from typing import Annotated

import msgspec
import pytest
from msgspec import Meta

from kakehashi.fuse.rules import RULES, Fusion
from kakehashi.lexicon.company import CfhSettings
from kakehashi.settings import settings_of
from kakehashi.systems.outside import RUN
from kakehashi.systems.registry import SYSTEMS, TRAINERS, spec_of
from kakehashi.text.settings import AnalyzerSettings
from tests.docs.pages import all_commands, command_tree, options, read, script

COMMANDS = list(all_commands(command_tree()))
DECLARED: dict[str, type[msgspec.Struct]] = {
    **{name: spec.settings for name, spec in SYSTEMS.items()},
    RUN.name: RUN.settings,
    **{f"train {name}": trainer.settings for name, trainer in TRAINERS.items()},
    "analyzer": AnalyzerSettings,
    "fuse": Fusion,
    "cfh": CfhSettings,
}
GUIDES = {
    "cnn-joint": "neural.md",
    "cnn-meta": "neural.md",
    "cnn-stacked": "neural.md",
    "cnn-text": "neural.md",
    "translation": "translation.md",
    "bilinear": "learning.md",
    "boosted": "boosting.md",
    "lowrank": "lowrank.md",
    "topics": "lowrank.md",
    "related": "related-words.md",
    "mapped": "related-words.md",
    "encoder": "encoders.md",
    "examples": "earlier-searches.md",
    "knowledge": "knowledge.md",
    "dense": "knowledge.md",
    "fused": "fusion.md",
}


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


@pytest.mark.parametrize("name", DECLARED)
def test_every_setting_describes_itself(name: str) -> None:
    for setting in settings_of(DECLARED[name]):
        about = f"{name}: setting {setting.name}"
        assert setting.description, f"{about} has no Meta(description=...)"
        assert setting.description.endswith("."), f"{about} is not described in sentences"


def test_undescribed_setting_would_be_noticed() -> None:
    class Silent(msgspec.Struct):
        said: Annotated[int, Meta(description="Something.")] = 1
        unsaid: int = 1  # a comment is no description

    assert [setting.name for setting in settings_of(Silent) if not setting.description] == ["unsaid"]


@pytest.mark.parametrize("name", [*SYSTEMS, RUN.name])
def test_system_is_in_the_reference(name: str) -> None:
    page = read("docs/systems.md")
    assert f"`{name}`" in section(page, "Formulas and advice")
    shown = section(page, name)
    if "Settings and defaults are those of" not in shown:
        for setting in settings_of(spec_of(name).settings):
            assert f"| `{setting.name}` | " in shown, f"{name}: setting {setting.name}"
            assert f" | {setting.description} |" in shown, f"{name}: setting {setting.name}"


@pytest.mark.parametrize("name", TRAINERS)
def test_every_setting_of_a_training_is_in_the_reference(name: str) -> None:
    shown = read("docs/systems.md").split(f"\nSettings of `kakehashi train {name}`:\n")[1].split("\n## ")[0]
    for setting in settings_of(TRAINERS[name].settings):
        row = f"| `{setting.name}` | "
        assert row in shown, f"train {name}: setting {setting.name}"
        assert f" | {setting.description} |" in shown, f"train {name}: setting {setting.name}"


def test_every_rule_of_fusion_is_listed() -> None:
    text = section(read("docs/systems.md"), "Rules of `kakehashi fuse`")
    assert all(f"`{rule}`" in text for rule in RULES)


def test_every_training_has_a_guide() -> None:
    assert GUIDES.keys() == TRAINERS.keys()


@pytest.mark.parametrize("name", GUIDES)
def test_guide_links_to_the_settings_of_its_training(name: str) -> None:
    system = next(spec.name for spec in SYSTEMS.values() if spec.trainer and spec.trainer.name == name)
    assert f"\nSettings of `kakehashi train {name}`:\n" in section(read("docs/systems.md"), system)
    assert f"](systems.md#{system})" in read(f"docs/{GUIDES[name]}")
