"""Answers as plain values, the same for the API and the page."""

from dataclasses import dataclass
from typing import Any

import msgspec

from kakehashi.corpus.facts import Facts, facts_of
from kakehashi.export.writing import FORMATS
from kakehashi.hits import Hit, Hits, Word, hit_of, parts_dict, words_of
from kakehashi.index.holdings import Holdings
from kakehashi.retrieve.prior_art import PriorArt
from kakehashi.retrieve.system import takes_edits, used_edits
from kakehashi.serve.asked import ExplainAsked, ExportAsked, SearchAsked
from kakehashi.serve.cursors import cursor_at, place_of
from kakehashi.serve.limits import Limits
from kakehashi.serve.meeting import Meeting
from kakehashi.serve.problems import Problem
from kakehashi.serve.questions import Question, system_names
from kakehashi.serve.shelf import Volume
from kakehashi.systems.registry import spec_of
from kakehashi.types import Ranking, Text

MEDIA_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "ris": "application/x-research-info-systems",
    "html": "text/html; charset=utf-8",
    "json": "application/json",
}


@dataclass(frozen=True)
class Page:
    """Some hits of a search and where they stand in it."""

    question: Question
    hits: Hits
    before: int  # hits on the pages before
    more: bool
    following: str  # the cursor of the next page; empty on the last

    def rank(self, hit: Hit) -> int:
        return self.before + hit.rank


def page_of(question: Question, k: int, cursor: str, limits: Limits) -> Page:
    if k > limits.hits:
        raise Problem("invalid", f"a page has at most {limits.hits} hits: send a smaller k, then 'next'")
    before = place_of(cursor, question)
    size = min(k, limits.depth - before)
    if size < 1:
        raise Problem("invalid", f"a search has at most {limits.depth} hits")
    ranking = question.ranked(before + size + 1)
    shown = slice(before, before + size)
    more = len(ranking) > before + size
    hits = question.hits(Ranking(ranking.docs[shown], ranking.scores[shown]))
    following = cursor_at(before + size, question) if more and before + size < limits.depth else ""
    return Page(question, hits, before, more, following)


def search(question: Question, asked: SearchAsked, limits: Limits) -> dict[str, Any]:
    page = page_of(question, asked.k, asked.cursor, limits)
    hits = page.hits
    return {
        **about(question),
        "hits": [{"rank": page.rank(hit), **_hit(hit, asked)} for hit in hits],
        "next": page.following or None,
        "prior_art": prior_art(question, hits),
        "nothing": hits.nothing or None if not page.before else None,
        "edits": edits_used(question),
    }


def _hit(hit: Hit, asked: SearchAsked) -> dict[str, Any]:
    if not (asked.explain or asked.passages):
        return {"id": hit.id, "score": hit.score, "title": hit.title, **hit.facts}
    return {**hit.as_dict(asked.passages, asked.explain), **_class_titles(hit.found_by.holdings, hit.about)}


def _class_titles(holdings: Holdings, about: Facts) -> dict[str, Any]:
    """The titles of a document's classes, where the collection has titles."""
    titles = holdings.class_titles
    return {"class_titles": titles.among(about.classes)} if titles else {}


def explain(question: Question, asked: ExplainAsked) -> dict[str, Any]:
    """Both sides with what met, document by document."""
    for doc_id in asked.documents:
        if question.volume.library.index.place(doc_id) is None:
            raise Problem("not-found", f"there is no document '{doc_id}'")
    found = []
    for doc_id in asked.documents:
        hit = hit_of(question.query, doc_id, question.system, question.volume.library)
        meeting, text = Meeting(hit), hit.text
        found.append(
            {
                "id": doc_id,
                "score": hit.score,
                "classes": list(hit.about.classes),
                **_class_titles(question.volume.library, hit.about),
                "shares": msgspec.to_builtins(hit.why),
                "parts": parts_dict(hit.explanation),
                "pairs": [met._asdict() for met in meeting.pairs],
                "query": [span._asdict() for span in meeting.query(question.query.content)],
                "title": [span._asdict() for span in meeting.document(text.title)],
                "text": [span._asdict() for span in meeting.document(text.text)],
            }
        )
    return {**about(question), "documents": found}


def translations(question: Question) -> dict[str, Any]:
    return {
        **about(question),
        "words": [
            {
                "word": word.word,
                "times": word.times,
                "translations": [{"word": term, "p": p} for term, p in word.translations],
            }
            for word in words(question)
        ],
        "edits": edits_used(question),
    }


def words(question: Question) -> list[Word]:
    """What the words of the query are looked for as, by the system or by the first of its inputs that translates."""
    translator = _translator(question.system)
    if translator is None:
        raise Problem("invalid", f"{question.name} does not look for words by their translations")
    return words_of(translator.compiled(question.query), translator.index)


def can_edit(question: Question) -> bool:
    return _translator(question.system) is not None


def _translator(system: Any) -> Any:
    if isinstance(system, PriorArt):
        return _translator(system.system)
    if not takes_edits(system):
        return None
    if hasattr(system, "compiled"):
        return system
    inputs = getattr(system, "inputs", None) or system.evidence.inputs
    return next((found for each in inputs if (found := _translator(each.system)) is not None), None)


def export(question: Question, asked: ExportAsked, limits: Limits) -> bytes:
    if asked.k > limits.depth:
        raise Problem("invalid", f"a file has at most {limits.depth} hits: send a smaller k")
    return FORMATS[f".{asked.format}"](question.hits(question.ranked(asked.k)).listing)


def about(question: Question) -> dict[str, Any]:
    """What every answer to a question says, so that it can be repeated."""
    return {
        "collection": question.volume.name,
        "system": question.name,
        "fingerprints": dict(question.volume.fingerprints),
        "query": {
            "id": question.query.id,
            "lang": question.query.lang,
            "guessed": question.guessed,
            "title": question.query.title,
        },
    }


def edits_used(question: Question) -> list[dict[str, Any]]:
    used = used_edits([question.system], question.query) if question.edits else set()
    return [{"edit": str(edit), "used": edit in used} for edit in question.edits]


def prior_art(question: Question, hits: Hits) -> dict[str, Any] | None:
    system = question.system
    if not isinstance(system, PriorArt):
        return None
    return {**system.summary(question.query, hits.ranking), "rules": system.headline(question.query)}


def document(volume: Volume, doc_id: str) -> dict[str, Any]:
    text, library = text_of(volume, doc_id), volume.library
    return {
        "collection": volume.name,
        "fingerprints": dict(volume.fingerprints),
        "id": text.id,
        "lang": text.lang,
        "title": text.title,
        "text": text.text,
        "meta": dict(text.meta),
        **_class_titles(library, facts_of(text, library.collection.info.fields)),
    }


def text_of(volume: Volume, doc_id: str) -> Text:
    found = volume.library.some_texts([doc_id]) if volume.library.index.place(doc_id) else {}
    if doc_id not in found:
        raise Problem("not-found", f"there is no document '{doc_id[:200]}'")
    return found[doc_id]


def collection(volume: Volume) -> dict[str, Any]:
    info, index = volume.library.collection.info, volume.library.index
    choice = volume.library.choice()
    return {
        "name": volume.name,
        "title": info.name,
        "description": info.description,
        "source_language": info.source_language,
        "target_language": info.target_language,
        "documents": index.n_docs,
        "fields": dict(index.fields),
        "best": choice.system,
        "note": choice.note,
        "advice": choice.advice.replace(str(volume.library.folder), volume.name),
        "fingerprints": dict(volume.fingerprints),
    }


def systems(volume: Volume) -> dict[str, Any]:
    best = volume.library.choice().system
    specs = [spec_of(name) for name in system_names(volume)]
    return {
        "collection": volume.name,
        "fingerprints": dict(volume.fingerprints),
        "systems": [
            {"name": spec.name, "kind": spec.kind, "summary": spec.summary, "best": spec.name == best}
            for spec in specs
        ],
    }
