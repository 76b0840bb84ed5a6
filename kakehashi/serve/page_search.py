"""A search as the page keeps it: in the address, so that it can be bookmarked, sent and gone back to."""

import base64
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

from pydantic import ValidationError
from starlette.datastructures import ImmutableMultiDict

from kakehashi.index.metadata import any_of
from kakehashi.serve.asked import SearchAsked
from kakehashi.serve.limits import Limits
from kakehashi.serve.problems import Problem

PLAIN = 300  # characters of a query that an address holds as they are; longer ones are compressed
ADDRESS = 60_000  # characters of an address that is passed on; with a longer one the page is shown without it
PAGE = 10
Values = ImmutableMultiDict[Any, Any]  # parameters of an address, or fields of a form
CHOSEN = "f."  # fields of the form for filters: f.office=US


@dataclass(frozen=True)
class PageSearch:
    """What the form of the page holds."""

    text: str = ""
    id: str = ""
    lang: str = ""
    system: str = ""
    chosen: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict
    )  # field -> values, any of which will do
    since: str = ""  # years of publication
    until: str = ""
    boolean: str = ""  # words that documents must hold
    prior_art: bool = False
    before: str = ""
    one_per_family: bool = False
    edits: tuple[str, ...] = ()
    cursor: str = ""

    @classmethod
    def of(cls, values: Values, limits: Limits) -> "PageSearch":
        def line(name: str) -> str:
            found = values.get(name, "")
            return found.strip() if isinstance(found, str) else ""

        text = values.get("q", "") if isinstance(values.get("q", ""), str) else ""
        chosen: dict[str, list[str]] = {}
        for name, value in values.multi_items():
            if name.startswith(CHOSEN) and isinstance(value, str) and value.strip():
                chosen.setdefault(name.removeprefix(CHOSEN), []).append(value.strip())
        return cls(
            text=(text or _unpacked(line("z"), limits)).replace("\r\n", "\n"),
            id=line("id"),
            lang=line("lang"),
            system=line("system"),
            chosen={name: tuple(dict.fromkeys(found)) for name, found in chosen.items()},
            since=line("since"),
            until=line("until"),
            boolean=line("boolean"),
            prior_art=bool(line("prior_art")),
            before=line("before"),
            one_per_family=bool(line("one_per_family")),
            edits=tuple(one for one in values.getlist("e") if isinstance(one, str)),
            cursor=line("cursor"),
        )

    @property
    def is_filtered(self) -> bool:
        return bool(self.chosen or self.since or self.until or self.boolean)

    @property
    def is_asked(self) -> bool:
        return bool(self.text.strip() or self.id)

    def asked(self, published: str) -> SearchAsked:
        """As the API takes it; `published` is the field of dates."""
        where = [any_of(name, values) for name, values in self.chosen.items()]
        for year, sign, end in ((self.since, ">=", "-01-01"), (self.until, "<=", "-12-31")):
            if year:
                where.append(f"{published}{sign}{year:0>4}{end}")
        try:
            return SearchAsked.model_validate(
                {
                    "text": "" if self.id else self.text,
                    "id": self.id,
                    "lang": self.lang,
                    "system": self.system,
                    "where": where,
                    "boolean": self.boolean,
                    "prior_art": self.prior_art,
                    "before": self.before,
                    "one_per_family": self.one_per_family,
                    "edits": list(self.edits),
                    "k": PAGE,
                    "cursor": self.cursor,
                }
            )
        except ValidationError as error:
            first = error.errors()[0]
            raise Problem("invalid", f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None

    def query(self, **changes: Any) -> str:
        """The part of an address after the question mark."""
        one = replace(self, **changes)
        long = len(one.text) > PLAIN
        pairs = [
            ("id", one.id),
            ("q", "" if long or one.id else one.text),
            ("z", _packed(one.text) if long and not one.id else ""),
            ("lang", one.lang),
            ("system", one.system),
            *((f"{CHOSEN}{name}", value) for name, values in one.chosen.items() for value in values),
            ("since", one.since),
            ("until", one.until),
            ("boolean", one.boolean),
            ("prior_art", "1" if one.prior_art else ""),
            ("before", one.before),
            ("one_per_family", "1" if one.one_per_family else ""),
            *(("e", edit) for edit in one.edits),
            ("cursor", one.cursor),
        ]
        return urlencode([(name, value) for name, value in pairs if value])


def _packed(text: str) -> str:
    data = zlib.compress(text.encode("utf-8", "replace"), 9)
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _unpacked(packed: str, limits: Limits) -> str:
    """Never more than a query may have: an address of some thousand characters can stand for gigabytes."""
    if not packed:
        return ""
    try:
        data = base64.b64decode(packed + "=" * (-len(packed) % 4), b"-_", validate=True)
        opener = zlib.decompressobj()
        text = opener.decompress(data, 4 * limits.text + 4).decode()
        if not opener.eof:
            raise ValueError("too long")
    except (ValueError, zlib.error):
        raise Problem(
            "bad-request", "the query in this address is damaged or too long: search again"
        ) from None
    return text
