"""The world is neither trivial nor hopeless; judged with a BM25 written for this test alone."""

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable

import numpy as np
import pytest

from kakehashi.corpus.collection import Collection
from kakehashi.types import Text

WORD = re.compile(r"[a-z0-9]+(?:[-.][a-z0-9]+)*")


def words(text: str) -> list[str]:
    return WORD.findall(unicodedata.normalize("NFKC", text).lower())


class Bm25:
    def __init__(self, texts: Iterable[Text], k1: float = 1.2, b: float = 0.75):
        self.ids, counts = [], []
        for text in texts:
            self.ids.append(text.id)
            counts.append(Counter(words(text.text)))
        lengths = np.array([sum(count.values()) for count in counts])
        self.postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for i, count in enumerate(counts):
            norm = k1 * (1 - b + b * lengths[i] / lengths.mean())
            for word, tf in count.items():
                self.postings[word].append((i, tf * (k1 + 1) / (tf + norm)))

    def rank(self, text: str) -> list[str]:
        scores: dict[int, float] = defaultdict(float)
        for word in words(text):
            found = self.postings.get(word, [])
            idf = math.log(1 + (len(self.ids) - len(found) + 0.5) / (len(found) + 0.5))
            for i, impact in found:
                scores[i] += idf * impact
        return [self.ids[i] for i in sorted(scores, key=scores.__getitem__, reverse=True)[:1000]]


def average_precision(ranking: list[str], relevant: set[str]) -> float:
    hits, total = 0, 0.0
    for place, document in enumerate(ranking, 1):
        if document in relevant:
            hits += 1
            total += hits / place
    return total / len(relevant)


@pytest.fixture(scope="module")
def rankings(small_world: Collection) -> dict[str, dict[str, list[str]]]:
    index = Bm25(small_world.documents())
    wanted = {query for split in small_world.splits for query in small_world.qrels(split)}
    return {
        "monolingual": {
            text.id: index.rank(text.text) for text in small_world.originals() if text.id in wanted
        },
        "passthrough": {
            text.id: index.rank(text.text) for text in small_world.queries() if text.id in wanted
        },
    }


def judgments(world: Collection) -> dict[str, dict[str, int]]:
    return {query: judged for split in world.splits for query, judged in world.qrels(split).items()}


def mean_ap(rankings: dict[str, list[str]], qrels: dict[str, dict[str, int]], levels: set[int]) -> float:
    values = []
    for query, judged in qrels.items():
        relevant = {document for document, level in judged.items() if level in levels}
        others = judged.keys() - relevant  # judged at another level: neither right nor wrong
        if relevant:
            values.append(average_precision([d for d in rankings[query] if d not in others], relevant))
    return float(np.mean(values))


def test_the_original_is_a_good_query_but_no_perfect_one(
    small_world: Collection, rankings: dict[str, dict[str, list[str]]]
) -> None:
    qrels = judgments(small_world)
    assert 0.25 < mean_ap(rankings["monolingual"], qrels, {1, 2, 3}) < 0.6
    assert 0.1 < mean_ap(rankings["monolingual"], qrels, {1, 2}) < 0.5


def test_the_mate_is_easier_than_examiners_citations_and_these_than_applicants(
    small_world: Collection, rankings: dict[str, dict[str, list[str]]]
) -> None:
    by_level = [mean_ap(rankings["monolingual"], judgments(small_world), {level}) for level in (3, 2, 1)]
    assert by_level == sorted(by_level, reverse=True)
    assert 0.6 < by_level[0] < 0.98


def test_untranslated_words_alone_find_less_than_a_third(
    small_world: Collection, rankings: dict[str, dict[str, list[str]]]
) -> None:
    qrels = judgments(small_world)
    alone = mean_ap(rankings["passthrough"], qrels, {1, 2, 3})
    assert 0 < alone < mean_ap(rankings["monolingual"], qrels, {1, 2, 3}) / 3


def test_queries_have_as_many_relevant_documents_as_real_ones(small_world: Collection) -> None:
    assert 8 < np.mean([len(judged) for judged in judgments(small_world).values()]) < 14


def test_abstracts_are_about_as_long_as_real_ones(small_world: Collection) -> None:
    counts = [len(words(text.text)) for text in small_world.documents()]
    assert 100 < np.mean(counts) < 130


def shares(query: Text, document: Text) -> dict[str, bool]:
    def subclasses(text: Text) -> set[str]:
        return {symbol[:4] for symbol in text.meta["ipc"]}

    return {
        "ipc3": bool(subclasses(query) & subclasses(document)),
        "inventor": bool(set(query.meta["inventors"]) & set(document.meta["inventors"])),
        "independent": query.meta["independent"] == document.meta["independent"],
        "claims": query.meta["claims"] // 5 == document.meta["claims"] // 5,
    }


def test_class_and_inventor_speak_for_relevance_but_claims_and_independence_do_not(
    small_world: Collection,
) -> None:
    documents = {text.id: text for text in small_world.documents()}
    qrels, rng = judgments(small_world), np.random.default_rng(1)
    relevant, random = [], []
    for query in small_world.queries():
        cited = [document for document, level in qrels[query.id].items() if level < 3]
        relevant += [shares(query, documents[document]) for document in cited]
        random += [shares(query, documents[str(document)]) for document in rng.choice(list(documents), 30)]

    def rate(pairs: list[dict[str, bool]], feature: str) -> float:
        return float(np.mean([pair[feature] for pair in pairs]))

    assert rate(relevant, "ipc3") > 10 * rate(random, "ipc3")
    assert rate(relevant, "inventor") > 0.05 > 0.01 > rate(random, "inventor")
    for feature in ("independent", "claims"):
        assert abs(rate(relevant, feature) - rate(random, feature)) < 0.1
