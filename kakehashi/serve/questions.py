"""From what a client asked to what a library is asked: the collection, the query, the system, the rules."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import msgspec
import xxhash

from kakehashi.hits import Hits
from kakehashi.query.edits import Edit, parse_edit, with_edits
from kakehashi.retrieve.system import IndexSystem
from kakehashi.serve.asked import Asked
from kakehashi.serve.dating import fields_of
from kakehashi.serve.limits import Limits
from kakehashi.serve.problems import Problem
from kakehashi.serve.shelf import Shelf, Volume
from kakehashi.systems.registry import SYSTEMS, offered, spec_of
from kakehashi.text.scripts import looks_foreign
from kakehashi.types import Ranking, Scope, Text

if TYPE_CHECKING:
    from kakehashi.retrieve.prior_art import Rules

THREADS = 1  # per search: many searches run beside each other
OWN_TEXT = "query"  # the id of a query that was typed in


@dataclass(frozen=True)
class Question:
    """Everything that the answer depends on."""

    volume: Volume
    asked: Asked
    query: Text
    guessed: bool  # whether the language of the query was
    name: str  # of the system
    system: IndexSystem
    scope: Scope
    edits: Sequence[Edit]

    def ranked(self, depth: int) -> Ranking:
        [ranking] = self.system.search([self.query], depth, self.scope, threads=THREADS).rankings.values()
        return ranking

    def hits(self, ranking: Ranking) -> Hits:
        return Hits(self.query, ranking, self.system, self.volume.library, self.scope)

    @property
    def digest(self) -> str:
        """The same for the same question, whichever page of its hits is asked for."""
        whole = self.asked.model_dump(include=set(Asked.model_fields))
        return xxhash.xxh3_64_hexdigest(msgspec.json.encode([whole, self.name, self.query.lang]))


def question(shelf: Shelf, collection: str, asked: Asked, limits: Limits) -> Question:
    """What was asked, made ready to be answered; `Problem` where it cannot be."""
    _check_text(asked, limits)
    if asked.system:
        _check_system(asked.system)
    query, guessed, is_document = _query(shelf.take(collection), asked)
    volume, name = shelf.take_with(collection, asked.system, query.lang)
    library = volume.library
    edits = [parse_edit(*edit.strip().partition(" ")[::2]) for edit in asked.edits]
    rules = _rules(volume, asked)
    if rules and asked.id:
        [query] = library.with_bibliography([query])
    if rules and rules.by_date and not rules.before:
        _check_date(query, rules)
    scope = library.scope(asked.where, asked.boolean)
    return Question(
        volume,
        asked,
        with_edits(query, edits),
        guessed,
        name,
        library.asked(name, None, rules, edits),
        replace(scope, not_itself=scope.not_itself or is_document),
        edits,
    )


def system_names(volume: Volume) -> list[str]:
    """Those that can answer: without training, or trained here. Systems that read files named by settings do not."""
    own = [name for name, spec in SYSTEMS.items() if spec.trainer is None or spec.is_trained(volume.library)]
    return [*own, *offered()]


def guess_language(volume: Volume, text: str) -> str:
    """One of the collection's two languages: that of its queries unless the text looks to be in the other."""
    info = volume.library.collection.info
    is_other = looks_foreign(text, info.source_language) and not looks_foreign(text, info.target_language)
    return info.target_language if is_other else info.source_language


def _check_text(asked: Asked, limits: Limits) -> None:
    if bool(asked.text) == bool(asked.id):
        raise Problem("invalid", "give a query with 'text' or with 'id': one of the two")
    if len(asked.text) > limits.text:
        raise Problem(
            "invalid", f"the text has {len(asked.text)} characters: at most {limits.text} are allowed"
        )
    if asked.text and not asked.text.strip():
        raise Problem("invalid", "the text is empty: give a text to search with")


def _check_system(name: str) -> None:
    if name not in SYSTEMS and name not in offered():
        raise Problem("invalid", f"there is no system '{name}': see the collection's systems")


def _query(volume: Volume, asked: Asked) -> tuple[Text, bool, bool]:
    """(the query, whether its language was guessed, whether it is a document)"""
    library = volume.library
    if not asked.id:
        lang = asked.lang or guess_language(volume, asked.text)
        return library.query(asked.text, lang, OWN_TEXT), not asked.lang, False
    needs = spec_of(asked.system).queries if asked.system else spec_of(library.choice().system).queries
    if library.collection.has(needs):
        for text in library.collection.texts(needs):
            if text.id == asked.id:
                return text, False, False
    found = library.some_texts([asked.id])
    if asked.id not in found:
        raise Problem("not-found", f"there is neither a query nor a document with the id '{asked.id}'")
    return found[asked.id], False, True


def _rules(volume: Volume, asked: Asked) -> "Rules | None":
    fields = fields_of(volume.library.index.fields)
    return volume.library.rules(asked.prior_art, asked.before, asked.one_per_family, asked.undated, fields)


def _check_date(query: Text, rules: "Rules") -> None:
    names = rules.fields
    if not any(query.meta.get(name) for name in (names.priority, names.filing, names.publication)):
        raise Problem("invalid", "this query has no priority date: give one in 'before', such as 2006-12-31")
