"""Extended BM25 and LM against their formulas, written once more over the raw texts: no project code."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kakehashi.index.index import Index
from kakehashi.index.update import IndexWriter
from kakehashi.lexicon.neighbours import Related, arranged
from kakehashi.query.edits import parse_edit, with_edits
from kakehashi.query.extended import Extended, QueryWords, documents_with_any
from kakehashi.query.terms import Untranslated
from kakehashi.retrieve.extended import ExtendedBm25, ExtendedLm
from kakehashi.retrieve.sparse import Sparse
from kakehashi.retrieve.weighting import Bm25, Lm
from kakehashi.types import Text
from tests.index.building import add, build, build_in_parts, dealt, plain_analyzers, texts_of, zipfian
from tests.retrieve.comparing import assert_right, same

TERMS = tuple(f"w{i}" for i in range(400))
Groups = Sequence[tuple[str, float, Mapping[str, float]]]  # word, weight in the query, related words


def some_related(seed: int = 3, n: int = 900) -> Related:
    """Frequent words have many related words, rare ones few or none."""
    rng = np.random.default_rng(seed)
    drawn = np.minimum(rng.geometric(0.02, size=(n, 2)) - 1, len(TERMS) - 1)
    pairs = sorted({(min(pair), max(pair)) for pair in drawn.tolist() if pair[0] != pair[1]})
    one, other = np.array(pairs).T
    return arranged(one, other, rng.uniform(0.5, 1.0, len(pairs)).astype(np.float32), len(TERMS), both=True)


NOTHING = arranged(
    np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.float32), len(TERMS), both=True
)
RELATED = some_related()


class Slow:
    """Statistics of a collection and the two formulas, with dictionaries and loops."""

    def __init__(self, documents: Mapping[str, str]):
        self.documents = {id: Counter(text.split()) for id, text in documents.items()}
        self.n = len(documents)
        self.total = sum(sum(words.values()) for words in self.documents.values())
        self.cf = Counter(word for text in documents.values() for word in text.split())

    def extended(self, word: str, related: Mapping[str, float]) -> tuple[float, float, float]:
        """(df, cf, length of the collection)"""
        df = sum(
            1 for words in self.documents.values() if words[word] or any(words[each] for each in related)
        )
        cf = self.cf[word] + sum(weight * self.cf[each] for each, weight in related.items())
        return df, cf, self.total - sum((1 - weight) * self.cf[each] for each, weight in related.items())

    def bm25(self, query: Groups, k1: float = 1.2, b: float = 0.6, k3: float = 1000.0) -> dict[str, float]:
        scores, counted = {}, {word: self.extended(word, related) for word, _, related in query}
        for id, words in self.documents.items():
            parts = []
            for word, qtf, related in query:
                df, _, total = counted[word]
                tf = words[word] + sum(weight * words[each] for each, weight in related.items())
                lost = sum((1 - weight) * words[each] for each, weight in related.items())
                length = sum(words.values()) - lost
                if tf > 0:
                    idf = math.log(1 + (self.n - df + 0.5) / (df + 0.5))
                    norm = k1 * (1 - b + b * length / (total / self.n))
                    parts.append(idf * tf * (k1 + 1) / (tf + norm) * (k3 + 1) * qtf / (k3 + qtf))
            if parts:
                scores[id] = math.fsum(parts)
        return scores

    def lm(self, query: Groups, mu: float = 1000.0) -> dict[str, float]:
        scores, counted = {}, {word: self.extended(word, related) for word, _, related in query}
        for id, words in self.documents.items():
            parts, matched = [], False
            for word, qtf, related in query:
                _, cf, total = counted[word]
                if cf == 0:
                    continue
                tf = words[word] + sum(weight * words[each] for each, weight in related.items())
                lost = sum((1 - weight) * words[each] for each, weight in related.items())
                matched |= tf > 0
                parts.append(qtf * math.log((tf + mu * cf / total) / (sum(words.values()) - lost + mu)))
            if matched:
                scores[id] = math.fsum(parts)
        return scores


@pytest.fixture(scope="module")
def documents() -> dict[str, str]:
    return zipfian(np.random.default_rng(31), 500, mean_length=30)


@pytest.fixture(scope="module")
def index(documents: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Index:
    return build(tmp_path_factory.mktemp("extended") / "index", texts_of(documents))


@pytest.fixture(scope="module")
def queries() -> list[Text]:
    drawn = zipfian(np.random.default_rng(32), 25, mean_length=9)
    return [Text(id, "en", text) for id, text in drawn.items() if text]


def system(
    index: Index,
    weighting: Any,
    related: Related = RELATED,
    most: int = 0,
    weights: Any = "frequency",
    **more: Any,
) -> Sparse:
    words = QueryWords(index, most, weights)
    return Sparse("extended", Extended(index, TERMS, related, words, **more), weighting, index)


def groups_of(text: str, index: Index, related: Related = RELATED) -> Groups:
    known = {*index.vocabulary.all_terms()}
    found = []
    for word, n in Counter(text.split()).items():
        if word in known:
            words, similarities = related.row(int(word[1:]))
            pairs = zip(words.tolist(), similarities.tolist(), strict=True)
            found.append((word, float(n), {TERMS[w]: s for w, s in pairs if TERMS[w] in known}))
    return found


@pytest.mark.parametrize("k", [5, 500])
def test_bm25_follows_its_formula(
    index: Index, documents: dict[str, str], queries: list[Text], k: int
) -> None:
    slow, run = Slow(documents), system(index, ExtendedBm25()).search(queries, k).rankings
    for query in queries:
        assert_right(run[query.id], slow.bm25(groups_of(query.text, index)), k, slack=1e-6)


@pytest.mark.parametrize("mu", [1000.0, 20.0])
@pytest.mark.parametrize("k", [5, 500])
def test_lm_follows_its_formula(
    index: Index, documents: dict[str, str], queries: list[Text], k: int, mu: float
) -> None:
    slow, run = Slow(documents), system(index, ExtendedLm(mu)).search(queries, k).rankings
    for query in queries:
        assert_right(run[query.id], slow.lm(groups_of(query.text, index), mu), k, slack=1e-5)


def test_related_words_change_the_ranking(index: Index, queries: list[Text]) -> None:
    with_them = system(index, ExtendedBm25()).search(queries, 10).rankings
    without = system(index, ExtendedBm25(), NOTHING).search(queries, 10).rankings
    assert sum(list(with_them[q.id].docs) != list(without[q.id].docs) for q in queries) > len(queries) / 2


@pytest.mark.parametrize(
    ("extended", "plain"),
    [
        (ExtendedBm25(b=0.75, k3=2.0), Bm25()),
        (ExtendedBm25(b=0.75, k3=2.0, saturation="double"), Bm25(saturation="double")),
        (ExtendedLm(), Lm()),
    ],
    ids=["bm25", "double", "lm"],
)
def test_nothing_related_scores_as_plain_to_the_bit(
    extended: Any, plain: Any, index: Index, queries: list[Text]
) -> None:
    for k in (7, 500):
        found = system(index, extended, NOTHING).search(queries, k).rankings
        same(found, Sparse("plain", Untranslated(index), plain, index).search(queries, k).rankings)


def test_weights_of_one_lose_nothing(index: Index, queries: list[Text]) -> None:
    """P_T = 1: documents keep their lengths, and a group is its words counted as one."""
    equal = system(index, ExtendedBm25(), chances="equal")
    assert not any(equal.compiled(query).lost.any() for query in queries)  # type: ignore[union-attr]


def test_generalised_changes_frequencies_alone(
    index: Index, documents: dict[str, str], queries: list[Text]
) -> None:
    slow = Slow(documents)
    run = system(index, ExtendedBm25(), counting="generalised").search(queries, 500).rankings
    for query in queries:
        expected: dict[str, float] = {}
        for word, qtf, related in groups_of(query.text, index):
            df = slow.extended(word, {})[0]
            idf = math.log(1 + (slow.n - df + 0.5) / (df + 0.5)) * 1001 * qtf / (1000 + qtf)
            for id, words in slow.documents.items():
                tf = words[word] + sum(weight * words[each] for each, weight in related.items())
                norm = 1.2 * (0.4 + 0.6 * sum(words.values()) / (slow.total / slow.n))
                if tf > 0:
                    expected[id] = expected.get(id, 0.0) + idf * 2.2 * tf / (tf + norm)
        assert_right(run[query.id], expected, 500, slack=1e-6)


def test_normalised_chances_are_shares_of_the_related_word(index: Index) -> None:
    found = Extended(index, TERMS, RELATED, QueryWords(index, 0, "equal"), "normalised")
    query = found.compile(Text("q", "en", "w0"))
    words, similarities = RELATED.row(0)
    whole = {int(w): 1.0 + float(RELATED.row(int(w))[1].sum()) for w in words}
    expected = {f"w{w}": float(s) / whole[int(w)] for w, s in zip(words, similarities, strict=True)}
    weights = {index.vocabulary[t]: w for t, w in zip(query.terms, query.term_weights, strict=True)}
    assert weights.pop("w0") == 1.0
    assert weights == pytest.approx({word: expected[word] for word in weights})


def test_unseen_words_are_searched_by_their_related_words(tmp_path: Path) -> None:
    index = build(tmp_path / "index", texts_of({"a": "w1 w2", "b": "w3"}))
    pairs = arranged(np.array([0]), np.array([1]), np.array([0.8], np.float32), len(TERMS), both=True)
    query = Text("q", "en", "w0")
    assert not len(system(index, ExtendedBm25(), pairs).search([query]).rankings["q"])
    found = system(index, ExtendedBm25(), pairs, unseen=True)
    assert list(found.search([query]).rankings["q"].docs) == ["a"]
    assert [share.document for share in found.explain(query, ["a"])[0].shares] == ["w1"]


def test_df_counts_live_documents_with_any_of_the_words(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    add(folder, texts_of({"a": "w1 w2", "b": "w3", "c": "w2 w2"}))
    add(folder, texts_of({"d": "w1", "e": "w4", "a": "w5"}))
    writer = IndexWriter(folder, plain_analyzers(), {})
    writer.delete("c")
    writer.commit()
    index = Index(folder)
    numbers = index.vocabulary.numbers(["w1", "w3", "w5"])
    assert documents_with_any(index, numbers) == 3  # b, d and the new a


def test_best_words_of_a_query_by_tfidf(tmp_path: Path) -> None:
    documents = {"a": "w1 w2 w3", "b": "w1 w2", "c": "w1", "d": "w9"}
    index = build(tmp_path / "index", texts_of(documents))
    text = Text("q", "en", "w1 w9 w1 w3 w2 w7")
    assert QueryWords(index, 2, "equal").chosen(text) == {"w9": 1.0, "w3": 1.0}
    assert QueryWords(index, 3, "frequency").chosen(text) == {"w9": 1.0, "w3": 1.0, "w2": 1.0}
    weighted = QueryWords(index, 0, "tfidf").chosen(text)
    assert [*weighted] == ["w1", "w9", "w3", "w2"]  # unknown words weigh nothing
    assert weighted["w1"] == pytest.approx(2 * math.log(4 / 3))


def test_segments_score_as_one(
    index: Index, documents: dict[str, str], queries: list[Text], tmp_path: Path
) -> None:
    parts = build_in_parts(tmp_path / "index", dealt(texts_of(documents), 4))
    for weighting in (ExtendedBm25(), ExtendedLm()):
        one, other = (system(each, weighting).search(queries, 40).rankings for each in (index, parts))
        same(one, other)


def test_edits_count_in_the_statistics(index: Index) -> None:
    """An added word belongs to its group like a related one."""
    plain = Text("q", "en", "w30")
    found = system(index, ExtendedBm25(), NOTHING)
    edited = found.compiled(with_edits(plain, [parse_edit("add", "w30=w31:0.5")]))
    assert edited.df is not None
    assert edited.df.tolist() == [documents_with_any(index, edited.terms)]
    assert len(edited.terms) == 2
