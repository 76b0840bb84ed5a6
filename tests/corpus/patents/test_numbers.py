"""One way to write numbers, dates and classes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kakehashi.corpus.patents.applications import application_number
from kakehashi.corpus.patents.classes import class_edges, fi_symbol, symbol
from kakehashi.corpus.patents.families import Kin, Numbers, families
from kakehashi.corpus.patents.numbers import iso_date, publication_number
from kakehashi.corpus.patents.phrases import number_in_words


@pytest.mark.parametrize(
    ("country", "number", "kind", "expected"),
    [
        ("US", "07654321", "B2", "US-7654321-B2"),
        ("US", "7,654,321", "B2", "US-7654321-B2"),
        ("US", "D0486655", "S1", "US-D486655-S1"),
        ("US", "RE041234", "E", "US-RE41234-E"),
        ("US", "20050123456", "A1", "US-20050123456-A1"),
        ("US", "2005123456", "A1", "US-20050123456-A1"),  # as DOCDB shortens it
        ("US", "2005/0123456", "A1", "US-20050123456-A1"),
        ("EP", "123456", "A1", "EP-0123456-A1"),
        ("EP", "1000000", "", "EP-1000000"),
        ("WO", "99/12345", "A1", "WO-1999012345-A1"),
        ("WO", "02012345", "A1", "WO-2002012345-A1"),
        ("WO", "2004/012345", "A1", "WO-2004012345-A1"),
        ("JP", "2004-12345", "A", "JP-2004012345-A"),
        ("JP", "２００４－１２３４５６", "A", "JP-2004123456-A"),
        ("JP", "平5-12345", "A", "JP-H05012345-A"),
        ("JP", "H05123456", "A", "JP-H05123456-A"),
        ("JP", "05-123456", "A", "JP-H05123456-A"),  # as other offices cite it
        ("JP", "63-12345", "A", "JP-S63012345-A"),
        ("JP", "20-12345", "A", "JP-2012345-A"),  # no such year
        ("JP", "3456789", "B2", "JP-3456789-B2"),
        ("日本(JP)", "2004-12345", "A", "JP-2004012345-A"),
        ("WO", "PCT/JP03/01234", "", "WO-PCTJP2003001234"),
        ("DE", "DE10012345", "A1", "DE-10012345-A1"),
        ("", "123", "A", ""),
        ("US", "", "A", ""),
        ("US", "see the list of all documents in the annex", "A", ""),
    ],
)
def test_number_has_one_form(country: str, number: str, kind: str, expected: str) -> None:
    assert publication_number(country, number, kind) == expected


@pytest.mark.parametrize(
    ("number", "filing", "expected"),
    [
        ("平10-186098", "", "JP-1998186098"),
        ("10-186098", "1998-07-01", "JP-1998186098"),
        ("18609898", "1998-07-01", "JP-1998186098"),  # as the European office writes it
        ("163098", "1998-01-07", "JP-1998001630"),
        ("18609898", "1997-07-01", "JP-18609898"),
        ("S63-1", "", "JP-1988000001"),
        ("特願2003-123456", "2003-04-05", "JP-2003123456"),
        ("P2003-123456", "2003-04-05", "JP-2003123456"),
        ("2003123456", "2003-04-05", "JP-2003123456"),
    ],
)
def test_japanese_application_has_one_form(number: str, filing: str, expected: str) -> None:
    assert application_number("JP", number, filing) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("EP-A- 0 345 678", "EP-0345678-A"),
        ("EP-A1- 1 345 678", "EP-1345678-A1"),
        ("US 5,123,456 A", "US-5123456-A"),
        ("WO-A-99/12345", "WO-1999012345-A"),
        ("US5123456A", "US-5123456-A"),
        ("特開２００４－１２３４５６号公報", "JP-2004123456-A"),
        ("特開平5-12345(JP,A)", "JP-H05012345-A"),
        ("特許第3456789号", "JP-3456789-B"),
        ("米国特許第５，１２３，４５６号明細書", "US-5123456"),
        ("米国特許出願公開第2004/0123456号", "US-20040123456-A"),
        ("国際公開第２００４／０１２３４５号", "WO-2004012345-A"),
        ("欧州特許出願公開第0345678号", "EP-0345678-A"),
        ("U.S. Pat. No. 5,123,456", "US-5123456"),
        ("US Patent Application Publication No. 2005/0123456 A1", "US-20050123456-A1"),
        ("U.S. Patent Application No. 10/123,456", ""),
        ("DE-OS 2 123 456", "DE-2123456"),
        ("WO2004/012345号公報", "WO-2004012345"),
        ("中国特許出願公開第１０１２３４５６７（ＣＮ，Ａ）", "CN-101234567-A"),
        ("韓国公開特許第10-2010-0012345号公報", "KR-20100012345-A"),
        ("韓国登録特許第１０－１２３４５６７（ＫＲ，Ｂ１）", "KR-101234567-B1"),
        ("ドイツ特許第19744174号", "DE-19744174"),
        ("英国特許第976971号明細書", "GB-976971"),
        ("米国再発行特許第RE36154号", "US-RE36154"),
        ("登録実用新案第3123456号公報", "JP-3123456-U"),
        ("特許第６１２３４５６（ＪＰ，Ｂ２）", "JP-6123456-B2"),
        ("実願昭63-12345号（実開平1-12345号）のマイクロフィルム", "JP-H01012345-U"),
        ("特開2004-123456号公報（対応米国特許第5123456号）", "JP-2004123456-A"),
        ("米国特許出願第10/123,456号", ""),
        ("特願2004-123456", ""),
        ("A BOOK NOBODY WROTE, 1999", ""),
        ("", ""),
    ],
)
def test_number_is_found_in_a_phrase(words: str, expected: str) -> None:
    assert number_in_words(words) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A01B  33/08        20060101AFI20051206BMEP", "A01B 33/08"),
        (" 7A 01B  33/08   A", "A01B 33/08"),
        ("A01B033/08", "A01B 33/08"),
        ("7A01H  500", "A01H 5/00"),
        ("G06F 1730", "G06F 17/30"),
        ("C12N2310/3515", "C12N 2310/3515"),
        ("Ｇ０６Ｆ　１７／３０", "G06F 17/30"),
        ("0201", ""),
        ("none", ""),
    ],
)
def test_class_symbol_has_one_form(text: str, expected: str) -> None:
    assert symbol(text) == expected


def test_fi_keeps_its_refinements() -> None:
    found = [fi_symbol(text) for text in ("G06F 17/30 170 A", "G06F17/30,170A", "A01B 33/08", "A01B 33/08@Z")]
    assert found == ["G06F 17/30,170A", "G06F 17/30,170A", "A01B 33/08", "A01B 33/08,Z"]


def test_class_graph_leads_to_the_section() -> None:
    edges = dict(class_edges(["A01B 33/08", "A01B 33/00"]))
    assert edges == {"A01B 33/08": "A01B 33/00", "A01B 33/00": "A01B", "A01B": "A01", "A01": "A"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("20050131", "2005-01-31"),
        ("19720600", ""),
        ("2005", ""),
        ("２００５0131", ""),
        ("00000000", ""),
        ("2005-01-31", "2005-01-31"),
    ],
)
def test_date_is_a_day_or_nothing(text: str, expected: str) -> None:
    assert iso_date(text) == expected


@given(st.text(max_size=40), st.text(max_size=40), st.text(max_size=4))
def test_any_text_gives_a_number_that_can_be_an_id(country: str, number: str, kind: str) -> None:
    for found in (publication_number(country, number, kind), number_in_words(number)):
        assert found == "" or (found.isascii() and found.split() == [found] and 1 <= found.count("-") <= 2)
    again = publication_number("US", number, kind)
    if again:
        _, plain, *kinds = again.split("-")
        assert publication_number("US", plain, *kinds) == again


def test_citation_finds_another_stage_of_the_same_patent_but_no_other_right() -> None:
    numbers = Numbers(["EP-0000001-B1", "EP-0000001-A1", "JP-2004000001-U", "US-5000000-A"])
    assert numbers.find("EP-0000001-B1") == "EP-0000001-B1"
    assert numbers.find("EP-0000001-A") == "EP-0000001-A1"
    assert numbers.find("EP-0000001") == "EP-0000001-A1"
    assert numbers.find("JP-2004000001-A") is None
    assert numbers.find("US-5000000-B2") == "US-5000000-A"
    assert numbers.find("US-5000001-A") is None
    examined = Numbers(["JP-H05012345-B2"])  # of another application than JP-H05012345-A
    assert examined.find("JP-H05012345-A") is None
    assert examined.find("JP-H05012345-B") == "JP-H05012345-B2"


def test_international_application_is_found_in_its_japanese_publication_and_the_reverse() -> None:
    japanese = Numbers(["JP-WO2004000001-A1"])
    assert japanese.find("WO-2004000001-A1") == "JP-WO2004000001-A1"
    assert Numbers(["WO-2004000001-A1"]).find("JP-WO2004000001-A1") == "WO-2004000001-A1"
    both = Numbers(["JP-WO2004000001-A1", "WO-2004000001-A2"])
    assert both.find("WO-2004000001-A1") == "WO-2004000001-A2"
    assert both.find("JP-WO2004000001") == "JP-WO2004000001-A1"


def test_american_parent_without_a_date_is_the_only_application_of_its_series() -> None:
    kin = {"US-1-B2": Kin("", ("US-2010741916",)), "US-2-B2": Kin("", ("US-12741916",))}
    assert len(set(families(kin).values())) == 1
    kin["US-3-B2"] = Kin("", ("US-2008741916",))  # of the same series: nobody knows which
    assert len(set(families(kin).values())) == 3
    other = {"US-1-B2": Kin("", ("US-2003741916",)), "US-2-B2": Kin("", ("US-12741916",))}
    assert len(set(families(other).values())) == 2


def test_family_that_two_sources_name_differently_is_one() -> None:
    exchanged, service = "70000001", "JP-2007900070-A"
    by_member = {"JP-2007900070-A": Kin(exchanged, ()), "US-1-B2": Kin(service, ("JP-1",))}
    assert set(families(by_member).values()) == {exchanged}
    by_priority = {
        "EP-1-A1": Kin(exchanged, ("JP-1",)),
        "US-1-B2": Kin(service, ("JP-1",)),
        "KR-1-A": Kin(service, ()),
    }
    assert set(families(by_priority).values()) == {exchanged}
    apart = {"EP-1-A1": Kin(exchanged, ("JP-1",)), "EP-2-A1": Kin("70000002", ("JP-1",))}
    assert len(set(families(apart).values())) == 2  # the office says so


def test_family_is_named_by_the_record_or_by_its_relatives() -> None:
    kin = {
        "EP-1-A1": Kin("70", ("JP-1",)),
        "US-1-A": Kin("", ("JP-1",)),
        "JP-9-A": Kin("", ("JP-1",)),
        "US-2-A": Kin("", ("JP-1", "JP-2")),
        "US-3-A": Kin("", ()),
    }
    assert families(kin) == {
        "EP-1-A1": "70", "US-1-A": "70", "JP-9-A": "70", "US-2-A": "US-2-A", "US-3-A": "US-3-A",
    }  # fmt: skip
    assert families(kin, extended=True)["US-2-A"] == "70"
