"""A compressed file is read to its end or refused: one that was cut short is never taken for a shorter one."""

import gzip
import io
import tarfile
from contextlib import suppress
from pathlib import Path

import pytest
import zstandard

from kakehashi.corpus import lines
from kakehashi.corpus.collection import Collection
from kakehashi.corpus.newsgroups import read_posts
from kakehashi.corpus.parallel_text.sentence_pair import Languages
from kakehashi.corpus.parallel_text.sources import parallel_text
from kakehashi.corpus.patents.archives import streams
from kakehashi.corpus.patents.tally import Tally
from kakehashi.corpus.trec import read_run
from kakehashi.errors import FileError
from kakehashi.progress import SILENT
from tests.toy import toy_collection

TEXT = "".join(f"q{i}\tQ0\td{i % 7}\t1\t{1 / (i + 1):.6f}\trun\n" for i in range(400)).encode()


def in_frames(data: bytes) -> bytes:
    """Two frames, one without its size, and one to be skipped: what tools that append write."""
    first = zstandard.ZstdCompressor(write_checksum=True).compress(data[:1000])
    skipped = b"\x50\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"notes"
    packer = zstandard.ZstdCompressor(write_content_size=False).compressobj()
    return first + skipped + packer.compress(data[1000:]) + packer.flush()


PACKED = {
    "one.zst": zstandard.compress(TEXT),
    "many.zst": in_frames(TEXT),
    "one.gz": gzip.compress(TEXT),
    "two.gz": gzip.compress(TEXT[:1000]) + gzip.compress(TEXT[1000:]),
}
BETWEEN = {"many.zst": 2, "two.gz": 1}  # cuts after which a whole file is left


@pytest.mark.parametrize("name", PACKED)
def test_whole_file_is_read_to_its_end(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(PACKED[name])
    assert b"".join(raw + b"\n" for _, raw in lines.read_raw_lines(tmp_path / name)) == TEXT


@pytest.mark.parametrize("name", PACKED)
def test_file_cut_anywhere_is_refused(tmp_path: Path, name: str) -> None:
    path, whole = tmp_path / name, PACKED[name]
    refused = 0
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with suppress(FileError):
            list(lines.read_lines(path))
            refused -= 1
        refused += 1
    assert refused == len(whole) - BETWEEN.get(name, 0)


def test_compressed_file_without_text_is_an_empty_file(tmp_path: Path) -> None:
    for name, data in {"e.zst": zstandard.compress(b""), "e.gz": gzip.compress(b"")}.items():
        (tmp_path / name).write_bytes(data)
        assert list(lines.read_lines(tmp_path / name)) == []


def cut(path: Path, data: bytes) -> Path:
    path.write_bytes(data[: len(data) * 2 // 3])
    return path


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_every_reader_refuses_a_file_that_was_cut(tmp_path: Path, suffix: str) -> None:
    pack = {".gz": gzip.compress, ".zst": zstandard.compress}[suffix]
    folder = toy_collection(tmp_path / "toy")
    documents = folder / "documents.jsonl"
    cut(folder / f"documents.jsonl{suffix}", pack(documents.read_bytes()))
    documents.unlink()
    pairs = cut(tmp_path / f"pairs.tsv{suffix}", pack("電池\tbattery\n".encode() * 9000))
    run = cut(tmp_path / f"x.run{suffix}", pack(TEXT))
    readers = (
        lambda: list(Collection(folder).documents()),
        lambda: list(parallel_text(str(pairs), Languages("ja", "en")).read()),
        lambda: read_run(run),
    )
    for read in readers:
        with pytest.raises(FileError, match=r"cut short|ended before"):
            read()
    patents = cut(tmp_path / f"p.xml{suffix}", pack(b"<a>" + TEXT * 9 + b"</a>"))
    opened = streams(patents, Tally(), SILENT)
    stream = next(opened)
    with pytest.raises(EOFError):
        stream.file.read()


def tarred() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for number in range(4):
            member = tarfile.TarInfo(f"20news-bydate-train/sci.space/{number}")
            member.size = 600
            archive.addfile(member, io.BytesIO(b"moon\n" * 120))
    return buffer.getvalue()


@pytest.mark.parametrize("length", [3 * 512, 3 * 512 + 100, 4 * 512, 6 * 512])
def test_tar_cut_between_two_members_is_refused(tmp_path: Path, length: int) -> None:
    path = tmp_path / "a.tar"
    path.write_bytes(tarred())
    assert len(list(read_posts(path))) == 4
    path.write_bytes(tarred()[:length])
    with pytest.raises(FileError):
        list(read_posts(path))


def test_damaged_header_of_a_tar_is_not_its_end(tmp_path: Path) -> None:
    data = bytearray(tarred())
    data[3 * 512 + 150] ^= 1  # in the checksum of the second header
    (tmp_path / "a.tar").write_bytes(data)
    with pytest.raises(FileError, match="bad checksum"):
        list(read_posts(tmp_path / "a.tar"))


def test_billions_of_empty_lines_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "empty.zst"
    path.write_bytes(zstandard.compress(b"a\n" + b"\n" * (1 << 24)))
    assert path.stat().st_size < 2000
    with pytest.raises(FileError, match="follows 1048576 empty lines"):
        list(lines.read_lines(path))
