"""`data get help`, `packages` and `parallel`: collections and text from the Debian archive."""

import sys
from enum import StrEnum
from pathlib import Path

import typer

from kakehashi.cli.terminal import say

# Measured on Debian 12 (main, amd64); another release or more sources give other figures.
HELP_FIGURES = {"documents": 2_420, "links": 7_976}
HELP_PAIRS = {"de": 36_500}
PACKAGES_FIGURES = {"documents": 33_844}
PACKAGES_QUERIES = {"de": 6_718, "fr": 11_174, "ja": 3_565}


class Language(StrEnum):
    """Languages of both collections."""

    de = "de"
    fr = "fr"
    ja = "ja"


FOLDER = typer.Argument(help="The folder to create.", show_default=False)
LANGUAGE = typer.Option(..., "--lang", help="Language of the queries.", show_default=False)
FORCE = typer.Option(False, "--force", help="Replace an existing collection.")


def help_pages(
    folder: Path = FOLDER,
    lang: Language = LANGUAGE,
    short: bool = typer.Option(
        False, "--short", help="Use only the title and the first two blocks of a page as a query."
    ),
    force: bool = FORCE,
) -> None:
    """Build a collection of LibreOffice help pages: find the English page and the pages linked with it."""
    from kakehashi.cli.progress import progress
    from kakehashi.corpus.debian.apt import AptRoot
    from kakehashi.corpus.debian.build import build_help

    root = AptRoot()
    counts = build_help(folder, lang.value, short, force, root, progress())
    figures = dict(HELP_FIGURES)
    if lang.value in HELP_PAIRS:
        figures["paragraph pairs"] = HELP_PAIRS[lang.value]
    _report(folder, counts, figures, root.notes)


def packages(
    folder: Path = FOLDER,
    lang: Language = LANGUAGE,
    unmasked: bool = typer.Option(False, "--unmasked", help="Do not mask names and code-like tokens."),
    force: bool = FORCE,
) -> None:
    """Build a collection of Debian package descriptions: find the same package in English and those it refers to."""
    from kakehashi.cli.progress import progress
    from kakehashi.corpus.debian.apt import AptRoot
    from kakehashi.corpus.debian.build import build_packages

    root = AptRoot()
    counts = build_packages(folder, lang.value, not unmasked, force, root, progress())
    _report(folder, counts, {**PACKAGES_FIGURES, "queries": PACKAGES_QUERIES[lang.value]}, root.notes)


def parallel(
    file: Path = typer.Argument(help="The file to write: X.tsv, X.tsv.gz or X.tsv.zst.", show_default=False),
    lang: Language = typer.Option(
        ..., "--lang", help="The language to pair with English.", show_default=False
    ),
    force: bool = typer.Option(False, "--force", help="Replace an existing file."),
) -> None:
    """Get parallel text for `train translation --parallel`: program messages and a dictionary."""
    from kakehashi.cli.progress import progress
    from kakehashi.corpus.debian.apt import AptRoot
    from kakehashi.corpus.debian.parallel_text import build_parallel_text

    root = AptRoot()
    counts = build_parallel_text(file, lang.value, force, root, progress())
    _report(file, counts, {}, root.notes)


def _report(folder: Path, counts: dict[str, int], figures: dict[str, int], notes: list[str]) -> None:
    width = max(map(len, counts))
    say(f"{'':{width}}  {'built here':>10}  {'counted once on Debian 12' if figures else ''}".rstrip())
    for name, count in counts.items():
        say(f"{name:{width}}  {count:10,}  {f'{figures[name]:,}' if name in figures else ''}".rstrip())
    say(f"written to {folder}")
    for note in notes:
        say(f"kakehashi: {note}", file=sys.stderr)
