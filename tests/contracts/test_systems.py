"""What every system of the registry promises, whatever it does inside.

Systems that learn answer with small models made for these tests. A system of the kind Vectors lists every document
with a known word, also one whose score is negative: a projection has no such thing as a document that shares
nothing with the query. That is no exception below; none of these claims says how many documents are found, but
that what is not listed has no score.
"""

import shutil
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from kakehashi.errors import InputError
from kakehashi.fuse.fused import Fused
from kakehashi.hits import terms_of
from kakehashi.index.holdings import Holdings
from kakehashi.index.index import Index
from kakehashi.index.update import Analyzers, build_index
from kakehashi.query.bilinear import Projected
from kakehashi.query.boosted import BoostedQuery
from kakehashi.query.nbest import NbestPsq
from kakehashi.query.psq import Psq
from kakehashi.query.terms import Untranslated
from kakehashi.query.translated import Translated
from kakehashi.retrieve.linear import Evidence
from kakehashi.retrieve.sparse import Sparse
from kakehashi.retrieve.system import IndexSystem
from kakehashi.retrieve.vector_search import VectorSearch
from kakehashi.systems.opening import open_system
from kakehashi.systems.registry import SYSTEMS, spec_of
from kakehashi.systems.spec import read_settings
from kakehashi.text.analyzer import Analyzer
from kakehashi.text.settings import AnalyzerSettings
from kakehashi.types import EVERYTHING, Condition, Explanation, Scope, Text, in_order
from tests.contracts.models import put_documents, put_models
from tests.index.building import build, build_in_parts, dealt, holdings_of, plain_analyzers, texts_of, zipfian
from tests.retrieve.comparing import same

every_system = pytest.mark.parametrize("name", SYSTEMS)
N_DOCS = 600
FIELDS = {"tags": "keyword"}


@pytest.fixture(scope="module")
def texts() -> list[Text]:
    plain = texts_of(zipfian(np.random.default_rng(21), N_DOCS))
    return [
        msgspec.structs.replace(asking(text.id, text.lang, text.text), title=titled(text.text))
        for text in plain
    ]


def asking(id: str, lang: str, text: str) -> Text:
    """Whose words are its tags, too, for systems that look at metadata."""
    return Text(id, lang, text, meta={"tags": text.split()})


def titled(text: str) -> str:
    """Words of the text, for systems that look at titles."""
    return " ".join(text.split()[:4])


@pytest.fixture(scope="module")
def holdings(texts: list[Text], tmp_path_factory: pytest.TempPathFactory) -> Holdings:
    found = holdings_of(build(tmp_path_factory.mktemp("contracts") / "index", texts, FIELDS))
    put_documents(found.folder, texts)
    put_models(found, found.index.vocabulary.all_terms())
    return found


def languages(name: str) -> list[str]:
    """What queries may be in: German is the source, English the documents' language."""
    return ["de"] if spec_of(name).source_only else ["de", "en"]


@pytest.fixture
def queries(name: str) -> list[Text]:
    """In every language the system takes (they share their words here), short and long."""
    documents = zipfian(np.random.default_rng(22), 40, mean_length=15)
    langs = languages(name)
    return [asking(f"q{id}", langs[i % len(langs)], text) for i, (id, text) in enumerate(documents.items())]


@every_system
def test_same_question_gets_the_same_answer(name: str, holdings: Holdings, queries: list[Text]) -> None:
    system = open_system(name, holdings)
    first = system.search(queries, 50)
    assert first.system == name
    same(system.search(queries, 50).rankings, first.rankings)
    same(open_system(name, holdings).search(queries, 50).rankings, first.rankings)


@every_system
def test_other_questions_in_between_do_not_matter(name: str, holdings: Holdings, queries: list[Text]) -> None:
    system = open_system(name, holdings)
    together = system.search(queries, 50).rankings
    backwards = system.search(queries[::-1], 50).rankings
    same({query.id: backwards[query.id] for query in queries}, together)


@every_system
def test_no_more_than_k_documents_come_back(name: str, holdings: Holdings, queries: list[Text]) -> None:
    system = open_system(name, holdings)
    for k in (1, 7, N_DOCS, 10 * N_DOCS):
        lengths = [len(ranking) for ranking in system.search(queries, k).rankings.values()]
        assert max(lengths) <= min(k, N_DOCS)
        assert k > 7 or min(lengths) == k  # these queries match many documents
    with pytest.raises(InputError, match="k must be at least 1, not 0"):
        system.search(queries, 0)


@every_system
def test_short_list_is_the_beginning_of_the_long_one(
    name: str, holdings: Holdings, queries: list[Text]
) -> None:
    system = open_system(name, holdings)
    whole, short = system.search(queries, N_DOCS).rankings, system.search(queries, 10).rankings
    for id, ranking in short.items():
        assert list(ranking.docs) == list(whole[id].docs[:10])
        assert ranking.scores.tobytes() == whole[id].scores[:10].tobytes()


@every_system
def test_rankings_are_in_the_order_of_scores_then_ids(
    name: str, holdings: Holdings, queries: list[Text]
) -> None:
    for ranking in open_system(name, holdings).search(queries, N_DOCS).rankings.values():
        ordered = in_order(list(ranking.docs), ranking.scores)
        assert list(ranking.docs) == list(ordered.docs)
        assert np.isfinite(ranking.scores).all()
        assert len(set(ranking.docs)) == len(ranking.docs)


@every_system
@pytest.mark.parametrize("text", ["", "   ", "\n", "unknownword 無", "… !?", "\ud800"])
def test_query_without_a_known_word_finds_nothing(name: str, holdings: Holdings, text: str) -> None:
    system = open_system(name, holdings)
    for lang in languages(name):
        nothing = asking("a", lang, text)
        rankings = system.search([nothing, asking("b", lang, "w5")]).rankings
        assert list(rankings) == ["a", "b"]
        assert (list(rankings["a"].docs), rankings["a"].scores.tolist()) == ([], [])
        assert rankings["a"].scores.dtype == np.float64
        assert len(rankings["b"]) > 0
        assert np.isnan(system.score(nothing, ["d0", "nobody"])).all()


@every_system
def test_no_queries_give_an_empty_run(name: str, holdings: Holdings) -> None:
    assert open_system(name, holdings).search([]).rankings == {}


@every_system
def test_unknown_words_do_not_disturb_known_ones(name: str, holdings: Holdings) -> None:
    system = open_system(name, holdings)
    lang = languages(name)[-1]
    plain = system.search([asking("q", lang, "w3 w7 w7")]).rankings
    disturbed = system.search([asking("q", lang, "zzz w3 yyy w7 xxx w7")]).rankings
    assert plain["q"].docs == disturbed["q"].docs
    assert disturbed["q"].scores == pytest.approx(plain["q"].scores, rel=1e-6)


@every_system
def test_one_segment_equals_four(
    name: str, holdings: Holdings, texts: list[Text], queries: list[Text], tmp_path: Path
) -> None:
    four = holdings_of(build_in_parts(tmp_path / "index", dealt(texts, 4), FIELDS))
    put_documents(tmp_path, texts)
    assert len(four.index.segments) == 4
    put_models(four, four.index.vocabulary.all_terms())
    same(
        open_system(name, four).search(queries, 100).rankings,
        open_system(name, holdings).search(queries, 100).rankings,
    )


@every_system
def test_opened_again_it_answers_alike(name: str, holdings: Holdings, queries: list[Text]) -> None:
    again = Holdings(holdings.folder)
    same(
        open_system(name, again).search(queries, 100).rankings,
        open_system(name, holdings).search(queries, 100).rankings,
    )


@every_system
def test_shares_of_an_explanation_sum_to_the_score(
    name: str, holdings: Holdings, queries: list[Text]
) -> None:
    system = open_system(name, holdings)
    for query in queries[:10]:
        ranking = system.search([query], 20).rankings[query.id]
        assert len(ranking) > 0
        explained = system.explain(query, ranking.docs)
        for score, explanation in zip(ranking.scores.tolist(), explained, strict=True):
            assert explanation.score == pytest.approx(score, rel=1e-9)
            assert sum(share.share for share in explanation.shares) == pytest.approx(score, rel=1e-9)
            words = set(query.text.split())
            assert {share.query for share in explanation.shares if terms_of(share)} <= words


@every_system
def test_score_equals_the_ranking(name: str, holdings: Holdings, queries: list[Text]) -> None:
    system = open_system(name, holdings)
    for query in queries[:10]:
        ranking = system.search([query], N_DOCS).rankings[query.id]
        assert system.score(query, ranking.docs).tobytes() == ranking.scores.tobytes()
        others = sorted({f"d{i}" for i in range(N_DOCS)} - {*ranking.docs})
        assert np.isnan(system.score(query, [*others, "nobody"])).all()


SCOPES = [
    EVERYTHING,
    Scope((Condition("tags", "=", "w2"),)),
    Scope((Condition("tags", "!=", "w0"),), "w1 OR w3"),
    Scope(expression="w5 AND NOT w0", not_itself=True),
]
Answer = tuple[list[str], bytes, bytes, list[Explanation]]


def answer(system: IndexSystem, query: Text, k: int, scope: Scope) -> Answer:
    """All that a system can be asked about a query."""
    ranking = system.search([query], k, scope).rankings[query.id]
    some = [*ranking.docs[:4], "d0", "d1", "nobody"]
    scores = system.score(query, some, scope)
    return (
        list(ranking.docs),
        ranking.scores.tobytes(),
        scores.tobytes(),
        system.explain(query, some[:-1], scope),
    )


@every_system
def test_many_threads_get_what_one_gets(name: str, holdings: Holdings, queries: list[Text]) -> None:
    """Different questions at once, of an object that nobody has asked before."""
    asked = [
        (query, k, scope)
        for query, k in zip(queries[:12], (1, 7, 100, N_DOCS) * 3, strict=True)
        for scope in SCOPES
    ]
    system = open_system(name, holdings)
    alone = [answer(system, *question) for question in asked]
    fresh = open_system(name, Holdings(holdings.folder))
    with ThreadPoolExecutor(8) as pool:
        at_once = [pool.submit(answer, fresh, *question) for question in asked]
        for question, expected, future in zip(asked, alone, at_once, strict=True):
            assert future.result(timeout=300) == expected, question
    assert len({tuple(docs) for docs, *_ in alone}) > len(asked) // 2  # scopes and ks matter


@every_system
def test_scope_of_one_search_leaves_no_trace_in_the_next(
    name: str, holdings: Holdings, texts: list[Text], queries: list[Text]
) -> None:
    system, fresh = open_system(name, holdings), open_system(name, holdings)
    whole = system.search(queries, 50).rankings
    words = {text.id: {*text.text.split()} for text in texts}
    for scope, fits in (
        (SCOPES[1], lambda held: "w2" in held),
        (SCOPES[2], lambda held: "w0" not in held and held & {"w1", "w3"}),
        (SCOPES[3], lambda held: "w5" in held and "w0" not in held),
    ):
        found = system.search(queries, 50, scope).rankings
        assert all(fits(words[doc]) for ranking in found.values() for doc in ranking.docs)
        assert any(map(len, found.values()))
        same(system.search(queries, 50).rankings, whole)
        same(fresh.search(queries, 50, scope).rankings, found)


@every_system
def test_explaining_many_equals_explaining_each(name: str, holdings: Holdings, queries: list[Text]) -> None:
    system = open_system(name, holdings)
    for query, scope in zip(queries[:8], SCOPES * 2, strict=True):
        ranking = system.search([query], N_DOCS, scope).rankings[query.id]
        docs = [*ranking.docs[:6], *ranking.docs[-3:], "d0", "d1", "d2", *ranking.docs[:1]]
        together = system.explain(query, docs, scope)
        assert together == [one for doc in docs for one in system.explain(query, [doc], scope)]
    assert system.explain(queries[0], []) == []


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often work that is done once for a query was done, by the name of who did it."""
    counted = Counter[str]()

    def count(kind: type, method: str) -> None:
        inner = getattr(kind, method)

        def called(self: Any, *given: Any, **options: Any) -> Any:
            counted[f"{getattr(self, 'name', kind.__name__)} {method}"] += 1
            return inner(self, *given, **options)

        monkeypatch.setattr(kind, method, called)

    for kind, methods in {
        Sparse: ("search", "score_all", "explain"),
        VectorSearch: ("search", "score_all", "explain", "_project"),
        Evidence: ("rows",),
        Fused: ("search",),
    }.items():
        for method in methods:
            count(kind, method)
    for kind in (Untranslated, Psq, Translated, NbestPsq, Projected, BoostedQuery):
        count(kind, "compile")
    return counted


OF_INPUTS = {  # `dense` looks up the ten documents, and scores no others
    name: {f"{each} {what}": times for each in ("psq", "boosted", "lowrank") for what, times in calls.items()}
    for name, calls in (("dense", {"score_all": 0, "explain": 1}), ("fused", {"search": 1, "explain": 1}))
}


@every_system
def test_ten_documents_are_explained_in_one_pass(
    name: str, holdings: Holdings, queries: list[Text], calls: Counter[str]
) -> None:
    system, query = open_system(name, holdings), queries[0]
    docs = system.search([query], 10).rankings[query.id].docs
    assert len(docs) == 10
    again = msgspec.structs.replace  # a text of its own each time, of which nothing is remembered
    calls.clear()
    system.explain(again(query), docs)
    together = calls.copy()
    most = Counter[str]()
    for doc in docs:
        calls.clear()
        system.explain(again(query), [doc])
        most |= calls
    assert together == most  # as often as for the document that costs most
    once = OF_INPUTS.get(name, {})
    assert {what: together[what] for what in once} == once


@every_system
def test_threads_change_nothing(name: str, holdings: Holdings, queries: list[Text]) -> None:
    system = open_system(name, holdings)
    for k, scope in ((5, EVERYTHING), (200, SCOPES[2])):
        one, four = (system.search(queries, k, scope, threads=threads).rankings for threads in (1, 4))
        same(one, four)


@every_system
def test_explaining_an_unknown_document_is_refused(name: str, holdings: Holdings) -> None:
    with pytest.raises(InputError, match="there is no document 'nobody' in the index"):
        open_system(name, holdings).explain(asking("q", languages(name)[-1], "w0"), ["d0", "nobody"])


@every_system
def test_query_in_a_third_language_is_refused(name: str, holdings: Holdings) -> None:
    takes = "this model accepts de" if spec_of(name).source_only else "this index accepts de or en"
    with pytest.raises(InputError, match=f"query 'q' is in 'fr': {takes}"):
        open_system(name, holdings).search([asking("q", "fr", "w0")])


@every_system
def test_query_in_the_documents_language_is_taken_or_refused(name: str, holdings: Holdings) -> None:
    query = asking("q", "en", "w5")
    if spec_of(name).source_only:
        with pytest.raises(InputError, match="query 'q' is in 'en': this model accepts de"):
            open_system(name, holdings).search([query])
    else:
        assert len(open_system(name, holdings).search([query]).rankings["q"]) > 0


@every_system
def test_settings_survive_a_round_trip(name: str) -> None:
    spec = spec_of(name)
    defaults = read_settings(spec, {})
    values = msgspec.json.decode(msgspec.json.encode(defaults))
    assert read_settings(spec, values) == defaults
    assert read_settings(spec, {key: str(value) for key, value in values.items()}) == defaults


@every_system
def test_unknown_setting_is_refused_by_name(name: str, holdings: Holdings) -> None:
    with pytest.raises(InputError, match=f"{name} has no setting 'colour': it has "):
        open_system(name, holdings, {"colour": "red"})


@every_system
def test_registry_describes_the_system(name: str) -> None:
    spec = spec_of(name)
    assert spec.name == name
    assert spec.summary
    assert spec.summary[-1] != "."
    assert spec.kind in ("Sparse", "Vectors", "Rerank", "Fused", "Examples")


def test_unknown_system_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(InputError, match="there is no system 'bm26': choose one of bm25, lm, tfidf"):
        spec_of("bm26")


@every_system
def test_every_split_of_the_toy_collection_can_be_ranked(name: str, toy_copy: Path) -> None:
    holdings = Holdings(toy_copy)
    terms = holdings.index.source_analyzer.terms
    put_models(holdings, [term for query in holdings.collection.queries() for term in terms(query.content)])
    for split in holdings.collection.splits:
        queries = holdings.split(split, queries=spec_of(name).queries).queries
        run = open_system(name, holdings).search(queries)
        assert list(run.rankings) == [query.id for query in queries]


DECODED = ("dt", "psq-nbest")  # translate whole sentences
LEARNED = [(name, spec.trainer.name) for name, spec in SYSTEMS.items() if spec.trainer]


@pytest.mark.parametrize(("name", "trainer"), LEARNED)
def test_untrained_system_says_how_to_train_it(name: str, trainer: str, toy_index: Index) -> None:
    folder, needed = toy_index.folder.parent, " --set decoder=true" if name in DECODED else ""
    with pytest.raises(InputError, match=rf"no \w+ here.*\(kakehashi train {trainer} {folder}{needed}\)"):
        open_system(name, holdings_of(toy_index))
    with pytest.raises(InputError, match=rf"\(kakehashi train {trainer} {folder} --name other{needed}\)"):
        open_system(name, holdings_of(toy_index), {"model": "other"})


READS_WORDS = [
    pair for pair in LEARNED if pair[0] != "encoder"
]  # that one reads texts, however they are analysed


@pytest.mark.parametrize(("name", "trainer"), READS_WORDS)
def test_model_of_other_analyzers_is_refused(
    name: str, trainer: str, holdings: Holdings, texts: list[Text], tmp_path: Path
) -> None:
    german = Analyzer(AnalyzerSettings(lang="de", stem=True))
    build_index(tmp_path / "index", texts, Analyzers(plain_analyzers().target, german), FIELDS)
    shutil.copytree(holdings.folder / "models", tmp_path / "models")
    with pytest.raises(
        InputError, match=rf"trained with the query analyzer .*: train it again .*train {trainer}"
    ):
        open_system(name, Holdings(tmp_path))
