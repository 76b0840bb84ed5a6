"""20 Newsgroups as a ranking task."""

import io
import re
import tarfile
from collections import Counter
from pathlib import Path

import pytest

from kakehashi.corpus.check import examine
from kakehashi.corpus.collection import Collection
from kakehashi.corpus.newsgroups import import_newsgroups, read_posts
from kakehashi.corpus.pools import pool_documents
from kakehashi.errors import FileError
from tests.data_beside import data_file

POSTS = {
    "20news-bydate-train/sci.space/10": b"Subject: moon\n\nLuna\xe9",
    "20news-bydate-train/sci.space/9": b"Subject: mars\n\nred",
    "20news-bydate-train/rec.autos/9": b"Subject: car\n\nwheel",
    "20news-bydate-train/sci.space/11": b"Subject: sun\n\nhot",
    "20news-bydate-test/sci.space/12": b"Subject: io\n\nvolcano",
    "20news-bydate-test/sci.space/13": b"Subject: rhea\n\nice",
    "README": b"not a post",
}


def archive(path: Path, posts: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for name, content in posts.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return path


def test_posts_of_a_group_are_relevant_to_each_other_but_not_to_themselves(tmp_path: Path) -> None:
    import_newsgroups(archive(tmp_path / "a.tar.gz", POSTS), tmp_path / "c")
    made = Collection(tmp_path / "c")
    space = {f"sci.space/{number}" for number in (9, 10, 11)}
    assert made.qrels("train") == {post: dict.fromkeys(space - {post}, 1) for post in space}
    assert made.qrels("test") == {"sci.space/12": {"sci.space/13": 1}, "sci.space/13": {"sci.space/12": 1}}
    assert made.info.exclude_self
    assert [text.id for text in pool_documents(made, "test")] == ["sci.space/12", "sci.space/13"]
    assert list(made.documents()) == list(made.queries())


def test_text_is_the_whole_post_in_latin_1(tmp_path: Path) -> None:
    posts = {post.id: post for post in read_posts(archive(tmp_path / "a.tar.gz", POSTS))}
    assert posts["sci.space/10"].content == "Subject: moon\n\nLunaé"
    assert posts["sci.space/10"].meta == {"pool": ["train"], "group": "sci.space"}


def test_order_does_not_depend_on_the_archive(tmp_path: Path) -> None:
    backwards = dict(reversed(POSTS.items()))
    import_newsgroups(archive(tmp_path / "a.tar.gz", POSTS), tmp_path / "c")
    import_newsgroups(archive(tmp_path / "b.tar.gz", backwards), tmp_path / "d")
    for name in ("documents.jsonl", "qrels/train.tsv.zst"):
        assert (tmp_path / "c" / name).read_bytes() == (tmp_path / "d" / name).read_bytes()


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "not a readable tar"), (b"PK\x03\x04", "not a readable tar"), (None, "cannot|No such")],
)
def test_what_is_no_archive_is_refused(tmp_path: Path, content: bytes | None, message: str) -> None:
    if content is not None:
        (tmp_path / "a.tar.gz").write_bytes(content)
    with pytest.raises(FileError, match=message):
        import_newsgroups(tmp_path / "a.tar.gz", tmp_path / "c")


def test_archive_without_posts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="contains no posts"):
        import_newsgroups(archive(tmp_path / "a.tar.gz", {"README": b"x"}), tmp_path / "c")


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("newsgroups") / "c"
    import_newsgroups(data_file("20news-bydate.tar.gz"), folder)
    return folder


@pytest.mark.real
def test_bydate_archive_has_the_published_counts(real: Path) -> None:
    report = examine(real)
    assert (report.faults, report.documents, report.queries) == ([], 18_846, 18_846)
    groups = Counter((text.meta["pool"][0], text.meta["group"]) for text in Collection(real).documents())
    assert len({group for _, group in groups}) == 20
    sizes = {split: [n for (part, _), n in groups.items() if part == split] for split in ("train", "test")}
    assert {split: sum(each) for split, each in sizes.items()} == {"train": 11_314, "test": 7_532}
    assert report.judgments == {split: sum(n * (n - 1) for n in each) for split, each in sizes.items()}


@pytest.mark.real
def test_mean_lengths_are_the_published_ones(real: Path) -> None:
    """Digits and punctuation become blanks; within half a percent of every group's published mean."""
    published = {
        "alt.atheism": 357.32, "comp.graphics": 271.81, "comp.os.ms-windows.misc": 499.66, 
        "misc.forsale": 142.35, "talk.politics.mideast": 509.64, "talk.religion.misc": 374.07, 
        "rec.autos": 230.00, "sci.crypt": 343.69,
    }  # fmt: skip
    lengths: dict[str, list[int]] = {}
    for text in Collection(real).documents():
        lengths.setdefault(text.meta["group"], []).append(len(re.sub(r"[\W\d_]+", " ", text.content).split()))
    means = {group: sum(each) / len(each) for group, each in lengths.items()}
    assert {group: means[group] for group in published} == pytest.approx(published, rel=0.005)
