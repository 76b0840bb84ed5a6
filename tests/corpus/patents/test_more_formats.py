"""Offices, services and tables beyond the forms of `test_formats.py`; all records are invented."""

import datetime
import io
import zipfile
from pathlib import Path

import pytest

from kakehashi.corpus.patents.places import place_of
from kakehashi.corpus.patents.reading import read_patents
from kakehashi.corpus.patents.record import Citation, Party, PatentRecord, Wanted, merged
from kakehashi.corpus.patents.tally import Tally
from tests.corpus.patents.files import BYTES
from tests.corpus.patents.more_files import COMMERCIAL, LENS_CSV, OTHER_FORMS

FULL = Wanted(claims=True, description=True)


def read(name: str, data: bytes, folder: Path, wanted: Wanted = FULL) -> list[PatentRecord]:
    (folder / name).write_bytes(data)
    tally = Tally()
    records = list(read_patents([folder / name], tally, wanted))
    assert tally.faults.by_kind() == {}
    return records


def test_older_chinese_application(tmp_path: Path) -> None:
    [record] = read("cn.xml", BYTES["cn"], tmp_path)
    assert record == PatentRecord(
        number="CN-190000001-A",
        titles={"zh": "虚构的锄头"},
        abstracts={"zh": "提供一种锄头。"},
        first_claims={"zh": "一种锄头，包括柄。"},
        n_claims=2,
        claims={"zh": ("一种锄头，包括柄。", "根据权利要求1所述的锄头。")},
        descriptions={"zh": "锄头很重。"},
        ipc=("A01B 33/08",),
        inventors=(Party("样本花"),),
        applicants=(Party("虚构农具有限公司"),),
        filing="2014-08-19",
        priority="2013-08-20",
        publication="2014-12-24",
        application="CN-201490000001",
        priorities=("KR-2013900001",),
    )


def test_newer_chinese_grant(tmp_path: Path) -> None:
    [record] = read("cn.xml", BYTES["cn-new"], tmp_path)
    assert (record.number, record.application, record.priorities) == (
        "CN-190000002-B", "CN-201890000002", ("KR-2017900003",),
    )  # fmt: skip
    assert (record.titles, record.abstracts) == ({"zh": "虚构的灯"}, {"zh": "公开了一种灯。"})
    assert (record.first_claims, record.descriptions) == ({"zh": "一种灯，包括罩。"}, {"zh": "灯很亮。"})
    assert record.applicants == (Party("虚构灯具有限公司", "KR", organization=True),)
    assert (record.ipc, record.citations) == (("A01B 33/08",), (Citation("CN-190000001-A", "examiner"),))


def test_record_of_any_office_after_the_standard(tmp_path: Path) -> None:
    [record] = read("ca.xml", BYTES["st96"], tmp_path)
    assert (record.number, record.publication, record.n_claims) == ("CA-9200005-C", "2015-01-20", 2)
    assert (record.filing, record.priority, record.priorities) == (
        "2013-03-12",
        "2012-03-13",
        ("JP-2012900002",),
    )
    assert record.titles == {"en": "Imaginary lamp", "fr": "Lampe imaginaire"}
    assert record.claims == {"en": ("A lamp.", "The lamp of claim 1.")}
    assert (record.abstracts, record.descriptions) == (
        {"en": "A lamp is described."},
        {"en": "FIELD\nLamps."},
    )
    assert (record.ipc, record.cpc) == (("A01B 33/08",), ("A01B 33/082",))
    assert record.inventors == (Party("Muster, Anna", organization=False),)
    assert record.applicants == (Party("Nowhere Lamps Inc.", organization=True),)
    assert record.citations == (Citation("JP-H05900003-A", "examiner"),)


def test_answer_of_the_open_patent_services(tmp_path: Path) -> None:
    [record] = read("ops.xml", OTHER_FORMS["ops.xml"], tmp_path)
    assert (record.number, record.family) == ("US-20060900009-A1", "70000009")
    assert (record.application, record.filing) == ("US-2004023909", "2004-12-28")
    assert (record.priorities, record.priority) == (("NL-19981900010",), "1998-11-12")
    assert record.cpc == ("A01B 33/082",)
    assert (record.applicants, record.inventors) == (
        (Party("NOWHERE TOOLS BV", "NL"),),
        (Party("MUSTER ANNA", "NL"),),
    )
    assert record.citations == (Citation("DE-9900019-A1", "examiner", "XY"),)
    assert record.abstracts == {"en": "A hoe of iron."}  # not the one with a mark for a picture


def test_claims_and_family_of_the_open_patent_services(tmp_path: Path) -> None:
    [text] = read("claims.xml", BYTES["ops-text"], tmp_path)
    assert (text.number, text.claims) == ("EP-9000009-A1", {"en": ("A hoe.", "The hoe of claim 1.")})
    [member] = read("family.xml", BYTES["ops-family"], tmp_path)
    assert (member.number, member.family, member.application) == (
        "NL-1900010-C2",
        "70000010",
        "NL-19981900010",
    )


def test_american_grant_of_2001_is_sgml(tmp_path: Path) -> None:
    two = OTHER_FORMS["pg010102.sgml"] + OTHER_FORMS["pg010102.sgml"].replace(b"06900021", b"06900022")
    record, other = read("pg.sgml", two, tmp_path)
    assert (record.number, other.number) == ("US-6900021-B1", "US-6900022-B1")
    assert (record.application, record.titles) == ("US-1998190021", {"en": "Imaginary hoe of R&D αŚ"})
    assert (record.first_claims, record.descriptions) == ({"en": "A hoe."}, {"en": "Hoes."})
    assert (record.ipc, record.citations) == (("A01B 33/08",), (Citation("US-9100001-A", "examiner"),))


def test_american_grants_of_the_green_book(tmp_path: Path) -> None:
    grant, design = read("pftaps.txt", OTHER_FORMS["pftaps.txt"], tmp_path)
    assert grant == PatentRecord(
        number="US-3900022-A",
        titles={"en": "Imaginary hoe with a handle"},
        abstracts={"en": "A hoe of iron."},
        first_claims={"en": "A hoe comprising a handle."},
        n_claims=2,
        claims={"en": ("A hoe comprising a handle.", "The hoe of claim 1.")},
        descriptions={"en": "FIELD\nHoes."},
        ipc=("A01B 33/08",),
        inventors=(
            Party("Muster, Anna", "US", "ZZ", "Springfield", False),
            Party("Muster, Bert", "DE", "", "Neustadt", False),
        ),
        applicants=(Party("Nowhere Tools", "JP", "", "Nowhere", True),),
        filing="1974-03-07",
        priority="1973-03-08",
        publication="1976-01-13",
        application="US-1974449022",
        priorities=("JP-1973900022", "US-1973350022"),
        citations=(Citation("US-3500022", "other"), Citation("JP-S46900023", "other")),
    )
    assert (design.number, design.n_claims) == ("US-D240022-S", 1)
    assert design.first_claims == {"en": "The ornamental design for a hoe, as shown."}


def test_export_of_the_lens(tmp_path: Path) -> None:
    record, brief = read("lens.jsonl", OTHER_FORMS["lens.jsonl"], tmp_path)
    assert record == PatentRecord(
        number="CN-190000030-A",
        titles={"en": "Imaginary hoe", "zh": "虚构的锄头"},
        abstracts={"en": "A hoe is described."},
        first_claims={"en": "A hoe with a handle."},
        n_claims=2,
        claims={"en": ("A hoe with a handle.", "The hoe.")},
        descriptions={"en": "Hoes. Many."},
        ipc=("A01B 33/08",),
        cpc=("A01B 33/082",),
        inventors=(Party("YANGBEN HUA"),),
        applicants=(Party("NOWHERE TOOLS", "CN"),),
        filing="2011-04-11",
        priority="2010-04-12",
        publication="2011-10-05",
        application="CN-201190000030",
        priorities=("US-2010900031P",),
        family="CN-190000030-A",
        citations=(Citation("US-9100001-A", "examiner", "X"), Citation("EP-0900005-A1", "applicant")),
    )
    assert brief.number == "RO-900031-A2"


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_broken_line_of_json_is_counted_with_its_place(end: bytes, tmp_path: Path) -> None:
    first, second = OTHER_FORMS["lens.jsonl"].splitlines()
    path = tmp_path / "lens.jsonl"
    path.write_bytes(end.join([first, b"{broken", b"", b'{"other": 1}', second]))
    tally = Tally()
    assert [record.number for record in read_patents([path], tally)] == ["CN-190000030-A", "RO-900031-A2"]
    faults = "\n".join(map(str, tally.faults.listed()))
    assert "line 2" in faults
    assert "line 4 is not a patent in a known form" in faults


def test_public_data_and_the_harvard_dataset(tmp_path: Path) -> None:
    [record] = read("public.json", OTHER_FORMS["public.json"], tmp_path)
    assert (record.number, record.application, record.priorities) == (
        "US-9200040-B2", "US-2007900040", ("JP-2006900040",),
    )  # fmt: skip
    assert record.claims == {"en": ("A hoe.", "The hoe of claim 1.")}
    assert (record.publication, record.filing, record.priority) == ("2010-01-19", "2007-01-10", "2006-01-12")
    assert record.citations == (
        Citation("US-9100001-A", "examiner", "X"),
        Citation("US-9100002-A", "examiner"),
        Citation("US-9100003-A", "applicant", "A"),
    )
    [other] = read("hupd.json", OTHER_FORMS["hupd.json"], tmp_path)
    assert (other.number, other.application) == ("US-20160900050-A1", "US-2015900050")
    assert (other.cpc, other.n_claims) == (("A01B 1/02",), 2)
    assert other.inventors == (Party("Muster, Anna", "US", "ZZ", "Springfield", False),)


def test_european_full_texts_as_tsv(tmp_path: Path) -> None:
    hoe, lamp = read("EP0900.txt", OTHER_FORMS["ep.tsv"], tmp_path)
    assert (hoe.number, hoe.publication) == ("EP-0900060-A1", "1994-06-08")
    assert hoe.titles == {"de": "Erfundene Hacke", "en": "Imaginary hoe"}
    assert (hoe.abstracts, hoe.claims) == ({"en": "A hoe is described."}, {"en": ("A hoe.",)})
    assert (lamp.number, lamp.titles) == ("EP-0900061-B1", {"fr": "Lampe imaginaire"})


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_table_of_the_lens(encoding: str, tmp_path: Path) -> None:
    record, later = read("lens.csv", LENS_CSV.lstrip("\ufeff").encode(encoding), tmp_path)
    assert (record.number, record.application, record.priorities) == (
        "US-9200070-B2", "US-2007900070", ("JP-2006900070",),
    )  # fmt: skip
    assert (record.titles, record.abstracts) == (
        {"en": "Imaginary hoe, improved"},
        {"en": "A hoe is described."},
    )
    assert (record.cpc, record.ipc) == (("A01B 33/082", "Y10T 29/49"), ("A01B 33/08",))
    assert [party.name for party in record.applicants] == ["NOWHERE TOOLS", "OTHER TOOLS"]
    assert record.family == "JP-2007900070-A"
    assert (later.number, later.application, later.priorities, later.family) == (
        "US-20160900071-A1", "US-2015900071", ("US-2015900071", "US-2015900072P"), "US-20160900071-A1",
    )  # fmt: skip


def test_members_of_a_family_in_a_table_name_it_alike(tmp_path: Path) -> None:
    members = "JP 2007900070 A;;US 9200070 B2;;US 2008/0900070 A1"
    rows = "".join(f"{one[:2]},{one.rpartition(' ')[2]},{one},{members}\n" for one in members.split(";;"))
    text = f"Jurisdiction,Kind,Display Key,Simple Family Members\n{rows}"
    assert {one.family for one in read("lens.csv", text.encode(), tmp_path)} == {"JP-2007900070-A"}


COLUMNS = {"number": "PN", "title": "Titel (orig.)", "abstract": "Kurzfassung", "filing": "Anmeldetag"}


def test_columns_of_a_table_are_named_by_a_map(tmp_path: Path) -> None:
    wanted = Wanted(columns=COLUMNS)
    [record] = read("report.csv", COMMERCIAL.encode("cp1252"), tmp_path, wanted)
    assert (record.number, record.filing) == ("EP-0900080-A1", "2004-06-11")
    assert record.titles == {"en": "Erfundene Hacke für Gärten"}
    assert (record.ipc, len(record.inventors)) == (("A01B 33/08", "A01H 5/00"), 2)


@pytest.mark.parametrize(
    ("title", "encoding"),
    [
        ("Erfundene Hacke für Gärten mit großem Öhr – schön", "cp1252"),
        ("Houe imaginée à lame répétée", "latin-1"),
        ("架空の鍬の製造方法", "cp932"),
        ("一种虚构的锄头及其制造方法", "gb18030"),
        ("架空の鍬と虚构的锄头 für Gärten", "utf-8"),
    ],
)
def test_letters_of_a_table_are_recognised(title: str, encoding: str, tmp_path: Path) -> None:
    text = f"publication number,title\nEP0900080A1,{title}\n"
    [record] = read("report.csv", text.encode(encoding), tmp_path)
    assert list(record.titles.values()) == [title]


def test_table_of_a_japanese_service_is_japanese(tmp_path: Path) -> None:
    titles = "文献番号,出願番号,出願日,公知日,発明の名称,出願人/権利者"
    row = "特開2004-900001,特願2002-900004,2002/09/20,2004/04/22,鍬,架空のメーカー"
    [record] = read("list.csv", f"{titles}\n{row}\n".encode("cp932"), tmp_path)
    assert (record.number, record.application, record.publication) == (
        "JP-2004900001-A", "JP-2002900004", "2004-04-22",
    )  # fmt: skip
    assert (record.titles, record.applicants) == ({"ja": "鍬"}, (Party("架空のメーカー"),))


def test_first_of_several_publications_in_a_cell_is_taken_with_its_day(tmp_path: Path) -> None:
    text = (
        'Publication number,Title,Publication date\n"EP0900080A1\nEP0900080B1",Hoe,"2000-05-17\n2003-02-12"\n'
    )
    [record] = read("list.csv", text.encode(), tmp_path)
    assert (record.number, record.publication) == ("EP-0900080-A1", "2000-05-17")


def test_workbook_is_a_table(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for line in COMMERCIAL.splitlines():
        book.active.append(line.split(";"))
    book.save(file := io.BytesIO())
    [record] = read("report.xlsx", file.getvalue(), tmp_path, Wanted(columns=COLUMNS))
    assert (record.number, record.titles) == ("EP-0900080-A1", {"en": "Erfundene Hacke für Gärten"})


def test_days_of_a_workbook_are_numbers(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["Publication number", "Publication date", "Filing date"])
    book.active.append(["EP0900080A1", datetime.date(2012, 1, 31), datetime.datetime(2010, 2, 3, 12, 0)])
    book.save(file := io.BytesIO())
    [record] = read("report.xlsx", file.getvalue(), tmp_path)
    assert (record.publication, record.filing) == ("2012-01-31", "2010-02-03")


def test_table_without_a_number_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("name,title\na,b\n")
    tally = Tally()
    assert list(read_patents([tmp_path / "x.csv"], tally)) == []
    assert "name it with --map number=TITLE" in str(tally.faults.listed()[0])


def test_rows_about_one_patent_are_one_record(tmp_path: Path) -> None:
    """Tables of PatentsView: one file for each kind of fact, several rows for each patent."""
    files = {
        "g_patent.tsv": "patent_id\tpatent_type\tpatent_date\tpatent_title\twipo_kind\tnum_claims\n"
        "9200090\tutility\t2014-01-07\tImaginary hoe\tB2\t7\n",
        "g_cpc.tsv": "patent_id\tcpc_section\tcpc_group\n9200090\tA\tA01B33/08\n9200090\tA\tA01H5/00\n",
        "g_us_patent_citation.tsv": "patent_id\tcitation_patent_id\tcitation_category\n"
        "9200090\t9100001\tcited by examiner\n9200090\tRE90002\tcited by applicant\n",
    }
    with zipfile.ZipFile(tmp_path / "tables.zip", "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    records = list(read_patents([tmp_path / "tables.zip"], Tally()))
    assert [record.number for record in records] == ["US-9200090-B2", "US-9200090", "US-9200090"]
    assert records[1].cpc == ("A01B 33/08", "A01H 5/00")
    assert records[2].citations == (Citation("US-9100001", "examiner"), Citation("US-RE90002", "applicant"))


RESEARCH = {
    "g_us_patent_citation.tsv": "patent_id\tcitation_sequence\tcitation_patent_id\tcitation_date\trecord_name\t"
    "wipo_kind\tcitation_category\n9200090\t0\t9100001\t2001-02-03\tMuster\tA\tcited by examiner\n",
    "g_foreign_citation.tsv": "patent_id\tcitation_sequence\tcitation_application_id\tcitation_date\t"
    "citation_category\tcitation_country\n9200090\t0\t05-900003\t1993-04-05\tcited by applicant\tJP\n",
    "g_us_application_citation.tsv": "patent_id\tcitation_sequence\tcitation_document_number\tcitation_date\t"
    "record_name\twipo_kind\tcitation_category\n9200090\t0\t2005/0900004\t2005-04-05\tX\tA1\tcited by examiner\n",
    "g_foreign_priority.tsv": "patent_id\tpriority_claim_sequence\tpriority_claim_kind\tforeign_application_id\t"
    "filing_date\tforeign_country_filed\n9200090\t0\tnational\t2003-900001\t2003-06-12\tJP\n",
    "g_ipc_at_issue.tsv": "patent_id\tipc_sequence\tclassification_level\tsection\tipc_class\tsubclass\tmain_group\t"
    "subgroup\n9200090\t0\tA\tA\t01\tB\t33\t08\n9200090\t1\tA\tA\t01\tH\t5\t00\n",
    "g_claims_2014.tsv": '"patent_id"\t"claim_sequence"\t"claim_text"\t"dependent"\t"claim_number"\n'
    '"9200090"\t0\t"1. A hoe with\na ""handle""."\t""\t"1"\n"9200090"\t1\t"2. The hoe of claim 1."\t"claim 1"\t"2"\n',
    "g_application.tsv": "patent_id\tapplication_id\tpatent_application_type\tfiling_date\tseries_code\n"
    "9200090\t14900050\t14\t2014-01-07\t14\n",
    "g_assignee.tsv": "patent_id\tassignee_sequence\tdisambig_assignee_individual_name_first\t"
    "disambig_assignee_individual_name_last\tdisambig_assignee_organization\n9200090\t0\tAnna\tMuster\t\n"
    "9200090\t1\t\t\tNowhere Tools\n",
    "g_patent.tsv": "patent_id\tpatent_date\tpatent_title\twipo_kind\n9200090\t2014-09-16\tImaginary hoe\tB2\n",
}


@pytest.mark.parametrize("order", [1, -1])
def test_tables_of_research_say_one_kind_of_fact_each(order: int, tmp_path: Path) -> None:
    """Their dates and kinds are those of the patent that is cited or claimed."""
    records = []
    for name, text in list(RESEARCH.items())[::order]:
        records += read(name, text.encode(), tmp_path)
    assert {record.number for record in records} == {"US-9200090", "US-9200090-B2"}
    whole = merged(records)
    assert set(whole.citations) == {
        Citation("US-9100001-A", "examiner"),
        Citation("JP-H05900003", "applicant"),
        Citation("US-20050900004-A1", "examiner"),
    }
    assert (whole.filing, whole.publication, whole.application) == (
        "2014-01-07",
        "2014-09-16",
        "US-2014900050",
    )
    assert (whole.priorities, whole.ipc) == (("JP-2003900001",), ("A01B 33/08", "A01H 5/00"))
    assert whole.claims == {"en": ('A hoe with a "handle".', "The hoe of claim 1.")}
    assert (whole.n_claims, [one.name for one in whole.applicants]) == (2, ["Muster, Anna", "Nowhere Tools"])


def test_accents_far_below_the_beginning_of_a_table_are_kept(tmp_path: Path) -> None:
    rows = "".join(f"EP{900000 + n}A1,Imaginary hoe number {n}\n" for n in range(500))
    text = f"publication number,title\n{rows}EP0990080A1,Houe imaginée – répétée\n"
    *_, last = read("report.csv", text.encode("cp1252"), tmp_path)
    assert last.titles == {"en": "Houe imaginée – répétée"}


@pytest.mark.parametrize(
    ("text", "country", "expected"),
    [
        ("Groton, MA 01450", "US", ("Groton", "MA")),
        ("Boston MA 02110-1234", "US", ("Boston", "MA")),
        ("Mississauga, Ontario L5H 3H3", "CA", ("Mississauga", "Ontario")),
        ("Kyoto-shi, Kyoto 601-8550", "JP", ("Kyoto-shi", "Kyoto")),
        ("Tokyo 100-8405", "JP", ("Tokyo", "")),
        ("81671 München", "DE", ("München", "")),
        ("D-80469 München", "DE", ("München", "")),
        ("SE-111 22 Stockholm", "SE", ("Stockholm", "")),
        ("1012 AB Amsterdam", "NL", ("Amsterdam", "")),
        ("75008 Paris Cedex 08", "FR", ("Paris", "")),
        ("Cambridge CB2 1TN", "GB", ("Cambridge", "")),
        ("20121 Milano (MI)", "IT", ("Milano", "MI")),
        ("Tainan City", "TW", ("Tainan City", "")),
        ("", "", ("", "")),
    ],
)
def test_postcode_and_state_are_not_the_city(text: str, country: str, expected: tuple[str, str]) -> None:
    assert place_of(text, country) == expected
