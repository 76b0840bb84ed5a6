"""Systems named in a setting, such as `psq boosted(model=boosted-1g)`; light enough for every start to import."""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from kakehashi.errors import InputError

NAME = re.compile(r"[a-z][a-z0-9-]*")  # of a system
_INPUT = re.compile(rf"({NAME.pattern})(?:\(([^()]*)\))?")


class Asked(msgspec.Struct, frozen=True):
    """A system whose scores are an input."""

    system: str
    settings: Mapping[str, Any] = {}

    @property
    def name(self) -> str:
        """As in `psq`, or `boosted(model=boosted-1g)` if something is set."""
        given = ", ".join(f"{name}={value}" for name, value in self.settings.items())
        return f"{self.system}({given})" if given else self.system


def parse_inputs(text: str) -> list[Asked]:
    """Systems as in `psq boosted(model=boosted-1g)`."""
    found, rest = [], text.strip()
    while rest:
        match = _INPUT.match(rest)
        pairs = [part.split("=", 1) for part in (match[2] or "").split(",") if part.strip()] if match else []
        if match is None or any(len(pair) != 2 for pair in pairs):
            raise InputError(f"inputs: '{rest}' is not a system: write psq, or boosted(model=boosted-1g)")
        found.append(Asked(match[1], {name.strip(): value.strip() for name, value in pairs}))
        rest = rest[match.end() :].lstrip(" ,+")
    names = [asked.name for asked in found]
    if len(set(names)) < len(names):
        raise InputError(f"inputs: '{text}' names a system twice")
    return found
