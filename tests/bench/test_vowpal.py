"""The rival of `bench bilinear` gets the same features, and we read the weights it learned."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.learn.pairs import dense, pair_block, random_rows

pytest.importorskip("vowpalwabbit", reason="the extra `bench` is not installed")
BENCH = str(Path(__file__).parents[2] / "bench")


@pytest.fixture
def vowpal(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(BENCH)
    import vowpal

    yield vowpal
    sys.modules.pop("vowpal")


def made_up() -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(3)
    queries, documents = random_rows(rng, 4, 30), random_rows(rng, 12, 40)
    block = pair_block([2, 0, 3], [[(0, 1, 1.0), (2, 3, 1.0)], [(4, 5, 1.0)], [(6, 6, 1.0), (11, 0, 1.0)]])
    return queries, documents, block


def vectors(line: str, n_query_words: int, n_document_words: int) -> tuple[Any, Any]:
    label, query, document = line.split("|")
    assert label.strip() == "1"
    assert (query[0], document[0]) == ("q", "d")
    out = np.zeros(n_query_words), np.zeros(n_document_words)
    for vector, part in zip(out, (query, document), strict=True):
        for feature in part[1:].split():
            word, value = feature.removeprefix("w").split(":")
            vector[int(word)] = float(value)
    return out


def test_a_line_holds_the_query_and_the_difference_of_the_documents(vowpal: Any, tmp_path: Path) -> None:
    queries, documents, block = made_up()
    vowpal.write_examples(tmp_path / "pairs.txt", [block, block], queries, documents)
    lines = (tmp_path / "pairs.txt").read_text().splitlines()
    assert len(lines) == 10
    q, d = dense(queries, 30), dense(documents, 40)
    for p, (line, asked) in enumerate(zip(lines, [2, 2, 0, 3, 3] * 2, strict=True)):
        query, difference = vectors(line, 30, 40)
        np.testing.assert_array_equal(query.astype(np.float32), q[asked].astype(np.float32))
        expected = d[block.positives[p % 5]] - d[block.negatives[p % 5]]
        np.testing.assert_allclose(difference, expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("variant", ["sgd", "default", "sgd_numbered"])
def test_weights_read_back_give_its_own_predictions(vowpal: Any, tmp_path: Path, variant: str) -> None:
    queries, documents, block = made_up()
    examples = tmp_path / "pairs.txt"
    chosen = vowpal.VARIANTS[variant]
    vowpal.write_examples(examples, [block] * 20, queries, documents, chosen.prefix)
    peer = vowpal.Vowpal(examples, 18, chosen.prefix)
    learned = peer.learn(chosen.at(0.1), (30, 40)).weights
    lines = examples.read_text().splitlines()[:5]
    own = peer.predict(lines)
    assert max(own) > 0.1
    np.testing.assert_allclose(vowpal.predictions(learned, lines), own, rtol=1e-4, atol=1e-5)
