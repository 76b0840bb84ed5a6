"""Documents come, change and go; the index is always as if it had just been built from the living ones."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kakehashi.errors import InputError
from kakehashi.index import builder
from kakehashi.index.index import Index
from kakehashi.index.metadata import parse_condition
from kakehashi.index.update import MAX_SEGMENTS, Analyzers, Changes, IndexWriter, build_index
from kakehashi.systems.opening import open_system
from kakehashi.text.analyzer import Analyzer
from kakehashi.text.settings import AnalyzerSettings
from kakehashi.types import Text
from tests.index.building import add, build, holdings_of, plain_analyzers
from tests.retrieve.comparing import assert_right, same

FIELDS = {"color": "keyword", "size": "number", "day": "date"}
WORDS = [f"w{i}" for i in range(30)]
QUERIES = [Text("q1", "en", "w0 w1 w5"), Text("q2", "en", "w9 w9 w20 w3 unknown"), Text("q3", "en", "w29")]

words = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
metas = st.fixed_dictionaries(
    {},
    optional={
        "color": st.lists(st.sampled_from(["red", "green", "blue"]), max_size=2),
        "size": st.integers(-5, 5),
        "day": st.dates().map(str),
    },
)
operations = st.lists(
    st.dictionaries(
        st.sampled_from([f"d{i}" for i in range(12)]), st.none() | st.tuples(words, metas), max_size=6
    ),
    min_size=1,
    max_size=12,
)


def commit(folder: Path, alive: dict[str, Text], changes: dict[str, tuple[str, dict] | None]) -> Changes:
    writer = IndexWriter(folder, plain_analyzers(), FIELDS)
    for id, change in changes.items():
        if change is not None:
            alive[id] = Text(id, "en", change[0], meta=change[1])
            writer.put(alive[id])
        elif id in alive:
            writer.delete(id)
            del alive[id]
    return writer.commit()


def check_statistics(index: Index, alive: dict[str, Text]) -> None:
    df, cf = Counter[str](), Counter[str]()
    for text in alive.values():
        df.update(set(text.text.split()))
        cf.update(text.text.split())
    statistics = index.statistics
    assert (index.n_docs, statistics.n_docs) == (len(alive), len(alive))
    assert statistics.total_length == cf.total()
    terms = index.vocabulary.all_terms()
    assert len(terms) == len(set(terms)) == len(index.vocabulary)
    assert {t: n for t, n in zip(terms, statistics.df.tolist(), strict=True) if n} == dict(df)
    assert {t: n for t, n in zip(terms, statistics.cf.tolist(), strict=True) if n} == dict(cf)


@given(operations)
@settings(max_examples=25)
def test_any_sequence_of_updates_equals_a_rebuild(
    tmp_path_factory: pytest.TempPathFactory, sequence: list[dict]
) -> None:
    folder = tmp_path_factory.mktemp("updated")
    alive: dict[str, Text] = {}
    for changes in sequence:
        commit(folder, alive, changes)
    updated = Index(folder)
    assert updated.faults() == []
    check_statistics(updated, alive)
    rebuilt = build(tmp_path_factory.mktemp("rebuilt"), list(alive.values()), FIELDS)
    for name in ("bm25", "lm", "tfidf"):
        systems = [open_system(name, holdings_of(index)) for index in (rebuilt, updated)]
        expected, found = (system.search(QUERIES, 100).rankings for system in systems)
        for query in QUERIES:
            reference = dict(zip(expected[query.id].docs, expected[query.id].scores.tolist(), strict=True))
            assert_right(found[query.id], reference, 100, slack=1e-9)
    for condition in ("color=red", "size>=0", "day<1999-01-01", "color!=green"):
        masks = [matching_ids(index, condition) for index in (rebuilt, updated)]
        assert masks[0] == masks[1]


def matching_ids(index: Index, condition: str) -> set[str]:
    found: set[str] = set()
    for i, segment in enumerate(index.segments):
        allowed = index.allowed(i, [parse_condition(condition)])
        found |= {segment.ids[n] for n in np.flatnonzero(allowed).tolist()}
    return found


def test_update_reports_what_it_did_and_leaves_the_unchanged_alone(tmp_path: Path) -> None:
    texts = [Text(f"d{i}", "en", f"w{i} w0", meta={"b": 1, "a": 2}) for i in range(6)]
    assert build_index(tmp_path, texts, plain_analyzers(), {}) == Changes(6, 0, 0, 0)
    assert build_index(tmp_path, texts, plain_analyzers(), {}) == Changes(0, 0, 0, 6)
    changed = [*texts[2:4], Text("d4", "en", "w4 w4", meta={"b": 1, "a": 2}), Text("d9", "en", "w9")]
    assert build_index(tmp_path, changed, plain_analyzers(), {}) == Changes(1, 1, 3, 2)
    index = Index(tmp_path)
    assert [segment.n_docs for segment in index.segments] == [6, 2]
    assert sorted(id for id in ("d0", "d1", "d2", "d3", "d4", "d5", "d9") if index.place(id)) == [
        "d2",
        "d3",
        "d4",
        "d9",
    ]
    check_statistics(index, {text.id: text for text in changed})


@pytest.mark.parametrize(
    "changed",
    [
        Text("a", "en", "x y"),
        Text("a", "en", "x", "title"),
        Text("a", "de", "x"),
        Text("a", "en", "x", meta={"n": 2}),
    ],
    ids=["text", "title", "language", "metadata"],
)
def test_document_that_changed_anywhere_is_replaced(tmp_path: Path, changed: Text) -> None:
    add(tmp_path, [Text("a", "en", "x", meta={"n": 1})])
    assert build_index(tmp_path, [changed], plain_analyzers(), {}) == Changes(0, 1, 0, 0)


def test_metadata_in_another_order_is_no_change(tmp_path: Path) -> None:
    add(tmp_path, [Text("a", "en", "x", meta={"n": 1, "m": 2})])
    same = Text("a", "en", "x", meta={"m": 2, "n": 1})
    assert build_index(tmp_path, [same], plain_analyzers(), {}) == Changes(0, 0, 0, 1)


def test_unchanged_documents_are_not_analysed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [Text(f"d{i}", "en", f"w{i}") for i in range(5)]
    build_index(tmp_path, texts, plain_analyzers(), {})
    analysed = []
    plain = Analyzer.segment
    monkeypatch.setattr(Analyzer, "segment", lambda self, text: analysed.append(text) or plain(self, text))
    build_index(tmp_path, [*texts[:4], Text("d4", "en", "new")], plain_analyzers(), {})
    assert analysed == ["new"]


def test_same_id_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="document 'a' occurs twice"):
        build_index(tmp_path, [Text("a", "en", "x"), Text("a", "en", "y")], plain_analyzers(), {})
    assert not (tmp_path / "meta.json").exists()


def test_unknown_document_cannot_be_deleted(tmp_path: Path) -> None:
    add(tmp_path, [Text("a", "en", "x")])
    writer = IndexWriter(tmp_path, plain_analyzers(), {})
    with pytest.raises(InputError, match="there is no document 'b' to delete"):
        writer.delete("b")
    writer.delete("a")
    with pytest.raises(InputError, match="there is no document 'a' to delete"):
        writer.delete("a")


def test_nothing_changes_without_a_commit(tmp_path: Path) -> None:
    add(tmp_path, [Text("a", "en", "x")])
    before = (tmp_path / "meta.json").read_bytes()
    writer = IndexWriter(tmp_path, plain_analyzers(), {})
    writer.put(Text("b", "en", "y"))
    writer.delete("a")
    assert (tmp_path / "meta.json").read_bytes() == before
    assert Index(tmp_path).place("a") is not None


def test_many_updates_are_merged_and_old_segments_removed(tmp_path: Path) -> None:
    for i in range(MAX_SEGMENTS + 1):
        add(tmp_path, [Text(f"d{i}", "en", f"w{i} shared"), Text("again", "en", f"w{i}")])
        assert len(Index(tmp_path).segments) == (i + 1 if i < MAX_SEGMENTS else 1)
    index = Index(tmp_path)
    assert (index.n_docs, index.segments[0].n_docs) == (MAX_SEGMENTS + 2, MAX_SEGMENTS + 2)
    assert [path.name for path in (tmp_path / "segments").glob("s*")] == [index.segments[0].name]
    assert index.vocabulary.numbers(["w0", "shared", "w8"]).tolist() == [
        index.vocabulary.all_terms().index(term) for term in ("w0", "shared", "w8")
    ]


def test_term_keeps_its_number_through_updates(tmp_path: Path) -> None:
    numbers: dict[str, int] = {}
    for i in range(MAX_SEGMENTS):
        add(tmp_path, [Text(f"d{i}", "en", f"w{i} w{i // 2} common")])
        vocabulary = Index(tmp_path).vocabulary
        for term, number in numbers.items():
            assert vocabulary.number(term) == number
        numbers |= {term: vocabulary.number(term) for term in (f"w{i}", "common")}


def test_other_analysis_means_building_anew(tmp_path: Path) -> None:
    texts = [Text("a", "en", "pumps")]
    build_index(tmp_path, texts, plain_analyzers(), {})
    stemming = Analyzers(Analyzer(AnalyzerSettings(lang="en", stem=True)), plain_analyzers().source)
    assert build_index(tmp_path, texts, stemming, {}) == Changes(1, 0, 0, 0)
    assert Index(tmp_path).vocabulary.all_terms() == ["pump"]
    assert len(Index(tmp_path).segments) == 1


def test_other_fields_mean_building_anew(tmp_path: Path) -> None:
    texts = [Text("a", "en", "x", meta={"color": "red"})]
    build_index(tmp_path, texts, plain_analyzers(), {})
    assert build_index(tmp_path, texts, plain_analyzers(), {"color": "keyword"}) == Changes(1, 0, 0, 0)
    assert matching_ids(Index(tmp_path), "color=red") == {"a"}


def test_rebuild_takes_up_everything(tmp_path: Path) -> None:
    texts = [Text("a", "en", "x"), Text("b", "en", "y")]
    build_index(tmp_path, texts, plain_analyzers(), {})
    assert build_index(tmp_path, texts, plain_analyzers(), {}, rebuild=True) == Changes(2, 0, 0, 0)
    assert Index(tmp_path).n_docs == 2


def test_index_emptied_and_filled_again_works(tmp_path: Path) -> None:
    build_index(tmp_path, [Text("a", "en", "x")], plain_analyzers(), {})
    assert build_index(tmp_path, [], plain_analyzers(), {}) == Changes(0, 0, 1, 0)
    index = Index(tmp_path)
    assert (index.n_docs, index.place("a"), index.title("a")) == (0, None, "")
    assert len(open_system("bm25", holdings_of(index)).search([Text("q", "en", "x")]).rankings["q"]) == 0
    assert build_index(tmp_path, [Text("a", "en", "x")], plain_analyzers(), {}) == Changes(1, 0, 0, 0)
    assert open_system("bm25", holdings_of(Index(tmp_path))).search([Text("q", "en", "x")]).rankings[
        "q"
    ].docs == ["a"]


@pytest.mark.parametrize("name", ["bm25", "lm", "tfidf"])
def test_index_without_documents_answers_with_nothing(tmp_path: Path, name: str) -> None:
    assert build_index(tmp_path, [], plain_analyzers(), FIELDS) == Changes(0, 0, 0, 0)
    index = Index(tmp_path)
    system = open_system(name, holdings_of(index))
    assert len(system.search([Text("q", "en", "x")]).rankings["q"]) == 0
    assert np.isnan(system.score(Text("q", "en", "x"), ["a"])).all()
    assert (len(index.vocabulary), index.statistics.n_docs, index.statistics.mean_length) == (0, 0, 0.0)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("name", "settings"), [("bm25", {"b": 1.0}), ("lm", {}), ("tfidf", {})])
def test_segment_without_any_term_does_no_harm(tmp_path: Path, name: str, settings: dict[str, float]) -> None:
    add(tmp_path, [Text("a", "en", "")])
    add(tmp_path, [Text("b", "en", "x"), Text("c", "en", "y"), Text("d", "en", "z")])
    assert open_system(name, holdings_of(Index(tmp_path)), settings).search([Text("q", "en", "x")]).rankings[
        "q"
    ].docs == ["b"]


@pytest.mark.parametrize("text", ["x", "x y", "z"], ids=["unchanged", "replaced", "replaced by another"])
def test_document_cannot_be_put_and_deleted_in_one_update(tmp_path: Path, text: str) -> None:
    add(tmp_path, [Text("a", "en", "x")])
    writer = IndexWriter(tmp_path, plain_analyzers(), {})
    writer.put(Text("a", "en", text))
    with pytest.raises(InputError, match="document 'a' was added in the same update"):
        writer.delete("a")


@pytest.mark.parametrize("limit", [1, 40, 150])
def test_segments_closed_at_the_memory_limit_make_one_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    texts = [Text(f"d{i}", "en", f"w{i % 7} w{i % 5} w{i} common") for i in range(60)]
    whole = build(tmp_path / "whole", texts)
    monkeypatch.setattr(builder, "MAX_TOKENS", limit)
    cut = build(tmp_path / "cut", texts)
    assert len(cut.segments) == {1: 1, 40: 6, 150: 2}[limit]  # 60 segments are merged at once
    check_statistics(cut, {text.id: text for text in texts})
    queries = [Text("q1", "en", "w3 w4 common"), Text("q2", "en", "w50 w1")]
    for name in ("bm25", "lm", "tfidf"):
        rankings = [
            open_system(name, holdings_of(index)).search(queries, 100).rankings for index in (whole, cut)
        ]
        same(*rankings)
