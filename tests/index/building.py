"""Small indexes for tests: given documents, one or several commits, words exactly as written."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

import msgspec
import numpy as np

from kakehashi.index.holdings import Holdings
from kakehashi.index.index import Index
from kakehashi.index.update import Analyzers, IndexWriter, build_index
from kakehashi.text.analyzer import Analyzer
from kakehashi.text.settings import AnalyzerSettings
from kakehashi.types import Text


@cache
def plain_analyzers() -> Analyzers:
    """Every word is a term: no stop words, no stems."""
    return Analyzers(Analyzer(AnalyzerSettings(lang="en")), Analyzer(AnalyzerSettings(lang="de")))


def texts_of(documents: Mapping[str, str]) -> list[Text]:
    return [Text(id, "en", text) for id, text in documents.items()]


def build(folder: Path, documents: Sequence[Text], fields: Mapping[str, str] | None = None) -> Index:
    """An index of one segment."""
    build_index(folder, documents, plain_analyzers(), dict(fields or {}))
    return Index(folder)


def build_in_parts(
    folder: Path, parts: Sequence[Sequence[Text]], fields: Mapping[str, str] | None = None
) -> Index:
    """The same documents in one commit each part, and so in as many segments."""
    for part in parts:
        add(folder, part, fields)
    return Index(folder)


def add(folder: Path, documents: Sequence[Text], fields: Mapping[str, str] | None = None) -> None:
    writer = IndexWriter(folder, plain_analyzers(), dict(fields or {}))
    for text in documents:
        writer.put(text)
    writer.commit()


def holdings_of(index: Index) -> Holdings:
    """What lies around an index that is at hand."""
    return Holdings(index.folder.parent, index)


def dealt(items: Sequence[Text], n: int) -> list[list[Text]]:
    """Dealt like cards, so that neighbours in the order of ids lie in different parts."""
    return [list(items[i::n]) for i in range(n)]


def zipfian(
    rng: np.random.Generator, n_docs: int, n_terms: int = 400, mean_length: float = 12, skew: float = 1.1
) -> dict[str, str]:
    """Documents of words w0, w1, ... whose frequencies fall like rank ** -skew; ids in no special order."""
    share = 1.0 / np.arange(1, n_terms + 1) ** skew
    lengths = rng.poisson(mean_length, n_docs)
    drawn = rng.choice(n_terms, size=int(lengths.sum()), p=share / share.sum())
    pieces = np.split(drawn, np.cumsum(lengths)[:-1])
    numbers = rng.permutation(n_docs)
    return {
        f"d{number}": " ".join(f"w{term}" for term in piece.tolist())
        for number, piece in zip(numbers.tolist(), pieces, strict=True)
    }


def put_texts(folder: Path, documents: Iterable[Text]) -> None:
    """The collection's file of documents, for systems that read the order of words."""
    encoder = msgspec.json.Encoder()
    (folder / "documents.jsonl").write_bytes(b"".join(encoder.encode(text) + b"\n" for text in documents))
