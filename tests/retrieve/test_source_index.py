"""Documents indexed in the words of queries: the same scores as structured queries over the plain index."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kakehashi.index.index import Index
from kakehashi.index.update import IndexWriter
from kakehashi.lexicon.translations import Translations, count_translations
from kakehashi.progress import SILENT
from kakehashi.query.psq import Psq
from kakehashi.retrieve.indexed_psq import IndexedPsq
from kakehashi.retrieve.sparse import Sparse
from kakehashi.retrieve.weighting import Bm25, Hmm, Lm, Weighting
from kakehashi.types import Condition, Scope, Text
from tests.index.building import add, build_in_parts, dealt, plain_analyzers, texts_of, zipfian
from tests.retrieve.comparing import same

N_DOCS = 2000
WEIGHTINGS = [Bm25(), Bm25(k1=0.4, b=0.1, k3=0.0, saturation="double"), Lm(50.0), Hmm(0.3)]


@pytest.fixture(scope="module")
def texts() -> list[Text]:
    documents = zipfian(np.random.default_rng(31), N_DOCS, n_terms=500, mean_length=30)
    return [Text(id, "en", text, meta={"half": str(i % 2)}) for i, (id, text) in enumerate(documents.items())]


@pytest.fixture(scope="module", params=[1, 3], ids=["one segment", "three, with deleted documents"])
def index(
    request: pytest.FixtureRequest, texts: list[Text], tmp_path_factory: pytest.TempPathFactory
) -> Index:
    folder = tmp_path_factory.mktemp("source") / "index"
    index = build_in_parts(folder, dealt(texts, request.param), {"half": "keyword"})
    if request.param > 1:
        writer = IndexWriter(folder, plain_analyzers(), {"half": "keyword"})
        for text in texts[::9]:
            writer.delete(text.id)
        writer.commit()
        index = Index(folder)
    return index


@pytest.fixture(scope="module")
def table() -> Translations:
    """Of one to eight translations, frequent and rare ones, some in no document."""
    rng = np.random.default_rng(32)
    links = [
        (f"f{i}", f"w{e}") for i in range(200) for e in np.minimum(rng.zipf(1.4, rng.integers(1, 9)), 520) - 1
    ]
    return count_translations([f for f, _ in links], [e for _, e in links], rng.uniform(0.1, 1.0, len(links)))


@pytest.fixture(scope="module")
def queries() -> list[Text]:
    """Words with translations, words that pass through, words nobody knows."""
    rng = np.random.default_rng(33)
    drawn = [[f"f{i}" for i in rng.zipf(1.2, rng.integers(1, 40)) % 230] for _ in range(40)]
    return [Text(f"q{i}", "de", " ".join([*words, f"w{i}", "w3"])) for i, words in enumerate(drawn)]


def systems(
    index: Index, table: Translations, weighting: Weighting, folder: Path
) -> tuple[Sparse, IndexedPsq]:
    psq = Psq(index, table)
    plain = Sparse("psq", psq, weighting, index)
    return plain, IndexedPsq(plain, psq, folder)


def test_rows_that_do_not_sum_to_one_score_alike(
    index: Index, table: Translations, queries: list[Text], tmp_path: Path
) -> None:
    """As in the language model, whose table is turned; words that cutting leaves without a row pass through."""
    sources, targets = (
        [f for f in table.sources for _ in table.row(f)],
        [e for f in table.sources for e, _ in table.row(f)],
    )
    reverse = count_translations(targets, sources, np.linspace(0.1, 1.0, len(sources))).pruned(0.05, 0.8)
    turned = reverse.turned()
    assert max(sum(chance for _, chance in turned.row(word)) for word in turned.sources) > 2.0
    assert len(turned) < len({*sources})
    plain, indexed = systems(index, turned, Hmm(), tmp_path)
    for k in (10, N_DOCS):
        same(indexed.search(queries, k).rankings, plain.search(queries, k).rankings)


def test_statistics_from_elsewhere_count_in_both(
    index: Index, table: Translations, queries: list[Text], tmp_path: Path
) -> None:
    psq, statistics = Psq(index, table), index.statistics_where([Condition("half", "=", "1")])
    plain = Sparse("psq", psq, Bm25(), index, statistics=statistics)
    expected = plain.search(queries, 20).rankings
    same(IndexedPsq(plain, psq, tmp_path).search(queries, 20).rankings, expected)
    own = Sparse("psq", psq, Bm25(), index).search(queries, 20).rankings
    assert any(own[id].scores.tobytes() != expected[id].scores.tobytes() for id in own)


def test_open_index_answers_although_its_files_were_replaced(
    table: Translations, queries: list[Text], tmp_path: Path
) -> None:
    add(tmp_path / "index", texts_of(zipfian(np.random.default_rng(35), 60)))
    plain, indexed = systems(Index(tmp_path / "index"), table, Bm25(), tmp_path / "kept")
    expected = plain.search(queries, 10).rankings
    shutil.rmtree(tmp_path / "index")
    same(indexed.search(queries, 10).rankings, expected)


def test_table_of_single_and_missing_translations_scores_alike(
    index: Index, queries: list[Text], tmp_path: Path
) -> None:
    """As many entries as words, some of them in no document: rows of none, one and several."""
    table = count_translations(["f1", "f2", "f2", "f3"], ["w9", "w400", "w2", "nowhere"], np.ones(4))
    table = replace(table, chances=table.chances * np.float32(0.7))
    asked = [Text("a", "de", "f1 f2 f3 w1"), *queries]
    plain, indexed = systems(index, table, Bm25(), tmp_path)
    same(indexed.search(asked, 50).rankings, plain.search(asked, 50).rankings)


@pytest.mark.parametrize("weighting", WEIGHTINGS, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("k", [1, 10, N_DOCS])
def test_scores_equal_those_of_structured_queries_to_the_last_bit(
    weighting: Weighting, k: int, index: Index, table: Translations, queries: list[Text], tmp_path: Path
) -> None:
    plain, indexed = systems(index, table, weighting, tmp_path)
    expected = plain.search(queries, k).rankings
    assert sum(map(len, expected.values())) >= k * 30 or k == N_DOCS
    same(indexed.search(queries, k).rankings, expected)


def test_pruned_table_means_a_smaller_index_with_its_own_scores(
    index: Index, table: Translations, queries: list[Text], tmp_path: Path
) -> None:
    whole, cut = (systems(index, each, Bm25(), tmp_path) for each in (table, table.pruned(0.2, 0.6)))
    same(cut[1].search(queries, 20).rankings, cut[0].search(queries, 20).rankings)
    sizes = [
        sum(len(segment.postings_by_group.docs) for segment in system.stored(SILENT).index.segments)  # type: ignore[attr-defined]
        for _, system in (whole, cut)
    ]
    assert sizes[1] < sizes[0]


def test_scope_is_that_of_the_documents_own_words(
    index: Index, table: Translations, queries: list[Text], tmp_path: Path
) -> None:
    scope = Scope((Condition("half", "=", "1"),), "w1 AND NOT w2")
    plain, indexed = systems(index, table, Bm25(), tmp_path)
    expected = plain.search(queries, 50, scope).rankings
    assert 0 < max(map(len, expected.values())) < N_DOCS // 2
    same(indexed.search(queries, 50, scope).rankings, expected)


def test_index_that_has_changed_is_not_answered_from_what_was_kept(
    table: Translations, queries: list[Text], tmp_path: Path
) -> None:
    texts = texts_of(zipfian(np.random.default_rng(34), 60))
    for some in (texts[:40], texts[40:]):
        add(tmp_path / "index", some)
        plain, indexed = systems(Index(tmp_path / "index"), table, Bm25(), tmp_path / "kept")
        same(indexed.search(queries, 60).rankings, plain.search(queries, 60).rankings)


@pytest.mark.parametrize("damage", ["cut short", "unwritable"])
def test_what_is_kept_is_a_convenience_only(
    damage: str, index: Index, table: Translations, queries: list[Text], tmp_path: Path
) -> None:
    plain, indexed = systems(index, table, Bm25(), tmp_path / "kept")
    if damage == "unwritable":
        (tmp_path / "kept").write_bytes(b"a file where a folder should be")
    else:
        indexed.search(queries, 5)
        largest = max((tmp_path / "kept").glob("*.npy"), key=lambda path: path.stat().st_size)
        largest.write_bytes(largest.read_bytes()[:-8])
    again = IndexedPsq(plain, Psq(index, table), tmp_path / "kept")
    same(again.search(queries, 5).rankings, plain.search(queries, 5).rankings)


def test_reasons_add_up_to_the_score(
    index: Index, table: Translations, queries: list[Text], tmp_path: Path
) -> None:
    _, indexed = systems(index, table, Hmm(), tmp_path)
    ranking = indexed.search(queries[:3], 3).rankings
    for query in queries[:3]:
        docs, scores = ranking[query.id].docs, ranking[query.id].scores.tolist()
        for doc, score, explained in zip(docs, scores, indexed.explain(query, docs), strict=True):
            assert explained.score == score == indexed.score(query, [doc])[0]
            assert sum(share.share for share in explained.shares) == pytest.approx(score)
