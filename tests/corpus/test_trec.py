"""TREC judgments and runs."""

import gzip
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from kakehashi.corpus.trec import read_qrels, read_run, write_qrels, write_run
from kakehashi.errors import FileError, InputError
from kakehashi.types import Qrels, Ranking, Run, in_order
from tests.corpus.strategies import few, ids, qrels
from tests.data_beside import data_file


def written(path: Path, content: str) -> Path:
    path.write_text(content, encoding="utf-8")
    return path


def test_qrels_take_any_blanks_and_comment_lines(tmp_path: Path) -> None:
    path = written(tmp_path / "q", "# a comment\n301 0 FT-1 1\n301\t0\t FT#2\t-1\r\n\n302   0 FT-1 2\n")
    assert read_qrels(path) == {"301": {"FT-1": 1, "FT#2": -1}, "302": {"FT-1": 2}}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("301 0 FT-1", "has 3 columns, needs 4"),
        ("301 0 FT-1 1 1", "has 5 columns"),
        ("301 0 FT-1 1.5", "level '1.5' is not a whole number"),
        ("301 0 FT-0 2", "as 2, but an earlier line as 1"),
    ],
)
def test_bad_judgments_are_refused_with_their_line(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(FileError, match=f"q:2: .*{message}"):
        read_qrels(written(tmp_path / "q", f"301 0 FT-0 1\n{line}\n"))


def test_the_same_judgment_twice_does_no_harm(tmp_path: Path) -> None:
    assert read_qrels(written(tmp_path / "q", "1 0 a 1\n1 0 a 1\n")) == {"1": {"a": 1}}


def test_run_is_ordered_by_score_then_by_descending_id_whatever_its_ranks(tmp_path: Path) -> None:
    path = written(tmp_path / "r", "1 Q0 a 1 0.5 tag\n1 Q0 b 2 0.5 tag\n1 Q0 c 3 2e1 tag more words\n")
    run = read_run(path)
    assert run.system == "tag"
    assert list(run.rankings["1"].docs) == ["c", "b", "a"]
    assert run.rankings["1"].scores.tolist() == [20.0, 0.5, 0.5]
    assert read_run(path, "other").system == "other"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 Q0 b 2 0.5", "has 5 columns, needs 6"),
        ("1 Q0 b 2 high tag", "score 'high' is not a number"),
        ("1 Q0 b 2 nan tag", "score 'nan' is not a number"),
        ("1 Q0 b 2 1_0 tag", "score '1_0' is not a number"),
        ("1 Q0 a 2 0.5 tag", "ranks a for query 1 a second time"),
    ],
)
def test_bad_run_lines_are_refused_with_their_line(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(FileError, match=f"r:2: .*{message}"):
        read_run(written(tmp_path / "r", f"1 Q0 a 1 0.5 tag\n{line}\n"))


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_compressed_files_read_like_plain_ones(tmp_path: Path, suffix: str) -> None:
    judged = {"q": {"d": 1, "e": 0}}
    write_qrels(tmp_path / f"q{suffix}", judged)
    assert read_qrels(tmp_path / f"q{suffix}") == judged
    data = (tmp_path / f"q{suffix}").read_bytes()
    plain = {
        "": bytes,
        ".gz": gzip.decompress,
        ".zst": lambda x: zstandard.ZstdDecompressor().decompressobj().decompress(x),
    }
    assert plain[suffix](data) == b"q 0 d 1\nq 0 e 0\n"
    write_qrels(tmp_path / f"again{suffix}", judged)
    assert (tmp_path / f"again{suffix}").read_bytes() == data


@few
@given(qrels)
def test_any_judgments_survive(tmp_path_factory: pytest.TempPathFactory, judged: Qrels) -> None:
    path = tmp_path_factory.mktemp("qrels") / "q"
    write_qrels(path, judged)
    assert read_qrels(path) == judged


scored = st.dictionaries(ids, st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5)


@few
@given(st.dictionaries(ids, scored, max_size=3))
def test_any_run_survives_to_the_last_digit(tmp_path_factory: pytest.TempPathFactory, scores: dict) -> None:
    rankings = {
        query: in_order(list(found), np.array(list(found.values()))) for query, found in scores.items()
    }
    path = tmp_path_factory.mktemp("run") / "r"
    write_run(path, Run("system", rankings))
    again = read_run(path).rankings
    assert {query: list(ranking.docs) for query, ranking in again.items()} == {
        query: list(ranking.docs) for query, ranking in rankings.items()
    }
    assert all(np.array_equal(again[query].scores, rankings[query].scores) for query in rankings)


@pytest.mark.parametrize("bad", ["a b", "", "#q", "\ufeffq"])
def test_ids_a_reader_would_misread_are_not_written(tmp_path: Path, bad: str) -> None:
    with pytest.raises(InputError):
        write_qrels(tmp_path / "q", {bad: {"d": 1}})
    with pytest.raises(InputError):
        write_run(tmp_path / "r", Run("s", {bad: Ranking(["d"], np.ones(1))}))
    assert list(tmp_path.iterdir()) == []


def test_failed_writing_leaves_the_old_run(tmp_path: Path) -> None:
    write_run(tmp_path / "r", Run("s", {"q": Ranking(["d"], np.ones(1))}))
    before = (tmp_path / "r").read_bytes()
    with pytest.raises(InputError, match="not a number"):
        write_run(tmp_path / "r", Run("s", {"q": Ranking(["d"], np.array([np.nan]))}))
    assert (tmp_path / "r").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["r"]


@pytest.mark.real
def test_trec_evals_own_judgments_are_read_whole() -> None:
    """Counted by another way: the plain words of the file."""
    for name in ("qrels.test", "qrels.rel_level", "qrels-302.test", "qrels.comment.test"):
        path = data_file(f"trec_eval/test/{name}")
        rows = [line.split() for line in path.read_text().splitlines() if line.strip() and line[0] != "#"]
        counts = Counter(row[0] for row in rows)
        assert {query: len(judged) for query, judged in read_qrels(path).items()} == counts


@pytest.mark.real
def test_comments_in_trec_evals_judgments_change_nothing() -> None:
    # the commented copy has one document renamed to hold a '#', at the place a comment announces
    plain = read_qrels(data_file("trec_eval/test/qrels.test"))
    commented = read_qrels(data_file("trec_eval/test/qrels.test.with-comments"))
    assert {query: len(judged) for query, judged in plain.items()} == {
        query: len(judged) for query, judged in commented.items()
    }


@pytest.mark.real
def test_judgments_of_several_assessors_in_one_file_are_refused() -> None:
    with pytest.raises(
        FileError, match=r"qrels\.123:3686: judges 301 and CR93E-1860 as 3, but an earlier line as 0"
    ):
        read_qrels(data_file("trec_eval/test/qrels.123"))


@pytest.mark.real
def test_trec_evals_own_runs_are_read_whole() -> None:
    for name in (
        "results.test",
        "results.trunc",
        "results-302.test",
        "results.comment.test",
        "prefs.results.test",
    ):
        path = data_file(f"trec_eval/test/{name}")
        run = read_run(path)
        rows = [line for line in path.read_text().splitlines() if line.strip() and line[0] != "#"]
        assert sum(map(len, run.rankings.values())) == len(rows)
        assert all((np.diff(ranking.scores) <= 0).all() for ranking in run.rankings.values())
