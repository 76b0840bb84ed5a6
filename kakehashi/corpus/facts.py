"""What a reader wants to know of a document beside its title: date, people, classes, address.

Collections call their fields by many names, so the names in use are tried in turn; declared fields come first.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kakehashi.types import Text

DATES = ("publication", "published", "publication_date", "date", "issued", "filing", "priority", "year")
APPLICANTS = (
    "applicants", "applicant", "assignees", "assignee", "authors", "author", "creators", "creator", "organization",
    "maintainer", "maintainers", "publisher",
)  # fmt: skip
INVENTORS = ("inventors", "inventor")
CLASSES = (
    "ipc", "ipcr", "cpc", "fi", "uspc", "classes", "class", "classification", "categories", "category", "subjects",
    "subject", "section", "topics", "topic", "contents", "tags", "keywords",
)  # fmt: skip
ADDRESSES = ("url", "uri", "link", "doi")
PATENT_CLASSES = frozenset({"ipc", "ipcr", "cpc", "fi", "uspc"})


@dataclass(frozen=True)
class Facts:
    """Empty where a document does not say."""

    date: str = ""
    applicants: tuple[str, ...] = ()
    inventors: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    url: str = ""
    is_patent: bool = False

    @property
    def applicant(self) -> str:
        return "; ".join(self.applicants)


def facts_of(text: Text, fields: Mapping[str, str]) -> Facts:
    """Of a document of a collection that declares these fields."""
    declared = [name for name in text.meta if name in fields]
    named = {
        name.lower(): name for name in [*text.meta, *declared]
    }  # of two spellings the declared one counts

    def values(names: Sequence[str]) -> tuple[str, ...]:
        known = [named[name] for name in names if name in named]
        known.sort(key=lambda name: name not in fields)
        return next((found for name in known if (found := _strings(text.meta[name]))), ())

    dates = values(DATES) or values([name.lower() for name, kind in fields.items() if kind == "date"])
    return Facts(
        date=dates[0] if dates else "",
        applicants=values(APPLICANTS),
        inventors=values(INVENTORS),
        classes=values(CLASSES),
        url=next((one for one in values(ADDRESSES) if one.startswith(("http://", "https://"))), ""),
        is_patent=any(_strings(text.meta[named[name]]) for name in PATENT_CLASSES & named.keys()),
    )


def _strings(value: Any) -> tuple[str, ...]:
    """One value or several, as text; nothing for what is not text or a number."""
    many = value if isinstance(value, list | tuple) else [value]
    return tuple(str(one).strip() for one in many if _is_said(one))


def _is_said(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool) and str(value).strip() != ""
