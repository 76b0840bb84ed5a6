from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kakehashi.features.classes import folded
from kakehashi.features.geography import Names, country, places, state
from kakehashi.features.place_names import CITIES, COUNTRIES, JAPANESE, STATES, WORDS


def is_near(one: str, other: str, shortest: int = 1) -> bool:
    return bool(Names([other], shortest).near(one))


def same_place(one: str, other: str) -> bool:
    return any(is_near(a, b) for a in places(one) for b in places(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Kyoto", "Kyoto-shi"),
        ("Kyoto", "KYOTO CITY"),
        ("Munich", "München"),
        ("Munich", "Münich"),
        ("Muenchen", "Munchen"),
        ("Setagaya", "Kaminoge, Setagaya-ku, Tokyo"),
        ("Ann Arbor", "Ann-Abor"),
        ("Yokohama-shi", "Yokohma"),
        ("D-80331 München", "Munich 80331"),
        ("Frankfurt am Main", "Frankfurt/Main"),
        ("St. Louis", "Saint Louis"),
        ("W. Lafayette", "West Lafayette"),
        ("Yokohama-shi, Kanagawa", "神奈川県, 横浜市"),
        ("Tokyo-to", "東京都, 新宿区"),
    ],
)
def test_spellings_of_one_place_match(one: str, other: str) -> None:
    assert same_place(one, other)
    assert same_place(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Kyoto", "Osaka"),
        ("Tokyo", "Kyoto"),
        ("Berlin", "Bern"),
        ("", "Bonn"),
        ("京都市", "東京都"),
        ("Im Thurn", "Thurn"),  # a name that only begins like what stands behind others
    ],
)
def test_other_places_do_not_match(one: str, other: str) -> None:
    assert not same_place(one, other)


@pytest.mark.parametrize(("name", "place"), [*CITIES.items(), *JAPANESE.items()])
def test_correction_joins_what_letters_do_not(name: str, place: str) -> None:
    assert places(name.upper()) == places(place) == (place,)
    assert not is_near(name, place)


@pytest.mark.parametrize(("short", "word"), WORDS.items())
def test_short_form_of_a_word_is_written_out(short: str, word: str) -> None:
    assert places(f"{short}. Neverland") == places(f"{word} neverland") == (f"{word} neverland",)
    assert not is_near(f"{short} x", f"{word} x")


def test_former_states_and_other_codes_are_the_present_ones() -> None:
    assert {code: country(code.lower()) for code in COUNTRIES} == {
        old: (new,) for old, new in COUNTRIES.items()
    }
    assert not COUNTRIES.keys() & set(COUNTRIES.values())
    assert country("JP") == ("JP",)


def test_states_have_codes_whether_named_or_not() -> None:
    assert {name: state(f" {name.title()}.") for name in STATES} == {
        name: (code,) for name, code in STATES.items()
    }
    codes = set(STATES.values())
    assert len(codes) == 50 + 4  # the District of Columbia, Puerto Rico, the Virgin Islands and Guam
    assert all(state(code) == (code,) for code in codes)
    assert state("NSW") == ("NSW",)


def test_field_with_several_places_has_several_entries() -> None:
    assert list(places("Kaminoge, Setagaya-ku, Tokyo")) == ["kaminoge", "setagaya", "tokyo"]
    assert list(places("City")) == ["city"]  # nothing else is left of it
    assert list(places(" , ")) == []


def test_two_edits_are_few_in_ten_letters_and_many_in_nine() -> None:
    assert is_near("abcdefghij", "abcdefghijkl")  # 10 and 12 letters
    assert not is_near("abcdefghi", "abcdefghijk")


def test_short_names_may_be_asked_to_be_equal() -> None:
    assert is_near("Ulm", "Ulx")
    assert not is_near("Ulm", "Ulx", shortest=4)
    assert is_near("Ulm", "Ulm", shortest=4)


def edits(one: str, other: str) -> int:
    @cache
    def rest(i: int, j: int) -> int:
        if i == len(one) or j == len(other):
            return len(one) - i + len(other) - j
        return min(rest(i + 1, j) + 1, rest(i, j + 1) + 1, rest(i + 1, j + 1) + (one[i] != other[j]))

    return rest(0, 0)


names = st.text("abcüß架", min_size=1, max_size=12)


@given(names, st.lists(names, max_size=8))
def test_near_names_are_those_of_few_edits(name: str, others: list[str]) -> None:
    expected = []
    for number, other in enumerate(others):
        distance, shorter = edits(name, other), min(len(name), len(other))
        if distance <= 1 or distance / shorter <= 0.2 + 1e-9:
            expected.append(number)
    assert Names(others).near(name) == expected


def test_folding_takes_case_accents_and_marks_off() -> None:
    assert folded("  Société  GÉNÉRALE-Straße, 1 ") == "societe generale strasse 1"
