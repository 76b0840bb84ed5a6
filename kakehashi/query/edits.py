"""A user's edits of translations: drop one, boost one, add one.

Edits belong to a query and change what it is compiled to, so they work the same way for every system whose groups
are words of the query, alone or as part of a combination.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import numpy as np

from kakehashi.corpus.lines import read_lines, write_file
from kakehashi.errors import FileError, InputError
from kakehashi.index.index import Index
from kakehashi.index.vocabulary import UNKNOWN
from kakehashi.query.psq import grouped
from kakehashi.types import TermQuery, Text

Kind = Literal["drop", "boost", "add"]
ADDED = 0.5  # the default share of an added translation
Groups = list[tuple[str, float, dict[int, float]]]  # label, weight, term -> its weight


class Edit(NamedTuple):
    """Written as f=e or f=e:amount, with f in the query's language and e in the documents'."""

    kind: Kind
    source: str
    target: str
    amount: float = 0.0  # boost: factor; add: its share

    def __str__(self) -> str:
        amount = f":{self.amount!r}" if self.kind != "drop" else ""
        return f"{self.kind} {self.source}={self.target}{amount}"


def parse_edit(kind: str, text: str) -> Edit:
    """An edit as written on the command line and in files of edits."""
    if kind not in get_args(Kind):
        raise InputError(f"'{kind}' is not an edit: write drop, boost or add, then word=translation")
    source, equals, rest = (part.strip() for part in text.partition("="))
    if kind == "drop":
        edit = Edit("drop", source, rest)
    else:
        target, colon, amount = (part.strip() for part in rest.rpartition(":"))
        target, amount = (target, amount) if colon else (amount, "")
        edit = Edit("boost" if kind == "boost" else "add", source, target, _amount(kind, text, amount))
    if not (equals and edit.source and edit.target):
        raise InputError(f"'{text}' has no translation: write word=translation, such as bank=bench")
    return edit


def _amount(kind: str, text: str, amount: str) -> float:
    try:
        value = float(amount) if amount or kind == "boost" else ADDED
    except ValueError:
        value = np.nan
    if kind == "boost" and not 0 < value <= 1000:
        raise InputError(
            f"'{text}': write boost word=translation:times, with times up to 1000, such as bank=bank:2"
        )
    if kind == "add" and not 0 < value <= 1:
        raise InputError(
            f"'{text}': write add word=translation:share, with a share of at most 1, such as bank=bench:0.3"
        )
    return value


def read_edits(path: Path) -> list[Edit]:
    """One edit per line; empty lines and lines that start with # are skipped."""
    edits = []
    for number, line in read_lines(path):
        if line.strip() and not line.strip().startswith("#"):
            kind, rest = [*line.split(None, 1), ""][:2]
            try:
                edits.append(parse_edit(kind, rest))
            except InputError as error:
                raise FileError(path, number, str(error)) from None
    return edits


def write_edits(path: Path, edits: Iterable[Edit]) -> None:
    with write_file(path) as file:
        file.write("".join(f"{edit}\n" for edit in edits).encode())


class EditedText(Text, frozen=True):
    """A query with its edits; systems without translations see the unchanged query."""

    edits: tuple[Edit, ...] = ()


def with_edits(query: Text, edits: Sequence[Edit]) -> Text:
    if not edits:
        return query
    return EditedText(query.id, query.lang, query.text, query.title, query.meta, edits=tuple(edits))


def edits_of(query: Text) -> Sequence[Edit]:
    return query.edits if isinstance(query, EditedText) else ()


def edited(compiled: TermQuery, query: Text, index: Index) -> tuple[TermQuery, set[Edit]]:
    """(the compiled query changed by its edits, in their order; the edits that had an effect)"""
    edits = edits_of(query)
    if not edits:
        return compiled, set()
    groups: Groups = []
    for g, label in enumerate(compiled.labels):
        entries = slice(compiled.starts[g], compiled.starts[g + 1])
        weights = compiled.term_weights[entries].tolist()
        terms = dict(zip(compiled.terms[entries].tolist(), weights, strict=True))
        groups.append((label, float(compiled.weights[g]), terms))
    used = set()
    for edit in edits:
        groups, did_something = _applied(edit, groups, query, index)
        if did_something:
            used.add(edit)
    changed = [
        (label, weight, (np.array([*terms], np.int32), np.array([*terms.values()])))
        for label, weight, terms in groups
    ]
    return grouped(changed), used


def _applied(edit: Edit, groups: Groups, query: Text, index: Index) -> tuple[Groups, bool]:
    sources = index.source_analyzer.terms(edit.source)
    wanted = {*sources, *index.analyzer.terms(edit.source)}  # a word may be untranslated
    numbers = index.vocabulary.numbers(index.analyzer.terms(edit.target))
    # in the order of the edit: sums must not depend on the numbers of terms
    chosen = list(dict.fromkeys(number for number in numbers.tolist() if number != UNKNOWN))
    changed: Groups = []
    used = False
    for label, weight, terms in groups:
        if wanted & _names(label, index) and (chosen if edit.kind == "add" else {*chosen} & {*terms}):
            used = True
            changed.append((label, *_changed(edit, chosen, weight, terms)))
        else:
            changed.append((label, weight, terms))
    if edit.kind == "add" and chosen and not any(wanted & _names(label, index) for label, _, _ in groups):
        new = _new(sources, chosen, query, index)
        used = used or bool(new)
        changed += new
    return [group for group in changed if group[2]], used


def _names(label: str, index: Index) -> set[str]:
    """The label of a group: direct translation uses the word as it appears in the query."""
    return {label, *index.source_analyzer.chunk_terms(label)}


def _new(sources: Sequence[str], chosen: Sequence[int], query: Text, index: Index) -> Groups:
    """Groups for a word that had none: without a translation, or with one that no document contains."""
    counts = Counter(index.source_analyzer.terms(query.content))
    found = [source for source in dict.fromkeys(sources) if counts[source]]
    return [(source, float(counts[source]), dict.fromkeys(chosen, 1.0 / len(chosen))) for source in found]


def _changed(
    edit: Edit, chosen: Sequence[int], weight: float, terms: dict[int, float]
) -> tuple[float, dict[int, float]]:
    """A group's new weight and terms. The terms keep their sum; a single term takes the whole change."""
    if edit.kind == "drop":
        left = {term: value for term, value in terms.items() if term not in chosen}
        return weight, _summing_to(sum(terms.values()), left)
    if edit.kind == "add":
        total = sum(terms.values())
        kept = {term: value for term, value in terms.items() if term not in chosen}
        share = edit.amount if kept else 1.0
        added = dict.fromkeys(chosen, share * total / len(chosen))
        return weight, {**_summing_to((1.0 - share) * total, kept), **added}
    if {*terms} <= {*chosen}:
        return weight * edit.amount, terms
    boosted = {term: value * (edit.amount if term in chosen else 1.0) for term, value in terms.items()}
    return weight, _summing_to(sum(terms.values()), boosted)


def _summing_to(total: float, terms: dict[int, float]) -> dict[int, float]:
    own = sum(terms.values())
    return {term: value * total / own for term, value in terms.items() if total > 0.0}
