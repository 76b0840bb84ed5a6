"""What the templates show, worked out beforehand: they only say where it stands."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from kakehashi.errors import InputError
from kakehashi.export.listing import METADATA
from kakehashi.hits import Hit
from kakehashi.serve import answers
from kakehashi.serve.answers import Page, page_of
from kakehashi.serve.dating import fields_of
from kakehashi.serve.limits import Limits
from kakehashi.serve.meeting import Meeting, Span
from kakehashi.serve.page_filters import Filters, filters_of
from kakehashi.serve.page_search import PageSearch
from kakehashi.serve.page_words import WordView, unedited, word_views
from kakehashi.serve.problems import Problem
from kakehashi.serve.questions import Question, question, system_names
from kakehashi.serve.shelf import Shelf, Volume
from kakehashi.text.marking import plain
from kakehashi.text.scripts import language_name
from kakehashi.types import Part, Text

MOVED = 200  # hits of the unedited search that are looked through for where a hit stood
CLASSES = 4  # of a hit
LEVELS = 4  # of marks, from faint to strong
COLOURS = 6  # of the bars; a seventh input shares the colour of the first


@dataclass(frozen=True)
class HitView:
    """A hit of the list."""

    page: Page
    hit: Hit
    inputs: Sequence[str] = ()  # of all hits on the page, so that each has one colour everywhere
    moved: str = ""  # against the list without edits: "+3", "-1", "new"

    @cached_property
    def meeting(self) -> Meeting:
        return Meeting(self.hit)

    @property
    def rank(self) -> int:
        return self.page.rank(self.hit)

    @property
    def title(self) -> list[Span]:
        return self.meeting.document(self.hit.title or self.hit.id)

    @property
    def passage(self) -> list[Span]:
        return self.meeting.document(plain(self.hit.passage))

    @property
    def bar(self) -> list[dict[str, Any]]:
        return bar_of(brief(self.meeting.parts), self.inputs)

    @property
    def classes(self) -> list[tuple[str, str]]:
        """The first classes, each with its title unless one before has the same."""
        titles, said = self.hit.found_by.holdings.class_titles, set[str]()
        found = []
        for code in self.hit.about.classes[:CLASSES]:
            title = titles.of(code)
            found.append((code, "" if title in said else title))
            said.add(title)
        return found


@dataclass(frozen=True)
class SearchView:
    """Everything on the search page."""

    volume: Volume
    search: PageSearch
    question: Question | None = None
    hits: list[HitView] = field(default_factory=list)
    page: Page | None = None
    words: list[WordView] = field(default_factory=list)
    edits: list[dict[str, Any]] = field(default_factory=list)
    filters: Filters = field(default_factory=Filters)
    prior_art: dict[str, Any] | None = None
    nothing: str = ""
    problem: str = ""

    @property
    def info(self) -> Any:
        return self.volume.library.collection.info

    @cached_property
    def systems(self) -> list[str]:
        return system_names(self.volume)

    @cached_property
    def best(self) -> str:
        return self.volume.library.choice().system

    @property
    def languages(self) -> list[tuple[str, str]]:
        info = self.info
        return [
            (lang, language_name(lang))
            for lang in dict.fromkeys((info.source_language, info.target_language))
        ]

    @property
    def given(self) -> Text | None:
        """The query that an id stands for."""
        return self.question.query if self.question and self.search.id else None

    @property
    def language(self) -> str:
        return language_name(self.question.query.lang) if self.question else ""


def search_view(shelf: Shelf, collection: str, search: PageSearch, limits: Limits) -> SearchView:
    """The page for a search; `Problem` or `InputError` where it has a fault."""
    volume = shelf.take(collection)
    plain_view = SearchView(volume, search, filters=filters_of(volume, search))
    if not search.is_asked:
        return plain_view
    asked = search.asked(fields_of(volume.library.index.fields).publication)
    found = question(shelf, collection, asked, limits)
    page = page_of(found, asked.k, asked.cursor, limits)
    moved = _moves(found, page) if found.edits else {}
    inputs = sorted({part.name for hit in page.hits for part in brief(Meeting(hit).parts)})
    hits = [HitView(page, hit, inputs, moved.get(hit.id, "")) for hit in page.hits]
    return replace(
        plain_view,
        volume=found.volume,
        question=found,
        hits=hits,
        page=page,
        words=word_views(found, page) if answers.can_edit(found) else [],
        edits=answers.edits_used(found),
        prior_art=answers.prior_art(found, page.hits),
        nothing=page.hits.nothing,
    )


def fault_view(shelf: Shelf, collection: str, search: PageSearch, problem: str) -> SearchView:
    """The page for a search that has a fault; without filters if the fault is one of theirs."""
    volume = shelf.take(collection)
    try:
        filters = filters_of(volume, search)
    except (InputError, Problem):
        filters = Filters()
    return SearchView(volume, search, filters=filters, problem=problem)


def level(weight: float) -> int:
    """How strong a mark is drawn, from 1 to `LEVELS`."""
    return min(LEVELS, 1 + int(weight * LEVELS))


def brief(parts: Sequence[Part]) -> list[Part]:
    """With one part for all metadata, of which there may be a dozen; the page of a document lists each."""
    facts = [part for part in parts if part.name.startswith(METADATA)]
    if len(facts) < 2:
        return list(parts)
    whole = Part(METADATA.rstrip(": "), sum(part.share for part in facts), [])
    kept = [part for part in parts if part not in facts]
    return sorted([*kept, whole], key=lambda part: -abs(part.share))


def bar_of(parts: Sequence[Part], inputs: Sequence[str] = ()) -> list[dict[str, Any]]:
    """What inputs gave, as stretches of a bar of 100; what takes away from the score has no stretch."""
    total = sum(part.share for part in parts if part.share > 0) or 1.0
    stretches, place = [], 0.0
    names = inputs or sorted(part.name for part in parts)
    for part in parts:
        width = max(0.0, 100.0 * part.share / total)
        colour = 1 + names.index(part.name) % COLOURS
        stretches.append(
            {
                "name": part.name,
                "share": part.share,
                "x": round(place, 2),
                "width": round(width, 2),
                "colour": colour,
            }
        )
        place += width
    return stretches


def _moves(found: Question, page: Page) -> dict[str, str]:
    """How far each hit came up or went down by the edits."""
    former = {doc: rank for rank, doc in enumerate(unedited(found).ranked(MOVED).docs, 1)}
    moves = {}
    for hit in page.hits:
        old, new = former.get(hit.id), page.rank(hit)
        moves[hit.id] = "new" if old is None else f"{old - new:+d}" if old != new else ""
    return moves
