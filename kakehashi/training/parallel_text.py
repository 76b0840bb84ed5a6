"""Collects the sentence pairs of a collection and of additional files, and counts what was used and skipped."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

import msgspec
from msgspec import Meta

from kakehashi.corpus.collection import Collection
from kakehashi.corpus.leaks import OWN, HeldOutText
from kakehashi.corpus.parallel_text.dictionaries import WEIGHT
from kakehashi.corpus.parallel_text.selection import HELD_OUT, Selection, Tally, Unseen
from kakehashi.corpus.parallel_text.sentence_pair import Languages, SentencePair
from kakehashi.corpus.parallel_text.sources import parallel_text
from kakehashi.errors import InputError
from kakehashi.lexicon.alignment import AlignmentSettings, Pair, unusable
from kakehashi.progress import SILENT, Progress, track
from kakehashi.text.analyzer import Analyzer


class TextSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The weight of text."""

    dictionary_weight: Annotated[
        float,
        Meta(
            description="Total weight of the translations that a dictionary entry gives for a word; a sentence "
            "counts 1. Above 0, at most 10."
        ),
    ] = WEIGHT
    without_test_text: Annotated[
        bool,
        Meta(
            description="Leave out pairs of the collection's own `parallel.tsv` that hold text of dev or test queries "
            "or of their translations. Such pairs of additional files are always left out."
        ),
    ] = True

    def __post_init__(self) -> None:
        if not 0.0 < self.dictionary_weight <= 10.0:
            raise InputError(f"dictionary_weight must be above 0 and up to 10, not {self.dictionary_weight}")


@dataclass(frozen=True)
class Gathered:
    """Sentence pairs of all texts, one after the other."""

    sentences: list[SentencePair]
    origins: list[int]  # the text of each pair
    tallies: list[Tally]  # by text

    def words(
        self,
        source: Analyzer,
        target: Analyzer,
        settings: AlignmentSettings,
        tallies: Sequence[Tally] | None = None,
        progress: Progress = SILENT,
    ) -> list[Pair]:
        """The pairs that can be aligned, analysed; `tallies` count all."""
        kept = []
        sentences = track(self.sentences, "analysing parallel text", len(self.sentences), progress)
        for sentence, origin in zip(sentences, self.origins, strict=True):
            words = source.terms(sentence.source), target.terms(sentence.target)
            pair = Pair(*words, sentence.weight, sentence.is_entry)
            why = unusable(pair, settings)
            if not why:
                kept.append(pair)
            if tallies and why:
                tallies[origin].left_out[why] += 1
            elif tallies:
                tallies[origin].used += 1
        return kept


def gather(
    collection: Collection, files: Sequence[str], settings: TextSettings, progress: Progress = SILENT
) -> Gathered:
    """The collection's own text without dev and test; from other files also only what is new and translated."""
    languages = Languages(collection.info.source_language, collection.info.target_language)
    texts = [parallel_text(file, languages) for file in files]
    gathered = Gathered([], [], [])
    if collection.has(OWN):
        tally = Tally(OWN)
        gathered.sentences.extend(_own(collection, settings, tally, progress))
        gathered.origins.extend([0] * len(gathered.sentences))
        gathered.tallies.append(tally)
    if not texts:
        return gathered
    selection = Selection(Unseen(collection), ((pair.source, pair.target) for pair in gathered.sentences))
    for text in texts:
        tally = Tally(text.name)
        read = track(text.read(tally.skip), f"reading {text.name}", None, progress)
        for pair in selection.choose(read, tally):
            factor = settings.dictionary_weight if pair.is_entry else 1.0
            gathered.sentences.append(pair._replace(weight=pair.weight * factor))
            gathered.origins.append(len(gathered.tallies))
        gathered.tallies.append(tally)
    return gathered


def _own(
    collection: Collection, settings: TextSettings, tally: Tally, progress: Progress
) -> Iterator[SentencePair]:
    held = HeldOutText(collection) if settings.without_test_text else None
    for pair in track(collection.parallel(), f"reading {OWN}", None, progress):
        if held is not None and held.has(*pair):
            tally.left_out[HELD_OUT] += 1
        else:
            yield SentencePair(*pair)
