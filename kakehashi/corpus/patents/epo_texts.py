"""European full texts for text analytics: a TSV without titles, one part of one publication per line, as XML inside."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter

from lxml import etree

from kakehashi.corpus.parallel_text.cleaning import tidy
from kakehashi.corpus.patents import mending, st36
from kakehashi.corpus.patents.archives import Stream
from kakehashi.corpus.patents.bodies import claims_of, split_claims
from kakehashi.corpus.patents.elements import every, line_of, text_of
from kakehashi.corpus.patents.languages import code_of
from kakehashi.corpus.patents.numbers import iso_date, publication_number
from kakehashi.corpus.patents.record import Citation, PatentRecord, Wanted
from kakehashi.corpus.patents.tally import Tally

NAME = "ep-tsv"
LONGEST = 64 << 20  # bytes of one line
BEGINS = re.compile(
    rb"(?:\xef\xbb\xbf)?[A-Z]{2}\t\d{6,8}\t[A-Z]\d?\t\d{4}-?\d\d-?\d\d\t(?:[a-z]{2}|)\t"
    rb"(?:TITLE|ABSTR|DESCR|CLAIM|AMEND|ACSTM|SREPT|PDFEP)\t"
)
NUMBERED = re.compile(r"^\d+\t")  # some editions number the parts
MARKUP, NOT_XML = re.compile(r"<[^>]*>"), re.compile("[\ufffe\uffff]")
Parts = Mapping[str, Mapping[str, etree._Element]]  # kind of part -> language -> its text


def is_european(head: bytes) -> bool:
    return BEGINS.match(head) is not None


def read_european(stream: Stream, tally: Tally, wanted: Wanted) -> Iterator[PatentRecord]:
    """The lines of a publication follow each other."""
    lines = iter(lambda: stream.file.readline(LONGEST), b"")
    fields = (_fields(line, stream, tally) for line in lines)
    for _, group in groupby((one for one in fields if one), key=itemgetter(0, 1, 2)):
        record = _publication(list(group), wanted)
        if record is not None:
            tally.records[NAME] += 1
            yield record


def _fields(line: bytes, stream: Stream, tally: Tally) -> list[str] | None:
    fields = line.decode("utf-8-sig", "replace").rstrip("\r\n").split("\t", 6)
    if len(fields) < 7:
        tally.fault(stream.place, "broken tables", f"a line has {len(fields)} columns, needs 7 or 8")
        return None
    return fields


def _publication(lines: Sequence[Sequence[str]], wanted: Wanted) -> PatentRecord | None:
    country, number, kind, date = lines[0][:4]
    found = publication_number(country, number, kind)
    if not found:
        return None
    read = {"TITLE", "ABSTR", "CLAIM", "SREPT", *(["DESCR"] if wanted.description else [])}
    parts: dict[str, dict[str, etree._Element]] = {}
    for *_, language, part, text in lines:
        if part in read and code_of(language) not in parts.setdefault(part, {}):
            parts[part][code_of(language)] = _element(NUMBERED.sub("", text, count=1))
    claims = {lang: one for lang, element in parts.get("CLAIM", {}).items() if (one := _claims(element))}
    return PatentRecord(
        number=found,
        titles={lang: line_of(one) for lang, one in parts.get("TITLE", {}).items()},
        abstracts={lang: text_of(one) for lang, one in parts.get("ABSTR", {}).items()},
        first_claims={lang: one[0] for lang, one in claims.items()},
        n_claims=max(map(len, claims.values()), default=0),
        claims=claims if wanted.claims else {},
        descriptions={lang: text_of(one) for lang, one in parts.get("DESCR", {}).items()},
        publication=iso_date(date),
        citations=st36.citations(one for report in parts.get("SREPT", {}).values() for one in _cited(report)),
    )


def _element(text: str) -> etree._Element:
    """The elements of a part; plain text, if it cannot be parsed."""
    data = b"<part>%s</part>" % text.encode("utf-8", "replace")
    for attempt in (data, mending.mended(data) if len(data) <= mending.LONGEST else data):
        try:
            return etree.fromstring(attempt, _parser())
        except etree.XMLSyntaxError:
            continue
    plain = etree.Element("part")
    plain.text = tidy(NOT_XML.sub(" ", MARKUP.sub(" ", text)))
    return plain


def _parser() -> etree.XMLParser:
    return etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True)


def _claims(element: etree._Element) -> tuple[str, ...]:
    """Claims are elements without numbers; older ones are one text."""
    found = claims_of([element], "claim", "")
    return next(iter(found.values()), ()) or split_claims(text_of(element))


def _cited(report: etree._Element) -> Iterator[Citation | None]:
    for citation in every(report, ".//citation"):
        letters = st36.categories(citation)
        yield from (st36.cited(one, "examiner", letters) for one in every(citation, "patcit"))
