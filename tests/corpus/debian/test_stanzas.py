from collections.abc import Callable, Sequence

import pytest

from kakehashi.corpus.debian import stanzas
from kakehashi.corpus.debian.stanzas import read_stanzas
from kakehashi.errors import KakehashiError

TEXT = """Package: lamp
Version: 1.0
Description: a lamp
 It gives light.
 .
 Package: not a field
Tag: use::light,
 role::program

Package: candle
Size: 3

Size: 4
"""
EXPECTED = [
    {"Package": "lamp", "Description": "a lamp\n It gives light.\n .\n Package: not a field"},
    {"Package": "candle"},
]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 10_000])
def test_stanzas_do_not_depend_on_where_blocks_end(
    blocks: Callable[[str, int], Sequence[bytes]], size: int
) -> None:
    assert list(read_stanzas(blocks(TEXT, size), ["Package", "Description"])) == EXPECTED


def test_bad_bytes_are_replaced_not_fatal() -> None:
    assert list(read_stanzas([b"Package: l\xffmp\n"], ["Package"])) == [{"Package": "l\ufffdmp"}]


def test_nothing_gives_nothing() -> None:
    assert list(read_stanzas([], ["Package"])) == []
    assert list(read_stanzas([b"\n\n\n \n: \n:"], ["Package"])) == []


def test_an_endless_stanza_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stanzas, "MAX_STANZA", 100)
    with pytest.raises(KakehashiError, match="stanza"):
        list(read_stanzas([b"Tag: " + b"x" * 80] * 3, ["Tag"]))
