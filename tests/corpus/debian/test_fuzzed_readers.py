"""Whatever an index or a page holds, a reader gives a result or one of our errors."""

from hypothesis import given, settings
from hypothesis import strategies as st

from kakehashi.corpus.debian.descriptions import pair_up, parse_description
from kakehashi.corpus.debian.help_folder import parse_contents
from kakehashi.corpus.debian.help_page import parse_page
from kakehashi.corpus.debian.masking import MASK, Masker, own_names
from kakehashi.corpus.debian.packages_index import read_binaries, version_key
from kakehashi.corpus.debian.references import relation_groups

MARKUP = st.lists(
    st.sampled_from(
        [
            b"<div id='DisplayArea'>", b"<p id=a>", b"</p>", b"<a href='de/text/x/y.html'>", b"</p>",
            b"<span class='switch'>",
            b"<span id=default1>", b"</span>", b"<div class='howtoget'>", b"</div>", b"<h1>", b"\x00",
            b"\xff",
            b"<!--", b"-->", b"&#0;", b"&amp;", b"word ", b"<p", b"<title>t", b"<script>", b"]]>", b"<html>",
        ]
    ),
    max_size=40,
).map(b"".join)  # fmt: skip
FIELDS = st.lists(
    st.sampled_from(
        [
            b"Package: a",
            b"Package: b",
            b"Version: 1",
            b"Description: x",
            b" y",
            b"",
            b":",
            b"Tag: a::b,",
            b"\xff",
        ]
    ),
    max_size=30,
).map(b"\n".join)


@settings(max_examples=300)
@given(MARKUP | st.binary(max_size=200))
def test_any_bytes_are_a_page_or_none(data: bytes) -> None:
    page = parse_page(data, "x/z", "de")
    assert page is None or all(text.strip() == text != "" for _, text in page.blocks)


@settings(max_examples=200)
@given(st.text(max_size=200) | MARKUP.map(lambda data: data.decode("latin-1")))
def test_any_script_has_contents_or_none(script: str) -> None:
    assert isinstance(parse_contents(f"x.innerHTML='{script}'", "de"), dict)


@settings(max_examples=300)
@given(FIELDS | st.binary(max_size=200))
def test_any_index_gives_packages_with_a_name(data: bytes) -> None:
    assert all(name == binary.name for name, binary in read_binaries([[data]]).items())


@settings(max_examples=300)
@given(st.text(alphabet="ab \n.*-1)灯り。", max_size=80), st.text(alphabet="cd \n.*-", max_size=80))
def test_no_letter_of_a_description_is_lost(here: str, there: str) -> None:
    parsed = parse_description(here)
    kept = "".join([parsed.synopsis, *parsed.passages])
    assert [letter for letter in kept if letter in "ab灯り"] == [
        letter for letter in here if letter in "ab灯り"
    ]
    assert all(source and target for source, target in pair_up(parsed, parse_description(there)))


@settings(max_examples=300)
@given(st.text(max_size=80))
def test_relations_and_versions_read_anything(text: str) -> None:
    assert all(group for group in relation_groups(text))
    assert version_key(text) == version_key(text)


@settings(max_examples=300)
@given(st.text(alphabet="aA1-_./ (灯り)", max_size=60))
def test_masking_only_ever_replaces_tokens(text: str) -> None:
    masked = Masker(set()).mask(text, own_names(["aaa"]))
    assert [letter for letter in masked if letter in "灯り"] == [
        letter for letter in text if letter in "灯り"
    ]
    assert set(masked) <= {*text, MASK}
