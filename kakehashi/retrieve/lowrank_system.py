"""The low-rank model as a system: choose words, train on pairs, keep as an artifact, open again."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import msgspec
import numpy as np

from kakehashi import store
from kakehashi.corpus.pairs import PairBlock
from kakehashi.errors import FileError
from kakehashi.index.index import Index
from kakehashi.learn.lowrank import UNSHARED, LowRank, LowRankSettings, train_lowrank
from kakehashi.learn.vectors import Values, Words, read_words
from kakehashi.progress import SILENT, Progress
from kakehashi.retrieve.dense import EVERYTHING, Dense
from kakehashi.retrieve.document_vectors import document_vectors
from kakehashi.retrieve.projection import Linear
from kakehashi.retrieve.sides import check_analyzers, fingerprints, make_sides
from kakehashi.retrieve.sparse import Scope
from kakehashi.text.idf import Idf
from kakehashi.types import Ints, Text

KIND, VERSION = "lowrank", 1
VECTORS = "vectors"  # the folder of document vectors inside that of the model


class LowRankSystemSettings(LowRankSettings, frozen=True, forbid_unknown_fields=True):
    """Which words the model knows, how texts become vectors over them, and how it is trained."""

    rate: float = 0.05
    l2: float = 0.01
    cosine: bool = True  # vectors are made equally long before a search
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
    sides = make_sides(index, queries, document_ids, settings, one_vocabulary=settings.tied)
    shared = shared_words(sides.query_words, sides.document_words) if settings.identity else UNSHARED
    model = train_lowrank(
        blocks, sides.queries, sides.documents, len(sides.query_words), len(sides.document_words), settings,
        np.random.default_rng(settings.seed), shared, on_epoch, progress,
    )  # fmt: skip
    return Linear(sides.query_words, sides.document_words, model.u, model.v, model.shared, settings.cosine)


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
                "analyzers": fingerprints(index),
                "training": msgspec.to_builtins(settings),
            },
            seed=seed,
        )


def read(folder: Path, index: Index, kind: str = KIND) -> Linear:
    """The model kept in a folder, if it was trained with the analyzers of this index."""
    artifact = store.read(folder, kind, VERSION)
    artifact.map_all()
    check_analyzers(artifact, index)
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
