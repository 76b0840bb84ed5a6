"""Boolean queries over terms: AND, OR, NOT, parentheses; adjacent words mean AND."""

import re
from dataclasses import dataclass

import numpy as np

from kakehashi.errors import InputError
from kakehashi.index.segment import Segment
from kakehashi.index.vocabulary import Vocabulary
from kakehashi.text.analyzer import Analyzer
from kakehashi.types import Bools

_TOKEN = re.compile(r"\(|\)|[^\s()]+")
MAX_TOKENS = 1000
MAX_DEPTH = 100  # nesting of parentheses and NOT, because each level is a level of recursion


def matching(expression: str, segment: Segment, vocabulary: Vocabulary, analyzer: Analyzer) -> Bools:
    """The documents of a segment in the set the expression describes."""
    tokens = _TOKEN.findall(expression)
    if len(tokens) > MAX_TOKENS:
        raise InputError(f"the Boolean query has {len(tokens)} words: at most {MAX_TOKENS} are allowed")
    parser = _Parser(tokens, expression, segment, vocabulary, analyzer)
    found = parser.union()
    if parser.position < len(tokens):
        raise InputError(f"Boolean query '{expression}': ')' without '('")
    return found


@dataclass
class _Parser:
    """union = intersection {OR intersection}; intersection = factor {[AND] factor}; factor = [NOT] (…) or word."""

    tokens: list[str]
    expression: str
    segment: Segment
    vocabulary: Vocabulary
    analyzer: Analyzer
    position: int = 0
    depth: int = 0

    def union(self) -> Bools:
        found = self._intersection()
        while self._take("OR"):
            found = found | self._intersection()
        return found

    def _intersection(self) -> Bools:
        found = self._factor()
        while self._next() not in (None, ")", "OR"):
            self._take("AND")
            found = found & self._factor()
        return found

    def _factor(self) -> Bools:
        if self._next() in ("NOT", "("):
            self.depth += 1
            if self.depth > MAX_DEPTH:
                raise InputError(
                    f"the Boolean query is nested more than {MAX_DEPTH} levels deep: use fewer parentheses"
                )
            found = self._nested()
            self.depth -= 1
            return found
        word = self._next()
        if word in (None, ")", "AND", "OR"):
            raise InputError(
                f"Boolean query '{self.expression}': a word is missing before {word or 'the end'}"
            )
        self.position += 1
        return self._word(str(word))

    def _nested(self) -> Bools:
        if self._take("NOT"):
            return ~self._factor()
        self._take("(")
        found = self.union()
        if not self._take(")"):
            raise InputError(f"Boolean query '{self.expression}': '(' without ')'")
        return found

    def _word(self, word: str) -> Bools:
        """A word that analysis turns into several terms requires all of them; a stop word requires nothing."""
        found = np.ones(self.segment.n_docs, dtype=bool)
        for term in self.analyzer.terms(word):
            docs, _ = self.segment.postings(self.vocabulary.number(term))
            holds = np.zeros(self.segment.n_docs, dtype=bool)
            holds[docs] = True
            found &= holds
        return found

    def _next(self) -> str | None:
        return self.tokens[self.position] if self.position < len(self.tokens) else None

    def _take(self, token: str) -> bool:
        if self._next() == token:
            self.position += 1
            return True
        return False
