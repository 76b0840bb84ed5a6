"""Vectors of words and classes for the CNN ranker, learned from the collection alone and kept for its trainings."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
import xxhash
from msgspec import Meta

from kakehashi import store
from kakehashi.corpus.splits import TRAIN
from kakehashi.errors import InputError
from kakehashi.index.holdings import Holdings
from kakehashi.index.tokens import ordered_terms, read_tokens
from kakehashi.learn.cnn_settings import SIDES, WordVectorSettings
from kakehashi.learn.skipgram import SkipGramSettings, Texts, train_skipgram
from kakehashi.learn.walks import WalkSettings, class_graph, class_vectors
from kakehashi.lexicon.translations import Translations
from kakehashi.progress import SILENT, Progress, track
from kakehashi.retrieve.cnn_parts import classes_above, classes_of
from kakehashi.soundness import finite, typed
from kakehashi.training.parallel_text import TextSettings, gather
from kakehashi.types import Floats32, Text

KIND, VERSION = "cnn-vectors", 1
CLASSES = "classes.tsv"
AUTO = "auto"
HALF = 0.5  # share of a field's values that must be in the class graph, or spelled as codes or paths are


class ClassSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which metadata are classes."""

    classes: Annotated[
        str,
        Meta(
            description="Fields that hold classes, separated by commas; `auto` takes those with at least half of "
            "their values in `classes.tsv`, or spelled as IPC codes or paths such as `use::editing`."
        ),
    ] = AUTO


class Named(NamedTuple):
    """Rows of vectors and what they stand for, of queries and of documents."""

    names: tuple[Sequence[str], Sequence[str]]
    vectors: tuple[Floats32, Floats32]


def word_vectors(
    holdings: Holdings, settings: WordVectorSettings, folder: Path, progress: Progress = SILENT
) -> Named:
    """Skip-gram over the documents, and over training queries; over parallel text, as far as it may be learned from."""
    collection = holdings.collection
    pairs = gather(collection, (), TextSettings(), progress).sentences
    source, target = holdings.index.source_analyzer, holdings.index.analyzer
    queries = collection.split_queries(TRAIN)
    told = {
        "query": [
            *(
                ordered_terms(source, text)
                for text in track(queries, "analysing queries", len(queries), progress)
            ),
            *(source.terms_of_chunks(source.segment(pair.source)) for pair in pairs),
        ],
        "document": [
            *_documents(holdings, progress),
            *(target.terms_of_chunks(target.segment(pair.target)) for pair in pairs),
        ],
    }
    texts = {side: _numbered(own) for side, own in told.items()}
    made_from = {
        "settings": msgspec.to_builtins(settings),
        "texts": {side: _digest(own) for side, own in texts.items()},
    }
    kept = store.read_kept(folder, KIND, VERSION, made_from, _named)
    return _named(_trained(texts, settings, folder, made_from, progress)) if kept is None else kept


def _named(artifact: store.Artifact) -> Named:
    names = [list(artifact.strings(f"{side}.words")) for side in SIDES]
    vectors = [
        typed(f"{side}.vectors", artifact.array(f"{side}.vectors"), (np.float32,), len(own), None)
        for side, own in zip(SIDES, names, strict=True)
    ]
    for side, own in zip(SIDES, vectors, strict=True):
        finite(f"{side}.vectors", own)
    return Named((names[0], names[1]), (vectors[0], vectors[1]))


def _documents(holdings: Holdings, progress: Progress) -> Iterator[list[str]]:
    tokens = read_tokens(holdings, progress)
    for row in np.sort(tokens.rows[tokens.rows >= 0]).tolist():
        yield [
            tokens.terms[word] for word in tokens.words[tokens.starts[row] : tokens.starts[row + 1]].tolist()
        ]


def _numbered(texts: Iterable[list[str]]) -> Texts:
    numbers: dict[str, int] = {}
    words, ends, n = [np.zeros(0, np.int32)], [], 0
    for text in texts:
        words.append(np.array([numbers.setdefault(term, len(numbers)) for term in text], np.int32))
        n += len(text)
        ends.append(n)
    return Texts(list(numbers), np.concatenate(words), np.array(ends, np.int64))


def _digest(texts: Texts) -> str:
    state = xxhash.xxh3_128("\n".join(texts.terms).encode("utf-8", "surrogatepass"))
    state.update(texts.words.tobytes())
    state.update(texts.ends.tobytes())
    return state.hexdigest()


def _trained(
    texts: dict[str, Texts], settings: WordVectorSettings, folder: Path, made_from: dict[str, Any], progress: Progress
) -> store.Artifact:  # fmt: skip
    skipgram = SkipGramSettings(settings.word_dimensions, 5, 5, 1e-3, settings.word_epochs)
    with store.Writer(folder, KIND, VERSION) as writer:
        for side, own in texts.items():
            counts = own.counts()
            words = sorted(
                term for term, n in zip(own.terms, counts.tolist(), strict=True) if n >= settings.least_count
            )
            if not words:
                raise InputError(
                    f"no word of the {side} side occurs {settings.least_count} times: lower least_count"
                )
            vectors = train_skipgram(own, tuple(words), skipgram, settings.word_seed, progress)
            # one mean length, whatever the size of the text: the filters begin at one scale
            vectors = vectors / np.float32(max(float(np.linalg.norm(vectors, axis=1).mean()), 1e-6))
            writer.put(
                {
                    f"{side}.vectors": vectors.astype(np.float32),
                    **store.strings_arrays(f"{side}.words", words),
                }
            )
        writer.commit({}, made_from, settings.word_seed)
    return store.read(folder, KIND, VERSION)


def translated(words: Named, table: Translations) -> Named:
    """Words of the queries as the mean of their translations' vectors; an untranslated word that both sides have is
    the same word, and one that only queries have is dropped."""
    vectors = words.vectors[1]
    row_of = {word: row for row, word in enumerate(words.names[1])}
    names, found = [], []
    for word in sorted({*words.names[0], *table.sources}):
        known = [(row_of[other], chance) for other, chance in table.row(word) if other in row_of]
        if not known and word in row_of:
            known = [(row_of[word], 1.0)]
        if known:
            rows, chances = [row for row, _ in known], np.array([chance for _, chance in known], np.float32)
            mean = chances @ vectors[rows] / chances.sum()
            length = float(chances @ np.linalg.norm(vectors[rows], axis=1) / chances.sum())
            names.append(word)
            found.append(mean * (length / max(float(np.linalg.norm(mean)), 1e-6)))
    mean_vectors = np.array(found, np.float32).reshape(len(names), vectors.shape[1])
    return Named((names, words.names[1]), (mean_vectors, vectors))


def class_fields(holdings: Holdings, text: str) -> list[str]:
    """As given; for `auto`, those whose values are classes."""
    declared = holdings.collection.info.fields
    if text.strip() != AUTO:
        found = [name.strip() for name in text.split(",") if name.strip()]
        for name in found:
            if declared.get(name) != "keyword":
                known = ", ".join(field for field, kind in declared.items() if kind == "keyword") or "none"
                raise InputError(
                    f"classes: '{name}' is not a keyword field of this collection: it has {known}"
                )
        return found
    graph = {name for edge in _edges(holdings) for name in edge}
    return [
        field
        for field, kind in declared.items()
        if kind == "keyword" and _are_classes(holdings, field, graph)
    ]


def _are_classes(holdings: Holdings, field: str, graph: set[str]) -> bool:
    values = sorted(_values(holdings, field))
    return bool(values) and sum(
        value in graph or bool(classes_above(value)) for value in values
    ) >= HALF * len(values)


def _values(holdings: Holdings, field: str) -> set[str]:
    if holdings.index.fields.get(field) != "keyword":
        return set()
    return {name for segment in holdings.index.segments for name in segment.artifact.strings(f"meta.{field}")}


def _edges(holdings: Holdings) -> list[tuple[str, str]]:
    return list(holdings.collection.classes()) if holdings.collection.has(CLASSES) else []


def vectors_of_classes(
    holdings: Holdings, fields: Sequence[str], queries: Sequence[Text], settings: WalkSettings, seed: int,
    progress: Progress = SILENT,
) -> Named:  # fmt: skip
    """DeepWalk over the class graph: `classes.tsv`, and what codes and paths say by their spelling."""
    edges = _edges(holdings)
    linked = {child for child, _ in edges}
    classes = {value for field in fields for value in _values(holdings, field)}
    classes |= {value for query in queries for value in classes_of(query.meta, fields)}
    for value in sorted(classes - linked):
        edges += list(zip([value, *classes_above(value)], classes_above(value), strict=False))
    graph = class_graph(classes, edges)
    vectors = class_vectors(graph, settings, seed, progress)
    return Named((graph.names, graph.names), (vectors, vectors))
