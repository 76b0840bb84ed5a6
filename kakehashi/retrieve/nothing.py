"""Why a search found nothing, in one line: no document to search in, a text in another language, unknown words."""

from collections.abc import Iterator

from kakehashi.query.terms import language
from kakehashi.retrieve.prior_art import PriorArt
from kakehashi.retrieve.system import IndexSystem
from kakehashi.text.scripts import language_name, looks_foreign
from kakehashi.types import Scope, Text

NAMED = 5  # words


def why_nothing(query: Text, system: IndexSystem, scope: Scope) -> str:
    """The likeliest reason why an empty list is empty."""
    index = system.index
    if not index.n_docs:
        return "the index holds no documents"
    if not query.content.strip():
        return "the query is empty"
    filters = list(_filters(scope))
    n_left = int(index.numbering.allowed(scope.where, scope.expression).sum()) if filters else index.n_docs
    if not n_left:
        return f"{_emptiest(system, scope)} leaves none of the {index.n_docs} documents"
    unruled = system.system if isinstance(system, PriorArt) else system
    anywhere = unruled.search([query], 1, Scope(not_itself=scope.not_itself)).rankings[query.id]
    if len(anywhere):
        found_in_scope = len(unruled.search([query], 1, scope).rankings[query.id]) if filters else 1
        if found_in_scope and isinstance(system, PriorArt):
            return f"{system.headline(query)}: this leaves out every document that matches the query"
        narrowed = f"{' and '.join(filters)} leaves {n_left} of {index.n_docs} documents"
        return f"{narrowed}, and none of them matches the query; others do"
    return _about_words(query, unruled)


def _filters(scope: Scope) -> Iterator[str]:
    yield from (f"'{condition}'" for condition in scope.where)
    if scope.expression:
        yield f"'{scope.expression}'"


def _emptiest(system: IndexSystem, scope: Scope) -> str:
    """The one filter that leaves nothing by itself, or all of them."""
    allowed = system.index.numbering.allowed
    for condition in scope.where:
        if not allowed([condition]).any():
            return f"the filter '{condition}'"
    if scope.expression and not allowed([], scope.expression).any():
        return f"the filter '{scope.expression}'"
    return f"the filter {' and '.join(_filters(scope))}"


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
    named = ", ".join(terms[:NAMED]) + (f" and {len(terms) - NAMED} more" if len(terms) > NAMED else "")
    return f"no document matches any word of the query that {system.name} looks for: {named}"
