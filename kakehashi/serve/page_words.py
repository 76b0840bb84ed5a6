"""What each word of a query is looked for as, for the page: before and after a searcher's edits."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from kakehashi.hits import Word
from kakehashi.lexicon.related import RelatedWords
from kakehashi.serve import answers
from kakehashi.serve.answers import Page
from kakehashi.serve.questions import Question
from kakehashi.text.analyzer import Analyzer
from kakehashi.text.marking import find_marks
from kakehashi.types import Text

WORDS, TRANSLATIONS, RELATED = 40, 8, 5


@dataclass(frozen=True)
class Translation:
    """What a word of the query may be looked for as."""

    term: str
    shown: str  # a form in which documents write it
    p: float  # 0: it was dropped
    before: float | None  # without the edits; None: it was added

    @property
    def state(self) -> str:
        if self.before is None:
            return "added"
        if not self.p:
            return "dropped"
        return "changed" if abs(self.p - self.before) > 1e-6 else ""

    def undo(self, word: str, edits: Sequence[str]) -> str:
        """The edit that dropped it, by whichever of its forms that named it."""
        named = [f"drop {word}={form}" for form in (self.shown, self.term)]
        return next((edit for edit in reversed(edits) if edit in named), named[0])


@dataclass(frozen=True)
class WordView:
    word: str
    times: float
    translations: list[Translation]
    more: int  # translations that are not listed
    likeliest: str = ""
    related: Sequence[str] = ()  # words related to the likeliest translation


def surface_forms(terms: Iterable[str], texts: Iterable[str], analyzer: Analyzer) -> dict[str, str]:
    """The form in which most of the texts write each term: `batteri` is battery."""
    wanted = frozenset(terms)
    seen: dict[str, Counter[str]] = {}
    for text in texts:
        for mark in find_marks(text, wanted, analyzer):
            if len(mark.terms) == 1:
                [term] = mark.terms
                seen.setdefault(term, Counter())[text[mark.start : mark.end].lower()] += 1
    return {term: min(forms, key=lambda form: (-forms[form], form)) for term, forms in seen.items()}


def word_views(found: Question, page: Page) -> list[WordView]:
    """The words of the query with their translations, before and after the edits."""
    now = {word.word: word for word in answers.words(found)}
    before = {word.word: word for word in answers.words(unedited(found))} if found.edits else now
    related = {name: _related(word, found.volume.related_words) for name, word in now.items()}
    terms = {term for word in [*now.values(), *before.values()] for term, _ in word.translations}
    terms |= {term for words in related.values() for term in words}
    texts = [text.content for text in page.hits.texts.values()]
    forms = surface_forms(terms, texts, found.volume.library.index.analyzer)
    names = [*before, *(name for name in now if name not in before)]
    views = [_word(now.get(name), before.get(name), forms) for name in names[:WORDS]]
    shown = {name: [forms.get(term, term) for term in words] for name, words in related.items()}
    return [
        replace(view, likeliest=shown[view.word][0], related=shown[view.word][1:])
        if shown.get(view.word)
        else view
        for view in views
    ]


def _related(word: Word, model: RelatedWords | None) -> list[str]:
    """The likeliest translation and the words related to it; empty without any."""
    if model is None or not word.translations:
        return []
    term = word.translations[0][0]
    words = next(filter(None, (model.row(kind, term) for kind in model.kinds)), [])
    return [term, *(other for other, _ in words[:RELATED])] if words else []


def _word(now: Word | None, before: Word | None, forms: Mapping[str, str]) -> WordView:
    current = dict(now.translations) if now else {}
    former = dict(before.translations) if before else {}
    order = [*former, *(term for term in current if term not in former)]  # what was edited keeps its place
    changed = [term for term in order[TRANSLATIONS:] if (term in former) != (term in current)]
    shown = [*order[:TRANSLATIONS], *changed]
    known = now or before
    assert known is not None
    return WordView(
        known.word,
        known.times,
        [
            Translation(term, forms.get(term, term), current.get(term, 0.0), former.get(term))
            for term in shown
        ],
        len(order) - len(shown),
    )


def unedited(found: Question) -> Question:
    text = found.query
    return replace(found, query=Text(text.id, text.lang, text.text, text.title, text.meta), edits=())
