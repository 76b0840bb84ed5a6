"""The numbered fields of WIPO's ST.32 (B110, B540, B721), used in European full texts and older American grants."""

from lxml import etree

from kakehashi.corpus.patents.applications import application_number
from kakehashi.corpus.patents.classes import distinct, symbol
from kakehashi.corpus.patents.elements import every, line_at, line_of, raw_text
from kakehashi.corpus.patents.numbers import iso_date, publication_number
from kakehashi.corpus.patents.writings import country_code


def number(data: etree._Element, country: str, number: str = "", kind: str = "") -> str:
    """The publication number; the last two arguments are used if the fields are missing."""
    return publication_number(
        country_code(line_at(data, "B100/B190")) or country,
        line_at(data, "B100/B110") or number,
        line_at(data, "B100/B130") or kind,
    )


def day(data: etree._Element, path: str) -> str:
    """A field may contain the number of a bulletin next to the date."""
    return iso_date(line_at(data, f"{path}/date") or line_at(data, path))


def application(data: etree._Element, country: str) -> tuple[str, str]:
    """(number, filing date) of the application."""
    filing = day(data, "B200/B220")
    return application_number(country, line_at(data, "B200/B210"), filing), filing


def priorities(data: etree._Element) -> tuple[tuple[str, ...], list[str]]:
    """(numbers, dates): a B300 contains one priority after the other, each as number, date, country."""
    numbers, dates = [], []
    for group in every(data, "B300"):
        fields = [[line_of(one) for one in every(group, tag)] for tag in ("B330", "B310", "B320")]
        dates += [iso_date(date) for date in fields[2]]
        if len({len(field) for field in fields}) == 1:
            numbers += [
                application_number(country, number, iso_date(date))
                for country, number, date in zip(*fields, strict=True)
            ]
    return distinct(numbers), [date for date in dates if date]


def older_ipc(data: etree._Element) -> tuple[str, ...]:
    """The seven editions before 2006: main, further and additional classification."""
    tags = ("B511", "B512", "B513")
    return distinct(symbol(raw_text(one)) for tag in tags for one in every(data, f"B500/B510/{tag}"))
