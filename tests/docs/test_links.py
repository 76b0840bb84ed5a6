"""Links resolve, and paths that are named exist."""

import re
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, ROOT, name_of, read, without_code

LINK = re.compile(r"\]\(([^)\s]+)\)")
PATH = re.compile(r"`((?:kakehashi|tests|docs|bench|\.ci)/[\w./-]*)`")


def anchors(page: str) -> set[str]:
    """As the usual viewers make them: lower case, signs dropped, blanks to hyphens."""
    titles = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", page, flags=re.S | re.M), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_relative_link_resolves(page: Path) -> None:
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        if link.startswith(("http://", "https://")):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), f"{link} leads nowhere"
        assert ROOT in target.parents, f"{link} leads out of the project"
        if anchor:
            assert anchor in anchors(target.read_text(encoding="utf-8")), f"{link}: no such heading"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_path_that_is_named_exists(page: Path) -> None:
    named = PATH.findall(page.read_text(encoding="utf-8"))
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_architecture_names_every_room() -> None:
    named = set(PATH.findall(read("ARCHITECTURE.md")))
    rooms = {
        f"kakehashi/{path.name}/" for path in ROOT.glob("kakehashi/*/") if (path / "__init__.py").exists()
    }
    assert rooms <= named


def test_headings_of_the_architecture_are_questions() -> None:
    titles = re.findall(r"^## (.*)$", read("ARCHITECTURE.md"), re.M)
    assert [title for title in titles if not (title.endswith("?") or title.startswith("Here is"))] == []


def test_guide_leads_to_every_page() -> None:
    linked = {link.partition("#")[0] for link in LINK.findall(read("docs/index.md"))}
    assert {page.name for page in ROOT.glob("docs/*.md")} - {"index.md"} <= linked


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_page_names_a_place_on_one_machine(page: Path) -> None:
    assert not re.search(r"(?<![\w~.])/(?:home|tmp|work|root|usr)/", page.read_text(encoding="utf-8"))
    assert "TODO" not in without_code(page.read_text(encoding="utf-8"))
