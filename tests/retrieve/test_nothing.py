"""An empty list says why it is empty."""

from typing import Any

import pytest

from kakehashi.corpus.collection import Collection
from kakehashi.index.bibliography import Fields
from kakehashi.library import Library


@pytest.fixture(scope="module")
def library(indexed_toy: Collection) -> Library:
    return Library(indexed_toy.folder)


BEFORE = Library.rules(before="1998-06-07", fields=Fields(publication="date"))


@pytest.mark.parametrize(
    ("text", "options", "reason"),
    [
        (
            "fuel",
            {"where": ["date<1990-01-01"]},
            "the filter 'date<1990-01-01' leaves none of the 12 documents",
        ),
        (
            "fuel",
            {"where": ["ipc=H01M*", "claims>100"]},
            "the filter 'claims>100' leaves none of the 12 documents",
        ),
        (
            "fuel",
            {"where": ["ipc=H01M*", "ipc=G02B*"]},
            "the filter 'ipc=H01M*' and the filter 'ipc=G02B*' leaves none of the 12 documents",
        ),
        ("fuel", {"boolean": "zeppelin"}, "the filter 'zeppelin' leaves none of the 12 documents"),
        (
            "fuel",
            {"where": ["ipc=G02B*"]},
            "the filter 'ipc=G02B*' leaves 2 of 12 documents, and none of them matches the query; others do",
        ),
        (
            "fuel",
            {"rules": BEFORE},
            "the rule 'only documents published before 1998-06-07' leaves 2 of 12 documents, and none of them "
            "matches the query; others do",
        ),
        (
            "zeppelin",
            {},
            "no document matches any word of the query that bm25 looks for: zeppelin",
        ),
        (
            "q1 q2 q3 q4 q5 q6 q7",
            {},
            "no document matches any word of the query that bm25 looks for: q1, q2, q3, q4, q5 and 2 more",
        ),
        ("of the", {}, "the query holds only stop words or signs, which are not searched for"),
        ("  ", {}, "the query is empty"),
        ("飛行船", {}, "the query looks to be written in Chinese characters, not English: search in English"),
    ],
)
def test_reason_is_the_first_that_applies(
    library: Library, text: str, options: dict[str, Any], reason: str
) -> None:
    hits = library.search(text, lang="en", **options)
    assert (len(hits), hits.nothing) == (0, reason)


def test_text_in_the_documents_language_is_told_how_to_say_so(library: Library) -> None:
    hits = library.search("zeppelin", lang="ja")
    assert hits.nothing == (
        "the query looks to be written in Latin letters, not Japanese: search in Japanese, "
        "or say --lang en if it is in English"
    )


def test_words_are_named_as_they_were_written_and_a_system_that_does_not_translate_says_so(
    library: Library,
) -> None:
    assert library.search("Zeppelins; airships!", lang="en").nothing == (
        "no document matches any word of the query that bm25 looks for: Zeppelins, airships"
    )
    assert library.search("飛行船", lang="ja").nothing == (
        "no document matches any word of the query that bm25 looks for: 飛行船 "
        "(bm25 does not translate: choose a system that does)"
    )


def test_hits_need_no_excuse(library: Library) -> None:
    assert library.search("fuel", lang="en").nothing == ""
