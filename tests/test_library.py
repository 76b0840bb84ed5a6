"""The opened collection: search, rank, measure, train and build from one object, and hits that know why."""

import gzip
import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kakehashi.corpus.collection import Collection, CollectionInfo
from kakehashi.corpus.writing import CollectionWriter
from kakehashi.errors import InputError
from kakehashi.evaluation.measures import parse_all
from kakehashi.fuse.fused import Fused
from kakehashi.hits import Hits, terms_of
from kakehashi.index.bibliography import Fields
from kakehashi.library import Library
from kakehashi.query.edits import Edit
from kakehashi.retrieve.linear import LinearRanker
from kakehashi.retrieve.prior_art import PriorArt, Rules
from kakehashi.systems import registry
from kakehashi.systems.registry import SYSTEMS
from kakehashi.training.measuring import measure_system
from kakehashi.types import Condition, Scope, Share, Text
from tests.contracts.models import put_models
from tests.retrieve.comparing import same
from tests.toy import DOCUMENTS, toy_collection

BATTERY = "リチウム電池の電極"


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The toy collection with small models of every system; its translation is learned from its parallel text."""
    folder = toy_collection(tmp_path_factory.mktemp("library") / "toy")
    library = Library(folder)
    library.update_index()
    terms = library.index.source_analyzer.terms
    put_models(library, [term for query in library.collection.queries() for term in terms(query.content)])
    shutil.rmtree(library.model_folder("translation"))
    library.train("translation", {"decoder": True})
    return folder


@pytest.fixture(scope="module")
def library(trained: Path) -> Library:
    """For reading only."""
    return Library(trained)


@pytest.fixture
def own(trained: Path, tmp_path: Path) -> Library:
    """One that a test may change."""
    return Library(shutil.copytree(trained, tmp_path / "own"))


def ids(hits: Hits) -> list[str]:
    return [hit.id for hit in hits]


def test_search_gives_what_the_system_finds(library: Library) -> None:
    hits = library.search(BATTERY, system="psq")
    query = Text("query", "ja", BATTERY)
    ranking = library.system("psq").search([query], 10).rankings["query"]
    assert ids(hits) == list(ranking.docs)
    assert [hit.score for hit in hits] == ranking.scores.tolist()
    assert hits.query == query
    assert ids(library.search(query, 10, "psq")) == ids(hits)
    assert ids(library.search(BATTERY, 2, "psq")) == ids(hits)[:2]


def test_texts_in_the_documents_language_and_settings_reach_the_system(library: Library) -> None:
    plain, flat = (
        library.search("lithium electrode", lang="en", settings=given) for given in ({}, {"k1": 0.1})
    )
    assert ids(plain)[0] == ids(flat)[0] == "d01"
    assert plain[0].score != flat[0].score
    with pytest.raises(InputError, match="bm25 has no setting 'k7'"):
        library.search("x", settings={"k7": 1})
    with pytest.raises(InputError, match="there is no system 'bm26'"):
        library.search("x", system="bm26")


def test_conditions_and_boolean_expressions_leave_documents_out(library: Library) -> None:
    def found(**scope: Any) -> set[str]:
        return {*ids(library.search("battery engine film", lang="en", **scope))}

    classes = {id: ipc for id, _, _, ipc, *_ in DOCUMENTS}
    assert found() == {"d01", "d02", "d03", "d08", "d09", "d10", "d11"}
    assert found(where=["ipc=H01M*"]) == {
        id for id in found() if any(code[:4] == "H01M" for code in classes[id])
    }
    assert found(where=["ipc=H01M*", "claims<5"]) == {"d02"}
    assert found(boolean="engine AND NOT valve") == {"d09"}
    assert found() == {"d01", "d02", "d03", "d08", "d09", "d10", "d11"}  # nothing of that is left
    with pytest.raises(InputError, match="no metadata field 'color'"):
        found(where=["color=red"])


def test_scope_is_made_of_conditions_a_pool_and_what_the_collection_says(
    library: Library, tmp_path: Path
) -> None:
    assert library.scope() == library.scope(pool="train") == Scope()
    ipc = Condition("ipc", "=", "H01M*")
    assert library.scope(["ipc=H01M*"], "x") == Scope((ipc,), "x")
    info = CollectionInfo("pools", "de", "en", fields={"pool": "keyword"}, exclude_self=True)
    with CollectionWriter(tmp_path / "pools", info) as writer:
        writer.document(Text("d", "en", "x"))
    pools = Library(tmp_path / "pools")
    assert pools.scope() == Scope(not_itself=True)
    assert pools.scope(pool="dev") == Scope((Condition("pool", "=", "dev"),), not_itself=True)


def test_rules_are_those_that_were_asked_for() -> None:
    assert Library.rules() is None
    assert Library.rules(prior_art=True) == Rules()
    assert Library.rules(before="2001-01-01") == Rules(True, False, False, "2001-01-01")
    assert Library.rules(one_per_family=True) == Rules(False, False, True)
    fields = Fields(publication="date")
    assert Library.rules(True, undated="drop", fields=fields) == Rules(undated="drop", fields=fields)


def test_rank_answers_the_queries_of_a_split(library: Library) -> None:
    run = library.rank("psq", "train", k=3)
    assert (run.system, [*run.rankings]) == ("psq", ["j1", "j2", "j3"])
    queries = library.split("train").queries
    same(run.rankings, library.system("psq").search(queries, 3).rankings)
    originals = library.rank("monolingual", "test")
    same(originals.rankings, library.system("monolingual").search(
        library.split("test", queries="originals.jsonl").queries).rankings)  # fmt: skip
    some = library.rank("psq", "train", where=["ipc=H01M*"], threads=2).rankings
    assert {doc for ranking in some.values() for doc in ranking.docs} <= {"d01", "d02", "d03", "d04"}
    with pytest.raises(InputError, match="has no split 'x': its splits are train, dev, test"):
        library.rank("psq", "x")


def test_queries_that_a_system_needs_and_nobody_has_are_named(own: Library) -> None:
    (own.folder / "originals.jsonl").unlink()
    with pytest.raises(
        InputError, match=rf"monolingual needs originals\.jsonl, which {own.folder} does not have"
    ):
        own.rank("monolingual")


@pytest.mark.parametrize("name", SYSTEMS)
def test_measure_is_that_of_the_ranking(name: str, library: Library) -> None:
    measures = ["MAP", "MAP-mate", "R@2"]
    found = library.measure(name, "train", measures)
    assert found.means() == library.measure(library.rank(name, "train"), "train", measures).means()
    split = library.split("train", queries=SYSTEMS[name].queries)
    assert found.means() == measure_system(library.system(name), split, parse_all(measures)).means()
    assert [row["query"] for row in found.rows()] == ["j1", "j2", "j3"]
    assert library.measure(name).means().keys() == {"MAP"}


def test_settings_of_a_measured_system_are_given_by_name(library: Library) -> None:
    settings = {"k1": 0.1, "b": 0.0}
    ranked = library.rank("monolingual", "train", settings=settings)
    expected = library.measure(ranked, "train", ["MAP", "MAP-mate"]).means()
    assert library.measure("monolingual", "train", ["MAP", "MAP-mate"], **settings).means() == expected
    with pytest.raises(InputError, match="monolingual has no setting 'depth'"):
        library.measure("monolingual", "train", depth=5)


def test_system_is_opened_once_for_the_same_settings(library: Library) -> None:
    assert library.system("psq") is library.system("psq", {})
    assert library.system("psq", {"least": 0.01}) is library.system("psq")  # its default
    assert library.system("psq", {"least": "0.2"}) is library.system("psq", {"least": 0.2})
    assert library.system("psq", {"least": 0.2}) is not library.system("psq")
    assert library.system() is library.system("bm25")


@pytest.mark.parametrize("name", ["dense", "fused"])
def test_inputs_are_the_very_systems_that_are_asked_by_themselves(name: str, library: Library) -> None:
    system = library.system(name)
    inputs = (
        system.evidence.inputs
        if isinstance(system, LinearRanker)
        else system.inputs
        if isinstance(system, Fused)
        else []
    )
    assert [each.name for each in inputs] == ["psq", "boosted", "lowrank"]
    for each in inputs:
        assert each.system is library.system(each.name)


def test_system_is_opened_once_however_many_threads_ask(
    trained: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    for name, spec in SYSTEMS.items():

        def count(opening: Any, name: str = name, inner: Any = spec.open) -> Any:
            made.append(name)
            return inner(opening)

        monkeypatch.setitem(registry.SYSTEMS, name, type(spec)(**{**vars(spec), "open": count}))
    library = Library(trained)
    names = ["dense", "psq", "fused", "boosted", "lowrank", "dense", "fused", "psq"]
    with ThreadPoolExecutor(8) as pool:
        opened = [*pool.map(library.system, names)]
    assert sorted(made) == ["boosted", "dense", "fused", "lowrank", "psq"]
    assert len({id(system) for system in opened}) == 5


def test_training_forgets_what_was_opened_and_keeps_the_index(own: Library) -> None:
    psq, fused, index = own.system("psq"), own.system("fused"), own.index
    job, outcome = own.train("translation", {"decoder": False, "words": "surface"})
    assert (job.folder, job.settings.words) == (own.model_folder("translation"), "surface")
    assert outcome.n_weights > 0
    assert own.system("psq") is not psq
    assert own.system("fused") is not fused
    assert own.index is index


def test_model_may_have_a_name_of_its_own(own: Library) -> None:
    own.train("translation", {"decoder": False}, model="other")
    ranked = own.rank("psq", "train", settings={"model": "other"}).rankings
    same(ranked, own.rank("psq", "train").rankings)
    with pytest.raises(InputError, match=r"kakehashi train translation .* --name third"):
        own.system("psq", {"model": "third"})


@pytest.mark.parametrize(
    ("name", "settings", "options", "message"),
    [
        ("psq", {}, {}, "'psq' cannot be trained: choose one of bilinear, boosted"),
        ("lowrank", {"depth": 1}, {}, "lowrank has no setting 'depth'"),
        ("lowrank", {}, {"parallel": ["x.tsv"]}, "lowrank does not use parallel text: leave out --parallel"),
        ("lowrank", {}, {"model": "../x"}, "'../x' cannot name a model"),
        ("fused", {"inputs": "psq"}, {}, "inputs: 'psq' is not enough to fuse"),
        ("fused", {"inputs": "psq monolingual"}, {}, "monolingual searches with originals.jsonl"),
        ("fused", {"inputs": "psq fused"}, {}, "fused 'fused' contains itself"),
    ],
)
def test_training_that_cannot_be_is_refused(
    name: str, settings: dict[str, Any], options: dict[str, Any], message: str, library: Library
) -> None:
    before = library.system("psq")
    with pytest.raises(InputError, match=message):
        library.train(name, settings, **options)
    assert library.system("psq") is before


def test_building_forgets_all_that_was_opened(own: Library) -> None:
    system, index = own.system("bm25"), own.index
    assert own.search("lithium", lang="en")[0].id == "d01"
    rules = own.rules(one_per_family=True)
    assert len(own.search("valve", lang="en", rules=rules)) == 1
    documents = own.folder / "documents.jsonl"
    new = {
        "id": "d13",
        "lang": "en",
        "title": "lithium",
        "text": "lithium lithium valve",
        "meta": {"family": "f10"},
    }
    documents.write_text(documents.read_text(encoding="utf-8") + json.dumps(new) + "\n", encoding="utf-8")
    changes = own.update_index()
    assert (changes.added, changes.unchanged) == (1, 12)
    assert own.system("bm25") is not system
    assert own.index is not index
    hits = own.search("lithium", lang="en")
    assert hits[0].id == "d13"
    assert hits[0].text.text == "lithium lithium valve"
    assert own.update_index().added == 0
    own.update_index({"stem": False}, rebuild=True)
    assert not own.index.analyzer.settings.stem


def test_library_is_built_from_a_folder_without_an_index(tmp_path: Path) -> None:
    library = Library(toy_collection(tmp_path / "toy"))
    with pytest.raises(InputError, match=rf"\(kakehashi index {library.folder}\)"):
        library.search("x")
    assert library.update_index().added == 12
    assert len(library.search("lens", lang="en")) == 2


@pytest.fixture(scope="module")
def dated(tmp_path_factory: pytest.TempPathFactory) -> Library:
    info = CollectionInfo("dated", "de", "en", fields={"publication": "date", "family": "keyword"})
    folder = tmp_path_factory.mktemp("dated") / "patents"
    with CollectionWriter(folder, info) as writer:
        for id, day, family in [("a", "1999-01-01", "f"), ("b", "2000-01-01", "f"), ("c", "2003-01-01", "g")]:
            writer.document(Text(id, "en", "lamp", "Lamp", {"publication": day, "family": family}))
        writer.document(Text("d", "en", "lamp", "Lamp", {"family": "h"}))
        writer.query(Text("q", "de", "lamp", meta={"priority": "2001-01-01", "family": "h"}))
        writer.original(Text("q", "en", "lamp"))
        writer.qrels("test", {"q": {"a": 1}})
    library = Library(folder)
    library.update_index()
    return library


def test_before_leaves_out_what_is_not_older(dated: Library) -> None:
    assert ids(dated.search("lamp")) == ["d", "c", "b", "a"]
    hits = dated.search("lamp", before="2000-01-01")
    assert ids(hits) == ["d", "a"]
    assert [hit.facts["publication"] for hit in hits] == [None, "1999-01-01"]
    assert [row["publication"] for row in hits.rows()] == [None, "1999-01-01"]
    assert hits.as_dict()["prior_art"]
    assert ids(dated.search("lamp")) == ["d", "c", "b", "a"]
    with pytest.raises(InputError, match="before: 'soon' is not a date"):
        dated.search("lamp", before="soon")


def test_rules_in_full_look_at_the_querys_own_date_and_family(dated: Library) -> None:
    rules = dated.rules(prior_art=True)
    query = dated.known_query("q")
    hits = dated.search(query, rules=rules)
    assert ids(hits) == ["b"]  # c is too late, d of its family, a of b's
    assert hits[0].why == dated.search(query)[2].why
    with pytest.raises(InputError, match="query 'query' without priority"):
        dated.search("lamp", rules=rules)
    with pytest.raises(InputError, match="has no query 'r'"):
        dated.known_query("r")


def test_originals_are_dated_as_the_queries_are(dated: Library) -> None:
    rules = dated.rules(prior_art=True)
    for system in ("bm25", "monolingual"):
        assert list(dated.rank(system, rules=rules).rankings["q"].docs) == ["b"]


def test_bibliography_is_worked_out_once(dated: Library) -> None:
    rules = dated.rules(one_per_family=True)
    assert rules is not None
    systems = [dated.asked(name, rules=rules) for name in ("bm25", "lm", "bm25")]
    assert all(isinstance(system, PriorArt) for system in systems)
    assert len({id(system.bibliography) for system in systems}) == 1  # type: ignore[attr-defined]
    assert systems[0] is not systems[2]
    assert systems[0].system is systems[2].system  # type: ignore[attr-defined]


DROP, ADD = Edit("drop", "電池", "battery"), Edit("add", "電極", "lens", 0.5)


def test_edits_change_what_a_word_is_looked_for_as_for_one_search(library: Library) -> None:
    words = {
        word.word: [term for term, _ in word.translations]
        for word in library.search("電池", system="psq").words
    }
    assert words["電池"][0] == library.index.analyzer.terms("battery")[0]
    edited = library.search("電池", system="psq", edits=[DROP])
    assert not {"d02", "d03"} & {*ids(edited)}  # which hold no other translation
    assert {"d01", "d02", "d03"} <= {*ids(library.search("電池", system="psq"))}
    [word] = [word for word in edited.words if word.word == "電池"]
    assert [term for term, _ in word.translations] == words["電池"][1:]
    for hit in edited:
        assert sum(share.share for share in hit.why) == pytest.approx(hit.score)


@pytest.mark.parametrize("name", ["fused", "dense"])
def test_edits_are_used_where_an_input_translates(name: str, library: Library) -> None:
    plain, edited = (library.search(BATTERY, 12, name, edits=edits) for edits in ((), [DROP, ADD]))
    assert {hit.id: hit.score for hit in plain} != {hit.id: hit.score for hit in edited}
    shares = [(share.query, share.document) for hit in edited for share in hit.why if share.part == "psq"]
    assert ("電極", "len") in shares
    assert not any(word == "電池" and "batteri" in met for word, met in shares)
    before = [(share.query, share.document) for hit in plain for share in hit.why if share.part == "psq"]
    assert any(word == "電池" and "batteri" in met for word, met in before)
    for hit in edited:
        assert sum(share.share for share in hit.why) == pytest.approx(hit.score, rel=1e-6)
    assert library.system(name).used_edits(edited.query) == {DROP, ADD}  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["lowrank", "topics", "bilinear", "boosted", "knowledge"])
def test_edits_are_refused_where_nothing_is_translated(name: str, library: Library) -> None:
    message = f"{name} does not look for words by their translations"
    with pytest.raises(InputError, match=f"{message}: there is nothing to edit"):
        library.search(BATTERY, system=name, edits=[DROP])
    with pytest.raises(InputError, match=message):
        library.rank(name, edits=[DROP])
    with pytest.raises(InputError, match=message):
        library.search(BATTERY, system=name).words  # noqa: B018


@pytest.mark.parametrize("name", ["bm25", "psq", "psq-hmm", "boosted", "lowrank", "dense", "fused"])
def test_hits_are_a_sequence_of_documents_that_know_why(name: str, library: Library) -> None:
    text, lang = ("lithium electrode", "en") if name == "bm25" else (BATTERY, "ja")
    hits = library.search(text, 5, name, lang=lang)
    assert 0 < len(hits) <= 5
    assert [hit.rank for hit in hits] == [*range(1, len(hits) + 1)]
    assert hits[0] == next(iter(hits))
    assert hits[-1] == [*hits][-1]
    assert [hit.id for hit in hits[:2]] == ids(hits)[:2]
    known = {id: (title, text) for id, title, text, *_ in DOCUMENTS}
    for hit in hits:
        assert (hit.title, hit.text.text) == known[hit.id]
        assert hit.text == library.text(hit.id)
        assert hit.facts == {}
        assert sum(share.share for share in hit.why) == pytest.approx(hit.score, rel=1e-6)
    rows = hits.rows()
    assert [(row["rank"], row["document"], row["score"]) for row in rows] == [
        (h.rank, h.id, h.score) for h in hits
    ]
    assert all(row["because of"] for row in rows)
    found = hits.as_dict()
    assert found["system"] == name
    assert [(one["id"], one["title"]) for one in found["hits"]] == [(hit.id, hit.title) for hit in hits]
    assert json.loads(json.dumps(found)) == found


def test_reasons_are_worked_out_for_all_hits_at_once_and_only_when_asked(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    hits, asked = library.search(BATTERY, system="psq"), list[int]()
    inner = type(hits.system).explain

    def explain(self: Any, query: Text, docs: Any, *rest: Any) -> Any:
        asked.append(len(docs))
        return inner(self, query, docs, *rest)

    monkeypatch.setattr(type(hits.system), "explain", explain)
    assert [hit.title for hit in hits]
    assert asked == []
    assert all(hit.why for hit in hits)
    assert hits.rows()
    assert asked == [len(hits)]


def test_reasons_are_those_of_the_scope_that_was_searched(library: Library) -> None:
    """What a list gives in a fusion depends on what else it holds."""
    hits = library.search(BATTERY, 12, "fused", where=["claims<9"])
    assert len(hits) > 1
    for hit in hits:
        assert sum(share.share for share in hit.why) == pytest.approx(hit.score, rel=1e-6)


def test_nothing_found_is_an_empty_sequence(library: Library) -> None:
    hits = library.search("無", system="psq")
    assert (len(hits), list(hits), hits.rows(), bool(hits)) == (0, [], [], False)
    assert hits._repr_html_().startswith("<table>")


def test_hits_in_a_notebook_are_a_table_with_markup_escaped(tmp_path: Path) -> None:
    with CollectionWriter(tmp_path / "markup", CollectionInfo("markup", "de", "en")) as writer:
        writer.document(Text("<i>1</i>", "en", "lamp", "<script>alert(1)</script> & co"))
        writer.query(Text("q", "de", "lamp"))
    library = Library(tmp_path / "markup")
    library.update_index()
    shown = library.search("lamp")._repr_html_()
    assert "<script" not in shown
    assert "<i>" not in shown
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; co" in shown
    assert "<th>because of</th>" in shown


def test_hits_as_a_frame(library: Library) -> None:
    pytest.importorskip("pandas")
    hits = library.search(BATTERY, system="psq")
    frame = hits.to_frame()
    assert list(frame.columns) == ["rank", "score", "document", "title", "because of"]
    assert frame["document"].tolist() == ids(hits)


def test_frame_of_queries_becomes_a_frame_of_results(library: Library) -> None:
    pandas = pytest.importorskip("pandas")
    topics = pandas.DataFrame({"qid": [1, "b"], "query": [BATTERY, "カメラのレンズ"]})
    found = library.transform(topics, "psq", k=3, least=0.05)
    assert list(found.columns) == ["qid", "docno", "score", "rank"]
    queries = [Text("1", "ja", BATTERY), Text("b", "ja", "カメラのレンズ")]
    run = library.system("psq", {"least": 0.05}).search(queries, 3)
    for qid, ranking in run.rankings.items():
        part = found[found["qid"] == qid]
        assert part["docno"].tolist() == list(ranking.docs)
        assert part["score"].tolist() == ranking.scores.tolist()
        assert part["rank"].tolist() == [*range(len(ranking))]


def test_many_threads_search_one_library(trained: Path) -> None:
    questions = [
        (text, system, {"where": where, "boolean": boolean})
        for text in (BATTERY, "カメラのレンズ", "燃料ポンプの回路")
        for system in ("psq", "dense", "fused", "lowrank")
        for where, boolean in (((), ""), (("ipc=H01M*",), ""), ((), "film OR fuel"))
    ]

    def answer(library: Library, text: str, system: str, scope: dict[str, Any]) -> list[Any]:
        return [
            (hit.id, hit.score, hit.title, hit.why, hit.text)
            for hit in library.search(text, 5, system, **scope)
        ]

    quiet, busy = Library(trained), Library(trained)
    alone = [answer(quiet, *question) for question in questions]
    with ThreadPoolExecutor(8) as pool:
        assert [*pool.map(lambda question: answer(busy, *question), questions)] == alone


def test_ablation_names_every_input(own: Library) -> None:
    own.train(
        "dense", {"inputs": "psq lm(mu=10)", "split": "train", "features": "none", "queries": 3, "folds": 2}
    )
    job, rows = own.ablate("dense", measures=["MAP"])
    assert [each.name for each in job.inputs] == ["psq", "lm(mu=10)"]
    assert len(rows) >= 3


def test_qrels_are_those_of_the_collection(library: Library, indexed_toy: Collection) -> None:
    assert library.qrels("train") == indexed_toy.qrels("train")


def test_queries_get_ids_and_the_collections_language(library: Library) -> None:
    assert library.query("x") == Text("query", "ja", "x")
    assert library.query("x", "en", "7") == Text("7", "en", "x")
    assert np.isnan(library.system("psq").score(library.query("無"), ["d01"])).all()


def test_hits_say_what_they_are_and_where_they_match(library: Library) -> None:
    hits = library.search("lithium electrodes", lang="en")
    assert (hits[0].about.date, hits[0].about.applicants, hits[0].about.classes) == (
        "2003-02-01",
        ("Denchi Works",),
        ("H01M 4/00",),
    )
    assert hits[0].meta == library.text("d01").meta
    assert [tuple(piece) for piece in hits[0].passage] == [
        ("lithium", True),
        (" battery ", False),
        ("electrode", True),
    ]
    assert [tuple(piece) for piece in hits[0].marked("Electrodes!")] == [("Electrodes", True), ("!", False)]


@pytest.mark.parametrize("name", ["psq", "psq-hmm", "bilinear", "boosted", "lowrank", "dense", "fused"])
def test_passages_mark_words_that_the_reasons_name(name: str, library: Library) -> None:
    terms = library.index.analyzer.terms
    for hit in library.search(BATTERY, 5, name):
        named = {term for share in hit.why for term in terms_of(share)}
        marked = [piece.text for piece in hit.passage if piece.match]
        assert {term for word in marked for term in terms(word)} <= named
        assert "".join(piece.text for piece in hit.passage) == hit.text.text


@pytest.mark.parametrize(
    ("document", "terms"),
    [
        ("", []),
        ("cell", ["cell"]),
        ("batteri, cell", ["batteri", "cell"]),
        ("(cited by the examiner)", []),
        ("fuel_cell", ["fuel", "cell"]),
    ],
)
def test_terms_of_a_share_are_words(document: str, terms: list[str]) -> None:
    assert terms_of(Share("電池", document, 1.0)) == terms


def test_document_that_the_file_no_longer_has_is_listed_without_passage(own: Library) -> None:
    path = own.folder / "documents.jsonl"
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(line for line in lines if '"d01"' not in line), "utf-8")
    hits = own.search("lithium electrode", lang="en")
    assert (hits[0].id, hits[0].passage, hits[0].about.date) == ("d01", [], "")
    assert hits[1].passage


def test_passages_are_read_from_a_compressed_file_too(own: Library) -> None:
    plain = [hit.passage for hit in own.search("fuel", lang="en")]
    path = own.folder / "documents.jsonl"
    with gzip.open(own.folder / "documents.jsonl.gz", "wb") as file:
        file.write(path.read_bytes())
    path.unlink()
    assert [hit.passage for hit in Library(own.folder).search("fuel", lang="en")] == plain
