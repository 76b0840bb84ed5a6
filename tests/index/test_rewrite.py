"""A rewritten index is the index one would have built from rewritten texts."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kakehashi import store
from kakehashi.errors import InputError
from kakehashi.index.index import Index
from kakehashi.index.metadata import parse_condition, values
from kakehashi.index.rewrite import origin_of, read_origin, rewrite_index
from kakehashi.index.update import build_index
from kakehashi.systems.opening import open_system
from kakehashi.types import Ints, Text
from tests.index.building import add, build, holdings_of, plain_analyzers, texts_of, zipfian

FIELDS = {"color": "keyword", "size": "number"}
Targets = dict[str, list[str]]


def table(index: Index, targets: Targets) -> tuple[Ints, list[str]]:
    """What `rewrite_index` takes, of a mapping a person can read."""
    words = sorted({word for row in targets.values() for word in row})
    k = max(map(len, targets.values()), default=1)
    rows = np.full((len(index.vocabulary), k), -1, dtype=np.int32)
    for number, term in enumerate(index.vocabulary.all_terms()):
        for place, word in enumerate(targets.get(term, [])):
            rows[number, place] = words.index(word)
    return rows, words


def rewritten_text(text: Text, targets: Targets) -> Text:
    words = [word for term in text.content.split() for word in targets.get(term, [])]
    return Text(text.id, text.lang, " ".join(words), meta=text.meta)


def contents(index: Index) -> dict[str, dict[str, int]]:
    """The words of every living document, as the forward rows have them."""
    found = {}
    for i, segment in enumerate(index.segments):
        dead = index.dead(i)
        for number, id in enumerate(segment.ids):
            if dead is None or not dead[number]:
                terms, tfs = segment.document_terms(number)
                rows = zip(terms.tolist(), tfs.tolist(), strict=True)
                found[id] = {index.vocabulary[term]: tf for term, tf in rows}
    return found


def assert_same_index(new: Index, built: Index) -> None:
    """Up to the numbers of terms: contents, statistics, and what three systems answer."""
    assert contents(new) == contents(built)
    assert (new.n_docs, new.longest) == (built.n_docs, built.longest)
    assert new.statistics.mean_length == built.statistics.mean_length
    for term in set(new.vocabulary.all_terms()) | set(built.vocabulary.all_terms()):
        one, other = new.vocabulary.number(term), built.vocabulary.number(term)
        df = (new.statistics.df[one] if one >= 0 else 0, built.statistics.df[other] if other >= 0 else 0)
        assert df[0] == df[1]
    query = Text("q", "en", " ".join(built.vocabulary.all_terms()[:6]))
    for name in ("bm25", "lm", "tfidf"):
        rankings = [
            open_system(name, holdings_of(index)).search([query]).rankings["q"] for index in (new, built)
        ]
        assert rankings[0].docs == rankings[1].docs
        np.testing.assert_array_equal(rankings[0].scores, rankings[1].scores)


def random_targets(rng: np.random.Generator, n_terms: int) -> Targets:
    """Two of three terms stand for one to four words; some words are terms themselves, some are new."""
    words = [f"w{i}" for i in range(n_terms // 4)] + ["new", "newer"]
    return {
        f"w{i}": rng.choice(words, size=rng.integers(1, 5), replace=False).tolist()
        for i in range(n_terms)
        if rng.random() < 2 / 3
    }


def test_rewriting_equals_an_index_of_rewritten_texts(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    texts = [
        Text(text.id, "en", text.text, meta={"color": [["red", "blue"][i % 2]], "size": i})
        for i, text in enumerate(texts_of(zipfian(rng, 300, n_terms=120)))
    ]
    index, targets = build(tmp_path / "old", texts, FIELDS), random_targets(rng, 120)
    new = rewrite_index(index, *table(index, targets), tmp_path / "new")
    assert_same_index(
        new, build(tmp_path / "built", [rewritten_text(text, targets) for text in texts], FIELDS)
    )
    assert new.faults() == []
    red = [parse_condition("color=red"), parse_condition("size<10")]
    assert new.statistics_where(red).n_docs == 5


@given(
    st.lists(st.lists(st.sampled_from("abcdef"), max_size=8), min_size=1, max_size=8),
    st.dictionaries(st.sampled_from("abcdef"), st.lists(st.sampled_from("abxy"), max_size=3, unique=True)),
)
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_any_texts_by_any_targets(tmp_path_factory, texts: list[list[str]], targets: Targets) -> None:
    folder = tmp_path_factory.mktemp("any")
    documents = texts_of({f"d{i}": " ".join(words) for i, words in enumerate(texts)})
    index = build(folder / "old", documents)
    new = rewrite_index(index, *table(index, targets), folder / "new")
    assert_same_index(new, build(folder / "built", [rewritten_text(text, targets) for text in documents]))


def test_segments_and_the_dead_stay_as_they_are(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    documents = zipfian(rng, 60, n_terms=40)
    build(tmp_path / "old", texts_of(documents))
    documents |= {"d3": "w1 w1 w2", "d4": "w5", "fresh": "w7 w8"}
    add(tmp_path / "old", texts_of({id: documents[id] for id in ("d3", "d4", "fresh")}))
    index, targets = Index(tmp_path / "old"), random_targets(rng, 40)
    new = rewrite_index(index, *table(index, targets), tmp_path / "new")
    assert [list(part.ids) for part in new.segments] == [list(part.ids) for part in index.segments]
    texts = [rewritten_text(text, targets) for text in texts_of(documents)]
    assert_same_index(new, build(tmp_path / "built", texts))


def test_titles_metadata_hashes_and_analyzers_are_kept(tmp_path: Path) -> None:
    index = build(
        tmp_path / "a", [Text("d", "en", "x y", "Title 電池", {"color": ["red"], "size": 2})], FIELDS
    )
    new = rewrite_index(index, *table(index, {"x": ["z"]}), tmp_path / "b")
    assert (new.title("d"), new.fields, new.fingerprint) == ("Title 電池", FIELDS, index.fingerprint)
    assert values(new.segments[0].artifact, new.fields, "color", 0) == ["red"]
    hashes = [one.segments[0].artifact.array("hashes").tolist() for one in (index, new)]
    assert hashes[0] == hashes[1]


def test_empty_index_has_an_empty_rewriting(tmp_path: Path) -> None:
    index = build(tmp_path / "old", [])
    new = rewrite_index(index, np.zeros((0, 2), dtype=np.int32), ["a"], tmp_path / "new")
    assert (
        new.n_docs,
        open_system("bm25", holdings_of(new)).search([Text("q", "en", "a")]).rankings["q"].docs,
    ) == (
        0,
        [],
    )


def test_rewriting_replaces_an_earlier_one_and_leaves_its_readers_alone(tmp_path: Path) -> None:
    index = build(tmp_path / "old", texts_of({"d": "a b", "e": "b"}))
    first = rewrite_index(index, *table(index, {"a": ["x"], "b": ["y"]}), tmp_path / "new")
    second = rewrite_index(index, *table(index, {"b": ["z"]}), tmp_path / "new")
    assert contents(first) == {"d": {"x": 1, "y": 1}, "e": {"y": 1}}
    assert contents(second) == contents(Index(tmp_path / "new")) == {"d": {"z": 1}, "e": {"z": 1}}
    assert len(list((tmp_path / "new" / "segments").glob("s*"))) == 1


def test_failed_rewriting_leaves_the_earlier_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = build(tmp_path / "old", texts_of({"d": "a b"}))
    rewrite_index(index, *table(index, {"a": ["x"]}), tmp_path / "new")

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(store, "replace_file", fail)
    with pytest.raises(OSError, match="disk full"):
        rewrite_index(index, *table(index, {"b": ["y"]}), tmp_path / "new")
    assert contents(Index(tmp_path / "new")) == {"d": {"x": 1}}


def test_rewriting_knows_its_origin_and_a_stale_one_is_noticed(tmp_path: Path) -> None:
    index = build(tmp_path / "old", texts_of({"d": "a b"}))
    by = table(index, {"a": ["x"], "b": ["y"]})
    new = rewrite_index(index, *by, tmp_path / "new")
    assert read_origin(index) is None
    assert read_origin(new) == origin_of(Index(tmp_path / "old"), *by)
    assert read_origin(new) != origin_of(index, *table(index, {"a": ["x"], "b": ["x"]}))
    assert read_origin(new) != origin_of(index, by[0], ["x", "other"])
    add(tmp_path / "old", texts_of({"e": "b a"}))
    assert read_origin(new) != origin_of(Index(tmp_path / "old"), *by)
    rebuilt = build(tmp_path / "other", texts_of({"d": "b", "e": "a"}))
    swapped = build(tmp_path / "swapped", texts_of({"d": "a", "e": "b"}))
    assert rebuilt.artifact.meta.generation == swapped.artifact.meta.generation
    assert origin_of(rebuilt, *by) != origin_of(swapped, *by)


def test_indexing_texts_over_a_rewriting_builds_anew(tmp_path: Path) -> None:
    texts = texts_of({"d": "a b"})
    index = build(tmp_path / "old", texts)
    rewrite_index(index, *table(index, {"a": ["x"]}), tmp_path / "new")
    assert build_index(tmp_path / "new", texts, plain_analyzers(), {}).added == 1
    assert contents(Index(tmp_path / "new")) == contents(index)


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        (np.zeros((1, 1), dtype=np.int32), "do not fit"),
        (np.zeros(2, dtype=np.int32), "do not fit"),
        (np.full((2, 1), 1, dtype=np.int32), "build the targets again"),
        (np.full((2, 1), -2, dtype=np.int32), "build the targets again"),
    ],
)
def test_targets_that_do_not_fit_are_refused(tmp_path: Path, targets: Ints, message: str) -> None:
    index = build(tmp_path / "old", texts_of({"d": "a b"}))
    with pytest.raises(InputError, match=message):
        rewrite_index(index, targets, ["x"], tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_an_index_is_never_overwritten_by_its_own_rewriting(tmp_path: Path) -> None:
    index = build(tmp_path / "old", texts_of({"d": "a b"}))
    with pytest.raises(InputError, match="write the rewritten index to another folder"):
        rewrite_index(index, *table(index, {"a": ["x"]}), tmp_path / "old")
    assert Index(tmp_path / "old").faults() == []
