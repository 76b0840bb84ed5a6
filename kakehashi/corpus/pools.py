"""Document pools: which documents a split is ranked against, if the splits do not share one.

A collection with pools declares the metadata field `pool`; each document lists the splits it belongs to.
"""

from collections.abc import Iterator

from kakehashi.corpus.collection import Collection, CollectionInfo
from kakehashi.types import Text

POOL = "pool"


def restriction(info: CollectionInfo, split: str) -> dict[str, str]:
    """The metadata filter for ranking a split: {"pool": split}, or {} if all documents are candidates."""
    return {POOL: split} if POOL in info.fields else {}


def in_pool(text: Text, split: str) -> bool:
    pools = text.meta.get(POOL, [])
    return split == pools if isinstance(pools, str) else split in pools


def pool_documents(collection: Collection, split: str) -> Iterator[Text]:
    """The documents a split is ranked against, in file order."""
    restricted = bool(restriction(collection.info, split))
    return (text for text in collection.documents() if not restricted or in_pool(text, split))
