"""Binary packages of the archive's index, newest version of each; and descriptions by their md5."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from kakehashi.corpus.debian.references import FIELDS as RELATIONS
from kakehashi.corpus.debian.stanzas import read_stanzas

WANTED = (
    "Package",
    "Source",
    "Version",
    "Maintainer",
    "Section",
    "Tag",
    "Description",
    "Description-md5",
    *RELATIONS,
)
PART = re.compile(r"(\D*)(\d*)")


@dataclass(frozen=True)
class Binary:
    """One binary package."""

    name: str
    source: str
    version: str
    maintainer: str
    section: str
    tags: tuple[str, ...]
    description: str  # complete only in archives without translation indices
    md5: str
    relations: dict[str, str]


def read_binaries(indices: Iterable[Iterable[bytes]]) -> dict[str, Binary]:
    """By name; of several versions (release, updates, security) the newest is used."""
    found: dict[str, Binary] = {}
    for blocks in indices:
        for stanza in read_stanzas(blocks, WANTED):
            name = stanza.get("Package")
            if name is None or not stanza.get("Description"):
                continue
            before = found.get(name)
            if before is None or version_key(before.version) < version_key(stanza.get("Version", "")):
                found[name] = _binary(name, stanza)
    return found


def read_translations(indices: Iterable[Iterable[bytes]], language: str) -> dict[str, str]:
    """Description-md5 -> description, as in the index."""
    field = f"Description-{language}"
    found = {}
    for blocks in indices:
        for stanza in read_stanzas(blocks, ("Description-md5", field)):
            if "Description-md5" in stanza and stanza.get(field):
                found[stanza["Description-md5"]] = stanza[field]
    return found


def version_key(version: str) -> tuple[Any, ...]:
    """Debian's order of versions: epoch, upstream version, revision; `~` sorts before the end of a part."""
    epoch, colon, rest = version.partition(":")
    if not colon or not epoch.isdigit():
        epoch, rest = "0", version
    upstream, _, revision = rest.rpartition("-") if "-" in rest else (rest, "", "0")
    return int(epoch), _parts(upstream), _parts(revision)


def _parts(text: str) -> tuple[tuple[tuple[int, ...], int], ...]:
    """Runs of non-digits, compared by weight and ended by 0, each with the number after it."""
    runs = [(letters, digits) for letters, digits in PART.findall(text) if letters or digits]
    return tuple((*(_weights(letters),), int(digits or 0)) for letters, digits in [*runs, ("", "")])


def _weights(letters: str) -> tuple[int, ...]:
    return (
        *(-1 if letter == "~" else ord(letter) + (0 if letter.isalpha() else 256) for letter in letters),
        0,
    )


def _binary(name: str, stanza: dict[str, str]) -> Binary:
    description = stanza["Description"]
    md5 = (
        stanza.get("Description-md5")
        or hashlib.md5(f"{description}\n".encode(), usedforsecurity=False).hexdigest()
    )
    return Binary(
        name=name,
        source=stanza.get("Source", name).split(" ")[0],
        version=stanza.get("Version", ""),
        maintainer=stanza.get("Maintainer", "").partition("<")[0].strip().strip('"'),
        section=stanza.get("Section", "").rpartition("/")[2],  # contrib/games is games
        tags=tuple(
            sorted(
                {
                    tag.strip()
                    for tag in stanza.get("Tag", "").split(",")
                    if "::" in tag and not tag.endswith("TODO")
                }
            )
        ),
        description=description,
        md5=md5,
        relations={key: stanza[key] for key in RELATIONS if key in stanza},
    )
