"""Small models for every system that needs one, put beside an index: nothing is trained, the same bytes always."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from kakehashi.corpus.collection import INFO, CollectionInfo
from kakehashi.corpus.writing import info_toml
from kakehashi.features.kinds import Cosine, Shares
from kakehashi.features.quantities import Citations
from kakehashi.features.sets import SETS
from kakehashi.fuse.rules import Fusion
from kakehashi.fuse.tuned import Step, Tuned
from kakehashi.index.holdings import Holdings
from kakehashi.learn.asked import Asked
from kakehashi.learn.bilinear_model import Bilinear, SparseRows
from kakehashi.learn.boosted_model import average
from kakehashi.learn.boosting import Rounds
from kakehashi.learn.cnn_model import CnnModel, Filters
from kakehashi.learn.cnn_settings import CnnSettings
from kakehashi.learn.hinge import project_rows
from kakehashi.learn.linear import Weights
from kakehashi.learn.linear_model import LinearModel
from kakehashi.learn.lowrank import UNSHARED
from kakehashi.learn.subwords import Subwords, grams_of
from kakehashi.learn.topics import as_rows, lsi
from kakehashi.learn.vectors import Words, choose_words
from kakehashi.lexicon.alignment import AlignmentSettings, Pair
from kakehashi.lexicon.decoder import DecoderSettings, train_decoder
from kakehashi.lexicon.encoders import engine_of
from kakehashi.lexicon.mapped import MappedWords
from kakehashi.lexicon.neighbours import arranged
from kakehashi.lexicon.related import RelatedWords
from kakehashi.lexicon.translations import count_translations
from kakehashi.retrieve.earlier import Judged, count_idf, earlier_arrays
from kakehashi.retrieve.examples import Votes
from kakehashi.retrieve.projection import LowRankProjection
from kakehashi.systems.cnn import PARTS
from kakehashi.systems.cnn_files import save_cnn, save_stacked
from kakehashi.systems.encoder import EncoderModel, EncoderTraining, save_encoder
from kakehashi.systems.examples import About, save_examples
from kakehashi.systems.fused import FusedModel
from kakehashi.systems.lowrank import save_lowrank
from kakehashi.systems.topics import save_topics
from kakehashi.systems.translation import DECODER, REVERSED, TABLE
from kakehashi.training.cnn import Learned
from kakehashi.types import Text
from tests.index.building import put_texts

RANK, TOPICS = 6, 4
FEATURES = "contract"
SETS[FEATURES] = (Cosine("tags"), Shares("tags", name="same tag"), Citations())


def put_models(holdings: Holdings, query_terms: Iterable[str]) -> None:
    """They depend on the words and documents alone, not on the segments these lie in."""
    rng = np.random.default_rng(5)
    terms = tuple(sorted(set(query_terms)))
    query_words = Words(terms, rng.uniform(0.5, 2.0, len(terms)).astype(np.float32), "tfidf")
    index = holdings.index
    df, n_docs = index.statistics.df, index.n_docs
    document_words = choose_words(index.vocabulary.all_terms(), df, n_docs, max_share=1.0, values="binary")
    _put_translation(holdings, terms, rng)
    _put_bilinear(holdings, query_words, document_words, rng)
    _put_boosted(holdings, query_words, document_words, rng)
    _put_lowrank(holdings, query_words, document_words, rng)
    _put_topics(holdings, query_words, document_words, rng)
    _put_examples(holdings, terms)
    _put_related(holdings)
    _put_mapped(holdings, terms)
    _put_linear(holdings, rng)
    _put_fused(holdings)
    _put_encoder(holdings)
    _put_cnn(holdings, terms)


def _put_translation(holdings: Holdings, terms: tuple[str, ...], rng: np.random.Generator) -> None:
    """Three translations each; every seventh word has none and passes through."""
    translated = [term for i, term in enumerate(terms) if i % 7]
    known = sorted(holdings.index.vocabulary.all_terms())
    targets = [known[i] for i in rng.integers(len(known), size=3 * len(translated))]
    sources = [term for term in translated for _ in range(3)]
    table = count_translations(sources, targets, rng.uniform(0.1, 1.0, len(targets)), holdings.fingerprints)
    place = holdings.model_folder("translation")
    table.save(place / TABLE, {}, {})
    table.turned().save(place / REVERSED, {}, {})
    chosen = rng.integers(len(translated), size=(200, 5))
    pairs = [Pair([translated[i] for i in row], [targets[3 * i] for i in row]) for row in chosen]
    train_decoder(place / DECODER, pairs, DecoderSettings(), AlignmentSettings(), holdings.fingerprints)


def _put_bilinear(
    holdings: Holdings, query_words: Words, document_words: Words, rng: np.random.Generator
) -> None:
    """A third of all pairs of words, two weights of three positive."""
    chosen = rng.uniform(size=(len(query_words), len(document_words))) < 1 / 3
    starts = np.append(0, np.cumsum(chosen.sum(axis=1))).astype(np.int64)
    weights = rng.uniform(-0.5, 1.0, size=int(starts[-1])).astype(np.float32)
    rows = SparseRows(starts, np.nonzero(chosen)[1].astype(np.int32), weights, len(document_words))
    model = Bilinear(query_words, document_words, rows, holdings.fingerprints)
    model.save(holdings.model_folder("bilinear"), {}, {}, seed=5)


def _put_boosted(
    holdings: Holdings, query_words: Words, document_words: Words, rng: np.random.Generator
) -> None:
    """Two samples, of which each chose some features, one of five against a document."""
    queries, documents = (
        Words(words.terms, words.idf, "binary", unit=False) for words in (query_words, document_words)
    )
    samples = []
    for _ in range(2):
        n = 4 * len(queries)
        features = rng.integers(len(queries) * len(documents), size=n)
        weights = rng.uniform(-0.5, 2.0, n)
        nothing = np.zeros(n)
        samples.append(
            Rounds(weights, np.arange(n + 1), features, np.zeros((n, 2)), nothing, nothing.astype(np.int64))
        )
    model = average(samples, queries, documents, holdings.fingerprints)
    replace(model, beta=0.25).save(holdings.model_folder("boosted"), {}, {}, seed=5)


def _put_lowrank(
    holdings: Holdings, query_words: Words, document_words: Words, rng: np.random.Generator
) -> None:
    u, v = (
        rng.standard_normal((len(words), RANK), dtype=np.float32) for words in (query_words, document_words)
    )
    model = LowRankProjection(query_words, document_words, u, v, UNSHARED)
    save_lowrank(holdings.model_folder("lowrank"), model, {"analyzers": holdings.fingerprints}, {}, seed=5)


def _put_topics(
    holdings: Holdings, query_words: Words, document_words: Words, rng: np.random.Generator
) -> None:
    """LSI of the documents, and any topics on the other side."""
    index = holdings.index
    texts = sorted(
        " ".join(sorted(index.vocabulary[term] for term in segment.document_terms(doc)[0].tolist()))
        for segment in index.segments
        for doc in range(segment.n_docs)
    )
    rows = document_words.rows(text.split() for text in texts)
    document_topics = lsi(rows, len(document_words), TOPICS, rng)
    query_topics = rng.standard_normal((len(query_words), TOPICS), dtype=np.float32)
    w = rng.standard_normal((TOPICS, TOPICS), dtype=np.float32)
    u = project_rows(as_rows(query_topics), w)
    model = LowRankProjection(query_words, document_words, u, document_topics, UNSHARED, cosine=True)
    save_topics(holdings.model_folder("topics"), model, {"analyzers": holdings.fingerprints}, {}, seed=5)


def _put_examples(holdings: Holdings, terms: tuple[str, ...]) -> None:
    """Earlier queries of a few words each, every word in one at least; each cites a tenth of all documents."""
    rng = np.random.default_rng(6)
    docs, judged = sorted(set(holdings.index.numbering.ids)), []
    for i in range(60):
        words = [*terms[i::60], *rng.choice(terms, 8)]
        chosen = rng.choice(docs, max(2, len(docs) // 10), replace=False).tolist()
        levels = {doc: int(level) for doc, level in zip(chosen, rng.integers(1, 4, len(chosen)), strict=True)}
        judged.append(Judged(Text(f"e{i}", "de", " ".join(words)), words, levels))
    idf = count_idf(one.terms for one in judged)
    about, made_with = About({"2": "cited"}, 3), {"analyzers": holdings.fingerprints}
    arrays, votes = earlier_arrays(judged, idf), Votes(20, 2.0, 0.5, 0.2)
    save_examples(holdings.model_folder("examples"), arrays, idf.n, votes, about, made_with, {})


def _put_related(holdings: Holdings) -> None:
    """A few related words each; the second kind relates some of the same."""
    rng = np.random.default_rng(7)
    terms = tuple(sorted(holdings.index.vocabulary.all_terms()))
    kinds = {}
    for kind, n in (("skipgram", 3), ("lsi", 6)):
        drawn = rng.integers(len(terms), size=(n * len(terms), 2))
        pairs = np.unique(np.sort(drawn[drawn[:, 0] != drawn[:, 1]], axis=1), axis=0).astype(np.int32)
        similarities = rng.uniform(0.5, 1.0, len(pairs)).astype(np.float32)
        kinds[kind] = arranged(pairs[:, 0], pairs[:, 1], similarities, len(terms), both=True)
    model = RelatedWords(terms, kinds, {}, 0.5, holdings.fingerprints)
    model.save(holdings.model_folder("related"), {}, {}, seed=5)


def _put_mapped(holdings: Holdings, sources: tuple[str, ...]) -> None:
    """Four near words each; every fifth word has none."""
    rng = np.random.default_rng(8)
    targets = tuple(sorted(holdings.index.vocabulary.all_terms()))
    rows = np.array([row for row in range(len(sources)) if row % 5 for _ in range(4)], dtype=np.int32)
    drawn = np.concatenate([rng.choice(len(targets), 4, replace=False) for _ in range(len(rows) // 4)])
    similarities = rng.uniform(0.3, 1.0, len(rows)).astype(np.float32)
    near = arranged(rows, drawn.astype(np.int32), similarities, len(sources), both=False)
    model = MappedWords(sources, targets, near, 0.3, holdings.fingerprints)
    model.save(holdings.model_folder("mapped"), {}, {}, seed=5)


def _put_linear(holdings: Holdings, rng: np.random.Generator) -> None:
    """Of what tags have in common, alone and beside systems of both kinds."""
    features = FEATURES if "tags" in holdings.index.fields else "any"
    names = [name for kind in SETS[features] for name in kind.names]
    cited = {doc: float(rng.integers(9)) for doc in sorted(holdings.index.numbering.ids)}
    inputs = [Asked("psq"), Asked("boosted"), Asked("lowrank")]
    made_with = holdings.fingerprints
    weights = np.array([0.7, 0.2, 0.3])[-len(names) :]
    knowledge = LinearModel([], "best", features, names, Weights(weights), cited, made_with, True)
    knowledge.save(holdings.model_folder("knowledge"), {}, {}, seed=5)
    names, weights = [*(one.name for one in inputs), *names], np.append([3.0, 2.0, -0.4], weights)
    by_length = Weights(weights, 0.2 * weights[::-1], (-4.0, 1.0))
    dense = LinearModel(inputs, "best", features, names, by_length, cited, made_with, True)
    dense.save(holdings.model_folder("dense"), {}, {}, seed=5)


def _put_fused(holdings: Holdings) -> None:
    """(psq + boosted) + lowrank, from lists shorter than the index is long."""
    inputs = [Asked("psq"), Asked("boosted"), Asked("lowrank")]
    tuned = Tuned(
        Fusion("borda", depth=150),
        tuple(asked.name for asked in inputs),
        "MAP",
        0.5,
        (0.4, 0.3, 0.2),
        (Step((0, 1), (0.7, 0.3), 0.45, 101), Step((3, 2), (0.6, 0.4), 0.5, 101)),
    )
    FusedModel(inputs, tuned, holdings.fingerprints).save(holdings.model_folder("fused"), {}, {})


def _put_encoder(holdings: Holdings) -> None:
    """Passages of a few words, so that most documents have several; they are encoded when the system is opened."""
    settings = EncoderTraining(
        "tests.contracts.engine:encode", columns=24, passages=3, windows=2, combine="mean"
    )
    save_encoder(
        holdings.model_folder("encoder"), EncoderModel(settings, engine_of(settings.engine).state()), {}
    )


def put_documents(folder: Path, texts: Iterable[Text]) -> None:
    """A collection beside an index, for systems that read the documents themselves."""
    put_texts(folder, texts)
    info = CollectionInfo(name="documents", source_language="de", target_language="en")
    (folder / INFO).write_text(info_toml(info), encoding="utf-8")


def _put_cnn(holdings: Holdings, terms: tuple[str, ...]) -> None:
    """Networks over words, over the values of a field, and over both.

    The first has a further hidden layer and knows some words by their n-grams alone; the last compares windows.
    """
    rng = np.random.default_rng(12)
    field = next(iter(holdings.index.fields), "tags")
    known = sorted(holdings.index.vocabulary.all_terms())
    rows: dict[str, tuple[list[str], list[str]]] = {"text": (list(terms), known), "classes": (known, known)}
    unseen = [term for i, term in enumerate(known) if i % 5 == 0]
    some = [term for term in terms if term not in unseen], [term for term in known if term not in unseen]
    grams = sorted({gram for term in known for gram in grams_of(term)})
    for name, parts in PARTS.items():
        filters, names = {}, {part: rows[part] for part in parts}
        if name == "cnn-text":
            names["text"] = some
        for part, own in names.items():
            k, m, window = (8, 6, 4) if part == "text" else (5, 3, 1)
            filters[part] = tuple(
                Filters(
                    rng.standard_normal((len(side), k), dtype=np.float32),
                    0.4 * rng.standard_normal((window * k, m), dtype=np.float32),
                    0.1 * rng.standard_normal(m, dtype=np.float32),
                    10,
                )
                for side in own
            )
        m = sum(len(queries.b) for queries, _ in filters.values())
        sizes = [2 * m, 12, *([7] if name == "cnn-text" else []), 1]
        layers = tuple(
            rng.standard_normal(sizes[i : i + 2], dtype=np.float32) / np.float32(np.sqrt(sizes[i]))
            for i in range(len(sizes) - 1)
        )
        model = CnnModel(filters, layers)
        if name == "cnn-text":
            z = 3.0 * rng.standard_normal((len(grams), 8), dtype=np.float32)
            model = replace(model, subwords=(Subwords(grams, z), Subwords(grams, z)))
        elif name == "cnn-joint":
            model = replace(model, layers=(np.array([[2.0], [-0.7]], np.float32),), match="maxsim")
        learned = Learned(model, names, [field], 1, [], [], [], {})
        save_cnn(
            holdings.model_folder(name),
            learned,
            Asked("psq-hmm"),
            _weighing("psq-hmm", name),
            CnnSettings(),
            holdings,
        )
    tuned = _weighing("psq-hmm", "cnn-text", "cnn-meta")
    models = ["cnn-text", "cnn-meta"]
    save_stacked(
        holdings.model_folder("cnn-stacked"), models, Asked("psq-hmm"), tuned, CnnSettings(), holdings, {}
    )


def _weighing(*names: str) -> Tuned:
    """Every list counts alike."""
    even = tuple(1.0 / len(names) for _ in names)
    step = Step(tuple(range(len(names))), even, 0.5, 1)
    return Tuned(Fusion("linear"), names, "MAP", 0.5, tuple(0.4 for _ in names), (step,))
