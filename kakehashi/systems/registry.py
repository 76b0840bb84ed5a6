"""Every system and every trainer by its short name, made from the families' files; nothing else lists them."""

from collections.abc import Mapping

from kakehashi.errors import InputError
from kakehashi.systems import bilinear, boosted, fused, lexical, linear, lowrank, topics, translated
from kakehashi.systems.outside import RUN, Plugin, plugins
from kakehashi.systems.spec import SystemSpec, Trainer

FAMILIES = (lexical, translated, bilinear, boosted, lowrank, topics, linear, fused)
SYSTEMS: dict[str, SystemSpec] = {spec.name: spec for family in FAMILIES for spec in family.SPECS}
TRAINERS: dict[str, Trainer] = {
    trainer.name: trainer
    for trainer in sorted(
        {spec.trainer for spec in SYSTEMS.values() if spec.trainer}, key=lambda trainer: trainer.name
    )
}


def offered() -> Mapping[str, Plugin]:
    """The systems of other packages, not loaded yet."""
    return plugins(frozenset({*SYSTEMS, RUN.name}))


def spec_of(name: str) -> SystemSpec:
    others = offered()  # checked even if not needed, so that a name clash is always reported
    if name in SYSTEMS:
        return SYSTEMS[name]
    if name == RUN.name:
        return RUN
    if name in others:
        return others[name].load()
    raise InputError(f"there is no system '{name}': choose one of {', '.join([*SYSTEMS, RUN.name, *others])}")


def trainer_of(name: str) -> Trainer:
    if name not in TRAINERS:
        raise InputError(f"'{name}' cannot be trained: choose one of {', '.join(TRAINERS)}")
    return TRAINERS[name]
