"""What word vectors of two languages are mapped by: text of the queries' language, and words known to be translations.

Nothing is taken from dev and test: queries are those of train, and parallel text that holds others is left out.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from kakehashi.corpus.lines import read_lines
from kakehashi.index.holdings import Holdings
from kakehashi.learn.skipgram import Texts
from kakehashi.lexicon.translations import Translations
from kakehashi.progress import SILENT, Progress
from kakehashi.training.data import SPLIT
from kakehashi.training.parallel_text import TextSettings, gather
from kakehashi.training.relating import analysed
from kakehashi.types import Longs


def source_texts(
    holdings: Holdings, parallel: Sequence[str], files: Sequence[Path], progress: Progress = SILENT
) -> Texts:
    """Training queries, one side of all parallel text, and the lines of further files."""
    collection = holdings.collection
    judged = collection.has("queries.jsonl") and SPLIT in collection.splits
    contents = [query.content for query in collection.split_queries(SPLIT)] if judged else []
    sentences = gather(collection, parallel, TextSettings(), progress).sentences
    contents += [pair.source for pair in sentences if not pair.is_entry]
    contents += [line for path in files for _, line in read_lines(path)]
    return analysed(contents, holdings.index.source_analyzer)


def confident_pairs(
    table: Translations,
    reverse: Translations,
    numbers: tuple[Mapping[str, int], Mapping[str, int]],
    confidence: float,
    links: float,
) -> tuple[Longs, Longs]:
    """(sources, targets) of words that are each other's most probable translation; `numbers` are those that count."""
    pairs = []
    for row, source in enumerate(table.sources):
        if (
            table.counts[row] < links
            or source not in numbers[0]
            or table.starts[row] == table.starts[row + 1]
        ):
            continue
        target, chance = table.row(source)[0]
        back = reverse.row(target)[:1]
        if chance >= confidence and target in numbers[1] and back and back[0][0] == source:
            pairs.append((numbers[0][source], numbers[1][target]))
    found = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]
