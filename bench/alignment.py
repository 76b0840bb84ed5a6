"""How many known word links are found, and how fast: every aligner, every way to symmetrise.

Sentences are synthetic: word frequencies are Zipfian, each word has one to three translations, one word in ten becomes
two, one in ten is left out, phrases change places, and words without a counterpart are added. The error rate (AER, 0 is
perfect) is compared with that of linking words by position alone.
"""

import time
from pathlib import Path
from typing import Any, get_args

import msgspec
import numpy as np

from kakehashi.lexicon.alignment import (
    HEURISTICS,
    Aligner,
    AlignmentSettings,
    Links,
    Pair,
    align,
    alignment_error_rate,
)
from kakehashi.lexicon.translations import count_translations
from kakehashi.progress import Progress

N_PAIRS, N_WORDS, N_EMPTY = 10_000, 5_000, 15
SEED = 7
Gold = set[tuple[int, int, int]]  # pair, place in the source, place in the target


def run(folder: Path, documents: int, progress: Progress) -> dict[str, Any]:
    pairs, gold, true = synthetic(np.random.default_rng(SEED), N_PAIRS)
    figures: dict[str, Any] = {
        "sentence_pairs": len(pairs),
        "words_per_sentence": round(float(np.mean([len(pair.source) for pair in pairs])), 1),
        "links": len(gold),
        "aer_by_place": round(alignment_error_rate(_by_place(pairs), gold), 3),
    }
    seconds = {}
    for aligner in get_args(Aligner):
        start = time.perf_counter()
        links = align(pairs, AlignmentSettings(aligner=aligner), progress)
        seconds[aligner] = time.perf_counter() - start
        figures[f"{aligner}_pairs_per_second"] = round(len(pairs) / seconds[aligner])
        figures[f"{aligner}_aer"] = round(alignment_error_rate(_as_set(links), gold), 3)
        figures[f"{aligner}_words_with_a_true_first_translation"] = round(_true_first(pairs, links, true), 3)
    for heuristic in HEURISTICS:
        settings = msgspec.convert({"symmetrize": heuristic}, AlignmentSettings)
        found = _as_set(align(pairs, settings, progress))
        figures[f"fast_{heuristic}_aer"] = round(alignment_error_rate(found, gold), 3)
    ratios = {f"fast_vs_{name}": round(seconds[name] / seconds["fast"], 1) for name in ("hmm", "ibm4")}
    return {"figures": figures, "ratios": ratios}


def synthetic(rng: np.random.Generator, n: int) -> tuple[list[Pair], Gold, dict[str, set[str]]]:
    """(sentence pairs, their links, the true translations of every word)."""
    chances = 1.0 / np.arange(1, N_WORDS + 1)
    chances /= chances.sum()
    senses = [[f"e{word}{'abc'[s]}" for s in range(rng.integers(1, 4))] for word in range(N_WORDS)]
    double = rng.uniform(size=N_WORDS) < 0.1
    pairs: list[Pair] = []
    gold: Gold = set()
    for _ in range(n):
        words = rng.choice(N_WORDS, size=rng.integers(4, 25), p=chances, replace=False).tolist()
        target: list[str] = []
        for i in _moved(rng, len(words)):
            if rng.uniform() < 0.1:
                continue
            if rng.uniform() < 0.2:
                target.append(f"the{rng.integers(N_EMPTY)}")
            sense = senses[words[i]][min(int(rng.geometric(0.7)), len(senses[words[i]])) - 1]
            for part in (sense, f"{sense}+")[: 1 + double[words[i]]]:
                gold.add((len(pairs), i, len(target)))
                target.append(part)
        if target:
            pairs.append(Pair([f"f{word}" for word in words], target))
    true = {f"f{word}": {*senses[word], *(f"{sense}+" for sense in senses[word])} for word in range(N_WORDS)}
    return pairs, gold, true


def _moved(rng: np.random.Generator, n: int) -> list[int]:
    """Places in a new order: phrases of one to four words, some of which change places with the next."""
    phrases, start = [], 0
    while start < n:
        end = min(n, start + int(rng.integers(1, 5)))
        phrases.append(list(range(start, end)))
        start = end
    for i in range(len(phrases) - 1):
        if rng.uniform() < 0.3:
            phrases[i], phrases[i + 1] = phrases[i + 1], phrases[i]
    return [place for phrase in phrases for place in phrase]


def _by_place(pairs: list[Pair]) -> Gold:
    return {
        (n, j * len(pair.source) // len(pair.target), j)
        for n, pair in enumerate(pairs)
        for j in range(len(pair.target))
    }


def _as_set(links: Links) -> Gold:
    return set(zip(links.pairs.tolist(), links.sources.tolist(), links.targets.tolist(), strict=True))


def _true_first(pairs: list[Pair], links: Links, true: dict[str, set[str]]) -> float:
    """Share of the words, each as often as it was linked, whose likeliest translation is one."""
    places = list(zip(*(each.tolist() for each in links), strict=True))
    sources = [pairs[n].source[i] for n, i, _ in places]
    targets = [pairs[n].target[j] for n, _, j in places]
    table = count_translations(sources, targets, np.ones(len(places)))
    right = np.array([table.row(word)[0][0] in true[word] for word in table.sources])
    return float(np.average(right, weights=table.counts))
