from collections.abc import Callable
from pathlib import Path

import pytest

from kakehashi.corpus.debian.help_folder import parse_contents, read_contents, read_pages
from kakehashi.errors import FileError

CONTENTS = r"""document.getElementById("Contents").innerHTML='\
    <ul><li><input type="checkbox" id="01"><label for="01">Lamps (Light)</label><ul>\
    <li><input type="checkbox" id="0101"><label for="0101">Menu\'s</label><ul>\
    <li><a target="_top" href="en-US/text/slamp/a.html?DbPAR=LAMP">A</a></li>\
    </ul></li>\
    <li><a target="_top" href="en-US/text/slamp/b.html?DbPAR=LAMP">B</a></li>\
    </ul></li></ul>\
';
"""

Writer = Callable[..., Path]
PageMaker = Callable[..., bytes]


def test_pages_have_their_path_as_id(help_package: Writer, page: PageMaker) -> None:
    folder = help_package("en-US", {"slamp/guide/a": page("A", '<p id="x">Text.</p>')})
    assert list(read_pages(folder, "en-US")) == ["slamp/guide/a"]


def test_pages_under_00_and_pages_without_text_are_left_out(help_package: Writer, page: PageMaker) -> None:
    text = page("A", '<p id="x">Text.</p>')
    folder = help_package("en-US", {"slamp/00/a": text, "slamp/a": text, "slamp/b": page("B", "")})
    assert list(read_pages(folder, "en-US")) == ["slamp/a"]


def test_a_package_without_pages_is_an_error_that_names_the_folder(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no help pages"):
        read_pages(tmp_path, "en-US")


def test_contents_give_each_page_the_labels_above_it(help_package: Writer) -> None:
    expected = {"slamp/a": ["Lamps (Light) > Menu's"], "slamp/b": ["Lamps (Light)"]}
    assert read_contents(help_package("en-US", {}, CONTENTS), "en-US") == expected


def test_a_script_without_a_tree_has_no_contents() -> None:
    assert parse_contents("var bookmarks = [];", "en-US") == {}
