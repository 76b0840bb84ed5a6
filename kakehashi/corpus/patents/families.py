"""Which publications belong to one family, and which publication a citation means; judges nothing."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

import msgspec

from kakehashi.corpus.citations import families_by_priority
from kakehashi.corpus.patents.record import PatentRecord

STAGES = frozenset("ABC")  # an application and the patents granted on it; other letters are other rights


class Kin(msgspec.Struct, frozen=True):
    """What a record says about its family."""

    family: str
    priorities: tuple[str, ...]


def kin_of(record: PatentRecord) -> Kin:
    """An application that claims no priority is the one that others claim."""
    own = (record.application,) if record.application else ()
    return Kin(record.family, record.priorities or own)


def families(kin: Mapping[str, Kin], extended: bool = False) -> dict[str, str]:
    """Number -> family: the name in the record, else that of its relatives by priority, else that of one member."""
    group = families_by_priority({number: one.priorities for number, one in kin.items()}, extended)
    named: dict[str, str] = {}  # group -> the name that one of its members gives the family
    for number, one in kin.items():
        if one.family:
            named[group[number]] = min(one.family, named.get(group[number], one.family))
    return {number: one.family or named.get(group[number], group[number]) for number, one in kin.items()}


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
        return min(fitting, key=lambda one: (_kind(one)[:1] != kind, one), default=None)


def _same_right(one: str, other: str) -> bool:
    """Japan numbers applications and examined patents separately: the same number can be two inventions."""
    letters = {_kind(one)[:1], _kind(other)[:1]}
    return len(letters) == 1 or (letters <= STAGES and not one.startswith("JP-"))


def _plain(number: str) -> str:
    return "-".join(number.split("-")[:2])


def _kind(number: str) -> str:
    return number.split("-")[2] if number.count("-") > 1 else ""
