"""Low-rank and topic systems from training to an opened artifact."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kakehashi.corpus.pairs import PairBlock
from kakehashi.errors import FileError, InputError
from kakehashi.index.index import Index
from kakehashi.index.update import Analyzers, build_index
from kakehashi.retrieve import lowrank_system, topic_system
from kakehashi.retrieve.dense import Dense
from kakehashi.retrieve.lowrank_system import LowRankSystemSettings
from kakehashi.retrieve.topic_system import TopicSettings
from kakehashi.text.analyzer import Analyzer
from kakehashi.text.settings import AnalyzerSettings
from kakehashi.types import Text
from tests.index.building import build
from tests.learn.pairs import pair_block
from tests.retrieve.comparing import same

SUBJECTS = 4


def subject_texts(seed: int, n: int, lang: str, prefix: str) -> list[Text]:
    """Eight words of the text's subject and four that every subject uses; another language has other words."""
    rng = np.random.default_rng(seed)
    texts = []
    for i in range(n):
        words = [f"{lang}s{i % SUBJECTS}w{w}" for w in rng.integers(12, size=8)]
        words += [f"{lang}any{w}" for w in rng.integers(20, size=4)]
        texts.append(Text(f"{prefix}{i:03}", lang, " ".join(words)))
    return texts


DOCUMENTS = subject_texts(1, 200, "en", "d")
QUERIES = subject_texts(2, 80, "de", "q")
UNSEEN = subject_texts(3, 40, "de", "u")


def blocks() -> list[PairBlock]:
    """Documents of the query's subject before those of others; queries and documents by their numbers."""
    rng = np.random.default_rng(4)
    found = []
    for _ in range(20):
        queries = rng.integers(len(QUERIES), size=200).tolist()
        pairs = []
        for q in queries:
            good = SUBJECTS * rng.integers(50, size=3) + q % SUBJECTS
            bad = SUBJECTS * rng.integers(50, size=3) + (q + rng.integers(1, SUBJECTS, size=3)) % SUBJECTS
            pairs.append([(int(a), int(b), 1.0) for a, b in zip(good, bad, strict=True)])
        found.append(pair_block(queries, pairs))
    return found


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return build(tmp_path_factory.mktemp("trained") / "index", DOCUMENTS)


def precision_at_10(system: Dense) -> float:
    run = system.search(UNSEEN, 10)
    hits = [
        int(doc[1:]) % SUBJECTS == int(id[1:]) % SUBJECTS
        for id, ranking in run.rankings.items()
        for doc in ranking.docs
    ]
    return float(np.mean(hits))


def trained(kind: str, index: Index, **changes: Any) -> tuple[Any, Any]:
    ids = [text.id for text in DOCUMENTS]
    if kind == "lowrank":
        settings = LowRankSystemSettings(**({"rank": 8} | changes))
        return lowrank_system.train(index, QUERIES, ids, blocks, settings), settings
    topics = TopicSettings(**({"model": kind, "topics": 6, "rounds": 40} | changes))
    return topic_system.train(index, QUERIES, ids, blocks, topics), topics


def reopened(kind: str, folder: Path, index: Index, model: Any, settings: Any) -> Dense:
    if kind == "lowrank":
        lowrank_system.save(folder, model, index, settings, settings.seed)
    else:
        topic_system.save(folder, model, index, settings)
    return opened(kind, folder, index, settings)


def opened(kind: str, folder: Path, index: Index, settings: Any) -> Dense:
    if kind == "lowrank":
        return lowrank_system.open_system(kind, folder, index)
    return topic_system.open_system(kind, folder, index, settings.model)


every_kind = pytest.mark.parametrize("kind", ["lowrank", "lsi", "lda"])


@every_kind
def test_subjects_of_unseen_queries_are_found_across_languages(kind: str, index: Index) -> None:
    """The languages share no word, so chance is one in four."""
    model, _ = trained(kind, index)
    assert precision_at_10(Dense(kind, model, index)) > 0.9


@every_kind
def test_opened_model_answers_like_the_trained_one(kind: str, index: Index, tmp_path: Path) -> None:
    model, settings = trained(kind, index)
    expected = Dense(kind, model, index).search(UNSEEN, 50).rankings
    same(reopened(kind, tmp_path, index, model, settings).search(UNSEEN, 50).rankings, expected)
    twice, _ = trained(kind, index)
    same(Dense(kind, twice, index).search(UNSEEN, 50).rankings, expected)


@every_kind
def test_shares_sum_to_the_score(kind: str, index: Index) -> None:
    model, _ = trained(kind, index)
    system = Dense(kind, model, index)
    for query in UNSEEN[:5]:
        ranking = system.search([query], 5).rankings[query.id]
        for doc, score in zip(ranking.docs, ranking.scores.tolist(), strict=True):
            explanation = system.explain(query, doc)
            assert explanation.score == score
            assert sum(share.share for share in explanation.shares) == pytest.approx(score, rel=1e-9)


@every_kind
def test_model_of_other_analyzers_is_refused(kind: str, index: Index, tmp_path: Path) -> None:
    model, settings = trained(kind, index)
    other = Analyzers(Analyzer(AnalyzerSettings(lang="en", stem=True)), Analyzer(AnalyzerSettings(lang="de")))
    build_index(tmp_path / "index", DOCUMENTS, other, {})
    reopened(kind, tmp_path / "model", index, model, settings)
    changed = Index(tmp_path / "index")
    with pytest.raises(InputError, match=r"was trained with the document analyzer .*: train it again"):
        opened(kind, tmp_path / "model", changed, settings)


@every_kind
def test_one_model_for_two_languages_is_refused(kind: str, index: Index) -> None:
    with pytest.raises(InputError, match="one language: use tied=false"):
        trained(kind, index, tied=True)


def test_missing_model_is_named(index: Index, tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no lowrank here"):
        lowrank_system.open_system("lowrank", tmp_path, index)


def test_training_document_that_is_not_indexed_is_named(index: Index) -> None:
    with pytest.raises(InputError, match="name document 'nobody'"):
        lowrank_system.train(index, QUERIES, ["nobody"], blocks, LowRankSystemSettings())


@pytest.fixture(scope="module")
def one_language(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("mono") / "index"
    english = Analyzer(AnalyzerSettings(lang="en"))
    build_index(folder, DOCUMENTS, Analyzers(english, english), {})
    return Index(folder)


@pytest.mark.parametrize("changes", [{"tied": True, "cosine": True}, {"identity": True}])
def test_one_language_may_share_words_or_weights(one_language: Index, changes: dict[str, Any]) -> None:
    """Documents ask for documents of their subject."""
    asked = [Text(text.id, "en", text.text) for text in DOCUMENTS[:80]]
    settings = LowRankSystemSettings(rank=8, **changes)
    model = lowrank_system.train(one_language, asked, [text.id for text in DOCUMENTS], blocks, settings)
    assert (model.v is model.u) == settings.tied
    assert len(model.shared) == (len(model.query_words) if settings.identity else 0)
    system = Dense("x", model, one_language)
    run = system.search([Text("u", "en", "ens1w3 ens1w5")], 20)
    assert {int(doc[1:]) % SUBJECTS for doc in run.rankings["u"].docs} == {1}
    folder = one_language.folder.parent / f"model{settings.tied}"
    lowrank_system.save(folder, model, one_language, settings, 1)
    again = lowrank_system.open_system("x", folder, one_language)
    same(again.search(asked, 20).rankings, system.search(asked, 20).rankings)


def test_plain_topics_need_no_training(one_language: Index) -> None:
    asked = [Text(text.id, "en", text.text) for text in DOCUMENTS[:80]]
    settings = TopicSettings(topics=6, tied=True, epochs=0)
    model = topic_system.train(one_language, asked, [text.id for text in DOCUMENTS], blocks, settings)
    run = Dense("lsi", model, one_language).search([Text("u", "en", "ens2w3 ens2w5")], 20)
    assert {int(doc[1:]) % SUBJECTS for doc in run.rankings["u"].docs} == {2}
