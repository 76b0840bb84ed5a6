"""Writes the files that a phrase-based decoder of sil-thot reads: alignments, phrases, words, language model.

File formats are thot's own. Sentences are pairs of word lists; no word may contain white space.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from thot import alignment as thot
from thot import translation as thot_translation

from kakehashi.errors import InputError
from kakehashi.lexicon.alignment import HEURISTICS, AlignmentSettings, Pair, train_aligner
from kakehashi.progress import SILENT, Progress, track

MODEL, LANGUAGE = "tm", "lm"
BARS, ESCAPED = "|||", "<3bars>"  # separator of the fields of a phrase table
FIXED = {  # probabilities of segmentations; the decoder requires them, but they do not affect the search
    "lambda": "0.7 0.7",
    "srcsegmlentable": "Uniform",
    "trgcutstable": "0.999",
    "trgsegmlentable": "Geometric",
}


def write_decoder(
    folder: Path, pairs: Sequence[Pair], settings: AlignmentSettings, phrase_length: int, per_phrase: int,
    order: int, progress: Progress = SILENT,
) -> None:  # fmt: skip
    """Everything `load_decoder` needs, from sentence pairs."""
    written = [
        pair._replace(source=[*map(escaped, pair.source)], target=[*map(escaped, pair.target)])
        for pair in pairs
    ]
    backwards = [pair.turned() for pair in written]
    progress.start("aligning words, both directions")
    try:
        inverse, direct = train_aligner(written, settings), train_aligner(backwards, settings)
        inverse.print(str(folder / f"{MODEL}_invswm"))
        direct.print(str(folder / f"{MODEL}_swm"))
    finally:
        progress.finish()
    _write_alignments(folder, written, direct, inverse, progress)
    progress.start("extracting phrases")
    try:
        _write_phrases(folder, phrase_length, per_phrase)
    finally:
        progress.finish()
    for name, content in FIXED.items():
        (folder / f"{MODEL}.{name}").write_text(content, encoding="ascii")
    # dictionary entries do not start and end like sentences
    sentences = [pair.target for pair in written if not pair.is_entry]
    write_language_model(folder, sentences or [pair.target for pair in written], order)


def escaped(word: str) -> str:
    return ESCAPED if word == BARS else word


def _write_alignments(
    folder: Path, pairs: Sequence[Pair], direct: Any, inverse: Any, progress: Progress
) -> None:
    """GIZA's format: the source sentence, then every target word with the positions of its source words."""
    both = thot.SymmetrizedAlignmentModel(direct, inverse)
    both.heuristic = HEURISTICS["grow-diag-final-and"]
    with (folder / f"{MODEL}.A3.final").open("w", encoding="utf-8") as file:
        place = 0
        for pair in track(pairs, "writing alignments", len(pairs), progress):
            links = both.get_training_alignment(place)[1].to_numpy()  # (target words, source words)
            place += pair.copies
            unlinked = np.flatnonzero(~links.any(axis=0))
            entries = [("NULL", unlinked), *zip(pair.target, map(np.flatnonzero, links), strict=True)]
            places = (
                f"{word} ({{ {''.join(f'{place + 1} ' for place in found)}}})" for word, found in entries
            )
            file.write(f"# {pair.weight:g}\n{' '.join(pair.source)}\n{' '.join(places)}\n")


def _write_phrases(folder: Path, longest: int, per_phrase: int) -> None:
    parameters = thot_translation.PhraseExtractParameters()
    parameters.max_target_phrase_length = longest
    phrases = thot_translation.PhraseModel()
    alignments = folder / f"{MODEL}.A3.final"
    try:
        if not phrases.build(str(alignments), parameters, pseudo_ml=False):
            raise InputError("no phrases could be extracted from the aligned sentences")
        phrases.print_phrase_table(str(folder / f"{MODEL}.ttable"), n=per_phrase)
    finally:
        phrases.clear()
    alignments.unlink()
    if (folder / f"{MODEL}.ttable").stat().st_size == 0:
        raise InputError(
            "the aligned sentences gave no phrases: are the two sides translations of each other?"
        )


def write_language_model(folder: Path, sentences: Iterable[Sequence[str]], order: int) -> None:
    """Counts of n-grams; the first occurrence of a word counts as an unknown word."""
    counts: Counter[tuple[str, ...]] = Counter()
    known: set[str] = set()
    n_words = 0
    lines = []
    for sentence in sentences:
        lines.append(" ".join(sentence))
        words = ["<s>"]
        for word in sentence:
            words.append(word if word in known else "<unk>")
            known.add(word)
        words.append("</s>")
        n_words += len(words)
        for n in range(1, order + 1):
            counts.update(tuple(words[i : i + n]) for i in range(len(words) - n + 1))
    with (folder / LANGUAGE).open("w", encoding="utf-8") as file:
        for ngram in sorted(counts, key=lambda each: (len(each), each)):
            before = n_words if len(ngram) == 1 else counts[ngram[:-1]]
            file.write(f"{' '.join(ngram)} {before} {counts[ngram]}\n")
    (folder / f"{LANGUAGE}.weights").write_text(language_weights(order), encoding="ascii")
    (folder / f"{LANGUAGE}.wp").write_text("\n".join(lines) + "\n", encoding="utf-8")


def language_weights(order: int) -> str:
    """Weights of a language model's orders in three buckets by count, each ten wide."""
    return f"{order} 3 10 {' '.join(['0.5'] * (3 * order))}\n"
