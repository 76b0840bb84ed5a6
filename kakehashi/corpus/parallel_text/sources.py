"""Chooses the reader for a file of parallel text by its name."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kakehashi.corpus import lines
from kakehashi.corpus.parallel_text.aligned_lines import read_columns, read_side_by_side
from kakehashi.corpus.parallel_text.catalogues import (
    Skip,
    catalogue_files,
    read_catalogue,
    read_folder,
    refuse,
)
from kakehashi.corpus.parallel_text.dictionaries import read_ding, read_edict, read_tei
from kakehashi.corpus.parallel_text.sentence_pair import Languages, SentencePair, is_known, is_language
from kakehashi.corpus.parallel_text.tmx import read_tmx
from kakehashi.errors import FileError, InputError

BRACES = re.compile(r"(.*)\{([^{},]+),([^{},]+)\}(.*)", re.DOTALL)
EDICT = re.compile(r"(edict2?|compdic)([-_.].*)?", re.IGNORECASE)
DING = re.compile(r"(?:trans-)?([a-z]{2})-([a-z]{2})(?:\.txt|\.ding)?")
TEI = re.compile(r"(?:freedict-)?([a-z]{2,3})-([a-z]{2,3})\.tei")
FORMS = (
    "X.tsv, A.de,B.en (two files), X.tmx, X.mo or a folder of them, edict, de-en (ding), deu-eng.tei; "
    "see docs/translation.md"
)


@dataclass(frozen=True)
class ParallelText:
    """Parallel text that can be read repeatedly."""

    name: str  # as it was given
    reader: Callable[[Skip], Iterator[SentencePair]]

    def read(self, skip: Skip = refuse) -> Iterator[SentencePair]:
        """Its pairs; `skip` is called for the files of a folder that cannot be used."""
        return self.reader(skip)


def parallel_text(given: str, languages: Languages) -> ParallelText:
    """The reader for a file, a folder or two files separated by a comma; rejects files that do not exist."""
    path = Path(given)
    if path.is_dir():
        catalogue_files(
            path, languages
        )  # so that a folder without catalogues is rejected before a long computation
        return ParallelText(given, lambda skip: read_folder(path, languages, skip))
    two = None if path.is_file() else _two_files(given)
    if two is not None:
        source, target = _in_order(*two, languages)
        _require_files(source, target)
        return ParallelText(given, lambda _: read_side_by_side(source, target))
    _require_files(path)
    return _one_file(given, path, languages)


def _one_file(given: str, path: Path, languages: Languages) -> ParallelText:
    name = lines.stem(path)
    if name.endswith(".tsv"):
        return ParallelText(given, lambda _: read_columns(path))
    if name.endswith(".tmx"):
        return ParallelText(given, lambda _: read_tmx(path, languages))
    if path.suffix == ".mo":
        return ParallelText(given, lambda _: read_catalogue(path, languages))
    if tei := TEI.fullmatch(name):
        return ParallelText(given, lambda _: read_tei(path, languages, tei[1], tei[2]))
    if EDICT.fullmatch(name):
        return ParallelText(given, lambda _: read_edict(path, languages))
    if ding := DING.fullmatch(name):
        return ParallelText(given, lambda _: read_ding(path, languages, ding[1], ding[2]))
    raise InputError(f"{given}: the name does not show the format: give {FORMS}")


def _two_files(given: str) -> tuple[Path, Path] | None:
    """X.de,X.en, or X.{de,en} as typed; None for one file."""
    if braces := BRACES.fullmatch(given):
        before, one, other, after = braces.groups()
        return Path(before + one + after), Path(before + other + after)
    one, comma, other = given.partition(",")
    return (Path(one), Path(other)) if comma and one and other else None


def _in_order(one: Path, other: Path, languages: Languages) -> tuple[Path, Path]:
    """The source language first, if the names show it; otherwise in the given order."""
    straight, turned = (
        all(
            not is_known(ending, languages) or is_language(ending, language)
            for ending, language in zip(_endings(one, other), sides, strict=True)
        )
        for sides in (languages, languages[::-1])
    )
    if not straight and not turned:
        raise InputError(
            f"{one},{other}: the file extensions name other languages than {languages.source} and "
            f"{languages.target} of this collection: give one file in each"
        )
    return (one, other) if straight else (other, one)


def _endings(*paths: Path) -> list[str]:
    return [Path(lines.stem(path)).suffix.removeprefix(".") for path in paths]


def _require_files(*paths: Path) -> None:
    for path in paths:
        if not path.is_file():
            raise FileError(path, None, f"does not exist: give {FORMS}")
