"""Word alignment on sentences whose links are known."""

from typing import Any

import numpy as np
import pytest
import thot.alignment
from threadpoolctl import threadpool_info, threadpool_limits

from kakehashi.errors import InputError
from kakehashi.lexicon.alignment import (
    AlignmentSettings,
    Links,
    Pair,
    align,
    alignment_error_rate,
    link_weights,
    train_aligner,
    unusable,
)

N_WORDS = 60


def made_up(
    seed: int, n: int, disorder: float = 0.2, n_words: int = N_WORDS
) -> tuple[list[Pair], set[tuple[int, int, int]]]:
    """Word k of one language is word k of the other; neighbours change places, and some words are dropped."""
    rng = np.random.default_rng(seed)
    chances = 1.0 / np.arange(1, n_words + 1)
    chances /= chances.sum()
    pairs, gold = [], set()
    for _ in range(n):
        words = rng.choice(n_words, size=rng.integers(4, 12), p=chances, replace=False)
        order = np.argsort(np.arange(len(words)) + rng.uniform(-1, 1, len(words)) * 5 * disorder)
        kept = [i for i in order.tolist() if rng.uniform() > 0.1]
        if not kept:
            continue
        gold |= {(len(pairs), i, j) for j, i in enumerate(kept)}
        pairs.append(Pair([f"f{word}" for word in words], [f"e{words[i]}" for i in kept]))
    return pairs, gold


def links_of(links: Links) -> set[tuple[int, int, int]]:
    return set(zip(links.pairs.tolist(), links.sources.tolist(), links.targets.tolist(), strict=True))


@pytest.mark.parametrize("aligner", ["fast", "hmm", "ibm4"])
def test_known_links_are_found(aligner: str) -> None:
    pairs, gold = made_up(1, 1500)
    found = links_of(align(pairs, AlignmentSettings(aligner=aligner)))  # type: ignore[arg-type]
    assert alignment_error_rate(found, gold) < 0.12
    guessed = {(n, i, min(i, len(pairs[n].target) - 1)) for n, i, _ in gold}
    assert alignment_error_rate(guessed, gold) > 0.3  # word by word in order would not do


def test_same_sentences_give_the_same_links() -> None:
    pairs, _ = made_up(2, 4000, disorder=1.0, n_words=5000)  # rare words, many links by a hair
    one, other = align(pairs), align(pairs)
    assert all((a == b).all() for a, b in zip(one, other, strict=True))


def test_every_aligner_runs_on_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads add up in any order, and on large texts other sums are other links."""
    seen = []

    class Recording(thot.alignment.FastAlignModel):  # type: ignore[misc, name-defined]
        def train(self) -> None:
            pools = [pool for pool in threadpool_info() if pool["user_api"] == "openmp"]
            seen.extend(pool["num_threads"] for pool in pools)
            super().train()

    monkeypatch.setattr(thot.alignment, "FastAlignModel", Recording)
    with threadpool_limits(2, user_api="openmp"):
        train_aligner(made_up(6, 50)[0], AlignmentSettings())
    assert {*seen} == {1}


def test_union_holds_the_intersection_and_what_lies_between() -> None:
    pairs, _ = made_up(3, 300)
    found = {
        name: links_of(align(pairs, AlignmentSettings(symmetrize=name)))  # type: ignore[arg-type]
        for name in ("intersection", "grow-diag-final-and", "union")
    }
    assert found["intersection"] < found["grow-diag-final-and"] < found["union"]


def test_error_rate_is_that_of_the_definition() -> None:
    found, sure, possible = {1, 2, 3, 4}, {1, 2, 5}, {3}
    assert alignment_error_rate(found, sure, possible) == pytest.approx(1 - (2 + 3) / (4 + 3))
    assert alignment_error_rate(sure, sure) == 0.0


@pytest.mark.parametrize("aligner", ["fast", "hmm", "ibm4"])
def test_a_pair_of_weight_five_counts_like_five_pairs(aligner: str) -> None:
    pairs, _ = made_up(4, 200)
    settings = AlignmentSettings(aligner=aligner)  # type: ignore[arg-type]
    weighted = [pair._replace(weight=5.0 if n % 3 == 0 else 1.0) for n, pair in enumerate(pairs)]
    repeated = [pair for n, pair in enumerate(pairs) for _ in range(5 if n % 3 == 0 else 1)]
    models = [train_aligner(each, settings) for each in (pairs, weighted, repeated)]
    chances = [model.translation_prob(*_numbers(model, "f0", "e0")) for model in models]
    assert chances[1] == chances[2] != chances[0]


def _numbers(model: Any, source: str, target: str) -> tuple[int, int]:
    return model.get_src_word_index(source), model.get_trg_word_index(target)


def test_links_are_those_of_their_pair_whatever_the_weights_before_it() -> None:
    pairs, gold = made_up(5, 400)
    weights = np.random.default_rng(5).choice([0.25, 1.0, 2.0, 4.4], size=len(pairs))
    pairs = [pair._replace(weight=float(weight)) for pair, weight in zip(pairs, weights, strict=True)]
    links = align(pairs)
    assert alignment_error_rate(links_of(links), gold) < 0.15
    assert (link_weights(pairs, links) == weights[links.pairs]).all()


def test_long_and_empty_sentences_are_left_out() -> None:
    pairs = [Pair(["a"], ["b"]), Pair([], ["b"]), Pair(["a"] * 5, ["b"]), Pair(["a"], ["b"] * 5)]
    reasons = [unusable(pair, AlignmentSettings(longest=4)) for pair in pairs]
    assert reasons == ["", "without words", "too long", "too long"]


def test_nothing_to_align_is_refused() -> None:
    with pytest.raises(InputError, match="no sentence pairs"):
        align([])
    with pytest.raises(InputError, match="the aligner's limit"):
        AlignmentSettings(longest=5000)
