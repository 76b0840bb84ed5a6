"""Why a search found nothing, in one line: no document to search in, a text in another language, unknown words."""

import numpy as np

from kakehashi.query.terms import Untranslated, language
from kakehashi.retrieve.prior_art import PriorArt
from kakehashi.retrieve.system import IndexSystem
from kakehashi.text.marking import find_marks
from kakehashi.text.scripts import language_name, looks_foreign
from kakehashi.types import Bools, Scope, Text

NAMED = 5  # words


def why_nothing(query: Text, system: IndexSystem, scope: Scope) -> str:
    """The likeliest reason why an empty list is empty."""
    index = system.index
    if not index.n_docs:
        return "the index holds no documents"
    if not query.content.strip():
        return "the query is empty"
    filters = _filters(query, system, scope)
    left = np.logical_and.reduce([index.numbering.live, *filters.values()])
    if not left.any():
        alone = [name for name, mask in filters.items() if not mask.any()]
        return f"{alone[0] if alone else ' and '.join(filters)} leaves none of the {index.n_docs} documents"
    unruled = system.system if isinstance(system, PriorArt) else system
    anywhere = unruled.search([query], 1, Scope(not_itself=scope.not_itself)).rankings[query.id]
    if not len(anywhere):
        return _about_words(query, unruled)
    narrowed = f"{' and '.join(filters)} leaves {int(left.sum())} of {index.n_docs} documents"
    return f"{narrowed}, and none of them matches the query; others do"


def _filters(query: Text, system: IndexSystem, scope: Scope) -> dict[str, Bools]:
    """What was asked for besides the query, each with the documents that satisfy it."""
    allowed = system.index.numbering.allowed
    filters = {f"the filter '{condition}'": allowed([condition]) for condition in scope.where}
    if scope.expression:
        filters[f"the filter '{scope.expression}'"] = allowed([], scope.expression)
    if isinstance(system, PriorArt):
        filters[f"the rule '{system.headline(query)}'"] = system.allowed(query)
    return filters


def _about_words(query: Text, system: IndexSystem) -> str:
    index, lang = system.index, language(query.lang)
    analyzer = index.analyzer if lang == index.analyzer.settings.lang else index.source_analyzer
    terms = list(dict.fromkeys(analyzer.terms(query.content)))
    foreign = looks_foreign(query.content, lang)
    if foreign:
        documents = index.analyzer.settings.lang
        other = (
            f", or say --lang {documents} if it is in {language_name(documents)}" if lang != documents else ""
        )
        return f"the query looks to be {foreign}, not {language_name(lang)}: search in {language_name(lang)}{other}"
    if not terms:
        return "the query holds only stop words or signs, which are not searched for"
    marks = find_marks(query.content, frozenset(terms), analyzer)
    words = list(dict.fromkeys(query.content[mark.start : mark.end] for mark in marks)) or terms
    named = ", ".join(words[:NAMED]) + (f" and {len(words) - NAMED} more" if len(words) > NAMED else "")
    untranslated = (
        isinstance(getattr(system, "compiler", None), Untranslated) and analyzer is not index.analyzer
    )
    advice = f" ({system.name} does not translate: choose a system that does)" if untranslated else ""
    return f"no document matches any word of the query that {system.name} looks for: {named}{advice}"
