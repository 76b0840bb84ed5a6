"""Models on correlated words: which texts maps are counted over, and words that meet by position alone."""

import io
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kakehashi.corpus.newsgroups import import_newsgroups
from kakehashi.errors import InputError
from kakehashi.learn.bilinear_model import Bilinear
from kakehashi.lexicon.correlated import read_correlated
from kakehashi.library import Library
from kakehashi.query.reading import SOURCE, TARGET
from kakehashi.systems.bilinear import read_with_reading
from kakehashi.text.settings import newsgroup_settings
from tests.lexicon.slow_dice import slow_rows

GROUPS = {
    "space": "moon mars orbit rocket",
    "autos": "wheel motor road driver",
    "food": "bread salt oven soup",
}
QUICK = {
    "pairs": 300, "epochs": 2, "l1": 0.0, "batch": 1, "query_share": 1.0, "document_share": 1.0,
    "multipartite": False, "cfh_words": 8,
}  # fmt: skip


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Posts of both parts; those of the test part also have words that the training part does not have."""
    folder, rng = tmp_path_factory.mktemp("posts"), np.random.default_rng(3)
    with tarfile.open(folder / "posts.tar.gz", "w:gz") as tar:
        for part, own in (("train", "an"), ("test", "the probe")):
            for group, words in GROUPS.items():
                for number in range(6):
                    said = [*rng.choice(words.split(), 5), *own.split()[: 1 + number % 2]]
                    member = tarfile.TarInfo(f"20news-bydate-{part}/{group}/{part}{number}")
                    member.size = len(content := " ".join(said).encode())
                    tar.addfile(member, io.BytesIO(content))
    import_newsgroups(folder / "posts.tar.gz", folder / "news")
    found, chain = Library(folder / "news"), {"tokenizer": "plain", "numbers": "remove", "stop": "none"}
    found.update_index({**chain, "stem": False}, {**chain, "stem": False})
    return found


def trained(library: Library, name: str, **settings: Any) -> Bilinear:
    library.train("bilinear", {**QUICK, "query_cfh": 2, "document_cfh": 2, **settings}, model=name, threads=1)
    return read_with_reading(library, name)[0]


def texts_of(library: Library, part: str) -> list[list[str]]:
    analyzer = library.index.analyzer
    documents = library.collection.documents()
    return [
        analyzer.terms(post.content) for post in documents if part == "all" or post.meta["pool"] == [part]
    ]


@pytest.mark.parametrize("part", ["train", "all"])
def test_both_maps_are_counted_over_the_texts_that_were_chosen(library: Library, part: str) -> None:
    trained(library, part, cfh_from=part)
    expected = slow_rows(texts_of(library, part), 8, 2, "min")
    for side in (SOURCE, TARGET):
        found = read_correlated(library.model_folder(part) / side)
        assert {term: [target for target, _ in found.row(term)] for term in found.terms} == {
            word: [target for target, _ in row] for word, row in expected.items()
        }
    assert ("probe" in expected) == (part == "all")


def test_map_of_all_texts_is_for_searches_and_leaves_training_as_it_is(library: Library) -> None:
    plain, full = trained(library, "of-train"), trained(library, "of-all", cfh_from="all")
    assert full.query_words.terms == plain.query_words.terms
    assert full.document_words.terms == plain.document_words.terms
    assert full.weights.arrays()["rows.weights"].tobytes() == plain.weights.arrays()["rows.weights"].tobytes()


@pytest.mark.parametrize("part", ["train", "all"])
def test_scores_are_those_of_texts_rewritten_on_both_sides(library: Library, part: str) -> None:
    model = trained(library, f"scored-{part}", cfh_from=part)
    rows = slow_rows(texts_of(library, part), 8, 2, "min")
    w = np.stack(list(model.weights.rows()))

    def vector(words: Any, text: list[str]) -> Any:
        targets = {target for term in text for target, _ in rows.get(term, [])} & {*words.terms}
        found = np.array([float(term in targets) for term in words.terms])
        return found / np.sqrt(max(found.sum(), 1.0))

    posts = {post.id: library.index.analyzer.terms(post.content) for post in library.collection.documents()}
    query = next(post for post in library.split("test").queries)
    system = library.system("bilinear", {"model": f"scored-{part}"})
    ranking = system.search([query], 40, library.split("test").scope).rankings[query.id]
    asked = vector(model.query_words, posts[query.id])
    expected = {id: asked @ w @ vector(model.document_words, text) for id, text in posts.items()}
    assert len(ranking) > 3
    for id, score in zip(ranking.docs, ranking.scores.tolist(), strict=True):
        assert score == pytest.approx(expected[id], rel=1e-3, abs=1e-4)


def test_with_one_word_each_pairs_by_position_are_all_pairs(library: Library) -> None:
    one = {"query_cfh": 1, "document_cfh": 1}
    texts, pairs = trained(library, "texts", **one), trained(library, "pairs", **one, cfh_form="pairs")
    dense = [np.stack(list(model.weights.rows())) for model in (texts, pairs)]
    named = [
        [f"1:{term}" for term in texts.query_words.terms],
        [f"1:{term}" for term in texts.document_words.terms],
    ]
    at = np.ix_(
        [pairs.query_words.numbers[name] for name in named[0]],
        [pairs.document_words.numbers[name] for name in named[1]],
    )
    np.testing.assert_allclose(dense[1][at], dense[0], rtol=1e-3, atol=1e-5)


def test_model_of_pairs_by_position_ranks_the_group_first(library: Library) -> None:
    trained(library, "by-position", cfh_form="pairs", rate=0.5, epochs=4)
    run = library.rank("bilinear", "test", 100, settings={"model": "by-position"})
    assert library.measure(run, "test", ["MAP"]).means()["MAP"] > 0.8


def test_pairs_by_position_need_as_many_words_on_both_sides(library: Library) -> None:
    with pytest.raises(InputError, match="set query_cfh and document_cfh to one number"):
        trained(library, "uneven", query_cfh=1, cfh_form="pairs")


def test_analyzer_learns_from_the_training_pool_alone(library: Library, tmp_path: Path) -> None:
    """`probe` and `the` are frequent, but only in the test part."""
    words = set(library.index.vocabulary.all_terms())
    assert {"probe", "the", "an"} <= words
    (tmp_path / "copy").mkdir()
    for path in library.folder.iterdir():
        if path.name not in ("index", "models"):
            (tmp_path / "copy" / path.name).symlink_to(path)
    other = Library(tmp_path / "copy")
    other.update_index({"vocabulary": 13, "tokenizer": "plain", "stop": "none", "stem": False})
    assert set(other.index.vocabulary.all_terms()) <= words - {"probe", "the"}
    assert newsgroup_settings().learns is False
