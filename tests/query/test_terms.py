"""Queries that are not translated: what both languages write alike passes through."""

import pytest

from kakehashi.errors import InputError
from kakehashi.index.index import Index
from kakehashi.query.terms import Untranslated, language
from kakehashi.types import TermQuery, Text


def compiled(index: Index, text: str, lang: str, title: str = "") -> dict[str, float]:
    query: TermQuery = Untranslated(index).compile(Text("q", lang, text, title))
    assert query.starts.tolist() == list(range(len(query) + 1))
    assert (query.term_weights == 1).all()
    assert [index.vocabulary[term] for term in query.terms.tolist()] == list(query.labels)
    return dict(zip(query.labels, query.weights.tolist(), strict=True))


def test_query_in_the_documents_language_is_analysed_as_they_were(toy_index: Index) -> None:
    found = compiled(toy_index, "The pumps, and the Fuel of a pump!", "en")
    assert found == {"pump": 2.0, "fuel": 1.0}


def test_title_counts_like_text(toy_index: Index) -> None:
    assert compiled(toy_index, "fuel", "en", "fuel pump") == {"fuel": 2.0, "pump": 1.0}


def test_query_in_the_other_language_passes_through(toy_index: Index) -> None:
    assert compiled(toy_index, "fuelとPUMPの回路とpump", "ja") == {"fuel": 1.0, "pump": 2.0}
    assert compiled(toy_index, "燃料ポンプの回路", "ja") == {}


@pytest.mark.parametrize("code", ["en", "EN", "en-US", "en_GB", "en-Latn-GB"])
def test_region_of_a_language_does_not_matter(toy_index: Index, code: str) -> None:
    assert language(code) == "en"
    assert compiled(toy_index, "fuel", code) == {"fuel": 1.0}


def test_language_the_index_does_not_take_is_refused(toy_index: Index) -> None:
    with pytest.raises(InputError, match="query 'q' is in 'fr': this index accepts ja or en"):
        compiled(toy_index, "pompe", "fr")


def test_unknown_words_and_nothing_compile_to_nothing(toy_index: Index) -> None:
    assert compiled(toy_index, "zeppelin", "en") == compiled(toy_index, "", "en") == {}
