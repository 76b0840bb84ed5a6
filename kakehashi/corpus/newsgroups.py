"""The 20 Newsgroups "bydate" archive as a ranking task: every post is a query and a document.

All other posts of its group are relevant for a post, never itself. The train and test parts are splits with
separate pools. A text is the whole post as stored in the archive, including headers, as in the published mean
lengths and vocabulary; a post has no separate title, since its subject is in the headers.
"""

import tarfile
import zlib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from kakehashi.corpus.assemble import Assembled
from kakehashi.corpus.collection import CollectionInfo
from kakehashi.corpus.packed import WholeTar
from kakehashi.corpus.pools import POOL
from kakehashi.corpus.writing import CollectionWriter
from kakehashi.errors import FileError
from kakehashi.progress import SILENT, Progress, track
from kakehashi.types import Text

MAX_POST = 16 << 20
SPLITS = {"20news-bydate-train": "train", "20news-bydate-test": "test"}

INFO = CollectionInfo(
    name="newsgroups",
    source_language="en",
    target_language="en",
    description="20 Newsgroups, bydate version: posts of the same group are relevant to each other",
    licence="Usenet posts, for research",
    levels={"1": "same group"},
    fields={POOL: "keyword", "group": "keyword"},
    exclude_self=True,
)


def read_posts(archive: Path) -> Iterator[Text]:
    """The posts in the order of the archive, decoded as Latin-1, with the meta fields pool and group."""
    try:
        with tarfile.open(archive, "r:*", tarinfo=WholeTar) as tar:
            for member in tar:
                parts = member.name.split("/")
                if member.isreg() and len(parts) >= 3 and parts[-3] in SPLITS:
                    yield _post(archive, parts, _content(archive, tar.extractfile(member), member))
    except (tarfile.TarError, OSError, EOFError, zlib.error, ValueError, OverflowError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise FileError(archive, None, f"is not a readable tar archive: {reason}") from error


def _content(archive: Path, file: IO[bytes] | None, member: tarfile.TarInfo) -> bytes:
    if file is None or member.size > MAX_POST or member.issparse():
        raise FileError(archive, None, f"{member.name} is not a post")
    return file.read(MAX_POST)


def _post(archive: Path, parts: list[str], content: bytes) -> Text:
    split, group, number = SPLITS[parts[-3]], parts[-2], parts[-1]
    id = f"{group}/{number}"
    if id.split() != [id]:
        raise FileError(archive, None, f"post {id[:60]!r} has white space in its name")
    return Text(id, "en", content.decode("latin-1"), "", {POOL: [split], "group": group})


def import_newsgroups(
    archive: Path, folder: Path, force: bool = False, progress: Progress = SILENT
) -> Assembled:
    """Write the collection; the 9.2 million judgments are compressed."""
    posts = sorted(track(read_posts(archive), "reading posts", None, progress), key=_order)
    if not posts:
        raise FileError(archive, None, f"contains no posts: it needs {' and '.join(SPLITS)}")
    with CollectionWriter(folder, INFO, force, packed=True) as writer:
        for post in track(posts, "writing posts", len(posts), progress):
            writer.document(post)
            writer.query(post)
        judgments = {}
        for split in ("train", "test"):
            mine = [post for post in posts if post.meta[POOL] == [split]]
            judgments[split] = _write_judgments(writer, split, mine, progress)
    return Assembled(len(posts), len(posts), judgments, {})


def _order(post: Text) -> tuple[str, str, int, str]:
    group, number = post.id.rsplit("/", 1)
    return post.meta[POOL][0], group, len(number), number  # equal lengths: as numbers


def _write_judgments(writer: CollectionWriter, split: str, posts: list[Text], progress: Progress) -> int:
    groups: dict[str, dict[str, int]] = defaultdict(dict)
    for post in posts:
        groups[post.meta["group"]][post.id] = 1
    count = 0
    for post in track(posts, f"judging {split}", len(posts), progress):
        judged = groups[post.meta["group"]].copy()
        del judged[post.id]
        writer.qrels(split, {post.id: judged})
        count += len(judged)
    return count
