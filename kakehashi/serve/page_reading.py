"""A document beside the query that found it, for the page."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from kakehashi.corpus.class_titles import ClassTitles
from kakehashi.corpus.facts import CLASSES
from kakehashi.hits import Hit, hit_of
from kakehashi.serve import answers
from kakehashi.serve.dating import fields_of
from kakehashi.serve.limits import Limits
from kakehashi.serve.meeting import Meeting, Span
from kakehashi.serve.page_search import PageSearch
from kakehashi.serve.page_views import bar_of
from kakehashi.serve.page_words import surface_forms
from kakehashi.serve.questions import Question, question
from kakehashi.serve.shelf import Shelf, Volume
from kakehashi.types import Text

PAIRS = 30  # of words that met


@dataclass(frozen=True)
class ReadView:
    """A document, beside the query that found it if there is one."""

    volume: Volume
    search: PageSearch
    text: Text
    facts: list[tuple[str, str]]
    question: Question | None = None
    hit: Hit | None = None

    @cached_property
    def meeting(self) -> Meeting | None:
        return Meeting(self.hit) if self.hit else None

    @property
    def title(self) -> list[Span]:
        return self.meeting.document(self.text.title) if self.meeting else [Span(self.text.title)]

    @property
    def paragraphs(self) -> list[list[Span]]:
        return [self._marked(part) for part in self.text.text.splitlines() if part.strip()]

    def _marked(self, text: str) -> list[Span]:
        return self.meeting.document(text) if self.meeting else [Span(text)]

    @property
    def query(self) -> list[list[Span]]:
        if not (self.meeting and self.question):
            return []
        parts = self.question.query.content.splitlines()
        return [self.meeting.query(part) for part in parts if part.strip()]

    @property
    def bar(self) -> list[dict[str, Any]]:
        return bar_of(self.meeting.parts) if self.meeting else []

    @property
    def pairs(self) -> list[dict[str, Any]]:
        """The words that met, with the document's word as it is written there."""
        if not self.meeting:
            return []
        pairs = self.meeting.pairs
        analyzer = self.volume.library.index.analyzer
        forms = surface_forms({met.term for met in pairs}, [self.text.content], analyzer)
        most = pairs[0].share if pairs else 1.0
        return [
            {
                "word": met.word,
                "shown": forms.get(met.term, met.term),
                "share": met.share,
                "part": met.share / most,
            }
            for met in pairs[:PAIRS]
        ]


def read_view(shelf: Shelf, collection: str, doc_id: str, search: PageSearch, limits: Limits) -> ReadView:
    volume = shelf.take(collection)
    text = answers.text_of(volume, doc_id)
    titles = volume.library.class_titles
    known = {name: value for name, value in text.meta.items() if value not in (None, "", [])}
    facts = [(name, _said(name, value, titles)) for name, value in known.items()]
    view = ReadView(volume, search, text, facts)
    if not search.is_asked:
        return view
    found = question(
        shelf, collection, search.asked(fields_of(volume.library.index.fields).publication), limits
    )
    hit = hit_of(found.query, doc_id, found.system, found.volume.library)
    return replace(view, question=found, hit=hit)


def _said(name: str, value: Any, titles: ClassTitles) -> str:
    values = [str(one) for one in (value if isinstance(value, list | tuple) else [value])]
    known = titles.among(values) if name.lower() in CLASSES else {}
    return "; ".join(f"{one} ({known[one]})" if one in known else one for one in values)
