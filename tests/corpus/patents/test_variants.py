"""What only some versions of a form have; all records are invented."""

from pathlib import Path

import pytest

from kakehashi.corpus.patents.japanese_addresses import at_address
from kakehashi.corpus.patents.reading import read_patents
from kakehashi.corpus.patents.record import Party, PatentRecord
from kakehashi.corpus.patents.tally import Tally
from tests.corpus.patents.files import DOCDB, EP, JP, PATDOC, US_APPLICATION, US_GRANT, US_PUBLICATION


def read(text: str, folder: Path) -> PatentRecord:
    (folder / "x.xml").write_text(text.replace("EUC-JP", "UTF-8"))
    return next(read_patents([folder / "x.xml"], Tally()))


def put(text: str, place: str, more: str) -> str:
    """The text with more before a place that is there once."""
    assert text.count(place) == 1
    return text.replace(place, more + place)


RELATED = """<us-related-documents>
<us-provisional-application><document-id><doc-number>60900002</doc-number><date>20030401</date></document-id>
</us-provisional-application><continuation><relation><parent-doc><document-id><country>US</country>
<doc-number>09900005</doc-number><date>20010305</date></document-id><parent-grant-document><document-id>
<country>US</country><doc-number>6900005</doc-number></document-id></parent-grant-document></parent-doc><child-doc>
<document-id><country>US</country><doc-number>10900001</doc-number></document-id></child-doc></relation></continuation>
<related-publication><document-id><country>US</country><doc-number>20040900003</doc-number><kind>A1</kind>
<date>20000101</date></document-id></related-publication></us-related-documents>
"""


def test_what_an_american_patent_goes_back_to_is_its_priority(tmp_path: Path) -> None:
    record = read(put(US_GRANT, "<us-references-cited>", RELATED), tmp_path)
    assert record.priorities == ("JP-2003900001", "US-2003900002P", "US-2001900005")
    assert record.priority == "2001-03-05"


def test_international_filing_of_an_american_patent_counts_as_a_date(tmp_path: Path) -> None:
    filed = """<pct-or-regional-filing-data><document-id><country>WO</country>
<doc-number>PCT/JP2003/900001</doc-number><date>20030301</date></document-id></pct-or-regional-filing-data>"""
    assert read(put(US_GRANT, "<us-references-cited>", filed), tmp_path).priority == "2003-03-01"


def test_older_american_grant_goes_back_to_its_parents(tmp_path: Path) -> None:
    parents = """<B600><B630><B631><PARENT-US><CDOC><DOC><DNUM><PDAT>10/900003</PDAT></DNUM></DOC></CDOC><PDOC><DOC>
<DNUM><PDAT>08/900007</PDAT></DNUM><DATE><PDAT>19980506</PDAT></DATE><KIND><PDAT>00</PDAT></KIND></DOC></PDOC>
</PARENT-US></B631></B630><B680US><DOC><DNUM><PDAT>60/900008</PDAT></DNUM><DATE><PDAT>19970711</PDAT></DATE></DOC>
</B680US></B600>"""
    record = read(put(PATDOC, "<B700>", parents), tmp_path)
    assert record.priorities == ("JP-2001900003", "US-1998900007", "US-1997900008P")
    assert record.priority == "1997-07-11"


def test_older_american_application_goes_back_to_its_parents(tmp_path: Path) -> None:
    parents = """<continuity-data><non-provisional-of-provisional><document-id><doc-number>60900009</doc-number>
<document-date>19980102</document-date><country-code>US</country-code></document-id>
</non-provisional-of-provisional><continuations><continuation-of><parent-child><child><document-id>
<doc-number>09900001</doc-number></document-id></child><parent><document-id><doc-number>08900010</doc-number>
</document-id></parent><parent-status>GRANTED</parent-status></parent-child></continuation-of></continuations>
</continuity-data>"""
    record = read(put(US_PUBLICATION, "<technical-information>", parents), tmp_path)
    assert record.priorities == ("JP-1999900001", "US-8900010", "US-1998900009P")
    assert record.priority == "1998-01-02"


def test_middle_name_belongs_to_the_name_of_an_inventor(tmp_path: Path) -> None:
    middle = "<middle-name> B.\n </middle-name>"
    text = US_PUBLICATION.replace("Anna</given-name>", f"Anna</given-name>{middle}")
    assert read(text, tmp_path).inventors[0].name == "Muster, Anna B."


@pytest.mark.parametrize(
    ("text", "place", "dead"),
    [
        (US_GRANT, "</inventors>", "deceased-inventor"),
        (US_APPLICATION, "</us-bibliographic-data-application>", "us-deceased-inventor"),
    ],
)
def test_dead_inventor_is_an_inventor(text: str, place: str, dead: str, tmp_path: Path) -> None:
    name = f'<{dead} sequence="002"><last-name>Late</last-name><first-name>Max</first-name></{dead}>'
    record = read(put(text, place, name), tmp_path)
    assert [party.name for party in record.inventors][1:] == ["Late, Max"]


@pytest.mark.parametrize(
    "words", ["<b>1</b>-<b>20</b>. (canceled)", "1.-20. (Cancelled)", "Claims 1-20 (canceled)"]
)
def test_cancelled_claims_are_none(words: str, tmp_path: Path) -> None:
    claim = f'<claim id="CLM-0" num="0"><claim-text>{words}</claim-text></claim>'
    record = read(put(US_APPLICATION, '<claim id="CLM-00001">', claim), tmp_path)
    assert (record.first_claims, record.n_claims) == ({"en": "A hand hoe."}, 1)


def test_claim_about_what_is_cancelled_stays(tmp_path: Path) -> None:
    text = US_APPLICATION.replace("1. A hand hoe.", "1. A noise that is canceled.")
    assert read(text, tmp_path).first_claims == {"en": "A noise that is canceled."}


def test_priority_that_is_written_in_several_ways_is_one(tmp_path: Path) -> None:
    again = """<exch:priority-claim sequence="1" data-format="epodoc"><document-id>
<doc-number>JP20030900001</doc-number></document-id></exch:priority-claim>
<exch:priority-claim sequence="1" data-format="original"><document-id>
<doc-number>900001/2003</doc-number></document-id></exch:priority-claim>"""
    own = """<exch:application-reference data-format="original"><document-id><doc-number>P2003-900001</doc-number>
</document-id></exch:application-reference>"""
    text = put(put(DOCDB, "</exch:priority-claims>", again), "<exch:application-reference is-", own)
    record = read(text, tmp_path)
    assert (record.priorities, record.application) == (("JP-2003900001",), "JP-2003900001")
    assert record.filing == "2003-06-12"


def test_note_of_a_deletion_is_no_patent(tmp_path: Path) -> None:
    (tmp_path / "x.xml").write_text(DOCDB.replace('status="A"', 'status="D"'))
    tally = Tally()
    assert list(read_patents([tmp_path / "x.xml"], tally)) == []
    assert tally.faults.by_kind()["records with a deletion notice"] == 1


def test_old_japanese_application_has_one_number_in_all_offices(tmp_path: Path) -> None:
    american = US_GRANT.replace(
        "2003-900001</doc-number><date>20030612", "10-900001</doc-number><date>19980701"
    )
    european = EP.replace(
        "<B310>2003900001</B310><B320><date>20030612", "<B310>90000198</B310><B320><date>19980701"
    )
    japanese = JP.replace("<doc-number>2003900001</doc-number>", "<doc-number>平10-900001</doc-number>")
    assert read(american, tmp_path).priorities == ("JP-1998900001",)
    assert read(european, tmp_path).priorities == ("JP-1998900001", "JP-2003900002")
    assert read(japanese, tmp_path).application == "JP-1998900001"


def test_japanese_gazette_names_countries_in_words(tmp_path: Path) -> None:
    claim = """<priority-claims><priority-claim sequence="1"><country>米国(US)</country>
<doc-number>60/900,001</doc-number><date>20020612</date></priority-claim>
<priority-claim sequence="2"><doc-number>特願2002-900004</doc-number>
<date>20021201</date></priority-claim></priority-claims>"""
    record = read(put(JP, "<number-of-claims>", claim), tmp_path)
    assert record.priorities == ("US-2002900001P", "JP-2002900004")
    assert record.priority == "2002-06-12"


def test_title_and_claims_of_a_european_patent_keep_their_languages_in_any_order(tmp_path: Path) -> None:
    french = (
        '<claims id="claims03" lang="fr"><claim num="0001"><claim-text>Houe.</claim-text></claim></claims>'
    )
    record = read(put(EP, '<claims id="claims01"', french), tmp_path)
    assert record.first_claims == {"fr": "Houe.", "de": "Hacke.", "en": "A hoe with a handle."}


@pytest.mark.parametrize(
    ("address", "country", "city"),
    [
        ("〒220-0000　神奈川県横浜市西区架空１－１", "JP", "神奈川県, 横浜市"),
        ("三重県四日市市架空町", "JP", "三重県, 四日市市"),
        ("千葉県市川市架空", "JP", "千葉県, 市川市"),
        ("東京都町田市架空", "JP", "東京都, 町田市"),
        ("愛知県蒲郡市架空町", "JP", "愛知県, 蒲郡市"),
        ("神奈川県足柄上郡中井町架空", "JP", "神奈川県, 足柄上郡中井町"),
        ("日本国北海道札幌市北区", "JP", "北海道, 札幌市"),
        ("ドイツ連邦共和国　架空市", "DE", ""),
        ("インド国　架空市", "IN", ""),
        ("インドネシア　架空市", "", ""),
        ("", "", ""),
    ],
)
def test_japanese_address_names_country_prefecture_and_municipality(
    address: str, country: str, city: str
) -> None:
    assert at_address(Party("見本"), address) == Party("見本", country, "", city)
