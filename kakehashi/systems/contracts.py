"""The promises of every system, to be checked by the author of one; says nothing about ranking quality."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import numpy as np

from kakehashi.corpus.collection import INFO, CollectionInfo
from kakehashi.corpus.writing import info_toml
from kakehashi.index.holdings import INDEX, Holdings
from kakehashi.index.index import Index
from kakehashi.index.metadata import parse_condition
from kakehashi.index.texts import DOCUMENTS
from kakehashi.index.update import Analyzers, build_index
from kakehashi.retrieve.adapted import adapted, one_line
from kakehashi.systems.opening import open_inputs, open_system
from kakehashi.systems.spec import Opening, SystemSpec, read_settings
from kakehashi.text.analyzer import Analyzer
from kakehashi.text.settings import AnalyzerSettings
from kakehashi.types import Ranking, Run, Scope, Text, in_order

NAME = "checked"
FIELD = "shelf"  # a field of the small index, with the values left and right
THREADS = 4
NEAR = 1e-6  # relative tolerance of scores and sums of shares
SUBJECTS = """light lamp signal image sensor valve pump motor wheel brake paper ink printer lens camera laser filter
water steel glass fibre cable socket switch battery cell charge engine fuel spark piston blade rotor screw spring
frame panel screen button key lock door window heat oven burner gas pipe tank vessel ship anchor sail wing"""
WORDS = SUBJECTS.split()


class BrokenPromises(AssertionError):
    """A system breaks the contract; one line for each broken promise."""

    def __init__(self, broken: Sequence[str]):
        super().__init__("\n".join(broken))
        self.broken = list(broken)


def check_system(
    system: Any,
    holdings: Holdings | None = None,
    queries: Sequence[Text] = (),
    settings: Mapping[str, Any] | None = None,
) -> None:
    """Raise `BrokenPromises` unless a system keeps the contract.

    `system` is the object of an entry point, a callable (name, holdings, settings) -> system or a `SystemSpec`, or the
    short name of an installed system. By default it is tested on small holdings and queries.
    """
    broken = list(broken_promises(system, holdings, queries, settings))
    if broken:
        raise BrokenPromises(broken)


def broken_promises(
    system: Any,
    holdings: Holdings | None = None,
    queries: Sequence[Text] = (),
    settings: Mapping[str, Any] | None = None,
) -> Iterator[str]:
    if holdings is None:
        with TemporaryDirectory() as folder:
            yield from broken_promises(
                system, small_holdings(Path(folder)), queries or small_queries(), settings
            )
        return
    make = _maker(system, holdings, dict(settings or {}))
    trial = Trial(make, holdings.index, list(queries or small_queries()))
    for promise, kept in PROMISES.items():
        try:
            fault = next(kept(trial), None)
        except Exception as error:
            fault = f"it raised {one_line(error)}"
        if fault is not None:
            yield f"{promise}: {fault}"


def small_holdings(folder: Path) -> Holdings:
    """Sixty English documents, some of them equal, so that there are ties; queries may be German."""
    rng = np.random.default_rng(11)
    documents: list[Text] = []
    for i in range(60):
        words = [WORDS[w] for w in np.minimum(rng.geometric(0.07, size=8), len(WORDS)) - 1]
        text = documents[-1].text if i % 5 == 4 else " ".join(words)
        documents.append(Text(f"d{i:02}", "en", text, meta={FIELD: "left" if i % 2 else "right"}))
    analyzers = Analyzers(Analyzer(AnalyzerSettings(lang="en")), Analyzer(AnalyzerSettings(lang="de")))
    build_index(folder / INDEX, documents, analyzers, {FIELD: "keyword"})
    lines = [msgspec.json.encode(document) + b"\n" for document in documents]
    (folder / DOCUMENTS).write_bytes(b"".join(lines))  # for systems that read texts
    info = CollectionInfo("contract", "de", "en", fields={FIELD: "keyword"})
    (folder / INFO).write_text(info_toml(info), encoding="utf-8")
    return Holdings(folder)


def small_queries() -> list[Text]:
    """German by label, in words that German and English share as far as the small index is concerned."""
    rng = np.random.default_rng(12)
    return [
        Text(f"q{i}", "de", " ".join(WORDS[w] for w in rng.integers(25, size=1 + i % 6))) for i in range(12)
    ]


@dataclass(frozen=True)
class Trial:
    """A system that can be opened again, and its queries."""

    make: Callable[[], Any]
    index: Index
    queries: list[Text]

    def new(self) -> Any:
        """A system that can only score is tested as kakehashi would use it."""
        made = self.make()
        return made if hasattr(made, "search") else adapted(NAME, made, self.index)

    @property
    def n_docs(self) -> int:
        return self.index.n_docs


def _maker(system: Any, holdings: Holdings, settings: dict[str, Any]) -> Callable[[], Any]:
    if isinstance(system, str):
        return lambda: open_system(system, holdings, settings)
    if isinstance(system, SystemSpec):
        given = read_settings(system, settings)
        return lambda: system.open(Opening(NAME, holdings, given, lambda asked: open_inputs(asked, holdings)))
    return lambda: system(NAME, holdings, dict(settings))


def _answers_every_query(trial: Trial) -> Iterator[str]:
    run = trial.new().search(trial.queries, 5)
    if not isinstance(run, Run):
        yield f"search returns a {type(run).__name__}, not a Run"
    elif list(run.rankings) != [query.id for query in trial.queries]:
        yield f"{len(trial.queries)} queries were given, but the run has {list(run.rankings)[:3]} ..."
    elif trial.new().search([], 5).rankings:
        yield "no query was given, but the run has an answer"


def _valid(trial: Trial) -> Iterator[str]:
    known = _ids_of(trial.index, Scope())
    for query_id, ranking in trial.new().search(trial.queries, trial.n_docs).rankings.items():
        if len(ranking.docs) != len(ranking.scores):
            yield f"query {query_id} has {len(ranking.docs)} documents and {len(ranking.scores)} scores"
        elif len({*ranking.docs}) < len(ranking.docs):
            yield f"query {query_id} lists a document twice"
        elif not {*ranking.docs} <= known:
            yield f"query {query_id} lists {min({*ranking.docs} - known)}, which is not in the index"
        elif not np.isfinite(ranking.scores).all():
            yield f"query {query_id} has a score that is not a number"


def _in_order(trial: Trial) -> Iterator[str]:
    for query_id, ranking in trial.new().search(trial.queries, trial.n_docs).rankings.items():
        for here, there in zip(ranking.docs, in_order(list(ranking.docs), ranking.scores).docs, strict=True):
            if here != there:
                yield f"query {query_id} has {here} where {there} belongs"


def _respects_k(trial: Trial) -> Iterator[str]:
    system = trial.new()
    for k in (1, 3, trial.n_docs, 2 * trial.n_docs):
        for query_id, ranking in system.search(trial.queries, k).rankings.items():
            if len(ranking) > k:
                yield f"query {query_id} gets {len(ranking)} documents for k = {k}"


def _short_begins_long(trial: Trial) -> Iterator[str]:
    system = trial.new()
    long, short = (system.search(trial.queries, k).rankings for k in (trial.n_docs, 5))
    for query_id, ranking in short.items():
        if not _same(ranking, Ranking(long[query_id].docs[:5], long[query_id].scores[:5])):
            yield f"query {query_id}: 5 documents are not the first 5 of {trial.n_docs}"


def _deterministic(trial: Trial) -> Iterator[str]:
    system = trial.new()
    first = system.search(trial.queries, 20).rankings
    for what, other in (
        ("repeated", system.search(trial.queries, 20).rankings),
        ("given in another order", system.search(trial.queries[::-1], 20).rankings),
        ("answered by a newly opened system", trial.new().search(trial.queries, 20).rankings),
    ):
        for query_id, ranking in first.items():
            if not _same(ranking, other[query_id]):
                yield f"query {query_id} gets a different answer when {what}"


def _same(a: Ranking, b: Ranking) -> bool:
    return list(a.docs) == list(b.docs) and np.array_equal(a.scores, b.scores)


def _takes_any_text(trial: Trial) -> Iterator[str]:
    lang = trial.queries[0].lang
    for text in ("", "   ", "\n", "… !?", "qqqq 無", "\ud800"):
        answer = trial.new().search([Text("a", lang, text), trial.queries[0]], 5).rankings
        if "a" not in answer:
            yield f"the query {text!r} gets no list: return an empty one"
        elif not text.strip() and len(answer["a"]):
            yield f"the empty query finds {answer['a'].docs[0]}"


def _scores_equal_the_ranking(trial: Trial) -> Iterator[str]:
    system = trial.new()
    if not hasattr(system, "score"):
        return
    for query in trial.queries:
        ranking = system.search([query], trial.n_docs).rankings[query.id]
        scores = np.asarray(system.score(query, [*ranking.docs, "nobody"]))
        if len(scores) != len(ranking) + 1 or not np.isnan(scores[-1]):
            yield "a document that is not in the index must have the score NaN"
        elif not np.allclose(scores[:-1], ranking.scores, rtol=NEAR, atol=0.0):
            yield f"query {query.id}: score and search return different numbers"


def _reasons_sum_to_the_score(trial: Trial) -> Iterator[str]:
    system = trial.new()
    if not hasattr(system, "explain"):
        return
    for query in trial.queries:
        ranking = system.search([query], 5).rankings[query.id]
        explained = system.explain(query, ranking.docs)
        if len(explained) != len(ranking):
            yield f"query {query.id}: {len(ranking)} documents, {len(explained)} explanations"
            continue
        reasons = zip(ranking.docs, ranking.scores.tolist(), explained, strict=True)
        for doc, score, explanation in reasons:
            total = sum(share.share for share in explanation.shares)
            if abs(total - score) > NEAR * max(abs(score), 1e-9):
                yield f"query {query.id}: the shares of {doc} sum to {total:g}, its score is {score:g}"


def _stays_in_scope(trial: Trial) -> Iterator[str]:
    """For the small index only; kakehashi filters for a system that cannot."""
    if FIELD not in trial.index.fields:
        return
    scope = Scope((parse_condition(f"{FIELD}=left"),))
    system = adapted(NAME, trial.make(), trial.index)
    may = _ids_of(trial.index, scope)
    for query_id, ranking in system.search(trial.queries, 10, scope).rankings.items():
        if not {*ranking.docs} <= may:
            yield f"query {query_id} lists {min({*ranking.docs} - may)}, which the filter excludes"


def _same_in_many_threads(trial: Trial) -> Iterator[str]:
    """Different queries at once, as in a service: each with its own scope."""
    system = adapted(NAME, trial.make(), trial.index)
    sides = [Scope()]
    if FIELD in trial.index.fields:
        sides += [Scope((parse_condition(f"{FIELD}={side}"),)) for side in ("left", "right")]
    asked = [(query, scope) for query in trial.queries for scope in sides]

    def answer(question: tuple[Text, Scope]) -> Ranking:
        query, scope = question
        found: Ranking = system.search([query], 10, scope).rankings[query.id]
        return found

    alone = [answer(question) for question in asked]
    with ThreadPoolExecutor(THREADS) as pool:
        for (query, _), one, other in zip(asked, alone, pool.map(answer, asked), strict=True):
            if not _same(one, other):
                yield f"query {query.id} gets a different answer while other queries run"


def _ids_of(index: Index, scope: Scope) -> set[str]:
    numbering = index.numbering
    return {*compress(numbering.ids, numbering.allowed(scope.where, scope.expression))}


PROMISES: dict[str, Callable[[Trial], Iterator[str]]] = {
    "every query gets a list, in the order of the queries": _answers_every_query,
    "lists contain documents of the index, each once, with scores that are numbers": _valid,
    "lists are ordered by score, equal scores by document id, descending": _in_order,
    "no list is longer than k": _respects_k,
    "a short list is the beginning of a long one": _short_begins_long,
    "the same query gets the same answer": _deterministic,
    "any text is a valid query, and an empty one finds nothing": _takes_any_text,
    "score returns the scores of the ranking, and NaN for unknown documents": _scores_equal_the_ranking,
    "the shares of an explanation sum to the score": _reasons_sum_to_the_score,
    "documents outside the scope are not listed": _stays_in_scope,
    "many threads with different scopes get the same answers as one thread": _same_in_many_threads,
}
