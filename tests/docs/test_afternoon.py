"""The afternoon with two offices' files: its commands run, on invented files and on real ones."""

import csv
import shutil
from pathlib import Path

import pytest

from tests.cli.calling import CommandLine
from tests.corpus.patents.files import EP, US_GRANT
from tests.data_beside import data_file
from tests.docs.pages import read, script

PAGE = "docs/patents-afternoon.md"
OWN = "EP-9100001-B1"  # the query of the page


@pytest.fixture
def kakehashi(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(monkeypatch, capsys)


def run_page(kakehashi: CommandLine, folder: Path, query: str) -> tuple[list[str], list[str]]:
    """(what the commands print, ids of the exported hits)"""
    said = []
    for _, *words in script("examples").commands(read(PAGE)):
        paths = {"week", "week.xml", "ep.xml", "invention.txt", "hits.csv", "hits.ris"}
        given = [str(folder / word) if word in paths else word.replace(OWN, query) for word in words]
        said.append(kakehashi(*given).out)
    with (folder / "hits.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert (folder / "hits.ris").read_text(encoding="utf-8").count("TY  - ") == len(rows)
    return said, [row["id"] for row in rows]


def test_afternoon_on_invented_files(
    kakehashi: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = US_GRANT.replace("<date>20140107</date>", "<date>20020107</date>")
    other = older.replace("09200001", "09200002").replace("hoe", "lamp")
    other = other.replace("JP</country>\n<doc-number>2003-900001", "JP</country>\n<doc-number>1999-900009")
    other = other.replace("<date>20030612</date>", "<date>19990612</date>")
    own = older.replace("09200001", "09200003").replace("2003-900001", "1999-900007")
    own = own.replace("<date>20030612</date>", "<date>19990612</date>")
    (tmp_path / "week.xml").write_text(older + other + own)
    claims = '<claims id="c3" lang="fr"><claim num="1"><claim-text>Houe avec un manche.</claim-text></claim></claims>'
    grant = EP.replace("0900001", "9100001").replace(
        '<claims id="claims01"', claims + '<claims id="claims01"'
    )
    (tmp_path / "ep.xml").write_text(grant)
    (tmp_path / "invention.txt").write_text("Une houe de R&D 5000", encoding="utf-8")
    said, hits = run_page(kakehashi, tmp_path, OWN)
    assert "4 documents, 1 queries" in said[0]
    assert "0 errors" in said[1]
    assert "US-9200003-B2" in hits  # the older hoe
    assert OWN not in hits


@pytest.mark.real
def test_afternoon_on_real_files(kakehashi: CommandLine, tmp_path: Path) -> None:
    office = data_file("office")
    shutil.copy(office / "uspto" / "ipg120103.small.xml", tmp_path / "week.xml")
    shutil.copy(office / "ep" / "v1-5-B1.xml", tmp_path / "ep.xml")
    (tmp_path / "invention.txt").write_text(
        "Ensemble haute tension avec un transformateur 380 kV", encoding="utf-8"
    )
    said, hits = run_page(kakehashi, tmp_path, "EP-3404678-B1")
    assert "26 documents, 1 queries" in said[0]
    assert hits
    assert "EP-3404678-B1" not in hits
