"""Sentence pairs of a collection and of further files, as an aligner gets them."""

from pathlib import Path

from kakehashi.corpus.collection import Collection
from kakehashi.index.index import Index
from kakehashi.lexicon.alignment import AlignmentSettings
from kakehashi.training.parallel_text import TextSettings, gather


def test_words_keep_the_mark_of_an_entry(indexed_toy: Collection, toy_index: Index, tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_text("灯台\tlighthouse\t1\tentry\nランプ\tlamp\t.5\n", encoding="utf-8")
    text = gather(indexed_toy, [str(tmp_path / "x.tsv")], TextSettings(dictionary_weight=3.0))
    *_, entry, scored = text.words(toy_index.source_analyzer, toy_index.analyzer, AlignmentSettings())
    assert (entry.is_entry, entry.weight) == (True, 3.0)
    assert (scored.is_entry, scored.weight) == (False, 0.5)
