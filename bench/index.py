"""Time to index 100,000 abstracts, tokenisation and stemming included, against bm25s in the same run.

Both get the same texts in memory and stem with Snowball. kakehashi also writes its index to disk, with forward
rows, metadata and checksums; bm25s also saves its index. One process each.
"""

import shutil
import tempfile
from pathlib import Path
from typing import Any

import bm25s
import Stemmer
from harness import best_of, world

from kakehashi.corpus.collection import FieldKind
from kakehashi.index.update import Analyzers, build_index
from kakehashi.progress import Progress
from kakehashi.text.analyzer import Analyzer
from kakehashi.text.settings import settings_for
from kakehashi.types import Text


def run(folder: Path, documents: int, progress: Progress) -> dict[str, Any]:
    collection = world(folder, documents, progress).collection
    texts = list(collection.documents())
    plain = [text.content for text in texts]
    fields = dict(collection.info.fields)
    work = Path(tempfile.mkdtemp(prefix="kakehashi-bench-", dir=folder))
    rivals = {
        "kakehashi": lambda: _ours(work / "ours", texts, fields),
        "bm25s": lambda: _theirs(work / "theirs", plain),
    }
    try:
        _ours(work / "warm", texts[:100], fields)  # compiles the kernels
        seconds = best_of(3, rivals)
    finally:
        shutil.rmtree(work)
    figures: dict[str, Any] = {"documents": len(texts)}
    for name, value in seconds.items():
        figures[f"{name}_seconds"] = round(value, 2)
        figures[f"{name}_documents_per_second"] = round(len(texts) / value)
    return {
        "figures": figures,
        "ratios": {"index_vs_bm25s": round(seconds["bm25s"] / seconds["kakehashi"], 2)},
    }


def _ours(folder: Path, texts: list[Text], fields: dict[str, FieldKind]) -> None:
    english = Analyzer(settings_for("en"))
    build_index(folder, texts, Analyzers(english, english), fields, rebuild=True)


def _theirs(folder: Path, texts: list[str]) -> None:
    tokens = bm25s.tokenize(texts, stopwords="en", stemmer=Stemmer.Stemmer("english"), show_progress=False)
    peer = bm25s.BM25(k1=1.2, b=0.75, method="lucene")
    peer.index(tokens, show_progress=False)
    peer.save(folder)
