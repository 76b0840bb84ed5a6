"""The API: what it answers is what the library says, in shapes that do not change."""

from collections import Counter
from typing import Any

import pytest

from kakehashi.library import Library
from kakehashi.serve import shapes
from kakehashi.serve.shelf import Shelf
from tests.serve.serving import Client

QUERY = "燃料電池の電極"
ADDRESS = "/api/v1/collections/toy"


def test_collections_are_named_with_their_languages_and_fingerprints(client: Client, shelf: Shelf) -> None:
    found = client.read("/api/v1/collections")
    shapes.CollectionsShape.model_validate(found)
    [toy] = found["collections"]
    assert (toy["name"], toy["source_language"], toy["documents"], toy["best"]) == ("toy", "ja", 12, "psq")
    assert toy["fingerprints"] == shelf.take("toy").fingerprints
    assert client.read(ADDRESS) == toy


def test_only_systems_that_can_answer_are_offered(client: Client) -> None:
    found = client.read(f"{ADDRESS}/systems")
    shapes.SystemsShape.model_validate(found)
    names = {one["name"]: one["best"] for one in found["systems"]}
    assert names["psq"] is True
    assert names["bm25"] is False
    assert "dense" not in names
    assert "run" not in names


@pytest.mark.parametrize("system", ["", "psq", "bm25", "psq-hmm"])
def test_search_finds_what_the_library_finds(client: Client, shelf: Shelf, system: str) -> None:
    found = client.ask("search", text=QUERY, system=system, k=5)
    shapes.SearchShape.model_validate(found)
    hits = shelf.take("toy").library.search(QUERY, 5, system)
    assert [(hit["id"], hit["score"], hit["title"]) for hit in found["hits"]] == [
        (hit.id, hit.score, hit.title) for hit in hits
    ]
    for hit in found["hits"]:
        assert sum(share["share"] for share in hit["shares"]) == pytest.approx(hit["score"], abs=1e-9)


def test_answers_without_reasons_or_passages_are_the_same_hits(client: Client) -> None:
    whole = client.ask("search", text=QUERY)
    brief = client.ask("search", text=QUERY, explain=False, passages=False)
    shapes.SearchShape.model_validate(brief)
    assert [hit["id"] for hit in brief["hits"]] == [hit["id"] for hit in whole["hits"]]
    assert "shares" not in brief["hits"][0]
    assert "passage" not in brief["hits"][0]
    assert "shares" not in client.ask("search", text=QUERY, explain=False)["hits"][0]


def test_every_answer_names_system_and_fingerprints(client: Client, shelf: Shelf) -> None:
    for what, more in (
        ("search", {}),
        ("explain", {"documents": ["d01"]}),
        ("translations", {}),
    ):
        found = client.ask(what, text=QUERY, **more)
        assert found["system"] == "psq"
        assert found["fingerprints"] == shelf.take("toy").fingerprints


def test_pages_neither_repeat_nor_skip(client: Client, shelf: Shelf) -> None:
    whole = [hit.id for hit in shelf.take("toy").library.search(QUERY, 100)]
    assert len(whole) > 4
    seen: list[str] = []
    cursor, ranks = "", []
    while True:
        page = client.ask("search", text=QUERY, k=2, cursor=cursor)
        seen += [hit["id"] for hit in page["hits"]]
        ranks += [hit["rank"] for hit in page["hits"]]
        cursor = page["next"]
        if not cursor:
            break
    assert seen == whole
    assert ranks == list(range(1, len(whole) + 1))


def test_prior_art_keeps_families_together_on_all_pages(client: Client) -> None:
    asked = {"text": "エンジンの燃料噴射センサ", "prior_art": True, "before": "2010-01-01"}
    whole = client.ask("search", **asked, k=50)
    first = client.ask("search", **asked, k=1)
    rest = client.ask("search", **asked, k=50, cursor=first["next"])
    assert [*first["hits"], *rest["hits"]] == whole["hits"]
    families = [[hit["id"], *hit["family"]] for hit in whole["hits"]]
    assert ["d11", "d10"] in [family for family in families if len(family) > 1] or ["d10", "d11"] in families
    everyone = [doc for family in families for doc in family]
    assert len(everyone) == len({*everyone})
    assert whole["prior_art"]["before"] == "2010-01-01"


def test_a_cursor_of_another_search_is_refused(client: Client) -> None:
    cursor = client.ask("search", text=QUERY, k=2)["next"]
    for asked in (
        {"text": "カメラ"},
        {"text": QUERY, "where": ["ipc=H01M*"]},
        {"text": QUERY, "system": "bm25"},
    ):
        problem = client.ask("search", 400, **asked, cursor=cursor)
        assert problem["type"].endswith(":bad-cursor")
    for cursor in ("x", "====", "WzEsMiwzXQ", "a" * 200, "あ"):
        assert client.ask("search", 400, text=QUERY, cursor=cursor)["type"].endswith(":bad-cursor")


def test_explain_marks_both_sides(client: Client) -> None:
    found = client.ask("explain", text=QUERY, documents=["d04"])
    shapes.ExplainShape.model_validate(found)
    [one] = found["documents"]
    assert "".join(span["text"] for span in one["query"]) == QUERY
    assert "".join(span["text"] for span in one["text"]) == "fuel cell electrode"
    assert [span["text"] for span in one["query"] if span["met"]] == ["燃料", "電池"]
    met = {span["text"]: span["met"] for span in one["text"] if span["met"]}
    assert met["fuel"] == ["燃料"]
    assert met["cell"] == ["電池"]
    heaviest = max(one["pairs"], key=lambda pair: pair["share"])
    assert one["pairs"][0] == heaviest
    weights = [span["weight"] for span in one["text"] if span["met"]]
    assert max(weights) == 1.0
    by_text = {span["text"]: span["pairs"] for span in [*one["query"], *one["text"]] if span["met"]}
    assert {*by_text["燃料"]} & {*by_text["fuel"]}


def test_document_has_its_text_and_metadata(client: Client) -> None:
    found = client.read(f"{ADDRESS}/documents/d04")
    shapes.DocumentShape.model_validate(found)
    assert (found["title"], found["text"]) == ("fuel cell", "fuel cell electrode")
    assert found["meta"]["applicant"] == "Volta"
    assert client.read(f"{ADDRESS}/documents/nope", 404)["detail"] == "there is no document 'nope'"


def test_edits_change_translations_and_the_list(client: Client) -> None:
    def translations(**asked: Any) -> dict[str, dict[str, float]]:
        found = client.ask("translations", text=QUERY, **asked)
        shapes.TranslationsShape.model_validate(found)
        return {
            one["word"]: {other["word"]: other["p"] for other in one["translations"]}
            for one in found["words"]
        }

    assert "electrod" in translations()["電池"]
    edits = ["drop 電池=electrode", "boost 電池=cell:100", "drop nothing=here"]
    changed = translations(edits=edits)
    assert "electrod" not in changed["電池"]
    assert changed["電池"]["cell"] > 0.9
    before, after = client.ask("search", text=QUERY), client.ask("search", text=QUERY, edits=edits)
    assert before["hits"][0]["id"] == "d01"
    assert after["hits"][0]["id"] == "d04"
    assert [edit["used"] for edit in after["edits"]] == [True, True, False]


def test_edits_that_cannot_be_applied_are_refused(client: Client) -> None:
    assert (
        "boost word=translation:times" in client.ask("search", 422, text=QUERY, edits=["boost a=b"])["detail"]
    )
    assert "not an edit" in client.ask("search", 422, text=QUERY, edits=["swap a=b"])["detail"]


def test_fields_are_counted_before_ranking(client: Client) -> None:
    found = client.read(f"{ADDRESS}/fields")
    shapes.FieldsShape.model_validate(found)
    fields = {one["field"]: one for one in found["fields"]}
    assert found["documents"] == 12
    counts = {one["value"]: one["documents"] for one in fields["applicant"]["values"]}
    assert counts == {"Volta": 3, "Kikan": 3, "Denchi Works": 2, "Megane": 2, "Gamen": 2}
    classes = {one["value"]: one["documents"] for one in fields["ipc"]["values"]}
    assert classes["H01M"] == 4  # a document with two codes of one subclass counts once
    assert fields["date"]["first"] == "1998-06-06"
    assert sum(one["documents"] for one in fields["date"]["values"]) == 12
    assert (fields["claims"]["least"], fields["claims"]["most"]) == (1, 12)


def test_one_of_several_values_will_do_and_is_counted(client: Client, shelf: Shelf) -> None:
    where = ["applicant=Volta|Kikan", "ipc=F02M*|H01M*"]
    hits = client.ask("search", text="fuel engine battery", lang="en", system="bm25", where=where, k=12)[
        "hits"
    ]
    assert {hit["id"] for hit in hits} == {"d03", "d04", "d09", "d12"}
    found = client.read(f"{ADDRESS}/fields", where=where)
    assert found["documents"] == 4
    fields = {one["field"]: one for one in found["fields"]}
    library = shelf.take("toy").library
    metas = [library.text(f"d{i:02d}").meta for i in range(1, 13)]
    expected = Counter(
        meta["applicant"] for meta in metas if any(c[:4] in ("F02M", "H01M") for c in meta["ipc"])
    )
    assert {one["value"]: one["documents"] for one in fields["applicant"]["values"]} == expected
    assert {one["value"]: one["documents"] for one in fields["ipc"]["values"]} == {
        code: sum(any(c[:4] == code for c in meta["ipc"]) for meta in metas if meta["applicant"] in ("Volta", "Kikan"))
        for code in ("F01L", "F01N", "F02M", "H01M", "H02J")
    }  # fmt: skip


def test_classes_come_with_their_titles(client: Client) -> None:
    title = "batteries; fuel cells"
    [hit] = client.ask("search", text=QUERY, k=1, where=["family=f04"])["hits"]
    assert hit["class_titles"] == {"H01M 8/00": title, "H01M 4/00": title}
    [explained] = client.ask("explain", text=QUERY, documents=["d04"])["documents"]
    assert (explained["classes"], explained["class_titles"]) == (hit["classes"], hit["class_titles"])
    assert client.read(f"{ADDRESS}/documents/d04")["class_titles"] == hit["class_titles"]
    assert client.read(f"{ADDRESS}/documents/d12")["class_titles"] == {}
    fields = {one["field"]: one for one in client.read(f"{ADDRESS}/fields")["fields"]}
    assert {one["value"]: one["title"] for one in fields["ipc"]["values"]}["H01M"] == title
    assert "title" not in fields["applicant"]["values"][0]


def test_conditions_count_for_the_other_fields(client: Client) -> None:
    found = client.read(f"{ADDRESS}/fields", where=["applicant=Volta"], most=2)
    fields = {one["field"]: one for one in found["fields"]}
    assert found["documents"] == 3
    assert {one["value"]: one["documents"] for one in fields["ipc"]["values"]} == {"H01M": 2, "F02M": 1}
    assert fields["applicant"]["distinct"] == 5
    assert "no metadata field 'nope'" in client.read(f"{ADDRESS}/fields", 422, where=["nope=1"])["detail"]


def test_filters_apply_before_ranking(client: Client) -> None:
    found = client.ask("search", text=QUERY, where=["applicant=Volta"], k=10)
    assert {hit["id"] for hit in found["hits"]} <= {"d03", "d04", "d12"}
    nothing = client.ask("search", text=QUERY, where=["date<1950-01-01"])
    assert nothing["hits"] == []
    assert "leaves none of the 12 documents" in nothing["nothing"]


def test_files_say_by_what_they_were_made(client: Client, shelf: Shelf) -> None:
    answer = client.post(f"{ADDRESS}/export", json={"text": QUERY})
    said = {name: answer.headers[f"kakehashi-{name}"] for name in ("system", "index", "models")}
    assert said == {"system": "psq", **shelf.take("toy").fingerprints}


@pytest.mark.parametrize("kind", ["csv", "xlsx", "ris", "html", "json"])
def test_export_is_what_the_library_writes(client: Client, shelf: Shelf, kind: str) -> None:
    answer = client.post(f"{ADDRESS}/export", json={"text": QUERY, "format": kind, "k": 3})
    assert answer.status_code == 200
    assert answer.headers["content-disposition"] == f'attachment; filename="hits.{kind}"'
    if kind != "xlsx":  # a workbook says when it was made
        from kakehashi.export.writing import FORMATS

        library: Library = shelf.take("toy").library
        assert answer.content == FORMATS[f".{kind}"](library.search(QUERY, 3).listing)


def test_a_query_of_the_collection_is_found_by_its_id(client: Client, shelf: Shelf) -> None:
    found = client.ask("search", id="j5")
    library = shelf.take("toy").library
    assert found["query"] == {"id": "j5", "lang": "ja", "guessed": False, "title": "燃料電池"}
    assert [hit["id"] for hit in found["hits"]] == [
        hit.id for hit in library.search(library.known_query("j5"))
    ]
    assert "neither a query nor a document" in client.ask("search", 404, id="j99")["detail"]


def test_a_document_finds_others_like_it_but_not_itself(client: Client) -> None:
    found = client.ask("search", id="d04")
    assert found["query"]["lang"] == "en"
    assert found["system"] == "bm25"
    assert "d04" not in [hit["id"] for hit in found["hits"]]
    assert found["hits"]


def test_language_is_guessed_and_can_be_corrected(client: Client) -> None:
    assert client.ask("search", text=QUERY)["query"] == {
        "id": "query",
        "lang": "ja",
        "guessed": True,
        "title": "",
    }
    english = client.ask("search", text="the electrode of a fuel cell")
    assert (english["query"]["lang"], english["system"]) == ("en", "bm25")
    assert client.ask("search", text="fuel cell", lang="ja")["query"]["guessed"] is False


def test_dates_are_asked_for_where_prior_art_needs_them(client: Client) -> None:
    assert "give one in 'before'" in client.ask("search", 422, text=QUERY, prior_art=True)["detail"]
    found = client.ask("search", id="j5", prior_art=True)  # dated by the collection
    assert found["prior_art"]["by"] == "date"
    assert all(hit["publication"] < "2007-05-05" for hit in found["hits"])


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, "one of the two"),
        ({"text": "a", "id": "j5"}, "one of the two"),
        ({"text": "  \n"}, "is empty"),
        ({"text": "a", "k": 101}, "at most 100 hits"),
        ({"text": "a", "k": 0}, "k: "),
        ({"text": "a", "settings": {"model": "../.."}}, "settings"),
        ({"text": "a", "system": "run"}, "there is no system 'run'"),
        ({"text": "a", "system": "dense"}, "kakehashi train dense toy"),
        ({"text": "a", "where": ["???"]}, "is not a condition"),
        ({"text": "a", "boolean": "(a"}, "without ')'"),
        ({"text": "a", "before": "2006-13-77"}, "not a date"),
        ({"text": "a", "before": "yesterday"}, "before: "),
        ({"text": "x" * 200_001}, "at most 200000"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_the_reason(
    client: Client, asked: dict[str, Any], said: str
) -> None:
    problem = client.ask("search", 422, **asked)
    assert said in problem["detail"]
    assert "/tmp" not in problem["detail"]


def test_nothing_but_json_objects_is_read(client: Client) -> None:
    for body in (b"", b"{", b"[]", b'"x"', b'{"text": "\\ud800"}', b"\xff\xfe", b"[" * 10_000):
        answer = client.post(f"{ADDRESS}/search", content=body, headers={"content-type": "application/json"})
        assert answer.status_code in (400, 422), body[:20]
        assert answer.headers["content-type"] == "application/problem+json"


def test_unknown_addresses_and_methods_are_problems(client: Client) -> None:
    client.check(client.get("/api/v1/nope"), 404)
    client.check(client.get("/api/v1/collections/nope"), 404)
    answer = client.get(f"{ADDRESS}/search")
    client.check(answer, 405)
    assert answer.headers["allow"] == "POST"


def test_the_description_names_every_address_and_the_shape_of_problems(client: Client) -> None:
    described = client.get("/openapi.json").json()
    paths = {
        path.removeprefix("/api/v1/collections").removeprefix("/{collection}") for path in described["paths"]
    }
    assert paths == {
        "", "/systems", "/fields", "/documents/{document}", "/search", "/explain", "/translations", "/export",
    }  # fmt: skip
    assert {"detail", "instance"} <= {*described["components"]["schemas"]["ProblemShape"]["properties"]}
    for path in described["paths"].values():
        for operation in path.values():
            assert operation["description"]
            assert "application/problem+json" in operation["responses"]["422"]["content"]
