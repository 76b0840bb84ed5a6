from itertools import product

from kakehashi.corpus.debian import references
from kakehashi.corpus.debian.references import References, relation_groups


def gathered(relations: dict[str, dict[str, str]]) -> References:
    """References where every source has one binary of its own name."""
    found = References()
    names = {name: name for name in relations}
    for name, fields in relations.items():
        found.add(name, fields, names)
    return found


def test_relations_are_read_without_versions_and_architectures() -> None:
    value = "lamp (>= 1.0), wick:any | candle (<< 2) [amd64], , ${misc}, libglow++"
    assert relation_groups(value) == [["lamp"], ["wick", "candle"], ["libglow++"]]


def test_mutual_references_enhances_and_alternatives_are_level_two() -> None:
    found = gathered(
        {
            "lamp": {"Depends": "wick", "Suggests": "oil"},
            "wick": {"Recommends": "lamp"},
            "oil": {},
            "shade": {"Enhances": "lamp", "Pre-Depends": "oil | wax"},
            "wax": {},
        }
    )
    levels = {
        (one, other): found.level(one, other)
        for one, other in product(["lamp", "wick", "oil", "shade", "wax"], repeat=2)
        if other in found.telling(["lamp", "wick", "oil", "shade", "wax"])[one]
    }
    assert levels == {
        ("lamp", "wick"): 2,
        ("wick", "lamp"): 2,
        ("lamp", "oil"): 1,
        ("shade", "lamp"): 2,
        ("shade", "oil"): 1,
        ("shade", "wax"): 1,
        ("oil", "wax"): 2,
        ("wax", "oil"): 2,
    }


def test_a_reference_returned_only_as_an_alternative_is_not_mutual() -> None:
    found = gathered({"lamp": {"Depends": "wick"}, "wick": {}, "x": {"Depends": "lamp | wick"}})
    assert found.level("lamp", "wick") == 2  # they are alternatives
    assert found.out["wick"]["lamp"] == {"alternative"}


def test_binaries_of_one_source_and_virtual_packages_are_no_references() -> None:
    found = References()
    sources = {"lamp": "lamp", "lamp-data": "lamp", "wick": "wick"}
    found.add("lamp", {"Depends": "lamp-data, light-source, wick"}, sources)
    assert {name: dict(targets) for name, targets in found.out.items()} == {"lamp": {"wick": {"depends"}}}


def test_targets_that_everybody_refers_to_are_dropped() -> None:
    limit = references.MOST_REFERRERS
    users = {f"user{n}": {"Depends": "common" + (", rare" if n < limit else "")} for n in range(limit + 1)}
    telling = gathered({"common": {}, "rare": {}, **users}).telling(["common", "rare", *users])
    assert telling["user0"] == {"rare": {"depends"}}


def test_targets_without_text_are_dropped() -> None:
    found = gathered({"lamp": {"Depends": "wick"}, "wick": {}})
    assert found.telling(["lamp"]) == {"lamp": {}}
