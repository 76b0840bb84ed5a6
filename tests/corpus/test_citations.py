"""Judgments out of citations and families."""

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kakehashi.corpus.check import check
from kakehashi.corpus.citation_collection import import_citations
from kakehashi.corpus.citations import LEVELS, citation_qrels, families_by_priority, split_by_year
from kakehashi.corpus.collection import Collection
from kakehashi.corpus.trec import read_qrels
from kakehashi.errors import FileError, InputError
from tests.data_beside import data_file
from tests.toy import DOCUMENTS, LINKS, QRELS, QUERIES, toy_collection

FAMILY = {row[0]: row[5] for row in DOCUMENTS} | {row[0]: row[7] for row in QUERIES}


def test_toy_judgments_follow_from_its_links_and_families() -> None:
    found = citation_qrels([row[0] for row in QUERIES], [row[0] for row in DOCUMENTS], LINKS, FAMILY)
    assert found == {query: judged for split in QRELS.values() for query, judged in split.items()}


def test_highest_level_wins_whatever_the_order_of_citations() -> None:
    links = [("q", "a", "applicant"), ("q", "a", "examiner"), ("q", "a", "applicant"), ("q", "b", "examiner")]
    assert citation_qrels(["q"], ["a", "b"], links, {"q": "f", "b": "f"}) == {"q": {"a": 2, "b": 3}}


def test_family_of_a_citation_counts_even_if_the_cited_patent_is_no_document() -> None:
    assert citation_qrels(["q"], ["b"], [("q", "a", "examiner")], {"a": "f", "b": "f"}) == {"q": {"b": 2}}


def test_query_never_judges_itself() -> None:
    links = [("q", "q", "examiner"), ("q", "a", "applicant")]
    assert citation_qrels(["q"], ["q", "a", "b"], links, {"q": "f", "a": "f", "b": "f"}) == {
        "q": {"a": 3, "b": 3}
    }


def test_unknown_kind_of_citation_is_refused() -> None:
    with pytest.raises(InputError, match="unknown kind 'friend': use examiner, applicant"):
        citation_qrels(["q"], ["a"], [("q", "a", "friend")], {})


names = st.sampled_from("abcdefgh")


@given(
    st.sets(names, max_size=3),
    st.sets(names, max_size=6),
    st.lists(st.tuples(names, names, st.sampled_from(sorted(LEVELS))), max_size=12),
    st.dictionaries(names, st.sampled_from(["f", "g", ""]), max_size=8),
)
def test_judgments_agree_with_the_definition_pair_by_pair(
    queries: set[str], documents: set[str], links: list[tuple[str, str, str]], family: dict[str, str]
) -> None:
    def related(one: str, other: str) -> bool:
        return one == other or (one in family and family[one] == family.get(other))

    expected = {}
    for query in queries:
        for document in documents - {query}:
            levels = [
                LEVELS[kind] for citing, cited, kind in links if citing == query and related(cited, document)
            ]
            level = max([0, *levels, 3 * related(query, document)])
            if level:
                expected.setdefault(query, {})[document] = level
    assert citation_qrels(queries, documents, links, family) == expected


def test_years_are_disjoint() -> None:
    years = {"a": 2003, "b": 2005, "c": 2006, "d": 1999}
    assert split_by_year(years, {"train": (2003, 2005), "test": (2006, 2007)}) == {
        "train": ["a", "b"],
        "test": ["c"],
    }
    with pytest.raises(InputError, match="train and test share the year 2005"):
        split_by_year(years, {"train": (2003, 2005), "test": (2005, 2007)})
    with pytest.raises(InputError, match="before it starts"):
        split_by_year(years, {"train": (2005, 2003)})


def test_simple_families_share_all_priorities_extended_ones_any() -> None:
    priorities = {"a": ["1", "2"], "b": ["2", "1"], "c": ["2"], "d": ["3"], "e": [], "f": []}
    assert families_by_priority(priorities) == {id: "a" if id == "b" else id for id in "abcdef"}
    assert families_by_priority(priorities, extended=True) == {
        **{id: id for id in "adef"},
        "b": "a",
        "c": "a",
    }


def test_collection_judged_by_its_own_links(tmp_path: Path) -> None:
    toy = toy_collection(tmp_path / "toy")
    for path in (toy / "qrels").iterdir():
        path.unlink()
    import_citations(toy, tmp_path / "c", {"train": (2003, 2005), "dev": (2006, 2006), "test": (2007, 2007)})
    made = Collection(tmp_path / "c")
    assert check(tmp_path / "c") == []
    assert {split: made.qrels(split) for split in made.splits} == QRELS
    assert list(made.links()) == LINKS
    assert len(list(made.originals())) == 6


def test_queries_of_other_years_are_left_out(tmp_path: Path) -> None:
    toy = toy_collection(tmp_path / "toy")
    done = import_citations(toy, tmp_path / "c", {"test": (2007, 2007)})
    assert (done.queries, done.left_out) == (2, {"queries without judgments": 4})
    assert [text.id for text in Collection(tmp_path / "c").queries()] == ["j5", "j6"]
    with pytest.raises(InputError, match="no query of these years"):
        import_citations(toy, tmp_path / "d", {"test": (1900, 1901)})


def test_query_without_a_date_cannot_be_split(tmp_path: Path) -> None:
    toy = toy_collection(tmp_path / "toy")
    path = toy / "queries.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace('"date":"2003-06-01",', ""), encoding="utf-8")
    with pytest.raises(FileError, match="query 'j1' has no meta field date"):
        import_citations(toy, tmp_path / "c", {"train": (2003, 2005)})


@pytest.mark.real
def test_real_citations_imply_exactly_the_judgments_published_with_them() -> None:
    """The publishers left out citations between patents that share a priority, that is of one family."""
    published = read_qrels(data_file("patents_drones/qrels_citations.txt"))
    with gzip.open(data_file("patents_drones/citations_all.tsv.gz"), "rt", encoding="utf-8") as file:
        links = [(*line.rstrip("\n").split("\t"), "citation") for line in file]
    with gzip.open(data_file("patents_drones/lens_drones.jsonl.gz"), "rt", encoding="utf-8") as file:
        patents = [json.loads(line) for line in file]
    priorities = {patent["id"]: patent["priority_numbers"] for patent in patents}
    found = citation_qrels(published, priorities, links, {}, {"citation": 1})
    strangers = {
        query: {id: level for id, level in judged.items() if not {*priorities[query]} & {*priorities[id]}}
        for query, judged in found.items()
    }
    assert strangers == published
    families = families_by_priority(priorities, extended=True)
    wider = citation_qrels(published, priorities, links, families, {"citation": 1})
    assert all(
        wider[query][id] == 3 for query in found for id in found[query].keys() - strangers[query].keys()
    )
