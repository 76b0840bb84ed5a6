"""Runs to fuse: some of made-up scores, and systems that see the truth through noise of their own."""

import numpy as np
from hypothesis import strategies as st

from kakehashi.types import Floats, Qrels, Ranking, Run, in_order


def run(name: str, **rankings: dict[str, float]) -> Run:
    """Documents in any order."""
    return Run(name, {query: ranking(found) for query, found in rankings.items()})


def ranking(found: dict[str, float]) -> Ranking:
    return in_order(list(found), np.array(list(found.values()), dtype=np.float64))


DOCS = [f"d{i}" for i in range(12)]
# ties, negative scores, and scores that only double precision tells apart
SCORES = st.one_of(st.integers(-5, 5).map(float), st.integers(0, 3).map(lambda n: 1 + n * 1e-9))
LISTS = st.dictionaries(st.sampled_from(DOCS), SCORES, max_size=len(DOCS))


def noisy(name: str, truth: dict[str, Floats], noise: dict[str, Floats], depth: int = 40) -> Run:
    docs = [f"d{i:03d}" for i in range(len(next(iter(truth.values()))))]
    return Run(name, {q: in_order(docs, truth[q] + noise[q], depth) for q in truth})


def world(seed: int, queries: int = 40, docs: int = 100) -> tuple[Qrels, dict[str, Run]]:
    """`left` and `right` err apart; `twin` errs as `left` does, nearly; scores are partly negative."""
    rng = np.random.default_rng(seed)
    names = [f"q{i}" for i in range(queries)]
    truth = {q: (rng.random(docs) < 0.06).astype(np.float64) for q in names}
    left, right, little = ({q: rng.normal(0, 0.7, docs) for q in names} for _ in range(3))
    twin = {q: left[q] + 0.02 * little[q] for q in names}
    noises = {"left": left, "right": right, "twin": twin, "third": little}
    qrels = {q: {f"d{i:03d}": 1 for i in np.flatnonzero(truth[q])} or {"d000": 1} for q in names}
    return qrels, {name: noisy(name, truth, noise) for name, noise in noises.items()}
