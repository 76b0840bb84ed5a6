"""Filters: every kind of field, every operator, values that are missing."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from kakehashi.errors import InputError
from kakehashi.index.index import Index
from kakehashi.index.metadata import any_of, parse_condition, values
from kakehashi.types import Condition, Text
from tests.index.building import build, build_in_parts

FIELDS = {"ipc": "keyword", "claims": "number", "day": "date"}
METAS = {
    "a": {"ipc": ["H01M 4/00", "H02J 7/00"], "claims": 5, "day": "2003-02-01"},
    "b": {"ipc": "H01M 50/40", "claims": 3.5, "day": "2001-05-20"},
    "c": {"ipc": [], "claims": 12, "day": "2003-02-01"},
    "d": {"claims": -1},
    "e": {"ipc": "G02B*", "day": ""},
    "f": {},
    "g": {"ipc": None, "claims": None, "day": None},
    "h": {"ipc": [2003, "架け橋"], "claims": "many", "day": "0001-01-01"},
}
LANGS = {"a": "en", "b": "en-US", "c": "de"}


@pytest.fixture(scope="module", params=[1, 3], ids=["one segment", "three segments"])
def index(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Index:
    texts = [Text(id, LANGS.get(id, "fr"), "x", meta=meta) for id, meta in METAS.items()]
    parts = [texts[i :: request.param] for i in range(request.param)]
    return build_in_parts(tmp_path_factory.mktemp("meta"), parts, FIELDS)


def found(index: Index, *conditions: str) -> set[str]:
    chosen = set()
    for i, segment in enumerate(index.segments):
        mask = index.allowed(i, [parse_condition(condition) for condition in conditions])
        assert mask is not None
        chosen |= {segment.ids[n] for n in np.flatnonzero(mask).tolist()}
    return chosen


def test_a_bar_of_a_value_is_not_one_between_values() -> None:
    condition = parse_condition(any_of("name", ["a|b", "c"]))
    assert condition == Condition("name", "=", r"a\|b|c")


@pytest.mark.parametrize(
    ("condition", "ids"),
    [
        ("ipc=H01M 4/00", "a"),
        ("ipc=H01M*", "ab"),
        ("ipc=H*", "ab"),
        ("ipc=*", "abeh"),
        ("ipc=H01M", ""),
        ("ipc=h01m*", ""),
        ("ipc=2003", "h"),
        ("ipc=架*", "h"),
        ("ipc!=H01M*", "cdefgh"),
        ("ipc!=H02J 7/00", "bcdefgh"),
        ("ipc=", ""),
        ("ipc=H02J*|架け橋", "ah"),
        ("ipc = H01M 50/40 | G02B*", "be"),
        ("ipc!=H02J*|架け橋", "bcdefg"),
        (r"ipc=H02J*\|架け橋", ""),
        ("claims=5|12", "ac"),
        ("claims!=5|12", "bdefgh"),
        ("day=2001-05-20|0001-01-01", "bh"),
        ("lang=en", "a"),
        ("lang=en*", "ab"),
        ("lang!=fr", "abc"),
    ],
)
def test_keywords_match_whole_or_by_prefix(index: Index, condition: str, ids: str) -> None:
    assert found(index, condition) == set(ids)


OPERATORS: dict[str, Callable[[object, object], bool]] = {
    "=": lambda a, b: a == b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


@pytest.mark.parametrize("operator", [*OPERATORS, "!="])
@pytest.mark.parametrize("value", ["5", "3.5", "-1", "4", "1e3", " 12 "])
def test_numbers_compare_and_missing_ones_never_match(index: Index, operator: str, value: str) -> None:
    present = {
        id: meta["claims"] for id, meta in METAS.items() if isinstance(meta.get("claims"), int | float)
    }
    if operator == "!=":
        expected = {id for id in METAS if id not in present or present[id] != float(value)}
    else:
        expected = {id for id, number in present.items() if OPERATORS[operator](number, float(value))}
    assert found(index, f"claims{operator}{value}") == expected


@pytest.mark.parametrize("operator", [*OPERATORS, "!="])
@pytest.mark.parametrize("value", ["2003-02-01", "2001-05-20", "1999-12-31", "9999-12-31", "0001-01-01"])
def test_dates_compare_and_missing_ones_never_match(index: Index, operator: str, value: str) -> None:
    present = {id: date.fromisoformat(str(meta["day"])) for id, meta in METAS.items() if meta.get("day")}
    wanted = date.fromisoformat(value)
    if operator == "!=":
        expected = {id for id in METAS if id not in present or present[id] != wanted}
    else:
        expected = {id for id, day in present.items() if OPERATORS[operator](day, wanted)}
    assert found(index, f"day{operator}{value}") == expected


def test_all_conditions_must_hold(index: Index) -> None:
    assert found(index, "ipc=H01M*", "claims>4") == {"a"}
    assert found(index, "day>=2001-01-01", "day<2003-01-01") == {"b"}
    assert found(index, "ipc=H*", "ipc!=H*") == set()


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("ipc=A01B 33/08", ("ipc", "=", "A01B 33/08")),
        (" ipc = a=b ", ("ipc", "=", "a=b")),
        ("day<=2006-01-01", ("day", "<=", "2006-01-01")),
        ("x.y-z!=*", ("x.y-z", "!=", "*")),
    ],
)
def test_conditions_are_read_as_written(text: str, condition: tuple[str, str, str]) -> None:
    assert parse_condition(text) == Condition(*condition)


@pytest.mark.parametrize("text", ["", "ipc", "=x", "a b=c", "<2006"])
def test_what_is_no_condition_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is not a condition: write field=value"):
        parse_condition(text)


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("color=red", "no metadata field 'color': this index has claims, day, ipc, lang"),
        ("ipc<H", "ipc is a keyword, use = or !="),
        ("claims=many", "'many' is not a number"),
        ("day<2006", "day: '2006' is not a date: write it as 2006-12-31"),
        ("day<2006-13-01", "day: '2006-13-01' is not a date"),
    ],
)
def test_condition_that_makes_no_sense_is_refused(index: Index, condition: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        found(index, condition)


def test_values_read_as_a_person_writes_them(index: Index) -> None:
    def of(id: str, field: str) -> list[str]:
        segment, number = index.place(id) or (-1, -1)
        return values(index.segments[segment].artifact, FIELDS, field, number)

    assert of("a", "ipc") == ["H01M 4/00", "H02J 7/00"]
    assert (of("a", "claims"), of("b", "claims"), of("f", "claims")) == (["5"], ["3.5"], [])
    assert (of("a", "day"), of("f", "day"), of("h", "day")) == (["2003-02-01"], [], ["0001-01-01"])
    assert of("b", "lang") == ["en-US"]


def test_bad_date_of_a_document_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="day: '2006' is not a date"):
        build(tmp_path, [Text("a", "en", "x", meta={"day": "2006"})], FIELDS)


def test_fields_that_are_not_declared_are_not_filtered_on(tmp_path: Path) -> None:
    index = build(tmp_path, [Text("a", "en", "x", meta={"color": "red"})])
    with pytest.raises(InputError, match="this index has lang"):
        found(index, "color=red")


def test_number_beyond_all_bounds_is_infinite(tmp_path: Path) -> None:
    metas = {"a": 10**400, "b": -(10**400), "c": 7}
    index = build(tmp_path, [Text(id, "en", "x", meta={"claims": n}) for id, n in metas.items()], FIELDS)
    assert (found(index, "claims>1e300"), found(index, "claims<0")) == ({"a"}, {"b"})
    artifact = index.segments[0].artifact
    assert [values(artifact, FIELDS, "claims", i) for i in range(3)] == [["7"], ["-inf"], ["inf"]]
