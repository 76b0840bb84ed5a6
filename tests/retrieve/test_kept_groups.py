"""Sums of groups that are kept from one query to the next: the same bits as without, however much is kept."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from kakehashi.index.index import Index
from kakehashi.index.update import IndexWriter
from kakehashi.lexicon.translations import Translations, count_translations
from kakehashi.query.edits import parse_edit, with_edits
from kakehashi.query.psq import Psq
from kakehashi.retrieve import kept_groups, sparse
from kakehashi.retrieve.sparse import Sparse
from kakehashi.retrieve.weighting import Bm25, Hmm, Lm, Weighting
from kakehashi.types import Text
from tests.index.building import build_in_parts, dealt, plain_analyzers, texts_of, zipfian
from tests.retrieve.comparing import same

WEIGHTINGS = [Bm25(), Bm25(k1=0.4, b=0.1, k3=0.0, saturation="double"), Lm(50.0), Hmm(0.3)]
ROOM = {"everything": (1 << 24, 1 << 23), "lists": (1 << 24, 0), "a little": (3000, 4000), "nothing": (0, 0)}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Two segments, with deleted documents."""
    texts = texts_of(zipfian(np.random.default_rng(41), 800, n_terms=300, mean_length=30))
    folder = tmp_path_factory.mktemp("kept") / "index"
    build_in_parts(folder, dealt(texts, 2))
    writer = IndexWriter(folder, plain_analyzers(), {})
    for text in texts[::9]:
        writer.delete(text.id)
    writer.commit()
    return Index(folder)


@pytest.fixture(scope="module")
def table() -> Translations:
    rng = np.random.default_rng(42)
    links = [(f"f{i}", f"w{e}") for i in range(120) for e in np.minimum(rng.zipf(1.4, 5), 320) - 1]
    return count_translations([f for f, _ in links], [e for _, e in links], rng.uniform(0.1, 1.0, len(links)))


@pytest.fixture(scope="module")
def queries() -> list[Text]:
    """They have words in common; some are edited, so that a word stands for other groups than before."""
    rng = np.random.default_rng(43)
    drawn = [[f"f{i}" for i in rng.zipf(1.2, rng.integers(1, 30)) % 140] for _ in range(30)]
    plain = [Text(f"q{i}", "de", " ".join([*words, "w3"])) for i, words in enumerate(drawn)]
    edits = [parse_edit("add", "f1=w30 w2 w17"), parse_edit("boost", "f2=w2:3")]
    return [*plain, *(with_edits(Text(f"{one.id}e", "de", one.text), edits) for one in plain[:8])]


def keeping(monkeypatch: pytest.MonkeyPatch, room: str = "everything") -> None:
    """Every group is worth keeping, as far as there is room."""
    monkeypatch.setattr(kept_groups, "LARGE", 1)
    postings, cells = ROOM[room]
    monkeypatch.setattr(kept_groups, "MOST_POSTINGS", postings)
    monkeypatch.setattr(kept_groups, "MOST_CELLS", cells)


@pytest.mark.parametrize("room", ROOM)
@pytest.mark.parametrize("weighting", WEIGHTINGS, ids=lambda one: type(one).__name__)
def test_scores_are_those_of_the_documents(
    weighting: Weighting,
    room: str,
    index: Index,
    table: Translations,
    queries: list[Text],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keeping(monkeypatch, room)
    system = Sparse("psq", Psq(index, table), weighting, index)
    for query in [*queries, *queries[:3]]:
        read = system.score_all(query)  # document by document, without postings
        assert system.probe(query).every.tobytes() == read.tobytes()
        some = np.array([5, 40, 333])
        assert system.probe(query).some(some).tobytes() == read[some].tobytes()


@pytest.mark.parametrize("k", [3, 1000])
@pytest.mark.parametrize("weighting", WEIGHTINGS, ids=lambda one: type(one).__name__)
def test_rankings_are_the_same_as_without(
    weighting: Weighting,
    k: int,
    index: Index,
    table: Translations,
    queries: list[Text],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keeping(monkeypatch)
    system = Sparse("psq", Psq(index, table), weighting, index)
    with monkeypatch.context() as patch:
        patch.setattr(sparse, "can_keep", lambda *_: False)
        expected = system.search(queries, k).rankings
    same(system.search(queries, k).rankings, expected)
    same(system.search(queries[::-1], k).rankings, dict(reversed(expected.items())))
    one_by_one = [system.search([query], k).rankings[query.id] for query in queries]
    same(dict(zip((query.id for query in queries), one_by_one, strict=True)), expected)


def test_threads_that_add_at_the_same_time_find_the_same(
    index: Index, table: Translations, queries: list[Text], monkeypatch: pytest.MonkeyPatch
) -> None:
    keeping(monkeypatch)
    system = Sparse("psq-hmm", Psq(index, table), Hmm(), index)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda query: system.probe(query).every.tobytes(), queries * 4))
    assert found == [system.score_all(query).tobytes() for query in queries * 4]


def test_a_query_that_was_seen_before_sums_nothing_again(
    index: Index, table: Translations, queries: list[Text], monkeypatch: pytest.MonkeyPatch
) -> None:
    keeping(monkeypatch)
    system = Sparse("psq", Psq(index, table), Bm25(), index)
    summed = []
    own = kept_groups.KeptGroups._summed

    def counted(self: kept_groups.KeptGroups, g: int, *rest: object) -> tuple[int, int, int]:
        summed.append(g)
        return own(self, g, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(kept_groups.KeptGroups, "_summed", counted)
    system.search(queries, 10)
    assert summed
    again = [Text(query.id, query.lang, query.text) for query in queries[:30]]  # equal, but other objects
    summed.clear()
    system.search(again, 10)
    assert not summed


def test_what_finds_no_room_leaves_nothing_behind(
    index: Index, table: Translations, queries: list[Text], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Edited queries bring new groups without end."""
    keeping(monkeypatch, "nothing")
    made: list[kept_groups.KeptGroups] = []
    own = kept_groups.KeptGroups.__init__

    def noted(self: kept_groups.KeptGroups, *given: object) -> None:
        own(self, *given)  # type: ignore[arg-type]
        made.append(self)

    monkeypatch.setattr(kept_groups.KeptGroups, "__init__", noted)
    Sparse("psq", Psq(index, table), Bm25(), index).search(queries, 10)
    assert made
    assert not any(one._places for one in made)
