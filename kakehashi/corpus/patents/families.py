"""Which publications belong to one family, and which publication a citation means; judges nothing."""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping

import msgspec

from kakehashi.corpus.citations import families_by_priority
from kakehashi.corpus.patents.applications import possible_keys, roots
from kakehashi.corpus.patents.record import PatentRecord

STAGES = frozenset("ABC")  # an application and the patents granted on it; other letters are other rights


class Kin(msgspec.Struct, frozen=True):
    """What a record says about its family."""

    family: str
    priorities: tuple[str, ...]


def kin_of(record: PatentRecord) -> Kin:
    """An application that claims no priority is the one that others claim."""
    own = (record.application,) if record.application else ()
    return Kin(record.family, roots(record.priorities) or own)


def families(kin: Mapping[str, Kin], extended: bool = False) -> dict[str, str]:
    """Number -> family: the name in the record, else that of its relatives by priority, else that of one member."""
    known = {priority for one in kin.values() for priority in one.priorities}
    priorities = {
        number: tuple(dict.fromkeys(_with_date(priority, known) for priority in one.priorities))
        for number, one in kin.items()
    }
    group = families_by_priority(priorities, extended)
    alias = _aliases(kin, group)
    own = {number: alias.get(one.family, one.family) for number, one in kin.items()}
    named: dict[str, str] = {}  # group -> the name that one of its members gives the family
    for number, name in own.items():
        if name:
            named[group[number]] = min(name, named.get(group[number], name))
    return {number: name or named.get(group[number], group[number]) for number, name in own.items()}


def _aliases(kin: Mapping[str, Kin], group: Mapping[str, str]) -> dict[str, str]:
    """Some sources name a family by a member (`JP-2007900070-A`), others by a number, which is preferred."""
    numbered = {group[number]: one.family for number, one in kin.items() if one.family.isdigit()}
    found: dict[str, str] = {}
    for number, one in kin.items():
        if one.family and not one.family.isdigit():
            member = kin.get(one.family)
            by_member = member.family if member is not None and member.family.isdigit() else ""
            if same := by_member or numbered.get(group[number], ""):
                found[one.family] = min(same, found.get(one.family, same))
    return found


def _with_date(priority: str, known: Container[str]) -> str:
    """An American application without a date is the only one of its series and serial that another record dates."""
    dated = [key for key in possible_keys(priority) if key in known]
    return dated[0] if len(dated) == 1 else priority


class Numbers:
    """Finds publications by the numbers in citations, with a different kind code or none."""

    def __init__(self, numbers: Iterable[str]):
        self._by_plain: dict[str, list[str]] = defaultdict(list)
        for number in numbers:
            self._by_plain[_plain(number)].append(number)

    def find(self, cited: str) -> str | None:
        """The publication itself, otherwise an earlier or later stage of the same patent."""
        known = self._by_plain.get(_plain(cited), [])
        if cited in known:
            return cited
        kind = _kind(cited)[:1]
        fitting = [one for one in known if not kind or not _kind(one) or _same_right(cited, one)]
        return min(fitting, key=lambda one: (one[:2] != cited[:2], _kind(one)[:1] != kind, one), default=None)


def _same_right(one: str, other: str) -> bool:
    """Japan numbers applications and examined patents separately: the same number can be two inventions."""
    letters = {_kind(one)[:1], _kind(other)[:1]}
    return len(letters) == 1 or (letters <= STAGES and not one.startswith("JP-"))


def _plain(number: str) -> str:
    """Without the kind; the Japanese text of an international application stands for that application."""
    office, serial = number.split("-")[:2]
    return f"WO-{serial[2:]}" if serial.startswith("WO") else f"{office}-{serial}"


def _kind(number: str) -> str:
    return number.split("-")[2] if number.count("-") > 1 else ""
