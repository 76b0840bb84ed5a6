"""Kinds of publications beside patents and applications, and what divisions go back to; all records are invented."""

from pathlib import Path

import pytest

from kakehashi.corpus.patents.families import families, kin_of
from kakehashi.corpus.patents.reading import read_patents
from kakehashi.corpus.patents.record import PatentRecord
from kakehashi.corpus.patents.tally import Tally
from tests.corpus.patents.files import (
    EP,
    GRANTED,
    JP,
    JP_ST96,
    PATDOC,
    US_APPLICATION,
    US_GRANT,
    US_PUBLICATION,
)
from tests.corpus.patents.test_variants import put, read

PARENT = """<related-documents><division><relation><parent-doc><document-id><country>JP</country>
<doc-number>2001900007</doc-number><date>20010405</date></document-id></parent-doc>
<child-doc><document-id><country>JP</country><doc-number>2003900001</doc-number></document-id></child-doc></relation>
</division></related-documents>"""
PARENT_ST96 = """<jppat:RelatedDocumentBag><pat:Division><pat:ParentDocument><pat:PatentDocumentIdentification>
<pat:ApplicationIdentification><com:ApplicationNumber><com:ApplicationNumberText>特願2018-900007
</com:ApplicationNumberText></com:ApplicationNumber><pat:FilingDate>2018-04-05</pat:FilingDate>
</pat:ApplicationIdentification></pat:PatentDocumentIdentification></pat:ParentDocument></pat:Division>
</jppat:RelatedDocumentBag>"""


def test_japanese_division_goes_back_to_its_parent(tmp_path: Path) -> None:
    record = read(put(JP, "<number-of-claims>", PARENT), tmp_path)
    assert (record.priorities, record.priority) == (("JP-2001900007",), "2001-04-05")
    newer = read(put(JP_ST96, "<pat:ClaimTotalQuantity>", PARENT_ST96), tmp_path)
    assert (newer.priorities, newer.priority) == (("US-2019900001P", "JP-2018900007"), "2018-04-05")


def test_japanese_division_and_its_parent_are_one_family(tmp_path: Path) -> None:
    division = read(put(JP, "<number-of-claims>", PARENT), tmp_path)
    older = JP.replace("2003900001", "2001900007").replace("2004900001", "2002900001")
    parent = read(older.replace("20030612", "20010405"), tmp_path)
    found = families({one.number: kin_of(one) for one in (division, parent)})
    assert len(set(found.values())) == 1


@pytest.mark.parametrize(
    ("old", "new", "number"),
    [
        ("公開特許公報(A)", "公表特許公報(A)", "JP-2004900001-A"),
        ("公開特許公報(A)", "再公表特許(A1)", "JP-WO2004900001-A1"),
        ("公開特許公報(A)", "公開実用新案公報(U)", "JP-2004900001-U"),
        ("公開特許公報(A)", "特許公報(B2)", "JP-2004900001-B2"),
    ],
)
def test_kind_of_a_japanese_gazette_is_printed_in_words(
    old: str, new: str, number: str, tmp_path: Path
) -> None:
    assert read(JP.replace(old, new).replace(' kind-of-st16="A"', ""), tmp_path).number == number


def test_international_application_in_japanese_has_a_number_of_its_own(tmp_path: Path) -> None:
    coded = JP.replace('kind-of-jp="A" kind-of-st16="A"', 'kind-of-jp="S" kind-of-st16="A1"')
    assert read(coded, tmp_path).number == "JP-WO2004900001-A1"
    written = coded.replace("<doc-number>2004900001", "<doc-number>WO2004/900001")
    assert read(written, tmp_path).number == "JP-WO2004900001-A1"
    newer = JP_ST96.replace(GRANTED, "InternationalPatentPublication").replace(
        "特許公報(B2)", "再公表特許(A1)"
    )
    number = "<pat:PublicationNumber>2020/900001</pat:PublicationNumber><com:PublicationDate>"
    old = "<pat:PublicationNumber>7900001</pat:PublicationNumber><com:PublicationDate>"
    assert read(newer.replace(old, number), tmp_path).number == "JP-WO2020900001-A1"


RIGHTS = [
    ("PP009200", "P2", "US-PP9200-P2"),
    ("PP20123", "P3", "US-PP20123-P3"),
    ("H0002123", "H1", "US-H2123-H1"),
    ("RE040123", "E1", "US-RE40123-E1"),
    ("D0600123", "S1", "US-D600123-S1"),
    ("D1012345", "S1", "US-D1012345-S1"),
    ("12345678", "B2", "US-12345678-B2"),
]


@pytest.mark.parametrize(("printed", "kind", "number"), RIGHTS)
def test_american_rights_beside_patents(printed: str, kind: str, number: str, tmp_path: Path) -> None:
    grant = US_GRANT.replace(
        "<doc-number>09200001</doc-number><kind>B2", f"<doc-number>{printed}</doc-number><kind>{kind}"
    )
    assert read(grant, tmp_path).number == number
    older = PATDOC.replace("<PDAT>09300001</PDAT></DNUM></B110>", f"<PDAT>{printed}</PDAT></DNUM></B110>")
    older = older.replace("<B130><PDAT>B1", f"<B130><PDAT>{kind}")
    assert read(older, tmp_path).number == number


@pytest.mark.parametrize(
    ("printed", "kind", "number"),
    [("20050900002", "P1", "US-20050900002-P1"), ("20050900003", "A9", "US-20050900003-A9"),
     ("20050900004", "A2", "US-20050900004-A2")],
)  # fmt: skip
def test_american_applications_of_other_kinds(printed: str, kind: str, number: str, tmp_path: Path) -> None:
    old = "<doc-number>20050900001</doc-number><kind>A1</kind>"
    assert read(
        US_APPLICATION.replace(old, f"<doc-number>{printed}</doc-number><kind>{kind}</kind>"), tmp_path
    ).number == (number)
    old = "<doc-number>20010900001</doc-number><kind-code>A1"
    older = US_PUBLICATION.replace(old, f"<doc-number>{printed}</doc-number><kind-code>{kind}")
    assert read(older, tmp_path).number == number


def test_reissue_is_in_the_family_of_its_patent(tmp_path: Path) -> None:
    own = (
        "<priority-claims>"
        + US_GRANT.split("<priority-claims>")[1].split("</priority-claims>")[0]
        + "</priority-claims>"
    )
    patent = read(US_GRANT.replace(own, ""), tmp_path)
    reissued = """<us-related-documents><reissue><relation><parent-doc><document-id><country>US</country>
<doc-number>10900001</doc-number><kind>A</kind><date>20040610</date></document-id><parent-status>GRANTED</parent-status>
<parent-grant-document><document-id><country>US</country><doc-number>09200001</doc-number><date>20140107</date>
</document-id></parent-grant-document></parent-doc><child-doc><document-id><country>US</country>
<doc-number>14900011</doc-number></document-id></child-doc></relation></reissue></us-related-documents>"""
    text = US_GRANT.replace(own, "").replace(
        "<doc-number>09200001</doc-number><kind>B2", "<doc-number>RE049001</doc-number><kind>E1"
    )
    old, later = "10900001</doc-number>\n<date>20040610", "14900011</doc-number>\n<date>20150610"
    reissue = read(put(text.replace(old, later), "<us-references-cited>", reissued), tmp_path)
    assert (reissue.number, reissue.priorities, reissue.application) == (
        "US-RE49001-E1", ("US-2004900001",), "US-2015900011",
    )  # fmt: skip
    assert len(set(families({one.number: kin_of(one) for one in (patent, reissue)}).values())) == 1


def test_withdrawn_publications_are_left_out_and_counted(tmp_path: Path) -> None:
    tally = Tally()
    (tmp_path / "x.xml").write_text(US_GRANT.replace('country="US"', 'country="US" status="WITHDRAWN"', 1))
    (tmp_path / "g_patent.tsv").write_text(
        "patent_id\tpatent_type\tpatent_date\tpatent_title\twipo_kind\tnum_claims\twithdrawn\n"
        "9200090\tutility\t2014-01-07\tImaginary hoe\tB2\t7\t0\n9200091\tutility\t2014-01-07\tHoe\tB2\t7\t1\n"
    )
    assert [record.number for record in read_patents([tmp_path], tally)] == ["US-9200090-B2"]
    assert tally.faults.by_kind() == {"withdrawn publications": 1, "records with a notice of withdrawal": 1}


OWN_PRIORITY = EP[EP.index("<B300>") : EP.index("</B300>") + len("</B300>")]
INTERNATIONAL = (
    """<B800><B860><B861><dnum><anum>JP0490001</anum></dnum><date>20040611</date></B861></B860></B800>"""
)


def family_of(*records: PatentRecord) -> int:
    return len(set(families({one.number: kin_of(one) for one in records}).values()))


def test_records_of_an_international_application_without_a_priority_are_one_family(tmp_path: Path) -> None:
    european = read(put(EP, "</SDOBI>", INTERNATIONAL).replace(OWN_PRIORITY, ""), tmp_path)
    entered = """<pct-or-regional-filing-data><document-id><country>WO</country>
<doc-number>PCT/JP2004/090001</doc-number><date>20040611</date></document-id></pct-or-regional-filing-data>"""
    claims = "<priority-claims>" + US_GRANT.split("<priority-claims>")[1].split("</priority-claims>")[0]
    american = read(
        put(US_GRANT, "<us-references-cited>", entered).replace(f"{claims}</priority-claims>", ""), tmp_path
    )
    japanese = read(put(JP, "<number-of-claims>", entered), tmp_path)
    published = PatentRecord("WO-2004900008-A1", application="WO-PCTJP2004090001")
    assert european.priorities == american.priorities == japanese.priorities == ("WO-PCTJP2004090001",)
    assert family_of(european, american, japanese, published) == 1


def test_international_application_beside_a_priority_does_not_part_a_family(tmp_path: Path) -> None:
    european = read(put(EP, "</SDOBI>", INTERNATIONAL), tmp_path)
    assert european.priorities == ("JP-2003900001", "JP-2003900002")
    exchanged = PatentRecord("AP-9001-A", priorities=(*european.priorities, "WO-PCTJP2004090001"))
    assert family_of(european, exchanged) == 1


def test_european_division_of_a_first_filing_is_in_its_family(tmp_path: Path) -> None:
    parent = read(EP.replace(OWN_PRIORITY, ""), tmp_path)
    divided = """<B600><B620><parent><pdoc><dnum><anum>04900001.5</anum><pnum>900001</pnum></dnum><date>20040611</date>
</pdoc></parent></B620></B600>"""
    text = put(EP.replace(OWN_PRIORITY, ""), "<B700>", divided).replace("0900001", "0900009")
    division = read(text.replace("04900001.5</B210>", "06900009.1</B210>"), tmp_path)
    assert (division.number, division.application) == ("EP-0900009-B1", "EP-2006900009")
    assert family_of(parent, division) == 1


def test_reference_to_literature_or_an_application_is_no_citation(tmp_path: Path) -> None:
    cited = (
        '<patcit id="ref-pcit0002" dnum="US12345604A" dnum-type="L"><text>US 123456 A [0002]</text></patcit>'
    )
    record = read(put(EP, "</li></ul></ep-reference-list>", cited), tmp_path)
    assert [one.number for one in record.citations if one.by == "applicant"] == ["JP-2001900006-A"]
    published = read(put(EP, "</li></ul></ep-reference-list>", cited.replace(' dnum-type="L"', "")), tmp_path)
    assert len(published.citations) == len(record.citations) + 1
