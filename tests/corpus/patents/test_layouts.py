"""Layouts that only some files of an office or a service have; all records are invented."""

import json
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from kakehashi.corpus.patents.places import place_of
from kakehashi.corpus.patents.reading import read_patents
from kakehashi.corpus.patents.record import Citation, Party, PatentRecord, Wanted
from kakehashi.corpus.patents.tally import Tally
from tests.corpus.patents.files import EP, JP_ST96, MAREC, US_PUBLICATION
from tests.corpus.patents.more_files import APS, CN_NEW, LENS, OPS, OPS_FAMILY, OPS_TEXT
from tests.corpus.patents.test_variants import put

FULL = Wanted(claims=True, description=True)


def read_all(text: str, folder: Path, name: str = "x.xml") -> list[PatentRecord]:
    (folder / name).write_text(text, encoding="utf-8")
    tally = Tally()
    records = list(read_patents([folder / name], tally, FULL))
    assert tally.faults.by_kind() == {}
    return records


def read(text: str, folder: Path, name: str = "x.xml") -> PatentRecord:
    [record] = read_all(text, folder, name)
    return record


ONE_TEXT = "<claim-text>1. A hoe.</claim-text><claim-text>2. The hoe of claim 1.\n</claim-text>"


@pytest.mark.parametrize(
    "claims",
    [
        "<claim-text>1. A hoe comprising:</claim-text><claim-text>a handle (2. of wood).</claim-text>"
        "<claim-text>2. The hoe of claim 1.</claim-text>",
        "<claim-text>CLAI MS\n1. A hoe comprising:\na handle (2. of wood).\n2. The hoe of claim 1.</claim-text>",
        "<claim-text>\n1 . A hoe comprising:\n  a handle (2. of wood).\n\n2 . The hoe of claim 1.</claim-text>",
    ],
)
def test_claims_of_a_service_that_are_one_element_are_parted_by_their_numbers(
    claims: str, tmp_path: Path
) -> None:
    record = read(OPS_TEXT.replace(ONE_TEXT, claims), tmp_path)
    assert record.claims == {"en": ("A hoe comprising: a handle (2. of wood).", "The hoe of claim 1.")}


def test_numbered_steps_do_not_part_a_claim(tmp_path: Path) -> None:
    steps = "<claim><claim-text>1. A way of\n<claim-text>1. digging and\n2. sowing.</claim-text></claim-text></claim>"
    claims = MAREC[MAREC.index("<claim ") : MAREC.rindex("</claim>") + len("</claim>")]
    record = read(MAREC.replace(claims, steps), tmp_path)
    assert record.claims == {"en": ("A way of 1. digging and 2. sowing.",)}


@pytest.mark.parametrize(
    ("country", "title", "language"),
    [("RU", "ВЫДУМАННАЯ МОТЫГА", "ru"), ("DE", "ERFUNDENE HACKE", "de"), ("CN", "虚构的锄头", "zh"),
     ("JP", "架空の鍬", "ja"), ("JP", "架空", "ja"), ("KR", "가공의 괭이", "ko"), ("JP", "IMAGINARY HOE", "en")],
)  # fmt: skip
def test_text_in_the_original_language_gets_its_name(
    country: str, title: str, language: str, tmp_path: Path
) -> None:
    text = OPS.replace('country="US"', f'country="{country}"').replace(
        '<abstract lang="en">', '<abstract lang="ol">'
    )
    text = text.replace('<invention-title lang="en">IMAGINARY HOE', f"<invention-title>{title}")
    record = read(text.replace("A hoe of iron.", title), tmp_path)
    assert (record.titles, record.abstracts) == ({language: title}, {language: title})


def badgerfish(element: etree._Element) -> Any:
    """How the service writes an element as JSON: one child is a value, several are a list."""
    found: dict[str, Any] = {f"@{name}": value for name, value in element.attrib.items()}
    if (element.text or "").strip():
        found["$"] = element.text
    for child in element:
        name = (
            f"{child.prefix}:{etree.QName(child).localname}" if child.prefix else etree.QName(child).localname
        )
        value = badgerfish(child)
        if name in found:
            found[name] = [*(found[name] if isinstance(found[name], list) else [found[name]]), value]
        else:
            found[name] = value
    return found


@pytest.mark.parametrize("text", [OPS, OPS_TEXT, OPS_FAMILY])
@pytest.mark.parametrize("indent", [None, 1])
def test_json_answer_of_a_service_says_what_its_xml_says(
    text: str, indent: int | None, tmp_path: Path
) -> None:
    answer = {"ops:world-patent-data": badgerfish(etree.fromstring(text.encode()))}
    assert read(json.dumps(answer, indent=indent), tmp_path, "x.json") == read(text, tmp_path)


def test_classes_in_which_the_examiner_searched_are_not_those_of_the_patent(tmp_path: Path) -> None:
    searched = """<field-of-search><classifications-cpc><classification-cpc scheme="CPCNO">G06F   3/01
</classification-cpc></classifications-cpc><classifications-ipcr><classification-ipcr>G06F   3/01  20060101AFI
</classification-ipcr></classifications-ipcr></field-of-search>"""
    record = read(put(MAREC, "</technical-data>", searched), tmp_path)
    assert (record.ipc, record.cpc) == (("A01B 33/08", "A01B 33/00"), ("A01B 33/082",))


def test_search_report_beside_the_bibliographic_data_is_the_examiners(tmp_path: Path) -> None:
    report = """<search-report-data><srep-citations><citation><patcit dnum="GB2900007"><document-id>
<country>GB</country><doc-number>2900007</doc-number><kind>A</kind></document-id><category>X</category></patcit>
</citation></srep-citations></search-report-data>"""
    named = '<p>As in <patcit dnum="WO09937368"><document-id><country>WO</country><doc-number>09937368</doc-number>' \
        "</document-id></patcit>.</p></description>"  # fmt: skip
    text = put(MAREC, "</patent-document>", report).replace("</description>", named)
    found = read(text, tmp_path).citations
    assert found[-2:] == (Citation("GB-2900007-A", "examiner", "X"), Citation("WO-1999037368", "applicant"))


def test_company_below_the_name_of_an_inventor_is_not_part_of_it(tmp_path: Path) -> None:
    text = EP.replace("<B721><snm>Muster, Anna", "<B721><snm>Muster, Anna\nNowhere Tools KK")
    assert text != EP
    assert read(text, tmp_path).inventors[0].name == "Muster, Anna"


def test_chinese_design_is_read(tmp_path: Path) -> None:
    text = CN_NEW.replace("business:BibliographicData", "business:DesignBibliographicData").replace(
        '"B"', '"S"'
    )
    record = read(text.replace("<base:Kind>B", "<base:Kind>S"), tmp_path)
    assert (record.number, record.titles) == ("CN-190000002-S", {"zh": "虚构的灯"})


def test_number_of_claims_of_a_japanese_gazette_may_lie_deeper(tmp_path: Path) -> None:
    text = JP_ST96.replace(
        "<pat:ClaimTotalQuantity>", "<jppat:ClaimTotalQuantitySet><pat:ClaimTotalQuantity>"
    )
    text = text.replace(
        "</pat:ClaimTotalQuantity>", "</pat:ClaimTotalQuantity></jppat:ClaimTotalQuantitySet>"
    )
    assert read(text, tmp_path).n_claims == read(JP_ST96, tmp_path).n_claims == 2


def test_heading_that_says_abstract_is_not_the_abstract(tmp_path: Path) -> None:
    text = US_PUBLICATION.replace(
        "<subdoc-abstract>", "<subdoc-abstract><heading>Abstract of Disclosure</heading>"
    )
    assert read(text, tmp_path).abstracts == read(US_PUBLICATION, tmp_path).abstracts


def test_grant_of_the_green_book_goes_back_to_its_international_application(tmp_path: Path) -> None:
    entered = "PCTA\nPCN  PCT/JP79/00178\nPD1  19740310\nPD2  19740205\nPD3  19730107\nABST\n"
    claimed = APS[APS.index("PRIR") : APS.index("CLAS")]
    grant, _ = read_all(APS.replace("ABST\n", entered).replace(claimed, ""), tmp_path, "pftaps.txt")
    assert (grant.priorities, grant.priority) == (("WO-PCTJP1979000178",), "1973-01-07")
    grant, _ = read_all(APS.replace("ABST\n", entered), tmp_path, "pftaps.txt")
    assert (grant.priorities, grant.priority) == (("JP-1973900022", "US-1973350022"), "1973-01-07")


@pytest.mark.parametrize("given", [{"name": {"name": "MUSTER, ANNA"}}, {"name": "MUSTER, ANNA"}])
def test_names_of_the_lens_are_written_in_several_ways(given: dict[str, Any], tmp_path: Path) -> None:
    record = {**LENS[0], "biblio": {**LENS[0]["biblio"], "parties": {"inventors": [given]}}}  # type: ignore[dict-item]
    assert read(json.dumps(record), tmp_path, "x.jsonl").inventors == (Party("MUSTER, ANNA"),)


EP_TEXTS = (
    'EP\t0900060\tA1\t1994-06-08\ten\tTITLE\tHoe &amp; lamp\n'
    'EP\t0900060\tA1\t1994-06-08\ten\tABSTR\t<p id="pa01">A hoe of CO<sub>2</sub>.</p><p>It is heavy.</p>\n'
    'EP\t0900060\tA1\t1994-06-08\ten\tDESCR\t<heading>Field</heading><p>Hoes\twith tabs & lamps.</p>\n'
    'EP\t0900060\tA1\t1994-06-08\ten\tCLAIM\t<claim id="c-en-0001" num="0001"><claim-text>A hoe.</claim-text></claim>'
    '<claim id="c-en-0002" num="0002"><claim-text>A hoe with<claim-text>a handle.</claim-text></claim-text></claim>\n'
    'EP\t0900060\tA1\t1994-06-08\txx\tSREPT\t<srep-citations><citation><patcit dnum="GB2900007A"><document-id>'
    "<country>GB</country><doc-number>2900007</doc-number><kind>A</kind></document-id></patcit>"
    "<category>X</category></citation></srep-citations>\n"
    'EP\t0900060\tA1\t1994-06-08\ten\tPDFEP\thttps://example.org/x.pdf\n'
)  # fmt: skip


def test_parts_of_european_full_texts_are_xml(tmp_path: Path) -> None:
    record = read(EP_TEXTS, tmp_path, "EP0900000.txt")
    assert record.titles == {"en": "Hoe & lamp"}
    assert record.abstracts == {"en": "A hoe of CO2.\nIt is heavy."}
    assert record.descriptions == {"en": "Field\nHoes with tabs & lamps."}
    assert record.claims == {"en": ("A hoe.", "A hoe with a handle.")}
    assert record.citations == (Citation("GB-2900007-A", "examiner", "X"),)


@pytest.mark.parametrize(
    ("text", "country", "expected"),
    [
        ("D- 090 Leverkusen 1", "DE", ("Leverkusen 1", "")),
        ("DK - 2600 Glostrup", "DK", ("Glostrup", "")),
        ("Oakland,\nCalifornia 94612-3550", "US", ("Oakland", "California")),
        ("Kyoto-shi\nKyoto 601-8550", "JP", ("Kyoto-shi", "Kyoto")),
        ("Minato-ku Tokyo", "JP", ("Minato-ku", "Tokyo")),
        ("Aichi 471", "JP", ("Aichi", "")),
        ("Toyota-shi, Aichi-ken", "JP", ("Toyota-shi", "Aichi")),
        ("St Albans", "GB", ("St Albans", "")),
    ],
)
def test_more_addresses(text: str, country: str, expected: tuple[str, str]) -> None:
    assert place_of(" ".join(text.split()), country) == expected
