"""Systems of other packages, found by their entry points, and runs of other programs; nothing is installed for it."""

import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from kakehashi.corpus.trec import read_run, write_run
from kakehashi.corpus.world.build import build_world
from kakehashi.errors import InputError, Notice
from kakehashi.library import Library
from kakehashi.systems.contracts import check_system
from kakehashi.systems.outside import plugins
from kakehashi.systems.registry import SYSTEMS, offered, spec_of
from kakehashi.types import Run
from tests.cli.calling import CommandLine
from tests.outside import SHARED_WORDS, put_package

ENTRIES = {
    "shared": "toy_words:plain",
    "shared-described": "toy_words:described",
    "absent": "toy_words:nobody",
    "nonsense": "toy_words:nonsense",
    "failing": "toy_words:failing",
    "unimportable": "toy_words.nowhere:system",
}
QUERY = "JP-S0000345"


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder where Python looks for packages."""
    folder = tmp_path / "packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    plugins.cache_clear()
    yield folder
    plugins.cache_clear()


@pytest.fixture
def toy(packages: Path) -> Path:
    put_package(packages, "toy-words", ENTRIES, SHARED_WORDS)
    return packages


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plugins") / "world"
    build_world(folder, documents=500, seed=3)
    Library(folder).update_index()
    return folder


@pytest.fixture
def world(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "world"))


@pytest.mark.usefixtures("toy")
def test_plugin_is_a_system_like_any_other(kakehashi: CommandLine, world: Path, tmp_path: Path) -> None:
    for system in ("shared", "shared-described"):
        kakehashi("rank", system, world, "--split", "test", "--out", tmp_path / system, "--set", "power=2")
        run = read_run(tmp_path / system)
        assert run.system == system
        assert {round(score**0.5, 9) % 1 for score in run.rankings[QUERY].scores.tolist()} <= {0.0}
    assert (tmp_path / "shared").read_bytes().replace(b"shared", b"shared-described") == (
        tmp_path / "shared-described"
    ).read_bytes()
    hits = kakehashi("search", world, "--id", QUERY, "--system", "shared", "--json").json["hits"]
    assert hits[0]["shares"] == [
        {"query": "shared gives no reasons", "document": "", "share": hits[0]["score"]}
    ]
    message = kakehashi.refused("search", world, "x", "--system", "shared-described", "--set", "colour=red")
    assert message == "shared-described has no setting 'colour': it has power"


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("system", ["fused", "dense"])
def test_plugin_is_an_input(system: str, kakehashi: CommandLine, world: Path, tmp_path: Path) -> None:
    extra = ["--set", "features=none"] if system == "dense" else []
    kakehashi("train", system, world, "--set", "inputs=bm25 shared(power=3)", *extra)
    kakehashi("rank", system, world, "--split", "test", "--out", tmp_path / "run")
    assert any(map(len, read_run(tmp_path / "run").rankings.values()))
    [hit] = kakehashi("search", world, "--id", QUERY, "--system", system, "--json", "-k", 1).json["hits"]
    assert sum(share["share"] for share in hit["shares"]) == pytest.approx(hit["score"])


@pytest.mark.usefixtures("toy")
def test_help_lists_plugins_without_loading_them(kakehashi: CommandLine) -> None:
    for command in ("rank", "search"):
        shown = kakehashi(command, "--help").out
        assert "psq-nbest" in shown
        assert "unimportable      plug-in of toy-words 1.2\n" in shown


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize(
    ("system", "message"),
    [
        (
            "unimportable",
            "unimportable of toy-words 1.2 cannot be loaded: ModuleNotFoundError: No module named",
        ),
        ("absent", "absent of toy-words 1.2 cannot be loaded: AttributeError: module 'toy_words' has no"),
        ("nonsense", "nonsense of toy-words 1.2 is a int, but must be a SystemSpec or callable"),
        ("failing", "failing of toy-words 1.2 cannot be opened: ValueError: no licence found"),
        ("nobody", "there is no system 'nobody': choose one of bm25, lm,"),
    ],
)
def test_broken_plugin_is_one_line_and_stops_no_other(
    system: str, message: str, kakehashi: CommandLine, world: Path, tmp_path: Path
) -> None:
    assert kakehashi.refused("search", world, "x", "--system", system).startswith(message)
    called = kakehashi("rank", "shared", world, "--split", "test", "--out", tmp_path / "run")
    assert called.err == ""


def test_names_that_clash_are_left_out_with_a_line(
    packages: Path, kakehashi: CommandLine, world: Path, tmp_path: Path
) -> None:
    put_package(packages, "toy-words", {"shared": "toy_words:plain", "psq": "toy_words:plain"}, SHARED_WORDS)
    put_package(packages, "other", {"shared": "other:x", "Bad Name": "other:x", "run": "other:x"})
    called = kakehashi("rank", "bm25", world, "--split", "test", "--out", tmp_path / "run")
    taken = "is skipped: kakehashi already has a system of that name"
    assert sorted(called.err.splitlines()) == [
        "warning: system 'Bad Name' of other 1.2 is skipped: "
        "names may contain only lower-case letters, digits and hyphens",
        f"warning: system 'psq' of toy-words 1.2 {taken}",
        f"warning: system 'run' of other 1.2 {taken}",
        "warning: system 'shared' of other 1.2 and toy-words 1.2 is skipped: uninstall all but one",
    ]
    assert not {"shared", "psq", "run"} & {*offered()}
    assert spec_of("psq") is SYSTEMS["psq"]


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("system", ["shared", "shared-described"])
def test_plugin_keeps_the_contract(system: str) -> None:
    check_system(system)
    check_system(system, settings={"power": 2})


def test_nothing_is_said_where_nothing_is_offered(packages: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", Notice)
        assert not {*offered()} & {*ENTRIES}


def runs_of(world: Path, system: str, folder: Path) -> None:
    """By another program, as far as anybody can tell."""
    library = Library(world)
    for split in ("dev", "test"):
        write_run(folder / f"other.{split}.run", library.rank(system, split, 50))


@pytest.mark.parametrize("system", ["fused", "dense"])
def test_run_of_another_program_is_an_input(system: str, kakehashi: CommandLine, world: Path) -> None:
    runs_of(world, "lm", world)
    extra = ["--set", "features=none"] if system == "dense" else []
    words = ["train", system, world, "--set", "inputs=bm25 run(path=other.{split}.run)", *extra]
    assert kakehashi(*words).err == ""
    out = world / "out.run"
    assert kakehashi("rank", system, world, "--split", "test", "--out", out).err == ""
    assert any(map(len, read_run(out).rankings.values()))
    (world / "other.test.run").unlink()
    n_queries = len(Library(world).qrels("test"))
    lines = kakehashi("rank", system, world, "--split", "test", "--out", out).err.splitlines()
    assert lines == [line for line in lines if "run(path=other.{split}.run) has no list for" in line]
    assert f"has no list for {n_queries} queries: JP" in lines[0]
    assert len(lines) == 1


def test_run_can_be_filtered_as_a_system(kakehashi: CommandLine, world: Path, tmp_path: Path) -> None:
    runs_of(world, "bm25", tmp_path)
    path = tmp_path / "other.test.run"
    whole = read_run(path)
    run = Run("other", dict(whole.rankings))
    some = next(query for query, ranking in run.rankings.items() if len(ranking) > 1)
    text = path.read_text(encoding="utf-8") + f"{some} Q0 nobody 1 99 other\n"
    path.write_text(text, encoding="utf-8")
    called = kakehashi(
        "rank", "run", world, "--split", "test", "--set", f"path={path}", "--out", tmp_path / "out",
        "--where", "publication<2000-01-01",
    )  # fmt: skip
    assert "warning: run lists 1 document not in the index: skipped" in called.err
    assert Library(world).index.fields["publication"] == "date"
    kept = kakehashi(
        "rank", "bm25", world, "--split", "test", "-k", 50, "--out", tmp_path / "plain",
        "--where", "publication<2000-01-01",
    )  # fmt: skip
    assert kept.err == ""
    plain = read_run(tmp_path / "plain").rankings
    for query, ranking in read_run(tmp_path / "out").rankings.items():
        assert list(ranking.docs) == list(plain[query].docs[: len(ranking)])


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ("bm25 run", "run needs a file: run(path=other.run), or run(path=other.{split}.run)"),
        ("bm25 run(path=none.run)", "world/none.run"),
        ("bm25 run(path=none.{split}.run)", "there is no such file for train, dev, test"),
        ("bm25 run(file=x)", "run has no setting 'file': it has path"),
    ],
)
def test_run_that_is_not_there_is_refused(
    inputs: str, message: str, kakehashi: CommandLine, world: Path
) -> None:
    assert message in kakehashi.refused("train", "fused", world, "--set", f"inputs={inputs}")


def test_run_that_answers_no_dev_query_cannot_be_tuned(kakehashi: CommandLine, world: Path) -> None:
    runs_of(world, "lm", world)
    words = ["train", "fused", world, "--set", "inputs=bm25 run(path=other.test.run)"]
    *warned, error = kakehashi(*words, status=2).err.splitlines()
    assert len(warned) == 1
    assert error == "kakehashi: run(path=other.test.run) finds nothing for the dev queries: leave it out"


def test_query_in_the_files_of_two_splits_is_refused(world: Path) -> None:
    runs_of(world, "lm", world)
    shutil.copy(world / "other.dev.run", world / "other.train.run")
    with pytest.raises(InputError, match=r"dev\.run: contains query .*, like the file of another split"):
        Library(world).system("run", {"path": "other.{split}.run"})
