"""Votes of earlier queries, against sums made by hand and by brute force."""

from collections import Counter
from collections.abc import Sequence
from math import log, sqrt
from pathlib import Path

import numpy as np
import pytest

from kakehashi.index.index import Index
from kakehashi.retrieve.earlier import Earlier, Judged, count_idf, earlier_arrays, read_earlier, title_of
from kakehashi.retrieve.examples import DUPLICATE, Examples, Votes
from kakehashi.types import Condition, Scope, Text
from tests.index.building import build, texts_of

MATE = 3
WORDS = [f"w{i}" for i in range(30)]
DOCS = [f"d{i:02}" for i in range(40)]


def earlier(judged: list[Judged]) -> Earlier:
    idf = count_idf(one.terms for one in judged)
    return read_earlier(earlier_arrays(judged, idf).__getitem__, idf.n)


def asked(id: str, text: str, **meta: object) -> Text:
    return Text(id, "de", text, meta=meta)


def judged(id: str, text: str, levels: dict[str, int], kin: tuple[str, ...] = (), **meta: object) -> Judged:
    return Judged(asked(id, text, **meta), text.split(), levels, kin)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return build(tmp_path_factory.mktemp("examples") / "index", texts_of(dict.fromkeys(DOCS, "text")))


@pytest.fixture(scope="module")
def known() -> list[Judged]:
    rng = np.random.default_rng(3)
    found = []
    for i in range(50):
        words = [WORDS[n * n // 30] for n in rng.integers(30, size=rng.integers(1, 12))]
        docs = rng.choice(DOCS, rng.integers(1, 6), replace=False).tolist()
        found.append(judged(f"e{i}", " ".join(words), {doc: int(rng.integers(1, 4)) for doc in docs}))
    return found


def plain_scores(query: list[str], known: list[Judged], votes: Votes) -> dict[str, float]:
    """The formula with dictionaries."""
    n = len(known)
    df = Counter(word for one in known for word in set(one.terms))

    def vector(terms: Sequence[str]) -> dict[str, float]:
        tfs = Counter(terms)
        raw = {word: (1 + log(tf)) * log((n + 1) / max(df[word], 1)) for word, tf in tfs.items()}
        length = sqrt(sum(value**2 for value in raw.values())) or 1.0
        return {word: value / length for word, value in raw.items()}

    def cosines_of(query: list[str]) -> dict[str, float]:
        own = vector(query)
        return {
            one.query.id: sum(value * own.get(word, 0.0) for word, value in vector(one.terms).items())
            for one in known
        }

    whole, cosines = cosines_of(query), cosines_of([word for word in query if word in df])
    near = sorted(known, key=lambda one: one.query.id, reverse=True)
    near = sorted(near, key=lambda one: -round(cosines[one.query.id], 6))
    near = [one for one in near if cosines[one.query.id] > 0 and whole[one.query.id] < DUPLICATE][
        : votes.neighbours
    ]
    cited = Counter(doc for one in known for doc in one.levels)
    scores: dict[str, float] = {}
    for one in near:
        for doc, level in one.levels.items():
            vote = cosines[one.query.id] ** votes.power * (votes.mates if level == MATE else 1.0)
            scores[doc] = scores.get(doc, 0.0) + vote / cited[doc] ** votes.rarity
    return {doc: score for doc, score in scores.items() if score > 0}


@pytest.mark.parametrize(
    "votes", [Votes(), Votes(5, 1.0), Votes(12, 2.5, 0.3, 0.4), Votes(50, 2.0, 0.0), Votes(1, 3.0, 2.0)]
)
def test_scores_are_those_of_the_formula(votes: Votes, index: Index, known: list[Judged]) -> None:
    system = Examples("examples", index, [earlier(known)], votes, {}, MATE)
    rng = np.random.default_rng(4)
    for _ in range(20):
        words = rng.choice([*WORDS, "unknown"], 6).tolist()
        expected = plain_scores(words, known, votes)
        query = asked("q", " ".join(words))
        ranking = system.search([query]).rankings["q"]
        assert dict(zip(ranking.docs, ranking.scores, strict=True)) == pytest.approx(expected, rel=1e-5)
        assert list(ranking.scores) == sorted(ranking.scores, reverse=True)
        every = system.score_all(query)
        assert np.isnan(every).sum() == len(DOCS) - len(expected)


def test_a_vote_counts_likeness_to_the_power_and_the_worth_of_its_level(index: Index) -> None:
    """One word in common of two each, all equally rare: the cosine is 1/2."""
    known = [judged("e1", "a b", {"d00": 1, "d01": MATE}), judged("e2", "c d", {"d01": 2})]
    system = Examples("examples", index, [earlier(known)], Votes(10, 3.0, 0.5, 1.0), {"1": "cited"}, MATE)
    scores = system.score(asked("q", "a d"), ["d00", "d01", "d02", "nobody"])
    assert scores[:2] == pytest.approx([1 / 8, (1 / 16 + 1 / 8) / 2])
    assert np.isnan(scores[2:]).all()
    first, second, none = system.explain(asked("q", "a d"), ["d00", "d01", "d02"])
    assert [(share.query, share.document) for share in first.shares] == [("e1 a b", "(cited)")]
    assert [(share.query, share.document) for share in second.shares] == [
        ("e2 c d", "(level 2)"),
        ("e1 a b", "(level 3)"),
    ]
    assert (none.score, none.shares) == (0.0, [])


def test_query_like_no_earlier_one_finds_nothing(index: Index, known: list[Judged]) -> None:
    system = Examples("examples", index, [earlier(known)])
    for text in ("", "nowhere", "x y z"):
        assert len(system.search([asked("q", text)]).rankings["q"]) == 0
        assert np.isnan(system.score_all(asked("q", text))).all()


def test_deleted_documents_get_no_votes(index: Index, tmp_path: Path) -> None:
    part = earlier([judged("e1", "a b", {"d00": 1, "gone": 1})])
    system = Examples("examples", index, [part])
    assert list(system.search([asked("q", "a")]).rankings["q"].docs) == ["d00"]


def test_scope_limits_votes_but_not_scores(tmp_path: Path) -> None:
    texts = [
        Text(doc, "en", "text", meta={"tags": ["even" if i % 2 == 0 else "odd"]})
        for i, doc in enumerate(DOCS)
    ]
    index = build(tmp_path / "index", texts, {"tags": "keyword"})
    system = Examples("examples", index, [earlier([judged("e1", "a b", {"d00": 1, "d01": 2, "q": 1})])])
    odd = Scope((Condition("tags", "=", "odd"),))
    assert list(system.search([asked("q", "a")], 5, odd).rankings["q"].docs) == ["d01"]
    assert not np.isnan(system.score(asked("q", "a"), ["d00", "d01"], odd)).any()
    assert list(system.search([asked("d00", "a")], 5, Scope(not_itself=True)).rankings["d00"].docs) == ["d01"]


def found(system: Examples, query: Text) -> set[str]:
    return set(system.search([query]).rankings[query.id].docs)


def test_query_itself_its_family_and_its_copies_do_not_vote(index: Index) -> None:
    text = "a b c d e f g h i j k l"
    known = [
        judged("same-id", "a b x", {"d00": 1}),
        judged("relative", "a b y", {"d01": 1}, family="f1"),
        judged("of-several", "a b z", {"d02": 1}, family=["f7", "f1"]),
        judged("mate-is-query", "a b u", {"d03": 1}, kin=("q",)),
        judged("mate-of-family", "a b v", {"d04": 1}, kin=("family f1",)),
        judged("copy", text, {"d05": 1}),
        judged("shuffled", " ".join(reversed(text.split())), {"d06": 1}),
        judged("honest", "a b c d e f g h m n o p", {"d07": 1}),
        judged("stranger", "a b w", {"d08": 1}, family="f2"),
    ]
    system = Examples("examples", index, [earlier(known)])
    query = asked("q", text, family=["f1"])
    everybody = {f"d{i:02}" for i in range(9)}
    assert found(system, query) == {"d00", "d07", "d08"}
    assert found(system, asked("same-id", "a b c")) == everybody - {"d00"}
    assert found(system, asked("other", "a b c")) == everybody


def test_words_that_no_earlier_query_has_make_a_text_another_one(index: Index) -> None:
    """Three known words among many are not the same text as these three words."""
    system = Examples(
        "examples", index, [earlier([judged("e1", "a b c", {"d00": 1}), judged("e2", "z", {"d01": 1})])]
    )
    assert found(system, asked("q", "a b c")) == set()
    assert found(system, asked("q", "a b c m n o p")) == {"d00"}


def test_own_searches_vote_even_for_the_same_text(index: Index) -> None:
    trained, own = (
        earlier([judged("e1", "a b c", {"d00": 1})]),
        earlier([judged("s1", "a b c", {"d01": 1}), judged("q", "a b", {"d02": 1})]),
    )
    system = Examples("examples", index, [trained, own])
    assert found(system, asked("q", "a b c")) == {"d01"}


def test_neighbours_come_from_both_sets_best_first(index: Index) -> None:
    trained = earlier([judged("e1", "a b", {"d00": 1}), judged("e2", "a b c d", {"d01": 1})])
    own = earlier([judged("s1", "a x", {"d02": 1}), judged("s2", "y z", {"d03": 1})])
    system = Examples("examples", index, [trained, own], Votes(neighbours=2))
    near = system.neighbours(asked("q", "a b m"))
    assert np.all(np.diff(near.likeness) <= 0)
    assert len(near.rows) == 2


def test_titles_are_cut_by_columns() -> None:
    assert title_of(Text("q", "ja", "本文", "電極")) == "電極"
    assert title_of(Text("q", "ja", "電" * 100)) == "電" * 24 + "…"
    assert title_of(Text("q", "de", "one\n  two")) == "one two"
