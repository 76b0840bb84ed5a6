"""PATSTAT's tables, joined by their internal numbers; all records are invented."""

import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kakehashi.corpus.patents.patstat import is_patstat, table_of
from kakehashi.corpus.patents.reading import read_patents
from kakehashi.corpus.patents.record import Citation, Party, PatentRecord
from kakehashi.corpus.patents.tally import Place, Tally

TABLES = {
    "tls201_appln.csv": """\
appln_id,appln_auth,appln_nr,appln_kind,appln_filing_date,receiving_office,docdb_family_id,earliest_filing_date
11,EP,04900001,A ,2004-06-11,  ,70000001,2003-06-12
12,JP,2003900001,A ,2003-06-12,  ,70000001,2003-06-12
13,US,90000303,A ,2003-01-15,  ,70000003,2003-01-15
14,WO,2004900005,W ,2004-02-06,JP,0,9999-12-31
900000015,US,90000802,P ,2002-07-11,,0,9999-12-31
""",
    "tls202_appln_title.csv": 'appln_id,appln_title_lg,appln_title\n11,en,"Imaginary hoe, improved"\n'
    "11,de,Hacke\n"
    "12,ja,架空の鍬\n",
    "tls203_appln_abstr.csv": 'appln_id,appln_abstract_lg,appln_abstract\n11,en,"A hoe\nof iron."\n',
    "tls204_appln_prior.csv": "appln_id,prior_appln_id,prior_appln_seq_nr\n11,12,1\n11,900000015,2\n",
    "tls206_person.csv": """person_id,person_name,person_ctry_code,psn_sector
1,"Muster, Anna",DE,INDIVIDUAL
2,Nowhere Tools K.K.,JP,COMPANY
3,Second Tools,,
""",
    "tls207_pers_appln.csv": "person_id,appln_id,applt_seq_nr,invt_seq_nr\n3,11,2,0\n2,11,1,0\n1,11,0,1\n",
    "tls209_appln_ipc.csv": "appln_id,ipc_class_symbol,ipc_class_level\n11,A01B  33/08,A\n11,A01H   5/00,A\n",
    "tls211_pat_publn.csv": """pat_publn_id,publn_auth,publn_nr,publn_kind,appln_id,publn_date,publn_lg,publn_claims
101,EP,0900001,A1,11,2005-01-12,en,7
102,EP,0900001,B1,11,2007-01-03,en,5
103,JP,2004900001,A ,12,2004-11-04,ja,0
104,US,6900003,B2,13,2005-05-24,en,0
105,WO,2004900006,A1,14,2004-08-19,ja,0
900000106,,,,900000015,9999-12-31,,0
""",
    "tls212_citation.csv": """pat_publn_id,citn_replenished,citn_id,citn_origin,cited_pat_publn_id,cited_appln_id
101,0,1,SEA,104,0
101,0,2,APP,0,12
101,0,3,SEA,0,0
102,0,1,OPP,105,0
""",
    "tls215_citn_categ.csv": "pat_publn_id,citn_replenished,citn_id,citn_categ\n101,0,1,X\n101,0,1,Y\n101,0,2,A\n",
    "tls224_appln_cpc.csv": "appln_id,cpc_class_symbol\n11,A01B  33/082\n",
    "tls229_appln_nace2.csv": "appln_id,nace2_code,weight\n11,28.3,1\n",
}


def read(folder: Path, tally: Tally | None = None, tables: dict[str, str] = TABLES) -> list[PatentRecord]:
    with zipfile.ZipFile(folder / "patstat.zip", "w") as archive:
        for name, text in tables.items():
            archive.writestr(name, text)
    return list(read_patents([folder / "patstat.zip"], tally or Tally(), folder=folder))


def test_publication_is_joined_from_all_tables(tmp_path: Path) -> None:
    tally = Tally()
    first, granted, japanese, american, international = read(tmp_path, tally)
    assert first == PatentRecord(
        number="EP-0900001-A1",
        titles={"en": "Imaginary hoe, improved", "de": "Hacke"},
        abstracts={"en": "A hoe of iron."},
        n_claims=7,
        ipc=("A01B 33/08", "A01H 5/00"),
        cpc=("A01B 33/082",),
        inventors=(Party("Muster, Anna", "DE", organization=False),),
        applicants=(Party("Nowhere Tools K.K.", "JP", organization=True), Party("Second Tools")),
        filing="2004-06-11",
        priority="2003-06-12",
        publication="2005-01-12",
        application="EP-2004900001",
        priorities=("JP-2003900001", "US-2002900008P"),
        family="70000001",
        citations=(
            Citation("US-6900003-B2", "examiner", "XY"),
            Citation("JP-2004900001-A", "applicant", "A"),
        ),
    )
    assert (granted.number, granted.n_claims, granted.titles) == ("EP-0900001-B1", 5, first.titles)
    assert granted.citations == (Citation("WO-2004900006-A1", "other"),)
    assert (japanese.titles, japanese.family) == ({"ja": "架空の鍬"}, "70000001")
    assert (american.number, american.application) == ("US-6900003-B2", "US-2003900003")
    assert (international.application, international.family) == ("WO-PCTJP2004900005", "")
    assert (tally.records, tally.faults.by_kind()) == ({"patstat": 5}, {})
    assert tally.other_documents == 2  # a table that is not needed, an application that was never published
    assert [path.name for path in tmp_path.iterdir()] == ["patstat.zip"]


def test_order_of_the_tables_and_their_columns_does_not_matter(tmp_path: Path) -> None:
    turned = dict(reversed(TABLES.items()))
    lines = turned["tls204_appln_prior.csv"].splitlines()
    turned["tls204_appln_prior.csv"] = "\n".join(";".join(reversed(line.split(","))) for line in lines)
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert sorted(read(tmp_path / "a", tables=turned), key=lambda one: one.number) == sorted(
        read(tmp_path / "b"), key=lambda one: one.number
    )


def test_tables_of_several_files_are_one(tmp_path: Path) -> None:
    head, *rows = TABLES["tls211_pat_publn.csv"].splitlines(keepends=True)
    parts = {"tls211_part01.csv": head + "".join(rows[:2]), "tls211_part02.csv": head + "".join(rows[2:])}
    tables = {name: text for name, text in TABLES.items() if "211" not in name}
    assert [one.number for one in read(tmp_path, tables={**parts, **tables})] == [
        "EP-0900001-A1", "EP-0900001-B1", "JP-2004900001-A", "US-6900003-B2", "WO-2004900006-A1",
    ]  # fmt: skip


def test_tables_without_publications_say_what_is_missing(tmp_path: Path) -> None:
    tally = Tally()
    tables = {name: text for name, text in TABLES.items() if "211" not in name}
    assert read(tmp_path, tally, tables) == []
    assert "tls211_pat_publn" in str(tally.faults.listed()[0])


@pytest.mark.parametrize(
    ("name", "head", "table", "is_one"),
    [
        ("x.csv", b"appln_id,appln_title_lg,appln_title\n1,en,x", "titles", True),
        ("x.csv", b'"pat_publn_id";"publn_auth";"publn_nr";"appln_id"\n', "publications", True),
        ("tls229_part01.csv", b"APPLN_ID,NACE2_CODE\n", "", True),
        ("x.csv", b"APPLN_ID,NACE2_CODE\n", "", False),
        (
            "x.csv",
            b"pat_publn_id,publn_auth,publn_nr,appln_id,appln_title\n",
            "",
            False,
        ),  # joined by the user
        ("tls.csv", b"publication number,title\n", "", False),
        ("tls803_legal_event_code.csv", b"event_auth,event_code\n", "", True),
    ],
)
def test_table_is_known_by_its_columns(name: str, head: bytes, table: str, is_one: bool) -> None:
    assert (table_of(head), is_patstat(head, Place(Path(name)))) == (table, is_one)


def test_table_joined_by_the_user_is_a_table_like_others(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(
        "appln_id,publn_auth,publn_nr,publn_kind,publn_date,appln_title,appln_title_lg,docdb_family_id\n"
        "11,EP,0900001,A1,2005-01-12,Hacke,de,70000001\n"
    )
    [record] = read_patents([tmp_path / "x.csv"], Tally())
    assert (record.number, record.titles, record.family) == ("EP-0900001-A1", {"de": "Hacke"}, "70000001")


@settings(max_examples=60)
@given(st.sampled_from(sorted(TABLES)), st.integers(0, 1 << 12), st.binary(max_size=3), st.booleans())
def test_damaged_table_raises_nothing(
    tmp_path_factory: pytest.TempPathFactory, name: str, place: int, new: bytes, cut: bool
) -> None:
    folder = tmp_path_factory.mktemp("fuzz")
    for other, text in TABLES.items():
        data = text.encode()
        if other == name:
            place %= len(data)
            data = data[:place] + new + (b"" if cut else data[place + len(new) :])
        (folder / other).write_bytes(data)
    found = list(read_patents([folder], Tally()))
    assert len(found) <= 7
