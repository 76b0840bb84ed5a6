"""The patent features against a plain reading of their definitions, document by document."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kakehashi.errors import InputError
from kakehashi.features.classes import firm
from kakehashi.features.geography import Names, places
from kakehashi.features.sets import PATENTS, features_of, made_for
from kakehashi.features.table import FeatureTable
from kakehashi.index.index import Index
from kakehashi.types import Text
from tests.index.building import build, build_in_parts, dealt, holdings_of

FIELDS = {
    **dict.fromkeys(["ipc", "inventors", "applicants", "independent", "country", "state", "city"], "keyword"),
    "claims": "number",
}
NAMES = [
    "ipc3", "inventor", "assignee", "independent", "claims 0", "claims 1-5", "claims 6-10", "claims 11+",
    "ipc1 0", "ipc1 1", "ipc1 2", "ipc1 3+", "ipc2 0", "ipc2 1", "ipc2 2", "ipc2 3+", "country", "state", "city",
]  # fmt: skip
CITIES = [
    "Kyoto",
    "KYOTO-SHI",
    "Kyotoo",
    "Kobe",
    "Munich",
    "München",
    "Kaminoge, Setagaya-ku, Tokyo",
    "Tokyo",
]


def some_patents(n: int, seed: int, places_known: bool) -> list[Text]:
    rng = np.random.default_rng(seed)

    def some(values: list[str], most: int) -> list[str]:
        return [str(value) for value in rng.choice(values, rng.integers(most + 1), replace=False)]

    codes = [
        f"{section}{number:02}{letter} {group}/00"
        for section in "ABCD"
        for number in (1, 2)
        for letter in "BC"
        for group in (1, 7)
    ]
    people = [f"Surname{i}, First" for i in range(12)]
    firms = ["Works", "WORKS CO., LTD.", "Laboratory Inc.", "laboratory", "Kogyo"]
    patents = []
    for i in range(n):
        meta: dict[str, Any] = {
            "ipc": some(codes, 6),
            "inventors": some(people, 3),
            "applicants": some(firms, 2),
        }
        meta["independent"] = bool(rng.integers(2))
        if rng.random() < 0.8:
            meta["claims"] = int(rng.integers(15))
        if places_known and rng.random() < 0.7:
            meta |= {
                "country": some(["US", "JP"], 1),
                "state": some(["CA", "NY"], 1),
                "city": some(CITIES, 2),
            }
        patents.append(Text(f"p{i}", "en", "words", meta=meta))
    return patents


def prefixes(text: Text, n: int) -> set[str]:
    return {code.replace(" ", "")[:n] for code in text.meta.get("ipc", ())}


def addresses(query: Text, field: str, documents: list[Text]) -> set[str]:
    """Those of the query's inventors in any document, since the query names none."""
    people = set(query.meta["inventors"])
    return {
        place for doc in documents if people & {*doc.meta["inventors"]} for place in doc.meta.get(field, ())
    }


def by_definition(query: Text, doc: Text, documents: list[Text]) -> list[float]:
    one, other = query.meta, doc.meta

    def claims(low: int, high: float) -> bool:
        return all(low <= meta.get("claims", -1) <= high for meta in (one, other))

    def common(n: int, low: int, high: float) -> bool:
        return low <= len(prefixes(query, n) & prefixes(doc, n)) <= high

    def assignees(meta: Any) -> set[str]:
        return {firm(name)[0] for name in meta["applicants"]}

    cities = {part for city in addresses(query, "city", documents) for part in places(city)}
    own_cities = {part for city in other.get("city", ()) for part in places(city)}
    buckets = [(0, 0), (1, 5), (6, 10), (11, np.inf)]
    counts = [(0, 0), (1, 1), (2, 2), (3, np.inf)]
    flags = [
        bool(prefixes(query, 4) & prefixes(doc, 4)),
        bool({*one["inventors"]} & {*other["inventors"]}),
        bool(assignees(one)) and assignees(one) == assignees(other),
        one["independent"] == other["independent"],
        *(claims(*bucket) for bucket in buckets),
        *(common(1, *count) for count in counts),
        *(common(3, *count) for count in counts),
        bool(addresses(query, "country", documents) & {*other.get("country", ())}),
        bool(addresses(query, "state", documents) & {*other.get("state", ())}),
        any(Names([b]).near(a) for a in cities for b in own_cities),
    ]
    return [float(flag) for flag in flags]


@pytest.fixture(scope="module")
def documents() -> list[Text]:
    return some_patents(80, 1, places_known=True)


def table_of(index: Index, documents: list[Text]) -> FeatureTable:
    return FeatureTable(holdings_of(index), PATENTS, np.zeros(len(documents)))


def test_independent_patents_can_be_asked_to_be_both(documents: list[Text], tmp_path: Path) -> None:
    """The paper's formula compares flags, so two that are not independent agree; its words say both are."""
    index = build(tmp_path / "index", documents, FIELDS)
    for name in ("patents", "patents-both"):
        kinds = features_of(name, holdings_of(index)).kinds
        table = FeatureTable(holdings_of(index), kinds, np.zeros(len(documents)))
        row = [name for kind in kinds for name in kind.names].index("independent")
        for query in documents[:10]:
            for doc, found in zip(index.numbering.ids, table.rows(query)[0][row].tolist(), strict=True):
                flags = (
                    query.meta["independent"],
                    next(d for d in documents if d.id == doc).meta["independent"],
                )
                assert found == float(all(flags) if name == "patents-both" else flags[0] == flags[1])


def test_nineteen_features_are_what_their_definitions_say(documents: list[Text], tmp_path: Path) -> None:
    index = build(tmp_path / "index", documents, FIELDS)
    table = table_of(index, documents)
    assert table.names == NAMES
    ids = [doc for segment in index.segments for doc in segment.ids]
    by_id = {doc.id: doc for doc in documents}
    for query in some_patents(20, 2, places_known=False):
        rows, common = table.rows(query)
        expected = np.array([by_definition(query, by_id[doc], documents) for doc in ids]).T
        np.testing.assert_array_equal(rows, expected)
        assert common
        claims, ipc1, ipc2 = rows[4:8], rows[8:12], rows[12:16]
        assert (claims.sum(axis=0) <= 1).all()
        assert (ipc1.sum(axis=0) == 1).all()
        assert (ipc2.sum(axis=0) == 1).all()


def test_features_do_not_depend_on_segments(documents: list[Text], tmp_path: Path) -> None:
    one = build(tmp_path / "one", documents, FIELDS)
    four = build_in_parts(tmp_path / "four", dealt(documents, 4), FIELDS)
    places = {
        doc: number for number, doc in enumerate(doc for segment in one.segments for doc in segment.ids)
    }
    order = [places[doc] for segment in four.segments for doc in segment.ids]
    for query in some_patents(5, 3, places_known=False):
        whole, dealt_out = (table_of(index, documents).rows(query)[0] for index in (one, four))
        np.testing.assert_array_equal(dealt_out, whole[:, order])


def test_query_without_metadata_has_nothing_in_common(documents: list[Text], tmp_path: Path) -> None:
    table = table_of(build(tmp_path / "index", documents, FIELDS), documents)
    rows, common = table.rows(Text("q", "de", "words"))
    assert not common
    assert {name for name, row in zip(table.names, rows, strict=True) if row.any()} == {"ipc1 0", "ipc2 0"}


def test_missing_field_is_named_with_the_fix(documents: list[Text], tmp_path: Path) -> None:
    index = build(tmp_path / "index", documents, {"ipc": "keyword"})
    with pytest.raises(
        InputError, match=r"features need a field 'inventors' of kind keyword.*collection.toml"
    ):
        table_of(index, documents)


def test_set_leaves_out_what_compares_undeclared_fields_and_says_so(
    documents: list[Text], tmp_path: Path
) -> None:
    index = build(tmp_path / "index", documents, {"ipc": "keyword", "city": "keyword", "claims": "number"})
    features = features_of("patents", holdings_of(index))
    names = [name for kind in features.kinds for name in kind.names]
    assert {name.split()[0] for name in names} == {"ipc3", "claims", "ipc1", "ipc2", "city"}
    assert "leaves out inventors: the collection declares no such field" in features.told
    # the city of a query is not looked up through people
    FeatureTable(holdings_of(index), features.kinds, np.zeros(len(documents)))


def test_set_is_chosen_by_the_fields_there_are(documents: list[Text], tmp_path: Path) -> None:
    index = build(tmp_path / "index", documents, FIELDS)
    assert made_for(index.fields) == "patents"
    assert made_for(build(tmp_path / "other", documents).fields) == "any"
    with pytest.raises(InputError, match="there is no feature set 'pets': choose one of patents"):
        features_of("pets", holdings_of(index))


def test_brief_records_have_a_set_without_people(tmp_path: Path) -> None:
    """Worked out by hand: of 4 documents two have A01B 1/00, so it weighs ln 2, and B02C 3/00 ln 4."""
    one, both = {"ipc": ["A01B 1/00"], "cpc": ["G06F 1/00"]}, {"ipc": ["A01B 1/00", "B02C 3/00"]}
    documents = [
        Text("a", "en", "x", "", {**one, "applicants": ["WORKS CO., LTD."]}),
        Text("b", "en", "x", "", both),
        Text("c", "en", "x", "", {"ipc": ["A01B 7/00"], "applicants": ["Works", "Other"]}),
        Text("d", "en", "x", "", {}),
    ]
    index = build(tmp_path / "index", documents, dict.fromkeys(["ipc", "cpc", "applicants"], "keyword"))
    assert made_for(index.fields) == "patents-brief"
    kinds = features_of("patents-brief", holdings_of(index)).kinds
    ids = [doc for segment in index.segments for doc in segment.ids]
    table = FeatureTable(holdings_of(index), kinds, np.array([float(doc == "d") for doc in ids]))
    query = Text("q", "en", "x", "", {**both, "cpc": ["G06F 1/00"], "applicants": ["works inc"]})
    found = dict(zip(table.names, table.rows(query)[0], strict=True))
    rare, common = np.log(4), np.log(2)
    long = np.hypot(rare, common)
    expected = {
        "ipc3": [1, 1, 1, 0],
        "assignee": [1, 0, 0, 0],
        "ipc1 1": [1, 0, 1, 0],
        "ipc1 2": [0, 1, 0, 0],
        "ipc2 0": [0, 0, 0, 1],
        "ipc cosine": [common / long, 1, 0, 0],
        "cpc cosine": [1, 0, 0, 0],
        "citations received": [0, 0, 0, np.log(2)],
    }
    for feature, values in expected.items():
        in_order = [values["abcd".index(doc)] for doc in ids]
        np.testing.assert_allclose(found[feature], in_order, rtol=1e-6, err_msg=feature)


def test_places_are_common_across_languages_and_times(tmp_path: Path) -> None:
    here = {"country": ["RU"], "state": ["CA"], "city": ["Kawasaki-shi, Kanagawa"]}
    there = {"country": ["JP"], "state": ["NY"], "city": ["Osaka"]}
    documents = [Text("a", "en", "words", "", here), Text("b", "en", "words", "", there)]
    index = build(tmp_path / "index", documents, FIELDS)
    asked = {"country": ["SU"], "state": ["California"], "city": ["神奈川県, 横浜市"]}
    rows, _ = table_of(index, documents).rows(Text("q", "ja", "words", "", asked))
    ids = [doc for segment in index.segments for doc in segment.ids]
    assert rows[-3:].tolist() == [[float(doc == "a") for doc in ids]] * 3
