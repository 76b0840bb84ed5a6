import hashlib
from itertools import combinations, pairwise

from kakehashi.corpus.debian.packages_index import read_binaries, read_translations, version_key

INDEX = b"""Package: lamp-bin
Source: lamp (1.0)
Version: 1.0-1
Maintainer: "Lamp Team" <lamp@example.org>
Section: contrib/light
Depends: wick (>= 2)
Description: small lamp
Description-md5: abc
Tag: use::light, role::program,
 role::TODO, special

Package: nothing
Version: 1
"""


def test_a_binary_knows_its_source_and_its_classes() -> None:
    found = read_binaries([[INDEX]])
    assert list(found) == ["lamp-bin"]
    lamp = found["lamp-bin"]
    assert (lamp.source, lamp.maintainer, lamp.section, lamp.md5) == ("lamp", "Lamp Team", "light", "abc")
    assert lamp.tags == ("role::program", "use::light")
    assert lamp.relations == {"Depends": "wick (>= 2)"}


def test_the_newest_version_of_several_indices_counts() -> None:
    newer = INDEX.replace(b"1.0-1", b"1.0-1+u1").replace(b"small", b"safe")
    for order in ([[newer], [INDEX]], [[INDEX], [newer]]):
        assert read_binaries(order)["lamp-bin"].description == "safe lamp"


def test_a_whole_description_in_the_index_gives_its_own_md5() -> None:
    found = read_binaries([[b"Package: lamp\nVersion: 1\nDescription: lamp\n It shines.\n"]])
    assert found["lamp"].md5 == hashlib.md5(b"lamp\n It shines.\n").hexdigest()


def test_translations_are_found_by_md5() -> None:
    lamp = "Package: lamp\nDescription-md5: abc\nDescription-de: Lampe\n Licht.\n"
    text = f"{lamp}\nPackage: x\nDescription-md5: d\n"
    assert read_translations([[text.encode()]], "de") == {"abc": "Lampe\n Licht."}
    assert read_translations([[text.encode()]], "fr") == {}


def test_versions_sort_as_debian_policy_says() -> None:
    ordered = [
        "1.0~~",
        "1.0~~a",
        "1.0~",
        "1.0",
        "1.0-1",
        "1.0-1+b1",
        "1.0a",
        "1.0+dfsg",
        "1.0.1",
        "1.9",
        "1.10",
        "1:0.1",
    ]
    for one, other in pairwise(ordered):
        assert version_key(one) < version_key(other), (one, other)
    for one, other in combinations(ordered, 2):
        assert version_key(one) < version_key(other), (one, other)
    assert version_key("1.0") == version_key("0:1.0-0")
