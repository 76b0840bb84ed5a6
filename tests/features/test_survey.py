"""`features=auto` on collections with fields of any name: what is compared, what is left out, and why."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kakehashi.corpus.splits import Split
from kakehashi.errors import InputError
from kakehashi.features.classes import CodeParts, Graph, PathParts, plain
from kakehashi.features.forms import are_codes, separator_of, spelling_of
from kakehashi.features.kind import Known
from kakehashi.features.sets import general_set
from kakehashi.features.survey import FieldUse, Survey, survey
from kakehashi.index.index import Index
from kakehashi.learn.linear import combine
from kakehashi.types import Scope, Text
from tests.index.building import add, build

N = 60
FIELDS = {
    "classes": "keyword", "topics": "keyword", "people": "keyword", "owner": "keyword", "town": "keyword",
    "family": "keyword", "address": "keyword", "same": "keyword", "number": "keyword", "summary": "keyword",
    "pages": "number", "filed": "date", "unasked": "number", "constant": "number", "elsewhere": "keyword",
    "unheard": "keyword",
}  # fmt: skip
GRAPH = Graph([(f"use::t{n}", "use") for n in range(8)])
PEOPLE = ["Ada Byron", "Émile Borel", "Max Born", "Lise Meitner", "Kurt Gödel", "Emmy Noether", "Ann Oak"]
SECTIONS = ["A01B", "A61K", "B02C", "C07D", "H04L"]


def meta_of(n: int, twin: int = -1) -> dict[str, Any]:
    """Of document n, or of a query that is the translation of one."""
    is_query = twin >= 0
    made: dict[str, Any] = {
        "classes": [f"{SECTIONS[n % 5]} {n % 3 + 1}/{n % 4 + 10}", f"{SECTIONS[n % 4]} 7/00"],
        "topics": [f"{'use' if n % 2 else 'role'}::t{n % 8}"],
        "people": [PEOPLE[n % 7].upper() if is_query else PEOPLE[n % 7]],
        "owner": f"Works {n % 9} {'GmbH' if is_query else 'Co., Ltd.'}",
        "family": f"F{1000 + (twin if is_query else n)}",
        "address": f"https://example.org/{n}",
        "same": "yes",
        "number": f"D{5000 + n}",
        "summary": f"this is what the text number {n} says about all kinds of things",
        "pages": n % 10 + 1,
        "filed": f"20{n % 20:02d}-05-01",
        "constant": 7,
        "elsewhere": "JP" if is_query else ["US", "DE"][n % 2],
    }
    return made | ({"unheard": ["x"]} if is_query else {"town": ["Ulm", "Bonn", "Jena"][n % 3], "unasked": n})


DOCUMENTS = [Text(f"d{n}", "en", f"text {n}", meta=meta_of(n)) for n in range(N)]
QUERIES = [Text(f"q{n}", "de", f"text {n}", meta=meta_of(n + 1, twin=n)) for n in range(20)]
QRELS = {f"q{n}": {f"d{n}": 3, f"d{n + 20}": 1} for n in range(20)}


def split(queries: Sequence[Text] = QUERIES) -> Split:
    return Split("dev", list(queries), QRELS, Scope(), 3)


def renamed(texts: Sequence[Text], names: Mapping[str, str]) -> list[Text]:
    return [
        Text(text.id, text.lang, text.text, meta={names[field]: value for field, value in text.meta.items()})
        for text in texts
    ]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return build(tmp_path_factory.mktemp("survey") / "index", DOCUMENTS, FIELDS)


@pytest.fixture(scope="module")
def found(index: Index) -> Survey:
    return survey(index, GRAPH, split())


def use_of(found: Survey, field: str) -> FieldUse:
    return next(use for use in found.uses if use.field == field)


def rows_of(index: Index, uses: Sequence[FieldUse], query: Text) -> dict[str, bytes]:
    """What each document gets, to the bit."""
    known, kinds = Known(index, GRAPH, np.zeros(len(index.numbering))), general_set(uses).kinds
    rows = [np.zeros((len(kind.names), known.n_docs), np.float32) for kind in kinds]
    for kind, out in zip(kinds, rows, strict=True):
        kind.bind(known)(query, out)
    whole = np.concatenate(rows)
    live = np.flatnonzero(index.numbering.live).tolist()
    return {index.numbering.id(n): whole[:, n].tobytes() for n in live}


def test_every_usable_field_is_compared_as_its_values_look(found: Survey) -> None:
    assert [use.field for use in found.uses] == [
        "classes", "topics", "people", "owner", "pages", "filed",
    ]  # fmt: skip
    assert use_of(found, "classes").form == "codes"
    assert 1 in use_of(found, "classes").levels
    assert (use_of(found, "topics").form, use_of(found, "topics").separator) == ("paths", "::")
    assert use_of(found, "topics").steps == (-1, 1)
    assert [use_of(found, field).spelling for field in ("people", "owner")] == ["names", "firms"]
    assert use_of(found, "pages").is_ratio


def test_fields_left_out_say_why(found: Survey) -> None:
    assert found.left_out == {
        "town": "no query has it",
        "family": "it names the query's own translation",
        "address": "its values are web addresses",
        "same": "all documents have the same value",
        "number": "every document has its own value",
        "summary": "its values are free text",
        "unasked": "no query has it",
        "constant": "all documents have the same value",
        "elsewhere": "no query shares a value with a document",
        "unheard": "no document has it",
    }


def test_invented_field_names_get_the_same_features(tmp_path: Path, index: Index, found: Survey) -> None:
    names = {field: f"zz{len(FIELDS) - n:02d}" for n, field in enumerate(FIELDS)}
    other = build(
        tmp_path / "index", renamed(DOCUMENTS, names), {names[field]: kind for field, kind in FIELDS.items()}
    )
    queries = renamed(QUERIES, names)
    theirs = survey(other, GRAPH, split(queries))
    assert [use.field for use in theirs.uses] == [names[use.field] for use in found.uses]
    assert [use.told for use in theirs.uses] == [use.told for use in found.uses]
    assert {names[field]: reason for field, reason in found.left_out.items()} == theirs.left_out
    for ours, query in zip(QUERIES, queries, strict=True):
        assert rows_of(index, found.uses, ours) == rows_of(other, theirs.uses, query)


def test_history_of_updates_changes_nothing(tmp_path: Path, index: Index, found: Survey) -> None:
    folder = tmp_path / "index"
    gone = [Text(doc.id, "en", "old", meta=meta_of(n + 31)) for n, doc in enumerate(DOCUMENTS)]
    for part in (gone[:40], DOCUMENTS[30:], DOCUMENTS[:30]):
        add(folder, part, FIELDS)
    updated = Index(folder)
    assert len(updated.segments) > 1
    theirs = survey(updated, GRAPH, split())
    assert (theirs.uses, theirs.left_out) == (found.uses, found.left_out)
    for query in QUERIES[:5]:
        assert rows_of(updated, theirs.uses, query) == rows_of(index, found.uses, query)


def test_weighted_sum_is_that_of_the_rows(index: Index, found: Survey) -> None:
    known = Known(index, GRAPH, np.zeros(N))
    rng = np.random.default_rng(3)
    for kind in general_set(found.uses).kinds:
        bound, weights = kind.bind(known), rng.standard_normal(len(kind.names))
        for query in [*QUERIES, Text("bare", "de", "")]:
            rows, sums = np.zeros((len(kind.names), N), np.float32), np.zeros(N)
            assert bound.add(query, weights, sums) == bound(query, rows)
            assert sums == pytest.approx(combine(weights, rows), abs=1e-5), kind.names
            some = np.array([0, 7, N - 1])
            few = np.zeros((len(kind.names), 3), np.float32)
            bound.fill(query, some, few)
            assert few.tobytes() == np.ascontiguousarray(rows[:, some]).tobytes()


def test_fields_can_be_chosen(index: Index) -> None:
    assert [use.field for use in survey(index, GRAPH, split(), ["people", "pages"]).uses] == [
        "people",
        "pages",
    ]
    with pytest.raises(InputError, match="the index has no field 'colour': choose from classes, topics"):
        survey(index, GRAPH, split(), ["colour"])


def test_a_hundred_thousand_values_are_no_trouble(tmp_path: Path) -> None:
    documents = [
        Text(
            f"d{n}",
            "en",
            "x",
            meta={"codes": [f"{'ABCDEFGH'[n % 8]}{n % 50:02d}X {n}/00"], "tags": [f"t{n // 2}"]},
        )
        for n in range(100_000)
    ]
    index = build(tmp_path / "index", documents, {"codes": "keyword", "tags": "keyword"})
    queries = [Text("q", "de", "x", meta=documents[5].meta), Text("r", "de", "x", meta=documents[8].meta)]
    asked = Split("dev", queries, {"q": {"d5": 1}, "r": {"d8": 1}}, Scope(), None)
    found = survey(index, Graph(()), asked)
    assert [use.field for use in found.uses] == ["tags"]
    assert found.left_out == {"codes": "every document has its own value"}


@pytest.mark.parametrize(
    ("values", "form"),
    [
        ([f"{c}{n:02d}B {n}/08" for c in "ABC" for n in range(9)], "codes"),
        ([f"{c}0{n % 3}.{n:03d}.2" for c in "CD" for n in range(9)], "codes"),
        ([f"use::x{n}" for n in range(9)] + [f"role::x{n}" for n in range(9)] + ["special"], "::"),
        ([f"a/b{n % 3}/c{n}" for n in range(9)] + [f"d/e{n}" for n in range(9)], "/"),
        ([f"cs.x{n}" for n in range(9)] + [f"math.x{n}" for n in range(9)], "."),
        ([f"Top {t} > Middle > Page {n}" for t in range(3) for n in range(9)], " > "),
        (["Dr. A. Smith", "Works Co., Ltd.", "B. Jones"], ""),
        (["games", "contrib/games", "net", "utils", "fonts", "non-free/net"], ""),
        (["C++", "C#", "Ada", "Lisp"], ""),
    ],
)  # fmt: skip
def test_hierarchies_are_recognised_by_their_values(values: list[str], form: str) -> None:
    assert ("codes" if are_codes(values) else separator_of(values)) == form


def test_a_few_odd_values_do_not_hide_codes_and_names() -> None:
    codes = [f"{c}{n:02d}B {n}/08" for c in "ABC" for n in range(20)]
    assert are_codes([*codes, "unknown", "see remarks", "-"])
    assert spelling_of([*PEOPLE * 5, "R2-D2"]) == "names"
    assert spelling_of(["Works Ltd", *(f"Team {n}" for n in range(5))]) == "firms"
    assert spelling_of(["US", "DE", "SU"]) == "countries"
    assert spelling_of(["C++", "c", "lisp"]) == ""


def test_codes_and_paths_are_cut_between_their_parts() -> None:
    assert [CodeParts(n)("A01B 33/08")[0] for n in (1, 2, 3, 9)] == ["A", "A/01", "A/01/B", "A/01/B/33/08"]
    assert CodeParts(9)("A01B33/08") == CodeParts(9)("A01B 33/08")
    assert [PathParts("::", n)("Use::Éditing")[0] for n in (1, 2)] == ["use", "use::editing"]
    assert plain("C++") != plain("C#")
    assert plain("Théâtre") == plain("THEATRE")
