"""Structured queries: groups of translations, words that pass through, scores from the formula."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from kakehashi.errors import InputError
from kakehashi.index.index import Index
from kakehashi.lexicon.translations import Translations, count_translations
from kakehashi.query.psq import Psq
from kakehashi.retrieve.sparse import Sparse
from kakehashi.retrieve.weighting import Bm25
from kakehashi.systems.opening import open_system
from kakehashi.types import Text
from tests.index.building import build, holdings_of, texts_of, zipfian
from tests.retrieve.formulas import bm25, counts_of


@pytest.fixture(scope="module")
def documents() -> dict[str, str]:
    return zipfian(np.random.default_rng(4), 300, n_terms=80)


@pytest.fixture(scope="module")
def index(documents: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Index:
    return build(tmp_path_factory.mktemp("psq") / "index", texts_of(documents))


@pytest.fixture(scope="module")
def table() -> Translations:
    """Words f0 to f29 with one to six translations each, some of them in no document."""
    rng = np.random.default_rng(5)
    links = [(f"f{i}", f"w{e}") for i in range(30) for e in rng.integers(90, size=rng.integers(1, 7))]
    return count_translations([f for f, _ in links], [e for _, e in links], rng.uniform(0.1, 1.0, len(links)))


def query(text: str) -> Text:
    return Text("q", "de", text)


def test_every_word_is_a_group_of_its_translations(index: Index, table: Translations) -> None:
    compiled = Psq(index, table).compile(query("f3 f7 f3"))
    assert compiled.labels == ("f3", "f7")
    assert compiled.weights.tolist() == [2.0, 1.0]
    for g, word in enumerate(compiled.labels):
        entries = slice(compiled.starts[g], compiled.starts[g + 1])
        found = {
            index.vocabulary[term]: chance
            for term, chance in zip(compiled.terms[entries], compiled.term_weights[entries], strict=True)
        }
        known = {e: pytest.approx(p) for e, p in table.row(word) if index.vocabulary.number(e) >= 0}
        assert found == known


def test_word_without_translations_passes_through(index: Index, table: Translations) -> None:
    compiled = Psq(index, table).compile(query("w5 f3 W5 nonsense"))
    assert compiled.labels == ("w5", "f3")
    assert compiled.weights.tolist() == [2.0, 1.0]
    assert index.vocabulary[int(compiled.terms[0])] == "w5"


def test_word_that_passes_through_is_told_from_a_translated_one_written_alike(index: Index) -> None:
    table = count_translations(["w1"], ["w2"], np.ones(1))
    compiled = Psq(index, table).compile(query("w1 w2"))
    assert compiled.labels == ("w1", "w2")
    assert [index.vocabulary[term] for term in compiled.terms.tolist()] == ["w2", "w2"]


def test_nothing_known_is_an_empty_query(index: Index, table: Translations) -> None:
    assert len(Psq(index, table).compile(query("nonsense"))) == 0
    system = Sparse("psq", Psq(index, table), Bm25(), index)
    assert len(system.search([query("nonsense")]).rankings["q"]) == 0


@pytest.mark.parametrize("cut", [(0.0, 1.0), (0.1, 0.9)])
def test_scores_are_those_of_the_formula(
    cut: tuple[float, float], index: Index, table: Translations, documents: dict[str, str]
) -> None:
    pruned = table.pruned(*cut)
    words = ["f1", "f2", "f3", "f3", "f12", "f25", "w7"]
    asked = [(float(times), pruned.row(word) or [(word, 1.0)]) for word, times in Counter(words).items()]
    split = {id: text.split() for id, text in documents.items()}
    score = bm25(asked, counts_of(split), k1=1.2, b=0.75, k3=2.0, idf_name="lucene", saturation="standard")
    expected = {id: value for id, text in split.items() if (value := score(text)) is not None}
    ranking = Sparse("psq", Psq(index, pruned), Bm25(), index).search([query(" ".join(words))]).rankings["q"]
    assert {*ranking.docs} == {*expected}
    assert dict(zip(ranking.docs, ranking.scores.tolist(), strict=True)) == pytest.approx(expected, rel=1e-5)


def test_query_in_the_documents_language_is_refused(index: Index, table: Translations) -> None:
    with pytest.raises(InputError, match="is in 'en': this model accepts de"):
        Psq(index, table).compile(Text("q", "en", "w1"))


def test_model_folder_of_another_collection_is_told_apart(tmp_path: Path, index: Index) -> None:
    with pytest.raises(InputError, match="kakehashi train translation"):
        open_system("psq", holdings_of(index))
