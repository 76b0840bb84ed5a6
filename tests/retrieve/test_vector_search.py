"""Search among vectors against a brute force in exact arithmetic, however the work is cut up."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from kakehashi.errors import InputError
from kakehashi.index.index import Index
from kakehashi.index.metadata import parse_condition
from kakehashi.index.update import IndexWriter
from kakehashi.learn.lowrank import UNSHARED
from kakehashi.learn.vectors import Rows, Words, shared_words
from kakehashi.retrieve import vector_search
from kakehashi.retrieve.document_vectors import BITS, document_vectors, vectors_of
from kakehashi.retrieve.projection import LowRankProjection, query_rows
from kakehashi.retrieve.vector_search import VectorSearch
from kakehashi.types import Explanation, Scope, Text, in_order
from tests.index.building import add, build, build_in_parts, dealt, plain_analyzers, zipfian
from tests.retrieve.comparing import assert_order, same

FIELDS = {"color": "keyword"}
N_DOCS, N_WORDS, RANK = 700, 60, 5
TERMS = tuple(f"w{i}" for i in range(N_WORDS))


@pytest.fixture(scope="module")
def texts() -> list[Text]:
    documents = zipfian(np.random.default_rng(31), N_DOCS, n_terms=120, mean_length=6)
    return [
        Text(id, "en", text, meta={"color": "red" if len(text) % 2 else "blue"})
        for id, text in documents.items()
    ]


@pytest.fixture(scope="module")
def index(texts: list[Text], tmp_path_factory: pytest.TempPathFactory) -> Index:
    return build(tmp_path_factory.mktemp("vectors") / "index", texts, FIELDS)


@pytest.fixture(scope="module")
def queries() -> list[Text]:
    documents = zipfian(np.random.default_rng(32), 40, n_terms=120, mean_length=8)
    return [Text(f"q{id}", "de", text) for id, text in documents.items()]


def model(cosine: bool = False, identity: bool = False, coarse: bool = False) -> LowRankProjection:
    """`coarse` weights are small whole numbers, so that many documents get the same score."""
    rng = np.random.default_rng(7)
    query_words = Words(TERMS, rng.uniform(0.5, 2, N_WORDS).astype(np.float32), "tfidf", unit=True)
    document_words = Words(TERMS[5:][::-1], np.ones(N_WORDS - 5, np.float32), "binary", unit=not coarse)
    u = rng.standard_normal((N_WORDS, RANK)).astype(np.float32)
    v = rng.standard_normal((N_WORDS - 5, RANK)).astype(np.float32)
    if coarse:
        u, v = np.rint(u), np.rint(v)
    shared = shared_words(query_words, document_words) if identity else UNSHARED
    return LowRankProjection(query_words, document_words, u, v, shared, cosine)


KINDS = {
    "plain": model(),
    "cosine": model(cosine=True),
    "identity": model(identity=True),
    "coarse": model(coarse=True),
}
every_kind = pytest.mark.parametrize("kind", KINDS)


def document_row(index: Index, words: Words, place: tuple[int, int]) -> Rows:
    """The vector of a document, from the names of its words."""
    terms, tfs = index.segments[place[0]].document_terms(place[1])
    names = [index.vocabulary[term] for term in terms.tolist()]
    return words.rows([[name for name, tf in zip(names, tfs.tolist(), strict=True) for _ in range(tf)]])


def brute_force(linear: LowRankProjection, index: Index, query: Text, doc_ids: list[str]) -> dict[str, float]:
    """Scores by exact fractions of the rounded vectors, plus words in common in the order of document words."""
    asked = query_rows(index, linear.query_words, [query])
    left = vectors_of(linear.of_queries(asked), asked, linear.cosine)
    scores = {}
    for doc_id in doc_ids:
        place = index.place(doc_id)
        assert place is not None
        row = document_row(index, linear.document_words, place)
        right = vectors_of(linear.of_documents(row), row, linear.cosine)
        if len(row.columns) == 0 or len(asked.columns) == 0:
            continue
        products = zip(left.numbers[0].tolist(), right.numbers[0].tolist(), strict=True)
        exact = sum((Fraction(a) * Fraction(b) for a, b in products), Fraction(0))
        score = float(exact * Fraction(float(left.scales[0])) * Fraction(float(right.scales[0])))
        if len(linear.shared):
            of_word = {int(linear.shared[w]): x for w, x in zip(asked.columns, asked.values, strict=True)}
            both = zip(row.columns.tolist(), row.values, strict=True)
            score += sum(float(of_word[w]) * float(x) for w, x in both if w in of_word)
        scores[doc_id] = score
    return scores


@every_kind
def test_top_k_equals_brute_force_with_ties(
    kind: str, index: Index, texts: list[Text], queries: list[Text]
) -> None:
    system = VectorSearch("x", KINDS[kind], index)
    ids, tied = [text.id for text in texts], 0
    for query in queries[:12]:
        scores = brute_force(KINDS[kind], index, query, ids)
        for k in (1, 10, N_DOCS):
            expected = in_order(list(scores), np.array(list(scores.values())), k)
            found = system.search([query], k).rankings[query.id]
            assert list(found.docs) == list(expected.docs)
            assert found.scores == pytest.approx(expected.scores, rel=1e-14, abs=1e-300)
        tied += len(scores) - len(set(scores.values()))
    assert tied > 100 or kind != "coarse"


@every_kind
def test_rounded_score_is_near_the_unrounded_one(kind: str, index: Index, queries: list[Text]) -> None:
    linear = KINDS[kind]
    system = VectorSearch("x", linear, index)
    for query in queries[:5]:
        asked = query_rows(index, linear.query_words, [query])
        left = linear.of_queries(asked)[0].astype(np.float64)
        ranking = system.search([query], 50).rankings[query.id]
        for doc_id, score in zip(ranking.docs, ranking.scores, strict=True):
            place = index.place(doc_id)
            assert place is not None
            row = document_row(index, linear.document_words, place)
            right = linear.of_documents(row)[0].astype(np.float64)
            size = np.linalg.norm(left) * np.linalg.norm(right)
            expected = left @ right / (size if linear.cosine else 1.0)
            if len(linear.shared):
                of_word = dict(zip(linear.shared[asked.columns].tolist(), asked.values, strict=True))
                both = zip(row.columns.tolist(), row.values, strict=True)
                expected += sum(of_word.get(word, 0.0) * value for word, value in both)
            allowed = RANK * 2.0 ** (1 - BITS) * (1.0 if linear.cosine else max(size, 1.0))
            assert score == pytest.approx(expected, abs=allowed)


@every_kind
@pytest.mark.parametrize("threads", [1, 3])
def test_answers_do_not_depend_on_segments_blocks_or_threads(
    kind: str,
    threads: int,
    index: Index,
    texts: list[Text],
    queries: list[Text],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected = VectorSearch("x", KINDS[kind], index).search(queries, 50).rankings
    four = build_in_parts(tmp_path / "four", dealt(texts, 4), FIELDS)
    assert len(four.segments) == 4
    monkeypatch.setattr(vector_search, "DOCUMENTS", 37)
    monkeypatch.setattr(vector_search, "BLOCK", 7)
    same(VectorSearch("x", KINDS[kind], four).search(queries, 50, threads=threads).rankings, expected)
    same(VectorSearch("x", KINDS[kind], index).search(queries, 50, threads=threads).rankings, expected)


def test_many_more_documents_than_k_are_cut_back_rightly(tmp_path: Path) -> None:
    """More than the room for candidates, so lists are cut while documents still come; most scores tie."""
    documents = zipfian(np.random.default_rng(3), 6000, n_terms=30, mean_length=2)
    index = build(tmp_path, [Text(id, "en", text) for id, text in documents.items()])
    system, query = VectorSearch("x", KINDS["coarse"], index), Text("q", "de", "w7 w9 w12")
    whole = system.search([query], 6000).rankings["q"]
    assert_order(list(whole.docs), whole.scores.tolist())
    for k in (1, 3, 500):
        short = system.search([query], k).rankings["q"]
        assert list(short.docs) == list(whole.docs[:k])
        assert short.scores.tobytes() == whole.scores[:k].tobytes()


def test_filters_act_before_ranking(index: Index, texts: list[Text], queries: list[Text]) -> None:
    colors = {text.id: text.meta["color"] for text in texts}
    words = {text.id: set(text.text.split()) for text in texts}
    whole = VectorSearch("x", KINDS["plain"], index).search(queries, N_DOCS).rankings
    scope = Scope((parse_condition("color=red"),), "w0 AND NOT w1")
    found = VectorSearch("x", KINDS["plain"], index).search(queries, 20, scope).rankings
    for id, ranking in whole.items():
        kept = [
            doc
            for doc in ranking.docs
            if colors[doc] == "red" and "w0" in words[doc] and "w1" not in words[doc]
        ]
        assert list(found[id].docs) == kept[:20]
    assert any(len(ranking) == 20 for ranking in found.values())


def test_query_does_not_find_itself_where_the_scope_says_so(index: Index, texts: list[Text]) -> None:
    asked = [Text(text.id, "de", text.text) for text in texts[:30]]
    whole = VectorSearch("x", KINDS["plain"], index).search(asked, N_DOCS).rankings
    found = VectorSearch("x", KINDS["plain"], index).search(asked, 15, Scope(not_itself=True)).rankings
    assert any(id in whole[id].docs[:15] for id in whole)
    for id, ranking in whole.items():
        assert list(found[id].docs) == [doc for doc in ranking.docs if doc != id][:15]


def test_dead_documents_are_not_found(texts: list[Text], queries: list[Text], tmp_path: Path) -> None:
    build(tmp_path, texts, FIELDS)
    writer = IndexWriter(tmp_path, plain_analyzers(), FIELDS)
    gone = {text.id for text in texts[:200]}
    for doc_id in gone:
        writer.delete(doc_id)
    writer.commit()
    changed = Index(tmp_path)
    fresh = build(tmp_path / "fresh", texts[200:], FIELDS)
    same(
        VectorSearch("x", KINDS["plain"], changed).search(queries, N_DOCS).rankings,
        VectorSearch("x", KINDS["plain"], fresh).search(queries, N_DOCS).rankings,
    )


@every_kind
def test_score_and_shares_agree_with_the_ranking(kind: str, index: Index, queries: list[Text]) -> None:
    system = VectorSearch("x", KINDS[kind], index)
    for query in queries[:8]:
        ranking = system.search([query], 30).rankings[query.id]
        assert system.score(query, ranking.docs).tobytes() == ranking.scores.tobytes()
        explanations = system.explain(query, ranking.docs[:5])
        for score, explanation in zip(ranking.scores[:5].tolist(), explanations, strict=True):
            assert explanation.score == score
            assert sum(share.share for share in explanation.shares) == pytest.approx(
                score, rel=1e-9, abs=1e-12
            )
            assert {share.query for share in explanation.shares} <= {*query.text.split()}


def test_shares_are_those_of_the_formula(tmp_path: Path) -> None:
    index = build(tmp_path, [Text("d", "en", "w7 w9 w9")])
    linear = KINDS["plain"]
    [explanation] = VectorSearch("x", linear, index).explain(Text("q", "de", "w6 w8 w8"), ["d"])
    q = np.array([1.0, 2.0]) * linear.query_words.idf[[6, 8]]
    q /= np.linalg.norm(q)
    rows = [linear.document_words.numbers[word] for word in ("w7", "w9")]
    pairs = {
        (word, other): q[i] * float(linear.u[int(word[1:])] @ linear.v[rows[j]]) / np.sqrt(2)
        for i, word in enumerate(("w6", "w8"))
        for j, other in enumerate(("w7", "w9"))
    }
    for share in explanation.shares:
        parts = {other: pairs[share.query, other] for other in ("w7", "w9")}
        total = sum(parts.values())
        assert share.share == pytest.approx(total, abs=1e-5)
        same_way = [word for word in parts if parts[word] * total > 0]
        assert share.document == ", ".join(sorted(same_way, key=lambda word, of=parts: -abs(of[word])))


def test_text_without_a_known_word_neither_finds_nor_is_found(tmp_path: Path) -> None:
    index = build(tmp_path, [Text("a", "en", "w7"), Text("b", "en", "unknown"), Text("c", "en", "")])
    system = VectorSearch("x", KINDS["plain"], index)
    run = system.search([Text("q", "de", "w6"), Text("none", "de", "unknown"), Text("empty", "de", "")])
    assert [list(ranking.docs) for ranking in run.rankings.values()] == [["a"], [], []]
    assert np.isnan(system.score(Text("q", "de", "w6"), ["b", "c", "nobody"])).all()
    assert np.isnan(system.score(Text("none", "de", "unknown"), ["a"])).all()
    assert system.explain(Text("q", "de", "w6"), ["b"]) == [Explanation(0.0, [])]


def test_bad_questions_are_refused_in_one_line(index: Index) -> None:
    system = VectorSearch("x", KINDS["plain"], index)
    with pytest.raises(InputError, match="k must be at least 1, not 0"):
        system.search([], 0)
    with pytest.raises(InputError, match="query 'q' is in 'en': this model accepts de"):
        system.search([Text("q", "en", "w0")])
    with pytest.raises(InputError, match="there is no document 'nobody'"):
        system.explain(Text("q", "de", "w6"), ["nobody"])


def test_empty_index_answers_with_nothing(tmp_path: Path) -> None:
    index = build(tmp_path, [])
    assert len(VectorSearch("x", KINDS["plain"], index).search([Text("q", "de", "w6")]).rankings["q"]) == 0


def test_kept_vectors_are_used_again_until_index_or_model_change(texts: list[Text], tmp_path: Path) -> None:
    index = build(tmp_path / "index", texts[:300], FIELDS)
    folder = tmp_path / "vectors"

    def generation() -> int:
        return max(int(path.name.split(".")[-2]) for path in folder.glob("*.npy"))

    first = document_vectors(index, KINDS["identity"], folder)
    assert isinstance(first.vectors.numbers.base, np.memmap)
    again = document_vectors(Index(tmp_path / "index"), KINDS["identity"], folder)
    assert generation() == 1
    assert again.vectors.numbers.tobytes() == first.vectors.numbers.tobytes()
    assert again.rows is not None
    document_vectors(index, KINDS["plain"], folder)
    assert generation() == 2
    add(tmp_path / "index", texts[300:310], FIELDS)
    grown = document_vectors(Index(tmp_path / "index"), KINDS["plain"], folder)
    assert generation() == 3
    assert len(grown.vectors.numbers) == 310


def test_damaged_or_locked_vectors_are_made_again(texts: list[Text], tmp_path: Path) -> None:
    index = build(tmp_path / "index", texts[:50], FIELDS)
    folder = tmp_path / "vectors"
    expected = document_vectors(index, KINDS["plain"], folder).vectors.numbers.tobytes()
    (folder / "numbers.1.npy").write_bytes(b"")
    assert document_vectors(index, KINDS["plain"], folder).vectors.numbers.tobytes() == expected
    (folder / "meta.json").write_bytes(b"{}")
    (folder / ".lock").unlink()
    (folder / ".lock").mkdir()  # nothing can be written
    assert document_vectors(index, KINDS["plain"], folder).vectors.numbers.tobytes() == expected
