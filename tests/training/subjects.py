"""A collection of four subjects in two languages that share no word; what belongs together must be learned."""

from pathlib import Path

import numpy as np

from kakehashi.corpus.collection import CollectionInfo
from kakehashi.corpus.writing import CollectionWriter
from kakehashi.library import Library
from kakehashi.types import Text

SUBJECTS = 4
SPLITS = {"train": range(80), "dev": range(80, 100), "test": range(100, 140)}


def subject_texts(seed: int, n: int, lang: str, prefix: str) -> list[Text]:
    """Eight words of the text's subject and four that every subject uses; another language has other words."""
    rng = np.random.default_rng(seed)
    texts = []
    for i in range(n):
        words = [f"{lang}s{i % SUBJECTS}w{w}" for w in rng.integers(12, size=8)]
        words += [f"{lang}any{w}" for w in rng.integers(20, size=4)]
        texts.append(Text(f"{prefix}{i:03}", lang, " ".join(words)))
    return texts


def parallel_sentences(seed: int, n: int, source: str) -> list[tuple[list[str], list[str]]]:
    """Word for word, in another order: s1w5 of one language is s1w5 of the other."""
    rng = np.random.default_rng(seed)
    sentences = []
    for _ in range(n):
        words = [f"s{rng.integers(SUBJECTS)}w{rng.integers(12)}" for _ in range(6)]
        shuffled = [words[i] for i in rng.permutation(6)]
        sentences.append(([f"{source}{word}" for word in words], [f"en{word}" for word in shuffled]))
    return sentences


def subjects_library(folder: Path, source: str = "de", dev: bool = True) -> Library:
    """Documents of the query's subject are relevant; words are taken as they are written."""
    documents, queries = subject_texts(1, 200, "en", "d"), subject_texts(2, 140, source, "q")
    info = CollectionInfo("subjects", source, "en", "Four subjects", levels={"1": "same subject"})
    with CollectionWriter(folder, info) as writer:
        for document in documents:
            writer.document(document)
        for query in queries:
            writer.query(query)
        for source_words, target_words in parallel_sentences(3, 300, source):
            writer.parallel(" ".join(source_words), " ".join(target_words))
        for split, numbers in SPLITS.items():
            if dev or split != "dev":
                writer.qrels(split, {queries[q].id: relevant(q) for q in numbers})
    library = Library(folder)
    plain = {"stop": "none", "stem": False, "compounds": False}
    library.update_index(plain, plain)
    return library


def relevant(q: int) -> dict[str, int]:
    return {f"d{d:03}": 1 for d in range(200) if d % SUBJECTS == q % SUBJECTS}
