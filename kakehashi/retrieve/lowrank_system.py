"""The low-rank model as a system: choose words, train on pairs, keep as an artifact, open again."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kakehashi import store
from kakehashi.errors import FileError, InputError
from kakehashi.index.index import Index
from kakehashi.learn.lowrank import UNSHARED, LowRank, LowRankSettings, train_lowrank
from kakehashi.learn.pair_block import PairBlock
from kakehashi.learn.vectors import Rows, Values, Words, choose_words, count_df, read_words
from kakehashi.progress import SILENT, Progress
from kakehashi.retrieve.dense import EVERYTHING, Dense
from kakehashi.retrieve.document_vectors import document_vectors
from kakehashi.retrieve.projection import Linear, query_rows
from kakehashi.retrieve.sparse import Scope
from kakehashi.store import Array
from kakehashi.text.idf import Idf
from kakehashi.types import Ints, Text

KIND, VERSION = "lowrank", 1
VECTORS = "vectors"  # the folder of document vectors inside that of the model


class LowRankSystemSettings(LowRankSettings, frozen=True, forbid_unknown_fields=True):
    """Which words the model knows, how texts become vectors over them, and how it is trained."""

    cosine: bool = False  # vectors are made equally long before a search
    words: int = 0  # the most frequent of each side; 0: all
    max_share: float = 0.5  # a word in more than this share of the texts is left out
    values: Values = "tfidf"
    idf: Idf = "log"
    unit: bool = True


OnEpoch = Callable[[int, LowRank], float]


def train(
    index: Index,
    queries: Sequence[Text],
    document_ids: Sequence[str],
    blocks: Callable[[], Iterable[PairBlock]],
    settings: LowRankSystemSettings,
    on_epoch: OnEpoch | None = None,
    progress: Progress = SILENT,
) -> Linear:
    """Blocks number the queries and the documents as given here; words are counted over these, and no others."""
    document_rows, document_words = _documents(index, document_ids, settings)
    query_words = document_words if settings.tied else _query_words(index, queries, settings)
    if settings.tied and index.analyzer.fingerprint != index.source_analyzer.fingerprint:
        raise InputError("a tied model needs queries and documents of one language: use tied=false")
    shared = shared_words(query_words, document_words) if settings.identity else UNSHARED
    asked = query_rows(index, query_words, queries)
    model = train_lowrank(
        blocks, asked, document_rows, len(query_words), len(document_words), settings,
        np.random.default_rng(settings.seed), shared, on_epoch, progress,
    )  # fmt: skip
    return Linear(query_words, document_words, model.u, model.v, model.shared, settings.cosine)


def shared_words(query_words: Words, document_words: Words) -> Ints:
    """(query words,) the number of the same word on the other side, or -1."""
    return np.array([document_words.numbers.get(term, -1) for term in query_words.terms], dtype=np.int32)


def save(
    folder: Path,
    model: Linear,
    index: Index,
    settings: msgspec.Struct,
    seed: int,
    kind: str = KIND,
) -> None:
    """Keep a model for use with indexes of the same analyzers."""
    arrays = {**model.query_words.arrays("query"), **model.document_words.arrays("document"), "u": model.u}
    arrays |= {"shared": model.shared} | ({} if model.v is model.u else {"v": model.v})
    with store.Writer(folder, kind, VERSION) as writer:
        writer.put(arrays)
        writer.commit(
            {
                "query_words": model.query_words.settings(),
                "document_words": model.document_words.settings(),
                "cosine": model.cosine,
                "analyzers": _analyzers(index),
                "training": msgspec.to_builtins(settings),
            },
            seed=seed,
        )


def read(folder: Path, index: Index, kind: str = KIND) -> Linear:
    """The model kept in a folder, if it was trained with the analyzers of this index."""
    artifact = store.read(folder, kind, VERSION)
    artifact.map_all()
    trained, now = artifact.meta.settings.get("analyzers"), _analyzers(index)
    if trained != now:
        raise InputError(
            f"model {folder} was trained with analyzers {trained}, the index has {now}: train it again"
        )
    query_words, document_words = read_words(artifact, "query"), read_words(artifact, "document")
    u = artifact.array("u")
    v = artifact.array("v") if "v" in artifact else u
    if u.shape[:1] != (len(query_words),) or v.shape != (len(document_words), u.shape[1]):
        raise FileError(folder, None, "holds arrays that do not fit its words: train it again")
    shared = np.asarray(artifact.array("shared"))
    return Linear(query_words, document_words, u, v, shared, artifact.meta.settings["cosine"])


def open_system(
    name: str,
    folder: Path,
    index: Index,
    scope: Scope = EVERYTHING,
    progress: Progress = SILENT,
    kind: str = KIND,
) -> Dense:
    """The system over a kept model; document vectors are kept beside it and made anew when they must be."""
    model = read(folder, index, kind)
    vectors = document_vectors(index, model, folder / VECTORS, progress)
    return Dense(name, model, index, scope, vectors, progress=progress)


def _documents(
    index: Index, document_ids: Sequence[str], settings: LowRankSystemSettings
) -> tuple[Rows, Words]:
    """Vectors of the named documents, in that order, over words counted on them."""
    numbers = _numbers(index, document_ids)
    terms = index.vocabulary.all_terms()
    df = np.zeros(len(terms))
    first = 0
    for segment in index.segments:
        here = numbers[(numbers >= first) & (numbers < first + segment.n_docs)] - first
        chosen = np.zeros(segment.n_docs, dtype=bool)
        chosen[here] = True
        starts, columns, _ = segment.forward
        df += np.bincount(columns[np.repeat(chosen, np.diff(starts))], minlength=len(terms))
        first += segment.n_docs
    words = _chosen(terms, df, len(document_ids), settings)
    return take(words.document_rows(index), numbers), words


def _query_words(index: Index, queries: Sequence[Text], settings: LowRankSystemSettings) -> Words:
    terms, df, n = count_df(index.source_analyzer.terms(query.content) for query in queries)
    return _chosen(terms, df, n, settings)


def _chosen(terms: Sequence[str], df: Any, n: int, settings: LowRankSystemSettings) -> Words:
    return choose_words(
        terms, df, n, settings.words, settings.max_share, settings.values, settings.unit, settings.idf
    )


def _numbers(index: Index, document_ids: Sequence[str]) -> Array:
    """Rows of `Words.document_rows`."""
    firsts = np.cumsum([0, *(segment.n_docs for segment in index.segments)]).tolist()
    numbers = []
    for doc_id in document_ids:
        place = index.place(doc_id)
        if place is None:
            raise InputError(f"training pairs name document '{doc_id}', which the index does not hold")
        numbers.append(firsts[place[0]] + place[1])
    return np.array(numbers, dtype=np.int64)


def take(rows: Rows, numbers: Array) -> Rows:
    """The given rows, in that order."""
    sizes = np.diff(rows.starts)[numbers]
    starts = np.append(0, np.cumsum(sizes)).astype(np.int64)
    places = np.repeat(rows.starts[numbers] - starts[:-1], sizes) + np.arange(starts[-1])
    return Rows(starts, rows.columns[places], rows.values[places])


def _analyzers(index: Index) -> dict[str, str]:
    return {"query": index.source_analyzer.fingerprint, "document": index.analyzer.fingerprint}
