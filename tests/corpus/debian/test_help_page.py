from collections.abc import Callable

from kakehashi.corpus.debian.help_page import page_of_address, parse_page

PageMaker = Callable[..., bytes]
SWITCH = """<p id="par_id1">Press <span id="swlnsys1" class="switchinline">
<span hidden="true" id="MAC1" class="MAC">Apple</span><span id="default1">Ctrl</span></span>+Z in
<span class="switchinline"><span id="WRITER1" class="WRITER">letters</span>
<span id="CALC1" class="CALC">sheets</span>
<span id="default2">files</span></span> now.</p>"""


def test_blocks_come_in_reading_order_with_their_ids(page: PageMaker) -> None:
    body = '<h1 id="hd_id1">Lamps</h1><p id="par_id2">A lamp\n  gives <b>light</b>.</p><p id="par_id3"> </p>'
    found = parse_page(page("Lamps", body), "swriter/guide/lamps", "en-US")
    assert found is not None
    assert found.title == "Lamps"
    assert found.blocks == (("hd_id1", "Lamps"), ("par_id2", "A lamp gives light."))
    assert (found.module, found.directory) == ("swriter", "swriter/guide")


def test_headers_and_footers_are_no_part_of_the_page(page: PageMaker) -> None:
    found = parse_page(page("T", '<p id="a">One.</p>'), "swriter/t", "en-US")
    assert found is not None
    assert found.blocks == (("a", "One."),)
    assert found.links == ()


def test_how_to_get_there_is_left_out_with_its_links(page: PageMaker) -> None:
    body = (
        '<p id="a">Text.</p><div class="howtoget"><p class="howtogetheader">To open this</p>'
        '<div class="howtogetbody"><p id="b"><a href="en-US/text/scalc/menu.html">Menu</a></p></div></div>'
    )
    found = parse_page(page("T", body), "scalc/t", "en-US")
    assert found is not None
    assert found.blocks == (("a", "Text."),)
    assert found.links == ()


def test_a_switch_shows_the_variant_of_the_pages_own_application(page: PageMaker) -> None:
    texts = {}
    for name in ("swriter/t", "scalc/t", "shared/t"):
        found = parse_page(page("T", SWITCH), name, "en-US")
        assert found is not None
        texts[name] = found.blocks[0][1]
    assert texts == {
        "swriter/t": "Press Ctrl+Z in letters now.",
        "scalc/t": "Press Ctrl+Z in sheets now.",
        "shared/t": "Press Ctrl+Z in files now.",
    }


def test_links_lead_to_other_pages_once(page: PageMaker) -> None:
    body = (
        '<p id="a"><a href="de/text/scalc/a.html?DbPAR=CALC#x">A</a> <a href="de/text/scalc/a.html">A</a>'
        '<a href="de/text/scalc/t.html#own">self</a> <a href="https://example.org/">out</a> <a name="x">x</a>'
        '</p><p class="embedded"><a href="de/text/shared/b.html">B</a></p>'
    )
    found = parse_page(page("T", body, "de"), "scalc/t", "de")
    assert found is not None
    assert found.links == ("scalc/a", "shared/b")


def test_blocks_without_id_are_named_by_class_and_number(page: PageMaker) -> None:
    titles = '<p class="related">Related</p><p class="embedded">One</p><p class="embedded">Two</p>'
    body = f"{titles}<div><p>Note</p></div>"
    found = parse_page(page("T", body), "scalc/t", "en-US")
    assert found is not None
    assert found.blocks == (("embedded#1", "One"), ("embedded#2", "Two"), ("p#1", "Note"))


def test_bytes_without_a_help_text_are_no_page() -> None:
    for data in (
        b"",
        b" \n",
        b"<html><body><p id='a'>x</p></body></html>",
        b"\xff\xfe\x00garbage",
        b"<!-- -->",
    ):
        assert parse_page(data, "scalc/t", "en-US") is None


def test_addresses_of_other_languages_and_places_are_no_pages() -> None:
    assert page_of_address("ja/text/smath/guide/x.html", "ja") == "smath/guide/x"
    assert page_of_address("ja/text/smath/guide/x.html", "de") is None
    assert page_of_address("ja/media/x.png", "ja") is None
