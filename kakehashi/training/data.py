"""What every learner from pairs needs: the words of both sides, the vectors, the pairs as a stream.

Only the training part is used: its queries, its judgments and, if the collection has pools, its pool; unless a
setting says `all`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import numpy as np
from msgspec import Meta

from kakehashi.corpus.collection import Collection
from kakehashi.corpus.pair_draws import Hard
from kakehashi.corpus.pairs import PairBlock, Pairs, PairSettings, sample_pairs
from kakehashi.corpus.splits import pool_conditions
from kakehashi.errors import InputError
from kakehashi.index.holdings import Holdings
from kakehashi.index.index import Index
from kakehashi.learn.vectors import Rows, Values, Words, choose_words, count_df
from kakehashi.lexicon.company import CfhSettings
from kakehashi.lexicon.correlated import correlate_index, correlate_texts
from kakehashi.progress import SILENT, Progress, track
from kakehashi.query.reading import REWRITTEN, Reading, rewritten
from kakehashi.text.idf import IdfSetting
from kakehashi.types import Condition, Longs, Qrels

SPLIT = "train"


class WordSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The words of a model, and the vectors over them."""

    query_words: Annotated[
        int, Meta(description="How many of the most frequent words of the queries are used; 0 uses all.")
    ] = 30_000
    document_words: Annotated[
        int, Meta(description="How many of the most frequent words of the documents are used; 0 uses all.")
    ] = 30_000
    query_share: Annotated[
        float, Meta(description="Leave out words that occur in more than this share of the queries.")
    ] = 0.2
    document_share: Annotated[
        float, Meta(description="Leave out words that occur in more than this share of the documents.")
    ] = 0.2
    query_vectors: Annotated[
        Values, Meta(description="Value of each word in a query's vector: 1 (`binary`), tf·idf or tf.")
    ] = "binary"
    document_vectors: Annotated[
        Values, Meta(description="Value of each word in a document's vector: 1 (`binary`), tf·idf or tf.")
    ] = "binary"
    unit: Annotated[bool, Meta(description="Divide each vector by its length.")] = True
    idf: IdfSetting = "log"
    df_from: Annotated[
        Literal["train", "all"],
        Meta(
            description="Texts over which df is counted: the training part (`train`), or `all` queries and "
            "documents. The latter uses data beyond the training part and is meant for comparison."
        ),
    ] = "train"


class CorrelatedSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whether texts are rewritten into correlated words."""

    query_cfh: Annotated[
        int,
        Meta(
            description="Rewrite each query word into this many correlated words; 0 leaves queries as they are."
        ),
    ] = 0
    document_cfh: Annotated[
        int,
        Meta(
            description="Rewrite each document word into this many correlated words; 0 leaves documents as they "
            "are."
        ),
    ] = 0
    cfh_words: Annotated[int, Meta(description="How many of the most frequent words may replace others.")] = (
        30_000
    )
    cfh_count: Annotated[
        Literal["binary", "min", "max"],
        Meta(
            description="What a text with both words adds to their co-occurrence: `min` the smaller of the two "
            "frequencies, `max` the larger, `binary` 1."
        ),
    ] = "min"
    cfh_from: Annotated[
        Literal["train", "all"],
        Meta(
            description="Texts over which the correlations that searches use are counted: the training part "
            "(`train`), or `all` queries and documents. Training always uses those of the training part. `all` uses "
            "data beyond it and is meant for comparison."
        ),
    ] = "train"
    cfh_form: Annotated[
        Literal["texts", "pairs"],
        Meta(
            description="`texts`: every word that replaces a query word meets every word that replaces a document "
            "word. `pairs`: the first meets the first, the second the second, and so on; needs as many words on both "
            "sides, and `l1=0`."
        ),
    ] = "texts"

    def __post_init__(self) -> None:
        if self.cfh_form == "pairs" and not 0 < self.query_cfh == self.document_cfh:
            raise InputError(
                "cfh_form=pairs needs the same number of correlated words on both sides: set query_cfh and "
                "document_cfh to one number above 0"
            )


AS_THEY_ARE = CorrelatedSettings()


@dataclass(frozen=True)
class Vectors:
    """Both sides of a collection as vectors over the words of a model."""

    query_words: Words
    document_words: Words
    queries: Rows
    documents: Rows
    reading: Reading  # the index that is searched, rewritten or not, and how queries are read then


@dataclass(frozen=True)
class TrainingData(Vectors):
    """With the pairs that say which document should rank first."""

    pairs: Pairs
    places: Longs  # (pool,) row of a pair's document number

    def blocks(self, part: int = 0, parts: int = 1) -> Iterator[PairBlock]:
        """All pairs, or those of one of several equal parts."""
        for block in self.pairs.blocks(part=part, parts=parts):
            yield block._replace(
                positives=self.places[block.positives], negatives=self.places[block.negatives]
            )


def prepare(
    holdings: Holdings,
    words: WordSettings,
    pairs: PairSettings,
    folder: Path,
    progress: Progress = SILENT,
    one_vocabulary: bool = False,
    correlated: CorrelatedSettings = AS_THEY_ARE,
    hard: Callable[[Sequence[str]], Hard | None] = lambda pool: None,
) -> TrainingData:
    """Sample pairs into the model's folder and build the vectors they refer to.

    With `one_vocabulary`, queries use the words of the documents. `hard` finds hard negatives in a pool.
    """
    pool, places = pool_of(holdings, SPLIT)
    judged = training_judgments(holdings.collection)
    sampled = sample_pairs(folder / "pairs", judged, pool, pairs, progress, hard(pool))
    made = make_vectors(holdings, sampled.query_ids, words, folder, progress, one_vocabulary, correlated)
    return TrainingData(
        made.query_words, made.document_words, made.queries, made.documents, made.reading, sampled, places
    )


def training_judgments(collection: Collection) -> Qrels:
    if SPLIT not in collection.splits:
        raise InputError(f"{collection.folder} has no qrels/{SPLIT}.tsv to learn from: add it")
    return collection.qrels(SPLIT)


def make_vectors(
    holdings: Holdings,
    query_ids: Sequence[str],
    words: WordSettings,
    folder: Path,
    progress: Progress = SILENT,
    one_vocabulary: bool = False,
    correlated: CorrelatedSettings = AS_THEY_ARE,
) -> Vectors:
    """For the given training queries, in that order, and all documents of the index."""
    collection, index = holdings.collection, holdings.index
    if one_vocabulary and index.analyzer.fingerprint != index.source_analyzer.fingerprint:
        raise InputError(
            "one vocabulary needs queries and documents of one language and one analyzer: set tied=false"
        )
    terms, pool = _query_terms(holdings, query_ids, progress), pool_conditions(collection, SPLIT)
    reading = _read(index, terms, pool, correlated, folder, progress)
    terms = [reading.rewritten(text) for text in terms]
    document_words = _document_words(holdings.over(reading.index), words)
    if one_vocabulary:
        query_words = document_words
    elif words.df_from == "all":
        query_words = _query_words((reading.terms(query) for query in collection.queries()), words)
    else:
        query_words = _query_words(terms, words)
    queries, documents = query_words.rows(terms), document_words.document_rows(reading.index)
    if correlated.cfh_from == "all":
        every = (index.source_analyzer.terms(query.content) for query in collection.queries())
        reading = _read(index, every, [], correlated, folder, progress)
    return Vectors(query_words, document_words, queries, documents, reading)


def _read(
    index: Index,
    terms: Iterable[list[str]],
    conditions: Sequence[Condition],
    words: CorrelatedSettings,
    folder: Path,
    progress: Progress,
) -> Reading:
    """The reading that the settings select, by correlations in these queries and the documents with the conditions."""
    queries, documents, in_pairs = None, None, words.cfh_form == "pairs"
    if words.query_cfh:
        settings = CfhSettings(words.cfh_words, words.query_cfh, words.cfh_count)
        queries = replace(correlate_texts(terms, settings, progress), by_position=in_pairs)
    if words.document_cfh:
        settings = CfhSettings(words.cfh_words, words.document_cfh, words.cfh_count)
        found = correlate_index(index, settings, conditions, progress)
        documents = replace(found, by_position=in_pairs)
        index = rewritten(index, documents, folder / REWRITTEN, progress)
    return Reading(index, queries, documents)


def pool_of(holdings: Holdings, split: str) -> tuple[list[str], Longs]:
    """(ids, rows) of the live documents a split is ranked against; rows are numbered across all segments."""
    numbering = holdings.index.numbering
    rows = np.flatnonzero(numbering.allowed(pool_conditions(holdings.collection, split)))
    ids = numbering.ids
    return [ids[row] for row in rows.tolist()], rows.astype(np.int64)


def _query_terms(holdings: Holdings, query_ids: Sequence[str], progress: Progress) -> list[list[str]]:
    """The analysed queries, in the order of their numbers in the pairs."""
    wanted = {id: number for number, id in enumerate(query_ids)}
    terms: list[list[str]] = [[] for _ in wanted]
    queries, analyzer = holdings.collection.split_queries(SPLIT), holdings.index.source_analyzer
    for text in track(queries, "analysing queries", len(wanted), progress):
        if text.id in wanted:
            terms[wanted[text.id]] = analyzer.terms(text.content)
    return terms


def _query_words(terms: Iterable[list[str]], words: WordSettings) -> Words:
    return choose_words(
        *count_df(terms), words.query_words, words.query_share, words.query_vectors, words.unit, words.idf
    )


def _document_words(holdings: Holdings, words: WordSettings) -> Words:
    index = holdings.index
    conditions = pool_conditions(holdings.collection, SPLIT) if words.df_from == "train" else []
    statistics = index.statistics_where(conditions) if conditions else index.statistics
    return choose_words(
        index.vocabulary.all_terms(),
        statistics.df,
        statistics.n_docs,
        words.document_words,
        words.document_share,
        words.document_vectors,
        words.unit,
        words.idf,
    )
