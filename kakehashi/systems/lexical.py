"""Systems that match words without translation: BM25, language models, tf-idf, and the baselines."""

from typing import Annotated

from msgspec import Meta

from kakehashi.index.holdings import Holdings
from kakehashi.index.metadata import parse_condition
from kakehashi.query.terms import Untranslated
from kakehashi.retrieve.sparse import Sparse
from kakehashi.retrieve.weighting import Bm25, Hmm, Lm, TfIdf
from kakehashi.systems.spec import ORIGINALS, Opening, SystemSpec


class TfIdfSettings(TfIdf, frozen=True, forbid_unknown_fields=True):
    """Cosine of tf·idf vectors, with a choice of documents for counting df.

    df = "" counts over the whole index, df = "pool=train" over the documents that satisfy the condition; terms
    that those documents do not contain are dropped.
    """

    df: Annotated[
        str,
        Meta(
            description="Documents over which df and N are counted: empty for the whole index, else one condition "
            "as in `--where`, such as `pool=train`. Terms that those documents do not contain are "
            "dropped."
        ),
    ] = ""


def open_lexical(opening: Opening) -> Sparse:
    index = opening.holdings.index
    return Sparse(opening.name, Untranslated(index), opening.settings, index)


def open_tfidf(opening: Opening) -> Sparse:
    index, settings = opening.holdings.index, opening.settings
    statistics = index.statistics_where([parse_condition(settings.df)]) if settings.df else None
    return Sparse(opening.name, Untranslated(index), TfIdf(settings.idf), index, statistics)


def translates_nothing(holdings: Holdings) -> bool:
    """Whether queries and documents have one language: then systems without a model are all that search needs."""
    info = holdings.collection.info
    return info.source_language == info.target_language


SPECS = (
    SystemSpec(
        "bm25",
        "Sparse",
        "BM25 over the words that both languages share",
        Bm25,
        open_lexical,
        is_trained=translates_nothing,
        quick=True,
    ),
    SystemSpec(
        "lm",
        "Sparse",
        "language model with a Dirichlet prior, over the words that both languages share",
        Lm,
        open_lexical,
    ),
    SystemSpec(
        "tfidf",
        "Sparse",
        "cosine of tf-idf vectors, over the words that both languages share",
        TfIdfSettings,
        open_tfidf,
    ),
    SystemSpec(
        "hmm",
        "Sparse",
        "the language model of psq-hmm, over the words that both languages share",
        Hmm,
        open_lexical,
        is_trained=translates_nothing,
        quick=True,
    ),
    SystemSpec(
        "passthrough", "Sparse", "baseline: BM25 over the query's untranslated words", Bm25, open_lexical
    ),
    SystemSpec(
        "monolingual",
        "Sparse",
        "baseline: BM25 over the query's original in the documents' language",
        Bm25,
        open_lexical,
        queries=ORIGINALS,
    ),
    SystemSpec(
        "monolingual-hmm",
        "Sparse",
        "baseline: the same original with the language model of psq-hmm, better for long texts",
        Hmm,
        open_lexical,
        queries=ORIGINALS,
    ),
)
