"""Whatever bytes a reader is given, it returns something or says in one line what is wrong."""

import gzip
import io
import random
import tarfile
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from kakehashi import store
from kakehashi.corpus import beir, check, lines, newsgroups, trec, trec_text, tsv
from kakehashi.corpus.class_titles import read_class_titles
from kakehashi.corpus.collection import Collection, read_info, read_qrels_tsv
from kakehashi.corpus.metadata_lines import read_metadata
from kakehashi.corpus.parallel_text.sentence_pair import Languages
from kakehashi.corpus.parallel_text.sources import parallel_text
from kakehashi.corpus.patents import lens
from kakehashi.corpus.wikipedia.sql_dump import read_rows
from kakehashi.errors import KakehashiError
from tests.corpus.parallel_text.files import catalogue, memory, tei, variant
from tests.test_store import KIND, VERSION
from tests.test_store import write as write_artifact
from tests.toy import toy_collection


@dataclass(frozen=True)
class Reader:
    """A function of a file, and a file it likes."""

    file: str
    sample: bytes
    read: Callable[[Path], object]


def all_of(items: Iterable[object]) -> None:
    deque(items, maxlen=0)


NAMES = (
    "20news-bydate-train/sci.space/1",
    "20news-bydate-test/a\u00e9/2",
    "20news-bydate-test/b/" + "3" * 120,
)


def tar(packed: bool) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz" if packed else "w", format=tarfile.PAX_FORMAT) as archive:
        for name in NAMES:
            member = tarfile.TarInfo(name)
            member.size = 5
            archive.addfile(member, io.BytesIO(b"moon\n"))
    return buffer.getvalue()


QRELS = b"301 0 FT-1 1\n# comment\n301\t0\tFT-2\t-1\n302 0 FT-1 2\n"
TABLE = "電池\tbattery\n燃料\tfuel\n".encode()
TOPICS = b"<top>\n<num> Number: 301\n<title> Topic: a &amp; b\n<desc> Description:\nc\n<narr> d\n</top>\n" * 2
DOCS = (
    b"<DOC>\n<DOCNO> F-1 </DOCNO>\n<HL>t</HL>\n<TEXT>\n<P>a &#65;</P>\n</TEXT>\n</DOC>\n<doc><docno>2</docno>"
)
BEIR = (
    '{"_id": "d1", "title": "電", "text": "a\\u00e9", "metadata": {"x": [2.5, null]}}\n{"_id": 2}\n'.encode()
)
DUMP = (
    b"CREATE TABLE `page` (\n  `page_id` int,\n  `page_title` varbinary(255)\n);\n"
    b"INSERT INTO `page` VALUES (1,'A_b'),(2,'C\\'d');\n"
)
BRIEF = b'{"id": "US1", "title": "Kite", "year": 2010, "ipc": ["B64C31/06"]}\n{"id": "EP1", "title": "", "year": 9}\n'
RUN = b"301 Q0 FT-1 1 2.5 tag\n301 Q0 FT-2 2 -1e-3 tag\n302 Q0 FT-1 1 0 tag\n"


def read_parallel(path: Path, source: str = "de") -> None:
    for pair in parallel_text(str(path), Languages(source, "en")).read():
        assert isinstance(pair.source, str)
        assert isinstance(pair.target, str)
        assert 0.0 < pair.weight <= 100.0


TURM = '<form><orth>Turm</orth></form><sense><cit type="trans"><quote>tower</quote></cit></sense>'
DING = "Turm {m}; Feuer {n} (x [y]) | Türme {pl} :: tower; light | towers\n"

FILES = {
    "parallel tsv": Reader("p.tsv", b"a b\tc d\ne\tf\t2.5\n", read_parallel),
    "tmx": Reader(
        "p.tmx", memory(variant("de", "<hi>a</hi> b") + variant("en", "c")).encode(), read_parallel
    ),
    "mo": Reader("p.mo", catalogue({"x\x04_Open": "Ö%sffnen", "a\x00b": "c\x00d"}), read_parallel),
    "edict": Reader(
        "edict",
        "灯台 [とうだい] /(n) lighthouse/(P)/\n".encode("euc-jp"),
        lambda path: read_parallel(path, "ja"),
    ),
    "ding": Reader("de-en", DING.encode(), read_parallel),
    "tei": Reader("deu-eng.tei", tei(TURM, TURM).encode(), read_parallel),
    "lines": Reader("f.txt", TABLE, lambda path: all_of(lines.read_lines(path))),
    "gzip": Reader("f.gz", gzip.compress(TABLE * 9), lambda path: all_of(lines.read_lines(path))),
    "zstd": Reader("f.zst", zstandard.compress(TABLE * 9), lambda path: all_of(lines.read_lines(path))),
    "trec qrels": Reader("q", QRELS, trec.read_qrels),
    "trec run": Reader("r", RUN, trec.read_run),
    "trec topics": Reader("t", TOPICS, lambda path: trec_text.read_topics(path, "en")),
    "trec documents": Reader("d", DOCS, lambda path: all_of(trec_text.read_documents(path, "en"))),
    "id texts": Reader("i", TABLE, lambda path: all_of(trec_text.read_id_texts(path, "en"))),
    "beir texts": Reader("b", BEIR, lambda path: all_of(beir.read_texts(path, "en"))),
    "beir qrels": Reader("b", b"query-id\tcorpus-id\tscore\nq\td\t1\nq\te\t0\n", beir.read_qrels),
    "tsv qrels": Reader("q", b"q\td\t1\nq\te\t3\n", tsv.read_qrels),
    "qrels": Reader("q.tsv", b"q\t0\td\t1\nq\t0\te\t3\n", read_qrels_tsv),
    "brief patents": Reader("p", BRIEF, lambda path: all_of(lens.read_brief_patents(path))),
    "citing pairs": Reader("c", b"US1\tUS2\nUS1\tEP3\n", lambda path: all_of(lens.read_citing_pairs(path))),
    "metadata lines": Reader("m", b"d1\tfi\tH01M 4/02@A\nd1\tfi\tA\n", lambda path: read_metadata([path])),
    "sql dump": Reader("page.sql", DUMP, lambda path: all_of(read_rows(path, ("page_id", "page_title")))),
    "tar": Reader("a.tar", tar(packed=False), lambda path: all_of(newsgroups.read_posts(path))),
    "tar.gz": Reader("a.tar.gz", tar(packed=True), lambda path: all_of(newsgroups.read_posts(path))),
}
PARTS: dict[str, Callable[[Collection], object]] = {
    "documents.jsonl": lambda toy: all_of(toy.documents()),
    "queries.jsonl": lambda toy: all_of(toy.queries()),
    "qrels/dev.tsv": lambda toy: toy.split_queries("dev"),
    "parallel.tsv": lambda toy: all_of(toy.parallel()),
    "links.tsv": lambda toy: all_of(toy.links()),
    "classes.tsv": lambda toy: all_of(toy.classes()),
    "class_titles.tsv": read_class_titles,
    "collection.toml": lambda toy: read_info(toy.folder),
}
ARTIFACT = ("meta.json", "x.1.npy", "words.ends.1.npy")

WORDS = [
    b"\t", b"\n", b"\r\n", b" ", b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xe3\x80\x80", b"{", b"[" * 999, b'"',
    b"'", b"</", b"<top>", b"<DOC>", b"&#1114112;", b"-1", b"1e999", b"nan", b"9" * 5000, b"\\ud800", b"#",
    b"=",
]  # fmt: skip


def mutated(sample: bytes, seed: int) -> bytes:
    """The sample with a few wounds: bits flipped, pieces cut, doubled or moved, awkward words put in."""
    rng = random.Random(seed)
    data = bytearray(sample)
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        start = rng.randrange(len(data) + 1)
        end = min(len(data), start + rng.choice((1, 2, 8, 64)))
        wound = rng.randrange(6)
        if wound == 0 and start < end:
            data[start] ^= 1 << rng.randrange(8)
        elif wound == 1:
            del data[start:end]
        elif wound == 2:
            data[start:start] = data[start:end]
        elif wound == 3:
            data[start:end] = rng.choice(WORDS)
        elif wound == 4:
            data[start:end] = rng.randbytes(end - start)
        else:
            del data[start:]
    return bytes(data)


def refusal(read: Callable[[], object]) -> str | None:
    """What the reader says if it refuses; any other exception is a fault of ours."""
    try:
        read()
    except KakehashiError as error:
        return str(error)
    return None


def read_or_refuse(read: Callable[[], object]) -> None:
    message = refusal(read)
    assert message is None or (message.strip() and "\n" not in message)


wounds = st.integers(0, 2**32)


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=200)
@given(content=st.binary(max_size=300) | wounds)
def test_any_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, name: str, content: bytes | int
) -> None:
    reader = FILES[name]
    path = tmp_path_factory.getbasetemp() / reader.file
    path.write_bytes(mutated(reader.sample, content) if isinstance(content, int) else content)
    read_or_refuse(lambda: reader.read(path))


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return toy_collection(tmp_path_factory.mktemp("toy") / "c")


@pytest.mark.parametrize("file", PARTS)
@settings(max_examples=100)
@given(content=st.binary(max_size=300) | wounds)
def test_any_damaged_collection_is_read_or_refused_and_checked(
    toy: Path, file: str, content: bytes | int
) -> None:
    collection, path = Collection(toy), toy / file
    whole = path.read_bytes()
    path.write_bytes(mutated(whole, content) if isinstance(content, int) else content)
    try:
        read_or_refuse(lambda: PARTS[file](collection))
        report = check.examine(toy)  # the checker never gives up on a folder
        assert all(str(fault) for fault in report.faults)
    finally:
        path.write_bytes(whole)


@pytest.mark.parametrize("file", PARTS)
@settings(max_examples=100)
@given(seed=wounds)
def test_what_a_reader_refuses_the_checker_finds(toy: Path, file: str, seed: int) -> None:
    collection, path = Collection(toy), toy / file
    whole = path.read_bytes()
    path.write_bytes(mutated(whole, seed))
    try:
        if refusal(lambda: PARTS[file](collection)) is not None:
            assert check.examine(toy).errors
    finally:
        path.write_bytes(whole)


def read_artifact(folder: Path) -> None:
    artifact = store.read(folder, KIND, VERSION)
    for name in artifact.meta.arrays:
        artifact.array(name)


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("artifact")
    write_artifact(folder)
    return folder


@pytest.mark.parametrize("file", ARTIFACT)
@settings(max_examples=200)
@given(seed=wounds, keep_size=st.booleans())
def test_damaged_artifact_is_read_or_refused(artifact: Path, file: str, seed: int, keep_size: bool) -> None:
    path = artifact / file
    whole = path.read_bytes()
    content = mutated(whole[:128] if keep_size else whole, seed)  # numpy's header has 128 bytes
    path.write_bytes((content + whole)[: len(whole)] if keep_size else content)
    try:
        read_or_refuse(lambda: read_artifact(artifact))
    finally:
        path.write_bytes(whole)


@pytest.mark.slow
def test_a_hundred_thousand_damaged_files_are_read_or_refused(
    tmp_path: Path, toy: Path, artifact: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    collection, started, count = Collection(toy), time.monotonic(), 0
    jobs: list[tuple[Path, bytes, Callable[[Path], object]]] = [
        (tmp_path / reader.file, reader.sample, reader.read) for reader in FILES.values()
    ]
    for file, read in PARTS.items():
        jobs.append((toy / file, (toy / file).read_bytes(), lambda _, read=read: read(collection)))
    for file in ARTIFACT:
        jobs.append((artifact / file, (artifact / file).read_bytes(), lambda _: read_artifact(artifact)))
    for path, sample, read in jobs:
        for seed in range(-(-100_000 // len(jobs))):
            path.write_bytes(mutated(sample, seed))
            read_or_refuse(lambda read=read, path=path: read(path))
            count += 1
        path.write_bytes(sample)
    with capsys.disabled():
        print(f"\n{count} damaged files for {len(jobs)} readers in {time.monotonic() - started:.0f} s")
    assert count >= 100_000
