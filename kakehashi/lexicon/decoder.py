"""A phrase-based translator trained and run by sil-thot, stored as an artifact folder.

thot reads its own files; they are stored in the artifact as bytes, and are checked and written to a temporary folder
when the decoder is loaded. Words are used as given: the caller decides about case and stemming.
"""

import hashlib
import tempfile
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta
from thot import alignment as thot
from thot import translation as thot_translation

from kakehashi import store
from kakehashi.errors import FileError, InputError
from kakehashi.lexicon import tuning
from kakehashi.lexicon.alignment import AlignmentSettings, Pair
from kakehashi.lexicon.decoder_files import KEPT, checked_files, checked_order, checked_weights
from kakehashi.lexicon.phrases import BARS, ESCAPED, LANGUAGE, MODEL, escaped, write_decoder
from kakehashi.lexicon.translator import Translation, best_first, without_duplicates
from kakehashi.progress import SILENT, Progress
from kakehashi.types import Floats

KIND, VERSION = "decoder", 2
LONGEST = 60  # maximum words translated at once; longer sentences are split
LARGEST_LIST = 1000
TUNED, TUNING_BEAM, SEED = (4, 25), 20, 1  # maximum words of a sentence used for tuning


class DecoderSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How phrases and the language model are built."""

    phrase_length: Annotated[
        int, Meta(description="Maximum number of words in a target phrase, 1 to 10.")
    ] = 5
    per_phrase: Annotated[int, Meta(description="Translations kept for each source phrase, 1 to 1000.")] = 20
    order: Annotated[int, Meta(description="Order of the language model, 1 to 5.")] = 3
    tune: Annotated[
        int,
        Meta(
            description="Sentence pairs held out to tune the decoder's weights, at most 10,000; 0 keeps thot's own "
            "weights."
        ),
    ] = 200

    def __post_init__(self) -> None:
        if not 0 <= self.tune <= 10_000:
            raise InputError(f"tune must be 0 to 10,000 sentence pairs, not {self.tune}")
        for name, most in (("phrase_length", 10), ("per_phrase", 1000), ("order", 5)):
            if not 1 <= getattr(self, name) <= most:
                raise InputError(f"{name} must be 1 to {most}, not {getattr(self, name)}")


class Decoder:
    """Translates one sentence at a time, because thot's decoder is stateful.

    Without `unique`, a list has a translation once for every way in which the decoder found it.
    """

    def __init__(self, artifact: store.Artifact, beam: int = 10, reorder: int = 0, unique: bool = True):
        if not (1 <= beam <= 1000 and 0 <= reorder <= 10):
            raise InputError(
                f"a decoder needs a beam of 1 to 1000 and reorder 0 to 10, not {beam} and {reorder}"
            )
        self._artifact, self._beam, self._reorder, self._unique = artifact, beam, reorder, unique
        self._lock = Lock()
        self._chances: dict[tuple[str, str], float] = {}

    @property
    def identity(self) -> str:
        kind = [] if self._unique else ["standard"]
        state = msgspec.json.encode([self._artifact.meta, self._beam, self._reorder, *kind])
        return hashlib.blake2b(state, digest_size=8).hexdigest()

    @cached_property
    def _loaded(self) -> tuple[Any, Any, Any]:
        """(model, decoder, p(target | source) of words)."""
        settings = self._artifact.meta.settings
        with tempfile.TemporaryDirectory(prefix="kakehashi-decoder-") as place:
            try:
                with store.reading(self._artifact.folder):
                    for name, data in checked_files(self._artifact.array, checked_order(settings)):
                        (Path(place) / name).write_bytes(data)
                    model, decoder = load(Path(place), self._beam, self._reorder)
                    if settings["weights"]:
                        model.weights = checked_weights(settings["weights"], len(model.weights))
                    return model, decoder, model.direct_word_alignment_model
            except FileError:
                raise
            except InputError as error:
                raise FileError(self._artifact.folder, None, str(error)) from None

    def translate(self, sentences: Sequence[Sequence[str]], n: int = 1) -> list[list[Translation]]:
        if not 1 <= n <= LARGEST_LIST:
            raise InputError(f"a list of translations has 1 to {LARGEST_LIST}, not {n}")
        with self._lock:
            return [self._one([escaped(word) for word in words], n) for words in sentences]

    def _one(self, words: Sequence[str], n: int) -> list[Translation]:
        if not words:
            return [Translation((), (), 0.0)]
        if len(words) > LONGEST:
            raise InputError(f"a sentence has {len(words)} words: split it at {LONGEST}")
        _, decoder, _ = self._loaded
        with store.reading(self._artifact.folder):
            found = decoder.translate_n(" ".join(words), n) if n > 1 else [decoder.translate(" ".join(words))]
            read = [self._read(each, words) for each in found if each.target]
        listed = without_duplicates(read) if self._unique else best_first(read)
        return listed or [Translation(tuple(words), tuple((i, i) for i in range(len(words))), 0.0)]

    def _read(self, found: Any, source: Sequence[str]) -> Translation:
        target, links, start = list(found.target), [], 0
        for (first, last), end in zip(found.source_segmentation, found.target_segment_cuts, strict=True):
            for j in range(start, end):
                chances = [self._chance(source[i], target[j]) for i in range(first - 1, last)]
                links.append((first - 1 + int(np.argmax(chances)), j))
            start = end
        words = tuple(BARS if word == ESCAPED else word for word in target)
        return Translation(words, tuple(links), float(found.score))

    def _chance(self, source: str, target: str) -> float:
        """p(target | source): inside a phrase, a word comes from the most probable source word."""
        if (source, target) not in self._chances:
            _, _, words = self._loaded
            numbers = words.get_src_word_index(source), words.get_trg_word_index(target)
            self._chances[source, target] = words.translation_prob(*numbers)
        return self._chances[source, target]


def load(folder: Path, beam: int, reorder: int) -> tuple[Any, Any]:
    """(model, decoder) of the files that `write_decoder` wrote."""
    model = thot_translation.SmtModel(thot.AlignmentModelType.FAST_ALIGN)
    if not model.load_translation_model(str(folder / MODEL)) or not model.load_language_model(
        str(folder / LANGUAGE)
    ):
        raise InputError("the decoder's files cannot be loaded: train it again")
    model.non_monotonicity = reorder
    decoder = thot_translation.SmtDecoder(model)
    decoder.s = beam
    return model, decoder


def train_decoder(
    folder: Path,
    pairs: Sequence[Pair],
    settings: DecoderSettings,
    alignment: AlignmentSettings,
    analyzers: Mapping[str, str],
    progress: Progress = SILENT,
) -> Mapping[str, Any]:
    """Train on sentence pairs and write the artifact, with a record of how it was made."""
    held_out, rest = parted(pairs, settings.tune)
    with tempfile.TemporaryDirectory(prefix="kakehashi-decoder-") as place:
        sizes = settings.phrase_length, settings.per_phrase, settings.order
        fast = msgspec.structs.replace(alignment, aligner="fast")  # what the decoder loads
        write_decoder(Path(place), rest, fast, *sizes, progress)
        tuned = _tuned(Path(place), held_out, progress) if held_out else None
        made_from: dict[str, Any] = {"sentence_pairs": len(rest)}
        if tuned:
            made_from |= {"held_out": len(held_out), "bleu_untuned": tuned.before, "bleu": tuned.after}
        with store.Writer(folder, KIND, VERSION) as writer:
            for name in sorted(KEPT):
                writer.put({name: np.fromfile(Path(place) / name, np.uint8)})
            weights = tuned.weights.tolist() if tuned else []
            own = {
                "analyzers": dict(analyzers),
                "training": msgspec.to_builtins(settings),
                "weights": weights,
            }
            writer.commit(own, made_from, seed=SEED)
    return made_from


def parted(pairs: Sequence[Pair], n: int) -> tuple[list[Pair], list[Pair]]:
    """(held out, the rest): sentences of suitable length, evenly spread; at most a tenth of all pairs."""
    tunable = [
        i for i, pair in enumerate(pairs) if not pair.is_entry and TUNED[0] <= len(pair.source) <= TUNED[1]
    ]
    n = min(n, len(tunable), len(pairs) // 10)
    chosen = {tunable[(2 * i + 1) * len(tunable) // (2 * n)] for i in range(n)}
    held_out = [pairs[i] for i in sorted(chosen)]
    # sentences repeated elsewhere, on either side, are held out there too
    sources, targets = {tuple(pair.source) for pair in held_out}, {tuple(pair.target) for pair in held_out}
    rest = [pair for pair in pairs if tuple(pair.source) not in sources and tuple(pair.target) not in targets]
    return held_out, rest


def _tuned(folder: Path, held_out: Sequence[Pair], progress: Progress) -> tuning.Tuned:
    model, decoder = load(folder, TUNING_BEAM, 0)
    sentences = [" ".join(map(escaped, pair.source)) for pair in held_out]

    def lists_under(weights: Floats) -> list[tuning.Listed]:
        model.weights = weights.tolist()
        untranslated = [0.0] * len(weights)
        return [
            [(list(each.target), list(each.score_components)) for each in found]
            or [(sentence.split(), untranslated)]
            for sentence in sentences
            for found in [decoder.translate_n(sentence, tuning.LISTED)]
        ]

    return tuning.tune(lists_under, held_out, np.array(list(model.weights)), SEED, progress)
