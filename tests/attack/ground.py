"""What is attacked: a small collection with an index of two segments, models of all systems and all derived data."""

import os
import shutil
import warnings
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from kakehashi.corpus.collection import CollectionInfo
from kakehashi.corpus.remembered import add_remembered
from kakehashi.corpus.writing import CollectionWriter
from kakehashi.index.holdings import Holdings
from kakehashi.index.index import Index
from kakehashi.index.update import IndexWriter
from kakehashi.library import Library
from kakehashi.systems.opening import open_system
from kakehashi.systems.registry import SYSTEMS
from kakehashi.types import Condition, Scope, Text
from tests.contracts.models import put_models
from tests.index.building import plain_analyzers, zipfian

FIELDS = {"tags": "keyword", "claims": "number", "date": "date"}
INFO = CollectionInfo("ground", "de", "en", levels={"1": "cited"}, fields=FIELDS)
N_DOCS = 80
# systems with settings of their own that lead to other code or other stored data
MORE: Mapping[str, Mapping[str, object]] = {
    "psq indexed": {"indexed": True},
    "psq-hmm indexed": {"indexed": True},
}
ASKED = (*SYSTEMS, *MORE)
QUERY = "w3 w7 w7 w11 w40 w120"

Answer = list[tuple[str, float]]


def made(folder: Path) -> Path:
    """The ground, with everything that a search derives and keeps."""
    texts = [
        _text(id, text, i) for i, (id, text) in enumerate(zipfian(np.random.default_rng(3), N_DOCS).items())
    ]
    replaced = Text(texts[0].id, "en", "w3 w9 changed", "w3", texts[0].meta)
    with CollectionWriter(folder, INFO) as writer:
        for text in [replaced, *texts[1:]]:
            writer.document(text)
        writer.query(Text("q", "de", QUERY))
        writer.qrels("dev", {"q": {texts[0].id: 1}})
    writer_of(folder, texts[:50])
    writer_of(folder, [replaced, *texts[50:]])  # a second segment, and a dead document in the first
    holdings = Holdings(folder)
    put_models(holdings, holdings.index.vocabulary.all_terms())
    for name in ASKED:
        answer(folder, name)
    holdings.text(texts[1].id)
    add_remembered(folder, Text("mine", "de", "w3 w11"), {texts[2].id: 1})
    answer(folder, "examples")
    return folder


def writer_of(folder: Path, texts: list[Text]) -> None:
    writer = IndexWriter(folder / "index", plain_analyzers(), FIELDS)
    for text in texts:
        writer.put(text)
    writer.commit()


def _text(id: str, text: str, i: int) -> Text:
    meta = {"tags": text.split()[:5], "claims": float(i), "date": f"20{i % 30:02}-01-31"}
    return Text(id, "en", text, " ".join(text.split()[:4]), meta)


def answer(folder: Path, name: str) -> Answer:
    """What a system finds; also with a filter, explained, and asked for many queries at once."""
    library = Library(folder)
    system = open_system(name.split()[0], library, MORE.get(name, {}))
    query = Text("q", "de", QUERY, meta={"tags": ["w3", "w7"], "claims": 3.0, "date": "2020-01-31"})
    scope = Scope((Condition("tags", "!=", "w5"), Condition("date", ">", "2001-01-01")))
    ranking = system.search([query], 20, threads=1).rankings["q"]
    more = system.search([query, Text("r", "de", "w5 w8")], 5, scope, threads=1).rankings
    found = [
        (doc, float(score))
        for one in (ranking, *more.values())
        for doc, score in zip(*_parts(one), strict=True)
    ]
    for explained in system.explain(query, list(ranking.docs[:3])):
        found.append(("explained", float(explained.score)))
    return found


def _parts(ranking: object) -> tuple[list[str], list[float]]:
    return list(ranking.docs), ranking.scores.tolist()  # type: ignore[attr-defined]


def linked_copy(ground: Path, to: Path) -> Path:
    """A copy that shares all files; whoever changes one writes another in its place."""
    shutil.copytree(ground, to, copy_function=os.link)
    return to


def quietly() -> None:
    warnings.simplefilter("ignore")


def known_ids(folder: Path) -> set[str]:
    return {*Index(folder / "index").numbering.ids, "explained"}
