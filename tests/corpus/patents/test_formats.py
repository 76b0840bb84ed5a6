"""Each published form gives the same kind of record."""

from pathlib import Path

import pytest

from kakehashi.corpus.patents.reading import READERS, read_patents
from kakehashi.corpus.patents.record import Citation, Party, PatentRecord, Wanted, merged
from kakehashi.corpus.patents.tally import Tally
from tests.corpus.patents.files import BYTES

FULL = Wanted(claims=True, description=True)


def read(name: str, folder: Path, wanted: Wanted = FULL) -> PatentRecord:
    path = folder / f"{name}.xml"
    path.write_bytes(BYTES[name])
    [record] = read_patents([path], Tally(), wanted)
    return record


def test_marec(tmp_path: Path) -> None:
    assert read("marec", tmp_path) == PatentRecord(
        number="EP-9000001-A1",
        titles={"de": "Erfundene Hacke", "en": "Imaginary hoe"},
        abstracts={"en": "A hoe that nobody made.\nIt has CO2 in it."},
        first_claims={"en": "A hoe comprising a handle; and a blade."},
        n_claims=2,
        claims={"en": ("A hoe comprising a handle; and a blade.", "The hoe of claim 1, which is blue.")},
        descriptions={"en": "Field\nHoes."},
        ipc=("A01B 33/08", "A01B 33/00"),
        cpc=("A01B 33/082",),
        inventors=(Party("Muster, Anna", "DE", "", "Neustadt", False), Party("Mustermann, Bert")),
        applicants=(Party("NOWHERE TOOLS KK", "JP"),),
        filing="2004-06-11",
        priority="2003-06-12",
        publication="2005-01-12",
        application="EP-2004900001",
        priorities=("JP-2003900001", "JP-2003900002"),
        family="70000001",
        citations=(
            Citation("US-9100001-A", "examiner", "X"),
            Citation("DE-19900002-A1", "applicant"),
            Citation("GB-2900003-A", "other"),
        ),
    )


def test_docdb_of_which_one_record_has_no_number(tmp_path: Path) -> None:
    path = tmp_path / "docdb.xml"
    path.write_bytes(BYTES["docdb"])
    tally = Tally()
    [record] = read_patents([path], tally)
    assert (record.number, record.family) == ("JP-2004900001-A", "70000001")
    assert record.titles == {"en": "IMAGINARY HOE"}
    assert (record.ipc, record.cpc, record.fi) == (("A01B 33/08",), ("A01B 33/082",), ("A01B 33/08,A",))
    assert record.applicants == (Party("NOWHERE TOOLS KK", "JP"),)
    assert record.inventors == (Party("MUSTER ANNA", "DE"),)
    assert record.citations == (
        Citation("US-9100001-A", "examiner"),
        Citation("WO-1999090001-A1", "applicant"),
    )
    line = 1 + BYTES["docdb"].split(b'doc-number=""')[0].count(b"\n")
    [fault] = tally.faults.listed()
    assert str(fault) == f"{path}: byte 0: record 2 (line {line}) has no publication number"
    assert tally.faults.by_kind() == {"records with no publication number": 1}


def test_us_grant(tmp_path: Path) -> None:
    assert read("us-grant", tmp_path) == PatentRecord(
        number="US-9200001-B2",
        titles={"en": "Imaginary hoe – improved"},
        abstracts={"en": "A hoe is described."},
        first_claims={"en": "A hoe."},
        n_claims=7,
        claims={"en": ("A hoe.", "The hoe of claim 1.")},
        descriptions={"en": "FIELD\nHoes."},
        ipc=("A01B 33/08",),
        cpc=("A01B 33/082", "Y10T 29/49"),
        inventors=(Party("Muster, Anna", "US", "ZZ", "Springfield", False),),
        applicants=(Party("Nowhere Tools Holding", "JP", "", "Nowhere", True),),
        filing="2004-06-10",
        priority="2003-06-12",
        publication="2014-01-07",
        application="US-2004900001",
        priorities=("JP-2003900001",),
        citations=(
            Citation("US-9100001-A", "examiner"),
            Citation("US-20030900002-A1", "applicant"),
            Citation("JP-H05900003", "other"),
        ),
    )


def test_us_application_of_an_inventor_alone(tmp_path: Path) -> None:
    record = read("us-application", tmp_path)
    alone = Party("Alone, Zoe", "US", "ZZ", "Shelbyville", False)
    assert (record.number, record.ipc) == ("US-20050900001-A1", ("A01B 33/08", "A01H 5/00"))
    assert (record.inventors, record.applicants, record.independent) == ((alone,), (alone,), True)
    assert (record.filing, record.priority) == ("2004-07-01", "2004-07-01")


def test_older_us_grant(tmp_path: Path) -> None:
    assert read("patdoc", tmp_path) == PatentRecord(
        number="US-9300001-B1",
        titles={"en": "Old imaginary hoe"},
        abstracts={"en": "An old hoe of H2 O."},
        first_claims={"en": "An old hoe."},
        n_claims=12,
        claims={"en": ("An old hoe.", "Another.")},
        descriptions={"en": "Old hoes."},
        ipc=("A01B 33/08", "A01H 5/00"),
        inventors=(
            Party("Muster, Anna", "US", "ZZ", "Springfield", False),
            Party("Muster, Bert", "DE", "", "Neustadt", False),
        ),
        applicants=(Party("Nowhere Tools", organization=True),),
        filing="2002-10-15",
        priority="2001-10-16",
        publication="2004-01-06",
        application="US-2002900003",
        priorities=("JP-2001900003",),
        citations=(Citation("US-9100001-A", "examiner"), Citation("EP-0900004", "other")),
    )


def test_older_us_application(tmp_path: Path) -> None:
    record = read("us-publication", tmp_path)
    assert (record.number, record.publication) == ("US-20010900001-A1", "2001-03-15")
    assert (record.filing, record.priority) == ("2000-11-27", "1999-11-26")
    assert record.abstracts == {"en": "A published hoe."}
    assert (record.first_claims, record.n_claims) == ({"en": "A published hoe."}, 2)
    assert record.ipc == ("A01B 33/08", "A01H 5/00")
    assert record.inventors == (
        Party("Muster, Anna", "US", "ZZ", "Springfield", False),
        Party("Muster, Bert", "DE", "", "Neustadt", False),
    )
    assert record.applicants == (Party("Nowhere Tools", "JP", "", "Nowhere", True),)
    assert not record.independent


def test_european_grant(tmp_path: Path) -> None:
    assert read("ep", tmp_path) == PatentRecord(
        number="EP-0900001-B1",
        titles={"de": "Erfundene Hacke", "en": "Imaginary hoe", "fr": "Houe imaginaire"},
        first_claims={"de": "Hacke.", "en": "A hoe with a handle."},
        n_claims=2,
        claims={"de": ("Hacke.",), "en": ("A hoe with a handle.", "The hoe of claim 1.")},
        descriptions={"en": "Hoes."},
        ipc=("A01B 33/08",),
        cpc=("A01B 33/082",),
        inventors=(Party("Muster, Anna", "DE", "", "Neustadt"),),
        applicants=(Party("Nowhere Tools Holding", "JP", "", "Nowhere"),),
        filing="2004-06-11",
        priority="2003-06-12",
        publication="2007-01-03",
        application="EP-2004900001",
        priorities=("JP-2003900001", "JP-2003900002"),
        citations=(
            Citation("EP-0900002-A", "examiner"),
            Citation("WO-1999090001-A", "examiner"),
            Citation("US-6900005-B1", "examiner"),
            Citation("JP-2001900006-A", "applicant"),
        ),
    )


def test_japanese_gazette(tmp_path: Path) -> None:
    assert read("jp", tmp_path) == PatentRecord(
        number="JP-2004900001-A",
        titles={"ja": "架空の鍬"},
        abstracts={"ja": "【課題】軽い鍬を提供する。\n【解決手段】柄と刃とを備える。\n【選択図】図１"},
        first_claims={"ja": "柄と刃とを備える鍬。"},
        n_claims=3,
        claims={"ja": ("柄と刃とを備える鍬。", "青い鍬。")},
        descriptions={"ja": "古い鍬がある。 特開２００１−９００００６号公報"},
        ipc=("A01B 33/08", "A01H 5/00"),
        fi=("A01B 33/08,101A", "A01H 5/00,Z"),
        inventors=(Party("見本 花子", "JP", "", "架空県"),),
        applicants=(Party("架空農具株式会社", "JP", "", "架空県, 架空市"),),
        filing="2003-06-12",
        priority="2003-06-12",
        publication="2004-11-04",
        application="JP-2003900001",
        citations=(Citation("JP-2001900006-A", "applicant"),),
    )


def test_japanese_gazette_since_2022(tmp_path: Path) -> None:
    assert read("jp-st96", tmp_path) == PatentRecord(
        number="JP-7900001-B2",
        titles={"ja": "架空の鍬"},
        abstracts={"ja": "【課題】軽い鍬を提供する。\n【解決手段】柄と刃とを備える。"},
        first_claims={"ja": "柄と刃とを備える鍬。"},
        n_claims=2,
        claims={"ja": ("柄と刃とを備える鍬。", "青い請求項１の鍬。")},  # not those of the amendment
        descriptions={"ja": "古い鍬がある。\n米国特許出願公開第２０１５／０９００００２号明細書"},
        ipc=("A01B 33/08", "A01H 5/00"),
        fi=("A01B 33/08,101A",),
        inventors=(Party("見本花子", "US"),),
        applicants=(Party("架空農具株式会社", "JP", "", "東京都, 新宿区"),),
        filing="2020-06-12",
        priority="2019-06-13",
        publication="2023-01-18",
        application="JP-2020900001",
        priorities=("US-2019900001P",),
        citations=(Citation("JP-2001900006-A", "examiner"), Citation("US-20150900002-A", "applicant")),
    )


@pytest.mark.parametrize("name", BYTES)
def test_long_parts_are_read_only_if_wanted(name: str, tmp_path: Path) -> None:
    brief, full = read(name, tmp_path, Wanted()), read(name, tmp_path)
    assert not brief.claims
    assert not brief.descriptions
    assert (brief.number, brief.n_claims, brief.first_claims) == (
        full.number,
        full.n_claims,
        full.first_claims,
    )


def test_every_reader_has_a_file_of_its_form() -> None:
    everything = b"".join(BYTES.values())
    assert [name for name in READERS if f"{name} ".encode() not in everything.replace(b">", b" ")] == []


def test_two_records_of_one_publication_complete_each_other(tmp_path: Path) -> None:
    one, other = read("docdb", tmp_path), read("jp", tmp_path)
    both = merged([one, other])
    assert both.titles == {"en": "IMAGINARY HOE", "ja": "架空の鍬"}
    assert (both.family, both.n_claims, both.cpc) == ("70000001", 3, ("A01B 33/082",))
    assert both.citations == (*one.citations, *other.citations)
    assert both.inventors == one.inventors


def test_names_in_latin_letters_are_kept_with_the_places_of_the_others() -> None:
    japanese = PatentRecord("JP-1-A", inventors=(Party("見本 花子", "JP", "", "架空県"),))
    romanised = PatentRecord("JP-1-A", inventors=(Party("MIHON HANAKO", "JP"),))
    expected = (Party("MIHON HANAKO", "JP", "", "架空県"),)
    assert merged([japanese, romanised]).inventors == expected
    assert merged([romanised, japanese]).inventors == expected
    two = PatentRecord("JP-1-A", inventors=(Party("A"), Party("B")))
    assert merged([japanese, two]).inventors == two.inventors  # nobody knows who is who
    assert merged([japanese, PatentRecord("JP-1-A")]).inventors == japanese.inventors
