"""Trains translation on a collection's parallel text: tables over the terms of the index, a decoder over words."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from kakehashi.corpus.collection import Collection
from kakehashi.errors import InputError
from kakehashi.index.index import Index
from kakehashi.lexicon.alignment import AlignmentSettings, Links, Pair, align, link_weights, usable
from kakehashi.lexicon.decoder import DecoderSettings, train_decoder
from kakehashi.lexicon.translations import Translations, count_translations
from kakehashi.progress import SILENT, Progress, track
from kakehashi.retrieve.dt import DECODER
from kakehashi.retrieve.models import fingerprints
from kakehashi.retrieve.psq import REVERSED, TABLE
from kakehashi.text.analyzer import Analyzer
from kakehashi.training.outcome import Outcome
from kakehashi.training.settings import combined, part


class WithDecoder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is trained besides the tables."""

    decoder: bool = True  # a phrase-based decoder, for the system dt; takes longer than the tables


TranslationTraining = combined(
    "TranslationTraining", "How translation is trained.", AlignmentSettings, WithDecoder, DecoderSettings
)


def train(
    collection: Collection,
    index: Index,
    folder: Path,
    settings: Any,
    threads: int = 0,
    progress: Progress = SILENT,
) -> Outcome:
    """Write the tables of both directions into `folder`."""
    own = part(settings, AlignmentSettings)
    read = _read(collection, index.source_analyzer, index.analyzer)
    pairs = usable(track(read, "analysing parallel text", None, progress), own)
    if not pairs:
        raise InputError(f"{collection.folder} has no parallel.tsv with words on both sides")
    links = align(pairs, own, progress)
    table, reverse = tables_of(pairs, links, index)
    made_from = {
        "collection": collection.info.name,
        "index_generation": index.artifact.meta.generation,
        "sentence_pairs": len(pairs),
        "links": len(links.pairs),
        "words": len(table),
        "entries": table.n_entries,
    }
    values = msgspec.to_builtins(settings)
    reverse.save(folder / REVERSED, values, made_from)
    if settings.decoder:
        surface = usable(_read(collection, index.source_analyzer.surface, index.analyzer.surface), own)
        sizes = part(settings, DecoderSettings)
        made_from["decoder"] = train_decoder(
            folder / DECODER, surface, sizes, own, fingerprints(index), progress
        )
    table.save(folder / TABLE, values, made_from)
    return Outcome(0, [], [], table.n_entries, made_from)


def _read(collection: Collection, source: Analyzer, target: Analyzer) -> Iterator[Pair]:
    """Parallel text, analysed."""
    sentences: Iterable[tuple[str, str]] = collection.parallel() if collection.has("parallel.tsv") else ()
    for here, there in sentences:
        yield Pair(source.terms(here), target.terms(there))


def tables_of(pairs: list[Pair], links: Links, index: Index) -> tuple[Translations, Translations]:
    """(p(target | source), p(source | target)) by the relative frequency of links."""
    places = zip(links.pairs.tolist(), links.sources.tolist(), links.targets.tolist(), strict=True)
    words = [(pairs[n].source[i], pairs[n].target[j]) for n, i, j in places]
    sources, targets = [source for source, _ in words], [target for _, target in words]
    weights, made_with = link_weights(pairs, links), fingerprints(index)
    return (
        count_translations(sources, targets, weights, made_with),
        count_translations(
            targets, sources, weights, {"query": made_with["document"], "document": made_with["query"]}
        ),
    )
