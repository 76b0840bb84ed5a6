"""Builds the two collections from the archive: downloads what is missing, reads it, writes the folder."""

from pathlib import Path

from kakehashi.corpus.debian.apt import AptRoot
from kakehashi.corpus.debian.help_collection import HelpCollection
from kakehashi.corpus.debian.help_folder import read_contents, read_pages
from kakehashi.corpus.debian.packages_collection import PackagesCollection
from kakehashi.corpus.debian.packages_index import read_binaries, read_translations
from kakehashi.corpus.writing import refuse_to_overwrite
from kakehashi.progress import SILENT, Progress, track


def build_help(
    folder: Path,
    language: str,
    short: bool = False,
    force: bool = False,
    root: AptRoot | None = None,
    progress: Progress = SILENT,
) -> dict[str, int]:
    """LibreOffice's help with queries in `language`; returns the counts."""
    refuse_to_overwrite(folder, force)
    root = root or AptRoot()
    update_index(root, [], progress)
    names = ["libreoffice-help-en-us", f"libreoffice-help-{language}"]
    ours, theirs = (root.package(name) for name in track(names, "fetching packages", len(names), progress))
    english = read_pages(ours, "en-US", progress)
    collection = HelpCollection(
        language, english, read_pages(theirs, language, progress), read_contents(ours, "en-US"), short
    )
    collection.write(folder, {"packages": f"{ours.name} {theirs.name}"}, force)
    return collection.counts


def build_packages(
    folder: Path,
    language: str,
    masked: bool = True,
    force: bool = False,
    root: AptRoot | None = None,
    progress: Progress = SILENT,
) -> dict[str, int]:
    """Package descriptions with queries in `language`; returns the counts."""
    refuse_to_overwrite(folder, force)
    root = root or AptRoot()
    update_index(root, ["en", language], progress)
    found = root.require("Packages")
    binaries = read_binaries(
        root.read(index) for index in track(found, "reading packages", len(found), progress)
    )
    english, translated = (
        read_translations(map(root.read, root.require("Translations", wanted)), wanted)
        for wanted in track(["en", language], "reading descriptions", 2, progress)
    )
    collection = PackagesCollection(language, binaries, english, translated, masked)
    collection.write(folder, {"archive": found[0].release}, force)
    return collection.counts


def update_index(root: AptRoot, languages: list[str], progress: Progress) -> None:
    progress.start("fetching the package index")
    try:
        root.update(languages)
    finally:
        progress.finish()
