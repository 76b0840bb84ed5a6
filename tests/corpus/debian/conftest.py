"""Small pages and indices of our own invention, in the markup of the real ones."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest


def make_page(title: str, body: str, lang: str = "en-US") -> bytes:
    """A help page around the given body."""
    return f"""<!DOCTYPE html>
<html lang="{lang}" dir="ltr"><head><base href="../../../../"><title>{title} </title></head><body>
<header><a href="{lang}/text/shared/05/start.html"><p>Suite Help</p></a></header>
<aside class="leftside"><div id="Index"><p id="par_id9">Index</p></div></aside>
<div id="DisplayArea" itemscope="true">{body}</div>
<footer><p>This page is: <a href="https://example.org/x">source</a></p></footer></body></html>""".encode()


@pytest.fixture
def page() -> Callable[..., bytes]:
    return make_page


@pytest.fixture
def help_package(tmp_path: Path) -> Callable[[str, dict[str, bytes], str], Path]:
    """Writes pages as a package unpacked into a folder, and returns the folder."""

    def write(lang: str, pages: dict[str, bytes], contents: str = "") -> Path:
        start = tmp_path / f"package-{lang}" / "usr/share/libreoffice/help" / lang
        for name, data in pages.items():
            path = start / "text" / f"{name}.html"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        start.mkdir(parents=True, exist_ok=True)
        (start / "contents.js").write_text(contents, encoding="utf-8")
        return tmp_path / f"package-{lang}"

    return write


@pytest.fixture
def blocks() -> Callable[[str, int], Sequence[bytes]]:
    """Text in pieces of some length, as a pipe hands it over."""

    def cut(text: str, size: int) -> Sequence[bytes]:
        data = text.encode()
        return [data[start : start + size] for start in range(0, len(data), size)]

    return cut
