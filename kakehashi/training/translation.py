"""Trains translation on parallel text: tables over the terms of the index, a decoder over words."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from kakehashi.corpus.collection import Collection
from kakehashi.errors import InputError
from kakehashi.index.index import Index
from kakehashi.lexicon.alignment import AlignmentSettings, Links, Pair, align, link_weights
from kakehashi.lexicon.decoder import DecoderSettings, train_decoder
from kakehashi.lexicon.translations import Translations, count_translations
from kakehashi.progress import SILENT, Progress
from kakehashi.retrieve.dt import DECODER
from kakehashi.retrieve.models import fingerprints
from kakehashi.retrieve.psq import REVERSED, TABLE
from kakehashi.training.outcome import Outcome
from kakehashi.training.parallel_text import TextSettings, gather
from kakehashi.training.settings import combined, part


class WithDecoder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is trained besides the tables."""

    decoder: Annotated[
        bool,
        Meta(
            description="Also train a phrase-based decoder, for `dt` and `psq-nbest`; it takes longer than the "
            "tables."
        ),
    ] = True


class WordSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is aligned: terms, after stop list and stems, or words, whose links become links of terms."""

    words: Annotated[
        Literal["terms", "surface"],
        Meta(
            description="What is aligned: `terms`, after stop list and stemming, or `surface`, the words as "
            "written, whose links then become links of their terms; a word of two terms links both, a "
            "stop word none."
        ),
    ] = "terms"


TranslationTraining = combined(
    "TranslationTraining",
    "How translation is trained.",
    AlignmentSettings,
    WordSettings,
    TextSettings,
    WithDecoder,
    DecoderSettings,
)


def train(
    collection: Collection,
    index: Index,
    folder: Path,
    settings: Any,
    threads: int = 0,
    progress: Progress = SILENT,
    parallel: Sequence[str] = (),
) -> Outcome:
    """Write the tables of both directions into `folder`; `parallel` names text beyond the collection's own."""
    own, by_surface = part(settings, AlignmentSettings), settings.words == "surface"
    if not (index.source_analyzer.is_chunk_local and index.analyzer.is_chunk_local):
        raise InputError("translation links single words: index the collection with ngrams=1 on both sides")
    text = gather(collection, parallel, part(settings, TextSettings), progress)
    source, target = index.source_analyzer, index.analyzer
    read = (source.surface, target.surface) if by_surface else (source, target)
    pairs = text.words(*read, own, text.tallies, progress)
    if not pairs:
        raise InputError(
            f"{collection.folder} has no parallel.tsv with words on both sides: give text by --parallel"
        )
    links = align(pairs, own, progress)
    terms = (source.chunk_terms, target.chunk_terms) if by_surface else None
    table, reverse = tables_of(pairs, links, index, terms)
    made_from = {
        "collection": collection.info.name,
        "index_generation": index.artifact.meta.generation,
        "sentence_pairs": len(pairs),
        "parallel_text": [tally.record() for tally in text.tallies],
        "links": len(links.pairs),
        "words": len(table),
        "entries": table.n_entries,
    }
    values = msgspec.to_builtins(settings)
    if settings.decoder:
        surface = pairs if by_surface else text.words(source.surface, target.surface, own)
        sizes = part(settings, DecoderSettings)
        made_from["decoder"] = train_decoder(
            folder / DECODER, surface, sizes, own, fingerprints(index), progress
        )
    else:
        shutil.rmtree(folder / DECODER, ignore_errors=True)  # an old one does not go with these tables
    reverse.save(folder / REVERSED, values, made_from)
    table.save(folder / TABLE, values, made_from)
    return Outcome(0, [], [], table.n_entries, made_from)


TermsOf = Callable[[str], Sequence[str]]


def tables_of(
    pairs: list[Pair], links: Links, index: Index, terms: tuple[TermsOf, TermsOf] | None = None
) -> tuple[Translations, Translations]:
    """(p(target | source), p(source | target)) by the relative frequency of links.

    Where words were aligned, `terms` gives those of a word, by side: each is linked with each, none for a
    stop word.
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
    weights, made_with = link_weights(pairs, links)[numbers], fingerprints(index)
    return (
        count_translations(sources, targets, weights, made_with),
        count_translations(
            targets, sources, weights, {"query": made_with["document"], "document": made_with["query"]}
        ),
    )


def _itself(term: str) -> tuple[str]:
    return (term,)
