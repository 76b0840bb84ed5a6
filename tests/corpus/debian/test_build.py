"""Both builds from end to end: on a root of our own making, and for real where there is an archive."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kakehashi.corpus.collection import Collection
from kakehashi.corpus.debian.apt import AptRoot, Index
from kakehashi.corpus.debian.build import build_help, build_packages
from kakehashi.errors import InputError, KakehashiError

NO_ARCHIVE = ("check the network", "the archive this machine uses")  # reasons to skip, not to fail
TEXT = "Lamps give a warm and steady light to every room of this old house."
PACKAGES = """Package: lamp
Version: 1
Section: light
Depends: wick
Description: lamp
Description-md5: 11

Package: wick
Version: 1
Description: wick
Description-md5: 22
"""
ENGLISH = f"""Description-md5: 11
Description-en: source of light
 {TEXT}

Description-md5: 22
Description-en: thing that burns
 Without it {TEXT}
"""
GERMAN = """Description-md5: 11
Description-de: Lichtquelle
 Sie leuchtet warm.
"""


class Archive(AptRoot):
    """A root whose archive is two folders and three texts."""

    def __init__(self, packages: dict[str, Path] | None = None):
        self.notes: list[str] = []
        self._packages = packages or {}

    def update(self, languages: Any, force: bool = False) -> None:
        self.languages = list(languages)

    def require(self, identifier: str, language: str = "") -> list[Index]:
        return [Index(Path(f"{identifier}{language}"), "Lampian bulb 3.1")]

    def read(self, index: Index) -> Iterator[bytes]:
        texts = {"Packages": PACKAGES, "Translationsen": ENGLISH, "Translationsde": GERMAN}
        return iter([texts[str(index.file)].encode()])

    def package(self, name: str) -> Path:
        return self._packages[name]


def test_packages_are_built_from_three_indices(tmp_path: Path) -> None:
    root = Archive()
    counts = build_packages(tmp_path / "out", "de", root=root)
    assert root.languages == ["en", "de"]
    assert (counts["documents"], counts["queries"], counts["links"]) == (2, 1, 1)
    assert Collection(tmp_path / "out").info.made_with == {"archive": "Lampian bulb 3.1"}
    assert next(Collection(tmp_path / "out").queries()).title == "Lichtquelle"


def test_help_is_built_from_two_packages(
    tmp_path: Path, help_package: Callable[..., Path], page: Callable[..., bytes]
) -> None:
    english = page("Lamp", f'<p id="a">{TEXT}</p>')
    german = page("Lampe", '<p id="a">Lampen leuchten warm.</p>', "de")
    root = Archive(
        {
            "libreoffice-help-en-us": help_package("en-US", {"slamp/a": english}),
            "libreoffice-help-de": help_package("de", {"slamp/a": german}),
        }
    )
    counts = build_help(tmp_path / "out", "de", root=root)
    assert (counts["documents"], counts["queries"], counts["paragraph pairs"]) == (1, 1, 2)


def test_a_folder_in_use_is_refused_before_anything_is_fetched(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    root = Archive()
    with pytest.raises(InputError, match="not a collection"):
        build_packages(tmp_path, "de", root=root)
    assert not hasattr(root, "languages")


def real_counts(build: Callable[..., dict[str, int]], folder: Path) -> dict[str, int]:
    if shutil.which("apt-get") is None:
        pytest.skip("apt is not installed")
    try:
        return build(folder, "ja")
    except KakehashiError as error:
        if not any(reason in str(error) for reason in NO_ARCHIVE):
            raise
        pytest.skip(str(error))


def assert_no_leak(collection: Collection) -> None:
    """Checked on the written files, block by block, on both sides."""
    held = set()
    for split in ("dev", "test"):
        for name in ("queries.jsonl", "originals.jsonl"):
            for text in collection.split_queries(split, name):
                held.update(text.content.casefold().split("\n"))
    pairs = list(collection.parallel())
    assert pairs
    assert not [pair for pair in pairs if {side.casefold() for side in pair} & held]


@pytest.mark.real
def test_real_help_has_about_the_known_size(tmp_path: Path) -> None:
    counts = real_counts(build_help, tmp_path / "help")
    assert 2_000 <= counts["documents"] <= 4_000
    assert 6_000 <= counts["links"] <= 16_000
    assert 500 <= counts["queries"] <= counts["documents"]
    assert 10_000 <= counts["pairs kept"] < counts["paragraph pairs"]
    assert_no_leak(Collection(tmp_path / "help"))


@pytest.mark.real
def test_real_packages_have_about_the_known_size(tmp_path: Path) -> None:
    counts = real_counts(build_packages, tmp_path / "packages")
    assert 20_000 <= counts["documents"] <= 60_000
    assert 2_500 <= counts["queries"] <= 8_000
    assert 1_500 <= counts["queries with links"] < counts["queries"]
    assert 7_000 <= counts["pairs kept"] < counts["paragraph pairs"]
    assert_no_leak(Collection(tmp_path / "packages"))
