"""Scores documents by how well one sentence of the query, translated word by word, matches their titles.

For a sentence s and a document d whose title has the set T of terms:

    x(s, t) = idf(t)·min(1, Σ_f n(f, s)·p(t | f))          what the sentence says of a term
    score(q, d) = max_s  Σ_{t∈T} x(s, t) · cos(s, d),      cos = Σ_{t∈T} x(s, t)·idf(t) / (|x(s)|·|idf(T)|)

A text that refers to another often gives its title, translated, as a line or sentence. The cosine alone would value
a title of one common word as much as one of five rare words; the first factor says how much was matched.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from kakehashi.compiled import kernel
from kakehashi.index.index import Index
from kakehashi.index.titles import Titles
from kakehashi.query.psq import Psq
from kakehashi.retrieve.probed import Probed
from kakehashi.retrieve.recent import Recent
from kakehashi.text.idf import inverse_df
from kakehashi.types import (
    EVERYTHING,
    Array,
    Explanation,
    Floats,
    Ints,
    Longs,
    Scope,
    Share,
    TermQuery,
    Text,
    largest_first,
)

MATCHING = 8  # what a term of a title costs, in postings


class Said(NamedTuple):
    """What the sentences of a query say of terms: entries, by term and then by sentence."""

    groups: TermQuery
    of: Longs  # (groups,) the sentence of each group
    firsts: Longs  # (terms of the index,) where the entries of a term begin
    lasts: Longs  # (terms of the index,) and end
    terms: Ints  # (entries,)
    sentences: Longs  # (entries,)
    values: Floats  # (entries,) x(s, t)
    lengths: Floats  # (sentences,) |x(s)|


class TitleRows(NamedTuple):
    """Titles as the kernel reads them."""

    starts: Longs
    terms: Array
    idf: Floats  # (terms of the index,)
    lengths: Floats  # (documents,) |idf(T)|, 0 without a title


class TitleSearch(Probed):
    """Searched by its probes."""

    def __init__(self, name: str, psq: Psq, titles: Titles, index: Index):
        super().__init__(name, index)
        self._psq = psq
        statistics = index.statistics
        idf = inverse_df(statistics.df, statistics.n_docs, "lucene")
        lengths = _row_lengths(titles.starts, titles.terms, idf)
        self._rows = TitleRows(titles.starts, titles.terms, idf, lengths)
        self._asked: Recent[Said] = Recent()

    @cached_property
    def _df(self) -> Longs:
        """(terms of the index,) in how many titles of live documents a term is."""
        live = np.repeat(self.index.numbering.live, np.diff(self._rows.starts))
        return np.bincount(self._rows.terms[live], minlength=len(self._rows.idf))

    def probe(self, query: Text) -> "TitleProbe":
        return TitleProbe(self.index, self._rows, self._asked.of(query, self._said), self._df)

    def explain(self, query: Text, doc_ids: Sequence[str], scope: Scope = EVERYTHING) -> list[Explanation]:
        """The words of the best sentence that the title matched, by their part of the cosine."""
        for doc_id in doc_ids:
            self.index.known_place(doc_id)
        asked = self.probe(query)
        numbers = self.index.numbering.of(doc_ids)
        scores, best = asked.matched(numbers)
        return [
            self._explained(asked.said, *each)
            for each in zip(numbers.tolist(), scores.tolist(), best.tolist(), strict=True)
        ]

    def _explained(self, said: Said, number: int, score: float, sentence: int) -> Explanation:
        if np.isnan(score):
            return Explanation(0.0, [])
        title = self._rows.terms[self._rows.starts[number] : self._rows.starts[number + 1]]
        here = np.flatnonzero((said.sentences == sentence) & np.isin(said.terms, title))
        parts = said.values[here] * self._rows.idf[said.terms[here]]
        worth = dict(zip(said.terms[here].tolist(), (score * parts / parts.sum()).tolist(), strict=True))
        met = _met(said, sentence, worth)
        total = {term: sum(own.get(term, 0.0) for _, own in met) for term in worth}
        shares = []
        for label, own in met:
            words = ", ".join(self.index.vocabulary[term] for term in own)
            shares.append(Share(label, words, sum(worth[term] * own[term] / total[term] for term in own)))
        return Explanation(score, largest_first(shares))

    def _said(self, query: Text) -> Said:
        groups, of = self._psq.compile_sentences(query)
        sizes, n_terms = np.diff(groups.starts), len(self._rows.idf)
        sentences, expected = np.repeat(of, sizes), np.repeat(groups.weights, sizes) * groups.term_weights
        ranks = self.index.statistics.rank_of(groups.terms)
        order = np.lexsort((sentences, ranks))  # stable: words of a sentence stay in their order
        terms, sentences, expected = groups.terms[order], sentences[order], expected[order]
        new = np.ones(len(terms), bool)
        new[1:] = (terms[1:] != terms[:-1]) | (sentences[1:] != sentences[:-1])
        begins = np.flatnonzero(new)
        expected = np.add.reduceat(expected, begins) if len(begins) else np.zeros(0)
        terms, sentences = terms[begins], sentences[begins]
        values = self._rows.idf[terms] * np.minimum(1.0, expected)
        firsts, lasts = np.zeros(n_terms, np.int64), np.zeros(n_terms, np.int64)
        edges = np.flatnonzero(np.append(True, terms[1:] != terms[:-1])) if len(terms) else begins
        firsts[terms[edges]], lasts[terms[edges]] = edges, np.append(edges[1:], len(terms))
        n_sentences = int(of[-1]) + 1 if len(of) else 0
        squares = np.bincount(sentences, weights=values * values, minlength=n_sentences)
        return Said(groups, of, firsts, lasts, terms, sentences, values, np.sqrt(squares))


def _met(said: Said, sentence: int, terms: dict[int, float]) -> list[tuple[str, dict[int, float]]]:
    """(word, how often each of these terms is expected of it) for the words of a sentence that have any."""
    found = []
    for g in np.flatnonzero(said.of == sentence).tolist():
        entries = slice(said.groups.starts[g], said.groups.starts[g + 1])
        chances = said.groups.weights[g] * said.groups.term_weights[entries]
        own = zip(said.groups.terms[entries].tolist(), chances.tolist(), strict=True)
        if met := {term: chance for term, chance in own if term in terms}:
            found.append((said.groups.labels[g], met))
    return found


@dataclass
class TitleProbe:
    """See `probe.Probe`."""

    index: Index
    rows: TitleRows
    said: Said
    df: Longs  # (terms of the index,) of titles
    finds_all = False

    @cached_property
    def cost(self) -> float:
        matches = self.df[self.said.terms].sum() + self.df.sum()
        return MATCHING * float(matches) / max(self.index.n_docs, 1)

    @cached_property
    def every(self) -> Floats:
        return self.index.without_dead(self.matched(np.arange(len(self.rows.starts) - 1))[0])

    def some(self, docs: Longs) -> Floats:
        return self.every[docs] if "every" in self.__dict__ else self.matched(docs)[0]

    def matched(self, docs: Longs) -> tuple[Floats, Longs]:
        """(scores, the best sentence of each)"""
        said = self.said
        asked = said.firsts, said.lasts, said.sentences, said.values, said.lengths
        scores, best = _best_sentences(docs, self.rows, *asked)
        return scores, best


@kernel
def _row_lengths(starts: Array, terms: Array, idf: Array) -> Array:
    lengths = np.zeros(len(starts) - 1)
    for d in range(len(lengths)):
        for i in range(starts[d], starts[d + 1]):
            lengths[d] += idf[terms[i]] * idf[terms[i]]
    return np.sqrt(lengths)


@kernel
def _best_sentences(
    docs: Array, rows: TitleRows, firsts: Array, lasts: Array, sentences: Array, values: Array, lengths: Array
) -> Any:
    """(scores, sentences), NaN and -1 for a title that shares nothing; of equal sentences the first."""
    scores, best = np.full(len(docs), np.nan), np.full(len(docs), -1, np.int64)
    masses, products = np.zeros(len(lengths)), np.zeros(len(lengths))
    seen_in = np.full(len(lengths), -1, np.int64)
    met = np.empty(len(lengths), np.int64)
    for n in range(len(docs)):
        d, n_met = docs[n], 0
        for i in range(rows.starts[d], rows.starts[d + 1]):
            term = rows.terms[i]
            for entry in range(firsts[term], lasts[term]):
                s = sentences[entry]
                if seen_in[s] != n:
                    seen_in[s], masses[s], products[s] = n, 0.0, 0.0
                    met[n_met] = s
                    n_met += 1
                masses[s] += values[entry]
                products[s] += values[entry] * rows.idf[term]
        for s in met[:n_met]:
            score = masses[s] * (products[s] / (lengths[s] * rows.lengths[d]))
            if best[n] < 0 or score > scores[n] or (score == scores[n] and s < best[n]):
                scores[n], best[n] = score, s
    return scores, best
