"""Brief patents as JSON lines, judged by families and citations."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from kakehashi.corpus.check import check
from kakehashi.corpus.collection import Collection
from kakehashi.corpus.patents.lens import import_lens, read_brief_patents, read_citing_pairs
from kakehashi.corpus.trec import read_qrels
from kakehashi.errors import FileError, InputError
from tests.corpus.test_data_command import run
from tests.data_beside import data_file

YEARS = {"train": (0, 2011), "dev": (2012, 2012), "test": (2013, 2014)}
PATENTS: list[dict[str, Any]] = [
    {"id": "US1", "year": 2010, "title": "Kite with a motor", "priority_numbers": ["p1"],
     "jurisdiction": "US", "applicants": ["Kite Works Inc."], "ipc": ["B64C31/06"], "cpc": ["B64C39/02"]},
    {"id": "EP1", "year": 2013, "title": "Motor kite", "priority_numbers": ["p1", "p2"], "jurisdiction": "EP"},
    {"id": "JP1", "year": 2012, "title": "Line for kites", "priority_numbers": ["p3"], "ipc": ["oddly", "A63H 27/08"]},
    {"id": "US2", "year": 2013, "title": " Reel for a line ", "priority_numbers": ["p4"], "url": "unused"},
    {"id": "US3", "year": 2014, "title": "Alone"},
    {"id": "US4", "year": 2009, "title": "", "priority_numbers": ["p2"]},
]  # fmt: skip
CITATIONS = ["JP1\tUS1", "US2\tJP1", "US2\tXX9", "XX9\tUS1", "US1\tUS3", "US1\tUS1", "US4\tUS3"]
QRELS = {
    "train": {"US1": {"EP1": 3, "US3": 1}, "EP1": {"US1": 3}},
    "dev": {"JP1": {"EP1": 1, "US1": 1}},
    "test": {"US2": {"JP1": 1}},
}


def files(folder: Path, packed: bool = False) -> tuple[Path, Path]:
    texts = {
        "patents.jsonl": "".join(json.dumps(patent) + "\n" for patent in PATENTS),
        "citations.tsv": "".join(f"{line}\n" for line in CITATIONS),
    }
    folder.mkdir(exist_ok=True)
    paths = []
    for name, text in texts.items():
        path = folder / (f"{name}.gz" if packed else name)
        path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
        paths.append(path)
    return paths[0], paths[1]


@pytest.fixture
def made(tmp_path: Path) -> Collection:
    import_lens(*files(tmp_path), tmp_path / "c", YEARS)
    return Collection(tmp_path / "c")


def test_families_and_citations_become_levels_of_one_split_per_family(made: Collection) -> None:
    """EP1 is of 2013, but its family began in the years of train; a citation counts for the cited family."""
    assert {split: made.qrels(split) for split in made.splits} == QRELS
    assert made.info.mate_level == 3
    assert made.info.exclude_self


def test_collection_has_no_faults(made: Collection) -> None:
    assert check(made.folder) == []


def test_all_titled_patents_are_documents_and_the_judged_ones_queries(made: Collection) -> None:
    assert [text.id for text in made.documents()] == ["US1", "EP1", "JP1", "US2", "US3"]
    assert [text.id for text in made.queries()] == ["US1", "EP1", "JP1", "US2"]
    assert [text.content.strip() for text in made.documents()][3] == "Reel for a line"


def test_metadata_has_the_spellings_and_names_of_other_patents(made: Collection) -> None:
    meta = {text.id: text.meta for text in made.documents()}
    assert meta["US1"] == {
        "ipc": ["B64C 31/06"],
        "cpc": ["B64C 39/02"],
        "applicants": ["Kite Works Inc."],
        "family": "EP1",
        "office": "US",
        "year": 2010,
    }
    assert meta["JP1"]["ipc"] == ["A63H 27/08"]
    assert set(meta["US1"]) == set(made.info.fields)


def test_links_out_of_dev_and_test_queries_are_held_back(made: Collection) -> None:
    assert list(made.links()) == [("US1", "US3", "citation")]


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    done = import_lens(*files(tmp_path), tmp_path / "c", YEARS)
    assert (done.documents, done.queries) == (5, 4)
    assert done.left_out == {
        "patents without a title": 1,
        "unreadable class symbols": 1,
        "queries without judgments": 1,
    }


def test_packed_files_give_the_same_collection_by_command(tmp_path: Path, made: Collection) -> None:
    patents, citations = files(tmp_path / "packed", packed=True)
    years = ["--train", "0-2011", "--dev", "2012", "--test", "2013-2014"]
    printed = run("get", "lens", tmp_path / "d", "--from", patents, "--citations", citations, *years)
    assert "5 documents, 4 queries, 3 judgments in train" in printed
    for path in made.folder.rglob("*"):
        if path.is_file():
            assert (tmp_path / "d" / path.relative_to(made.folder)).read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "is not a patent record"),
        ('{"id": "a", "title": "t"}', "missing required field `year`"),
        ('{"id": "a", "title": "t", "year": "2010"}', "Expected `int`"),
        ('{"id": "a", "title": "t", "year": 20100}', "<= 9999"),
        ('{"id": "a b", "title": "t", "year": 2010}', "contain white space"),
        ('{"id": "US1", "title": "t", "year": 2010}', "second record of 'US1'"),
    ],
)
def test_bad_patent_is_named_by_file_and_line(tmp_path: Path, line: str, message: str) -> None:
    patents, _ = files(tmp_path)
    with patents.open("a") as file:
        file.write(f"\n{line}\n")
    with pytest.raises(FileError, match=rf"patents.jsonl:8: .*{message}"):
        list(read_brief_patents(patents))


@pytest.mark.parametrize("line", ["US1", "US1\tUS2\tUS3", "US1\t"])
def test_bad_citation_is_named_by_file_and_line(tmp_path: Path, line: str) -> None:
    (tmp_path / "c.tsv").write_text(f"US1\tUS2\n{line}\n")
    with pytest.raises(FileError, match=r"c\.tsv:2: needs two tab-separated columns"):
        list(read_citing_pairs(tmp_path / "c.tsv"))


def test_nothing_is_left_behind_where_no_query_is_judged(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no patent of these years cites another"):
        import_lens(*files(tmp_path), tmp_path / "c", {"test": (1900, 1901)})
    (tmp_path / "none.jsonl").touch()
    with pytest.raises(FileError, match="contains no patent with a title"):
        import_lens(tmp_path / "none.jsonl", tmp_path / "citations.tsv", tmp_path / "c", YEARS)
    assert not (tmp_path / "c").exists()


@pytest.mark.real
def test_real_patents_hold_the_judgments_published_with_them(tmp_path: Path) -> None:
    published = read_qrels(data_file("patents_drones/qrels_citations.txt"))
    done = import_lens(
        data_file("patents_drones/lens_drones.jsonl.gz"),
        data_file("patents_drones/citations_all.tsv.gz"),
        tmp_path / "c",
        {"train": (0, 2015), "dev": (2016, 2016), "test": (2017, 2018)},
    )
    made = Collection(tmp_path / "c")
    assert check(made.folder) == []
    assert (done.documents, done.queries) == (9071, 2306)
    judged = {query: levels for split in made.splits for query, levels in made.qrels(split).items()}
    family = {text.id: text.meta["family"] for text in made.documents()}
    for query, levels in published.items():
        for document in levels:
            mates = family[query] == family[document]
            assert judged[query][document] == (3 if mates else 1)
    in_split = {family[query]: split for split in made.splits for query in made.qrels(split)}
    assert all(in_split[family[query]] == split for split in made.splits for query in made.qrels(split))
