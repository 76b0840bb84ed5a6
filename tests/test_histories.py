"""Any history of adding, replacing, deleting and merging scores as an index built afresh, to the bit.

Every system of the registry is asked over both indexes with the same models, which know words that only dead
documents hold.
"""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from kakehashi.index import update
from kakehashi.index.holdings import Holdings
from kakehashi.index.index import Index
from kakehashi.index.update import IndexWriter, build_index
from kakehashi.query.edits import parse_edit, with_edits
from kakehashi.retrieve.system import IndexSystem
from kakehashi.systems.opening import open_system
from kakehashi.systems.registry import SYSTEMS
from kakehashi.types import Floats, Text
from tests.contracts.models import put_documents, put_models
from tests.index.building import plain_analyzers

FIELDS = {"tags": "keyword"}
IDS = [f"d{i:02}" for i in range(24)]
WORDS = [f"w{i}" for i in range(40)]
MODELS = "models"
VARIANTS: dict[str, tuple[str, dict[str, object]]] = {
    **{name: (name, {}) for name in SYSTEMS},
    "psq indexed": ("psq", {"indexed": True}),
    "psq-hmm indexed": ("psq-hmm", {"indexed": True}),
    "tfidf of a pool": ("tfidf", {"df": "tags=w1"}),
    "extended-bm25 filtered": ("extended-bm25", {"within": "lsi", "chances": "normalised", "terms": 5}),
    "extended-lm generalised": ("extended-lm", {"counting": "generalised", "weights": "tfidf"}),
}


def opened(name: str, index: Index) -> IndexSystem:
    """The only place here that knows how a system is made."""
    system, values = VARIANTS[name]
    return open_system(system, Holdings(index.folder.parent, index), values)


class Change(NamedTuple):
    """One commit: texts to put, ids to delete, and whether all segments are merged."""

    puts: Mapping[str, str]
    deletes: frozenset[str]
    merges: bool


texts = st.lists(st.integers(0, 39), min_size=1, max_size=14).map(
    # squares make some words frequent and most of them rare
    lambda drawn: " ".join(WORDS[number * number // 40] for number in drawn)
)
changes = st.builds(
    Change,
    st.dictionaries(st.sampled_from(IDS), texts, max_size=8),
    st.frozensets(st.sampled_from(IDS), max_size=6),
    st.sampled_from([False, False, False, True]),
)
first = st.builds(
    Change,
    st.dictionaries(st.sampled_from(IDS), texts, min_size=6, max_size=20),
    st.just(frozenset()),
    st.just(False),
)
histories = st.tuples(first, st.lists(changes, min_size=1, max_size=5)).map(
    lambda parts: [parts[0], *parts[1]]
)


def document(id: str, text: str) -> Text:
    return Text(id, "en", text, " ".join(text.split()[1:5]), meta={"tags": text.split()[::2]})


def lived_through(folder: Path, history: list[Change], patch: pytest.MonkeyPatch) -> dict[str, Text]:
    """Write an index commit by commit; what lives in the end."""
    alive: dict[str, Text] = {}
    for change in history:
        writer = IndexWriter(folder, plain_analyzers(), FIELDS)
        for id in sorted(change.deletes & alive.keys() - change.puts.keys()):
            writer.delete(id)
            del alive[id]
        for id, text in change.puts.items():
            alive[id] = document(id, text)
            writer.put(alive[id])
        with patch.context() as limited:
            limited.setattr(update, "MAX_SEGMENTS", 0 if change.merges else 100)
            writer.commit()
    return alive


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of models for every word there may be."""
    folder = tmp_path_factory.mktemp("histories")
    rng = np.random.default_rng(8)
    every = [document(id, " ".join([*rng.choice(WORDS, 30), *WORDS])) for id in IDS]
    build_index(folder / "index", every, plain_analyzers(), FIELDS)
    put_models(Holdings(folder), WORDS)
    return folder / MODELS


@pytest.fixture(scope="module")
def queries() -> list[Text]:
    rng = np.random.default_rng(9)
    drawn = [" ".join(WORDS[i * i // 40] for i in rng.integers(40, size=n)) for n in (1, 2, 3, 5, 9, 30)]
    return [
        Text(f"q{i}", "de", text, meta={"tags": text.split()})
        for i, text in enumerate([*drawn, " ".join(WORDS)])
    ]


def both(folder: Path, models: Path, history: list[Change], patch: pytest.MonkeyPatch) -> tuple[Index, Index]:
    """(updated, fresh), each with the models beside it."""
    alive = lived_through(folder / "updated" / "index", history, patch)
    build_index(folder / "fresh" / "index", alive.values(), plain_analyzers(), FIELDS)
    for name in ("updated", "fresh"):
        shutil.copytree(models, folder / name / MODELS)
        put_documents(folder / name, alive.values())
    updated, fresh = Index(folder / "updated" / "index"), Index(folder / "fresh" / "index")
    assert updated.n_docs == len(alive)
    return updated, fresh


def by_id(index: Index, scores: Floats) -> dict[str, bytes]:
    """The scores that are numbers, of live documents; the dead must have none."""
    numbering = index.numbering
    assert np.isnan(scores[~numbering.live]).all()
    found = np.flatnonzero(~np.isnan(scores)).tolist()
    return {numbering.id(number): scores[number].tobytes() for number in found}


def check_alike(name: str, updated: IndexSystem, fresh: IndexSystem, queries: list[Text]) -> None:
    for k in (3, 100):
        found, expected = (system.search(queries, k).rankings for system in (updated, fresh))
        for query in queries:
            assert list(found[query.id].docs) == list(expected[query.id].docs), (name, query.text)
            assert found[query.id].scores.tobytes() == expected[query.id].scores.tobytes(), (name, query.text)
    for query in queries:
        docs = list(expected[query.id].docs)
        scores = [system.score(query, [*IDS, "nobody"]) for system in (updated, fresh)]
        assert scores[0].tobytes() == scores[1].tobytes(), (name, query.text)
        ours, theirs = updated.score_all(query), fresh.score_all(query)
        assert by_id(updated.index, ours) == by_id(fresh.index, theirs), (name, query.text)
        assert updated.explain(query, docs[:3]) == fresh.explain(query, docs[:3]), (name, query.text)


@given(histories)
@settings(
    max_examples=6,
    derandomize=True,
    deadline=None,
    phases=[
        Phase.explicit,
        Phase.generate,
    ],  # a system is opened hundreds of times: shrinking would take hours
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
def test_every_system_scores_as_over_a_fresh_index(
    tmp_path_factory: pytest.TempPathFactory, models: Path, queries: list[Text], history: list[Change]
) -> None:
    folder = tmp_path_factory.mktemp("history")
    with pytest.MonkeyPatch.context() as patch:
        updated, fresh = both(folder, models, history, patch)
    for name in VARIANTS:
        check_alike(name, opened(name, updated), opened(name, fresh), queries)
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def long_history() -> list[Change]:
    """Documents long enough for sums of many terms; the first ones, with words of their own, are all dead."""
    rng = np.random.default_rng(10)

    def some(ids: list[str], words: list[str]) -> dict[str, str]:
        chances = 1.0 / np.arange(1, len(words) + 1)
        drawn = (rng.choice(words, 60, p=chances / chances.sum()) for _ in ids)
        return {id: " ".join(words.tolist()) for id, words in zip(ids, drawn, strict=True)}

    nobody: frozenset[str] = frozenset()
    return [
        Change(some(IDS[:8], WORDS), nobody, False),
        Change(some(IDS[8:16], WORDS[::-1]), frozenset(IDS[:4]), False),
        Change(some(IDS[4:10], WORDS[10:30]), frozenset(IDS[12:14]), False),
        Change(some(IDS[14:20], WORDS[5:36]), nobody, False),
    ]


@pytest.fixture(scope="module", params=[False, True], ids=["in segments", "merged, then changed again"])
def long_pair(
    request: pytest.FixtureRequest,
    models: Path,
    long_history: list[Change],
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Index, Index]:
    history = list(long_history)
    history[2] = history[2]._replace(merges=request.param)
    with pytest.MonkeyPatch.context() as patch:
        updated, fresh = both(tmp_path_factory.mktemp("long"), models, history, patch)
    assert len(updated.segments) == (2 if request.param else 4)
    assert len(updated.statistics.ranks) == len(updated.vocabulary)
    return updated, fresh


@pytest.mark.parametrize("name", VARIANTS)
def test_long_documents_score_as_over_a_fresh_index(
    name: str, long_pair: tuple[Index, Index], queries: list[Text]
) -> None:
    updated, fresh = (opened(name, index) for index in long_pair)
    check_alike(name, updated, fresh, queries)


def test_edited_queries_score_as_over_a_fresh_index(
    models: Path,
    queries: list[Text],
    long_history: list[Change],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = ["w5=w30 w2 w17 w9", "w9=w6 w20:0.3", "w12=w11 w3 w24"]
    edits = [*(parse_edit("add", line) for line in lines), parse_edit("boost", "w5=w2:3")]
    updated, fresh = both(tmp_path, models, long_history, monkeypatch)
    asked = [with_edits(query, edits) for query in queries]
    for name in ("psq", "dense", "fused"):
        check_alike(name, opened(name, updated), opened(name, fresh), asked)


def test_merged_index_is_a_fresh_one(
    models: Path, long_history: list[Change], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = [*long_history[:-1], long_history[-1]._replace(merges=True)]
    updated, fresh = both(tmp_path, models, history, monkeypatch)
    for ours, theirs in zip(
        [updated.artifact, updated.segments[0].artifact],
        [fresh.artifact, fresh.segments[0].artifact],
        strict=True,
    ):
        assert {name: entry.xxh3 for name, entry in ours.meta.arrays.items()} == {
            name: entry.xxh3 for name, entry in theirs.meta.arrays.items()
        }
    assert updated.contents == fresh.contents
    assert updated.vocabulary.all_terms() == fresh.vocabulary.all_terms()


def test_index_written_before_ranks_were_stored_scores_alike(
    models: Path,
    queries: list[Text],
    long_history: list[Change],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    updated, fresh = both(tmp_path, models, long_history, monkeypatch)
    old = Index(updated.folder)
    del old.artifact.meta.arrays["ranks"]
    del old.artifact.meta.settings["ranked"]
    assert old.statistics.ranks.tobytes() == np.asarray(updated.statistics.ranks).tobytes()
    check_alike("psq", opened("psq", old), opened("psq", fresh), queries)
