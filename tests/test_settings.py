"""What a setting means is read from its struct, wherever it was declared."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from kakehashi.settings import Setting, settings_of


class Cooking(msgspec.Struct):
    heat: Annotated[Literal["low", "high"], Meta(description="How hot it is.")] = "low"
    minutes: Annotated[int, Meta(description="Time in the oven.")] = 10
    covered: bool = False
    name: Annotated[str | None, Meta(description="Of the dish.")] = ""


class Roasting(Cooking):
    minutes: int = 90
    covered: Annotated[bool, Meta(description="Put the lid on.")] = True


class Slow(Roasting):
    minutes: int = 240


class Order(msgspec.Struct):
    dish: Annotated[str, Meta(description="What to cook.")]
    heat: Annotated[Literal["low", "high"] | None, Meta(description="As the cook likes it.")] = None


def by_name(struct: type[msgspec.Struct]) -> dict[str, Setting]:
    return {setting.name: setting for setting in settings_of(struct)}


def test_setting_has_name_default_choices_and_meaning() -> None:
    heat = by_name(Cooking)["heat"]
    assert (heat.choices, heat.shown_default, heat.description) == (("low", "high"), "low", "How hot it is.")
    assert by_name(Order)["heat"].choices == ("low", "high")


def test_kinds_and_defaults_are_shown_as_they_are_typed() -> None:
    found = by_name(Cooking)
    assert [found[name].kind for name in ("minutes", "covered", "name")] == [
        "whole number",
        "true or false",
        "text",
    ]
    assert [setting.shown_default for setting in found.values()] == ["low", "10", "false", '""']
    assert by_name(Order)["dish"].shown_default == ""


def test_undescribed_setting_has_no_meaning() -> None:
    assert by_name(Cooking)["covered"].description == ""


def test_changed_default_keeps_the_inherited_meaning() -> None:
    for struct, minutes in ((Roasting, 90), (Slow, 240)):
        found = by_name(struct)["minutes"]
        assert (found.default, found.kind, found.description) == (
            minutes,
            "whole number",
            "Time in the oven.",
        )
    assert by_name(Slow)["covered"].description == "Put the lid on."


def test_type_carries_the_inherited_meaning_into_another_struct() -> None:
    copied = msgspec.defstruct("Copied", [(one.name, one.type, one.default) for one in settings_of(Slow)])
    assert [(one.name, one.default, one.description) for one in settings_of(copied)] == [
        (one.name, one.default, one.description) for one in settings_of(Slow)
    ]
