"""A system over documents that all match alike, and differ in their dates and families."""

from pathlib import Path

from kakehashi.query.terms import Untranslated
from kakehashi.retrieve.sparse import Sparse
from kakehashi.retrieve.weighting import Bm25
from kakehashi.types import Text
from tests.index.building import build

FIELDS = {"publication": "date", "family": "keyword", "color": "keyword"}


def system_of(
    folder: Path, metas: dict[str, dict[str, object]], fields: dict[str, str] | None = None
) -> Sparse:
    texts = [Text(id, "en", "w1", meta=meta) for id, meta in metas.items()]
    index = build(folder / "index", texts, FIELDS if fields is None else fields)
    return Sparse("bm25", Untranslated(index), Bm25(), index)
