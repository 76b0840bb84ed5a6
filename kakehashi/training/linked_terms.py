"""Translation tables over the terms of an index, from words or terms linked in parallel text."""

from collections.abc import Callable, Mapping, Sequence

from kakehashi.lexicon.alignment import Links, Pair, link_weights
from kakehashi.lexicon.translations import Translations, count_translations

TermsOf = Callable[[str], Sequence[str]]


def tables_of(
    pairs: list[Pair],
    links: Links,
    made_with: Mapping[str, str],
    terms: tuple[TermsOf, TermsOf] | None = None,
) -> tuple[Translations, Translations]:
    """(p(target | source), p(source | target)) by the relative frequency of links.

    `made_with` are the fingerprints of the analyzers.
    If words were aligned, `terms` gives the terms of a word, by side: each is linked with each; a stop word has
    none.
    """
    source_terms, target_terms = terms or (_itself, _itself)
    sources, targets, numbers = [], [], []
    places = zip(links.pairs.tolist(), links.sources.tolist(), links.targets.tolist(), strict=True)
    for number, (n, i, j) in enumerate(places):
        for source in source_terms(pairs[n].source[i]):
            for target in target_terms(pairs[n].target[j]):
                sources.append(source)
                targets.append(target)
                numbers.append(number)
    weights = link_weights(pairs, links)[numbers]
    return (
        count_translations(sources, targets, weights, made_with),
        count_translations(
            targets, sources, weights, {"query": made_with["document"], "document": made_with["query"]}
        ),
    )


def _itself(term: str) -> tuple[str]:
    return (term,)
