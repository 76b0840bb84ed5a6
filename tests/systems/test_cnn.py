"""Neural rerankers from training to search, with each of their ways to read and to match."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kakehashi.corpus.world.build import build_world
from kakehashi.evaluation.measures import parse
from kakehashi.library import Library
from kakehashi.progress import SILENT
from kakehashi.systems.cnn import read_scorer
from kakehashi.training.cnn import tuned_weights
from kakehashi.types import Run, Text, in_order
from tests.training.subjects import SUBJECTS, subjects_library

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'kakehashi[neural]'")
pytest.importorskip("gensim", reason="gensim is not installed: pip install 'kakehashi[related]'")

SMALL = {"hidden": 16, "filters": 12, "word_dimensions": 16, "word_epochs": 100, "epochs": 3, "rate": 3e-3,
         "batch": 16, "shared": 32, "device": "cpu", "first": "psq", "candidates": 60}  # fmt: skip
KINDS: dict[str, dict[str, Any]] = {
    "plain": {},
    "windows": {"match": "maxsim", "unseen": "subwords"},
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    found = subjects_library(tmp_path_factory.mktemp("cnn") / "subjects")
    found.train("translation")
    for name, settings in KINDS.items():
        found.train("cnn-text", {**SMALL, **settings}, model=name, threads=1)
    return found


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Where the first system's lists hold relevant documents and others."""
    folder = tmp_path_factory.mktemp("cnn") / "world"
    build_world(folder, documents=500)
    found = Library(folder)
    found.update_index()
    found.train("cnn-text", {**SMALL, "first": "passthrough", "epochs": 1, "word_epochs": 1}, threads=1)
    return found


def test_weighted_reranking_is_never_below_its_first_stage_on_dev(world: Library) -> None:
    """Not even with a network that has learned next to nothing."""
    measure = parse("MAP")
    first = world.measure("passthrough", "dev").mean(measure)
    assert world.measure("cnn-text", "dev", rerank="pure").mean(measure) < first
    assert world.measure("cnn-text", "dev").mean(measure) >= first


def test_a_list_that_only_harms_gets_little_weight(world: Library) -> None:
    """The first one backwards."""
    dev, first = world.split("dev"), world.rank("passthrough", "dev")
    backwards = {query: in_order(ranking.docs, -ranking.scores) for query, ranking in first.rankings.items()}
    tuned = tuned_weights(world, [first, Run("backwards", backwards)], dev, "MAP", SILENT)
    assert tuned.value >= world.measure("passthrough", "dev").mean(parse("MAP")) > tuned.parts[1]
    assert tuned.steps[0].weights[0] > tuned.steps[0].weights[1]


@pytest.mark.parametrize("kind", KINDS)
def test_a_network_puts_documents_of_the_subject_first(library: Library, kind: str) -> None:
    """Among all documents, whatever another system finds."""
    numbers, scorer = np.arange(200), read_scorer("cnn-text", library, kind)
    subjects = subjects_of(library)
    shares = []
    for query in library.split("test").queries:
        best = np.argsort(-scorer.scores(query, numbers))[:20]
        shares.append(np.mean(subjects[best] == int(query.id[1:]) % SUBJECTS))
    assert np.mean(shares) > 0.9


def subjects_of(library: Library) -> np.ndarray:
    return np.array([int(library.index.numbering.id(i)[1:]) % SUBJECTS for i in range(200)])


def test_unseen_words_count_by_their_parts(library: Library) -> None:
    """Inflected words that no text has; without subwords nothing of the query is left."""
    numbers, subjects = np.arange(200), subjects_of(library)
    query = Text("q", "de", "des1w5en des1w7en des1w3en des1w8en")
    known = read_scorer("cnn-text", library, "windows").scores(query, numbers)
    assert known[subjects == 1].mean() > max(known[subjects == s].mean() for s in (0, 2, 3)) + 0.1
    unknown = Text("q", "de", "xyzzy xyzzy")
    dropped = read_scorer("cnn-text", library, "plain")
    assert dropped.scores(query, numbers).tobytes() == dropped.scores(unknown, numbers).tobytes()


def test_reasons_of_late_interaction_are_words_and_the_windows_they_found(library: Library) -> None:
    query = library.split("test", 1).queries[0]
    scorer = read_scorer("cnn-text", library, "windows")
    scores = scorer.scores(query, np.arange(200))
    best = int(np.argmax(scores))
    shares = scorer.shares(query, best, float(scores[best]))
    assert sum(share.share for share in shares) == pytest.approx(scores[best])
    text = library.known_query(library.index.numbering.id(best)).text.split()
    named = [share for share in shares if share.part == "by text"]
    assert 0 < len(named) <= 8
    for share in named:
        assert share.query in query.text.split()
        window = share.document.split("_")
        assert any(text[i : i + len(window)] == window for i in range(len(text)))


def test_a_search_needs_neither_torch_nor_gensim(library: Library) -> None:
    code = (
        "import sys; sys.modules['torch'] = sys.modules['gensim'] = None\n"
        "from kakehashi.library import Library\n"
        "library = Library(sys.argv[1])\n"
        "for model in sys.argv[2:]:\n"
        "    hits = library.search('des1w5 des1w7', 5, 'cnn-text', settings={'model': model})\n"
        "    print(*[hit.id for hit in hits])\n"
    )
    asked = [sys.executable, "-c", code, str(Path(library.folder)), *KINDS]
    said = subprocess.run(asked, capture_output=True, text=True, timeout=300, check=True).stdout
    for line, model in zip(said.splitlines(), KINDS, strict=True):
        hits = library.search("des1w5 des1w7", 5, "cnn-text", settings={"model": model})
        assert line.split() == [hit.id for hit in hits]


def test_dev_pools_may_be_drawn(library: Library) -> None:
    """Every relevant document is among those that an epoch is measured on, so a good network is near 1."""
    settings = {**SMALL, "measured_on": "drawn", "candidates": 20, "epochs": 1, "measure": "NDCG"}
    _, outcome = library.train("cnn-text", settings, model="drawn", threads=1)
    [value] = outcome.measures
    assert value > 0.9
