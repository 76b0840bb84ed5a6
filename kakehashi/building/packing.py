"""One file of a collection's models, for use elsewhere: models, analyzers and a card that says where they come from.

The file is a ZIP archive of a small collection folder without documents: collection.toml, an empty index that holds
the analyzers, the models' artifacts, and card.json. Unpacking checks names, sizes and checksums, and runs nothing.
"""

import re
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from kakehashi import __version__, store
from kakehashi.building.lending import (
    can_learn,
    copy_model,
    learn_weights,
    lends,
    trained_inputs,
)
from kakehashi.building.record import read_summary
from kakehashi.corpus.collection import INFO, CollectionInfo
from kakehashi.corpus.folders import hidden_folder, whole_folder
from kakehashi.corpus.writing import info_toml
from kakehashi.errors import FileError, InputError
from kakehashi.index.holdings import INDEX, Holdings
from kakehashi.index.update import Analyzers, build_index
from kakehashi.progress import SILENT, Progress, track
from kakehashi.systems.linear import DENSE
from kakehashi.systems.registry import TRAINERS

CARD, DOCUMENTS, FORMAT = "card.json", "documents.jsonl", 1
MOST_FILES, MOST_BYTES = 10_000, 100 << 30  # of an archive, unpacked
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,120}")  # of each folder and file inside


class Card(msgspec.Struct, frozen=True):
    """Where models come from and how good they were there."""

    format: int
    made_by: str
    made_on: str  # a date
    collection: str
    description: str
    licence: str  # of the texts that the models learned from
    source_language: str
    target_language: str
    documents: int
    models: dict[str, dict[str, Any]]  # what each one's artifact says of its training
    best: dict[str, Any]  # the best system there, by which measure on dev
    analyzers: dict[str, str]


def pack(holdings: Holdings, file: Path, progress: Progress = SILENT) -> Card:
    """Write the models of a collection to one file; `dense` goes without features that other collections may lack."""
    names = [name for name, trainer in TRAINERS.items() if lends(holdings, trainer)]
    if not names:
        raise InputError(f"{holdings.folder} has no trained model: run kakehashi build {holdings.folder}")
    if file.exists() and not file.is_file():
        raise InputError(f"{file} is not a file: choose another name")
    file.parent.mkdir(parents=True, exist_ok=True)
    with hidden_folder(file.resolve()) as place:
        folder = place / "models-of"
        packed = _portable(holdings, folder, names, progress)
        card = _card(holdings, packed)
        (folder / CARD).write_bytes(msgspec.json.format(msgspec.json.encode(card), indent=1) + b"\n")
        temporary = place / file.name
        _zip(folder, temporary, progress)
        store.sync(temporary)
        temporary.replace(file.resolve())  # a link stays a link
    return card


def _portable(holdings: Holdings, folder: Path, names: list[str], progress: Progress) -> list[str]:
    """A collection without documents that holds the models; the names of those that could be taken along."""
    info = holdings.collection.info
    own = CollectionInfo(
        info.name, info.source_language, info.target_language, info.description, info.licence
    )
    folder.mkdir()
    (folder / INFO).write_text(info_toml(own), encoding="utf-8")
    (folder / DOCUMENTS).touch()
    analyzers = Analyzers(holdings.index.analyzer, holdings.index.source_analyzer)
    build_index(folder / INDEX, [], analyzers, {})
    made = Holdings(folder)
    packed = [
        name for name in names if not TRAINERS[name].combines and "metadata" not in TRAINERS[name].needs
    ]
    for name in packed:
        copy_model(holdings.model_folder(name), made.model_folder(name), TRAINERS[name])
    inputs = trained_inputs(made)
    if DENSE in names and can_learn(holdings) and len(inputs) > 1:
        learn_weights(holdings, made.model_folder(DENSE), inputs, [], progress)
        packed.append(DENSE)
    return packed


def _card(holdings: Holdings, packed: list[str]) -> Card:
    info, summary = holdings.collection.info, read_summary(holdings.folder)
    models = {}
    for name in packed:
        meta = store.read_any(holdings.model_folder(name) / TRAINERS[name].parts[0]).meta
        models[name] = {key: value for key, value in meta.made_from.items() if key != "curve"}
    best = msgspec.to_builtins(summary.best) if summary and summary.best else {}
    return Card(
        FORMAT, f"kakehashi {__version__}", datetime.now(UTC).date().isoformat(), info.name, info.description,
        info.licence, info.source_language, info.target_language, holdings.index.n_docs, models, best,
        holdings.fingerprints,
    )  # fmt: skip


def _zip(folder: Path, file: Path, progress: Progress) -> None:
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != ".lock")
    with zipfile.ZipFile(file, "x", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for path in track(paths, "packing", len(paths), progress):
            archive.write(path, path.relative_to(folder).as_posix())


def unpack(file: Path, folder: Path, progress: Progress = SILENT) -> Card:
    """Put packed models into a new folder, whole or not at all; everything is checked before it is in place."""
    if folder.exists():
        raise InputError(f"{folder} exists already: choose a new folder")
    try:
        with zipfile.ZipFile(file) as archive, whole_folder(folder) as hidden:
            members = _members(file, archive)
            for member in track(members, "unpacking", len(members), progress):
                _extract(archive, member, hidden)
            card = _checked(file, hidden)
    except FileNotFoundError:
        raise FileError(file, None, "is missing") from None
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
        raise FileError(file, None, f"is not a file of packed models ({error}): pack them again") from None
    return card


def read_card(file: Path) -> Card:
    """The card alone; nothing is unpacked."""
    try:
        with zipfile.ZipFile(file) as archive, archive.open(CARD) as stream:
            return _decoded(file, stream.read(1 << 24))
    except FileNotFoundError:
        raise FileError(file, None, "is missing") from None
    except (zipfile.BadZipFile, KeyError, EOFError, NotImplementedError, RuntimeError) as error:
        raise FileError(file, None, f"is not a file of packed models ({error}): pack them again") from None


def _members(file: Path, archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    members = archive.infolist()
    if len(members) > MOST_FILES or sum(member.file_size for member in members) > MOST_BYTES:
        raise FileError(file, None, "holds more than any model: it is not unpacked")
    for member in members:
        parts = member.filename.split("/")
        linked = (member.external_attr >> 16) & 0o170000 == 0o120000
        if linked or not all(_NAME.fullmatch(part) for part in parts):
            raise FileError(file, None, f"holds {member.filename[:80]!r}, which no packed model has")
    return members


def _extract(archive: zipfile.ZipFile, member: zipfile.ZipInfo, folder: Path) -> None:
    """No more bytes than the archive promised: its reader stops there, or finds another checksum."""
    path = folder / member.filename
    path.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(member) as source, path.open("xb") as target:
        shutil.copyfileobj(source, target, 1 << 20)


def _checked(file: Path, folder: Path) -> Card:
    """Every artifact against its checksums, and the analyzers against the card."""
    card = _decoded(file, (folder / CARD).read_bytes() if (folder / CARD).is_file() else b"")
    for path in sorted(folder.rglob(store.META)):
        for fault in store.read_any(path.parent).faults():
            raise FileError(file, None, f"is damaged ({Path(fault).name}): pack it again")
    if Holdings(folder).fingerprints != card.analyzers:
        raise FileError(file, None, "has other analyzers than its card says: pack it again")
    return card


def _decoded(file: Path, data: bytes) -> Card:
    try:
        card = msgspec.json.decode(data, type=Card)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise FileError(file, None, f"has no readable card ({error}): pack it again") from None
    if card.format != FORMAT:
        raise FileError(file, None, f"has format {card.format}, this program reads {FORMAT}: pack it again")
    return card


@contextmanager
def opened_lender(place: Path | str | None) -> Iterator[Holdings | None]:
    """A collection folder, or a file of packed models, which is unpacked for as long as it is needed."""
    if place is None:
        yield None
    elif Path(place).is_dir():
        yield Holdings(place)
    else:
        with tempfile.TemporaryDirectory(prefix="kakehashi-") as hidden:
            unpack(Path(place), Path(hidden) / Path(place).stem)
            yield Holdings(Path(hidden) / Path(place).stem)
