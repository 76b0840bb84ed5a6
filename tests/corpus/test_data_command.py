"""`kakehashi data`: what a person types and reads."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kakehashi.cli.data import app, get
from kakehashi.corpus.catalog import ENTRIES
from kakehashi.corpus.check import check
from kakehashi.corpus.collection import Collection
from kakehashi.errors import InputError
from tests.corpus.test_newsgroups import POSTS, archive
from tests.corpus.test_tsv import FILES, write
from tests.toy import QRELS, toy_collection


def run(*arguments: object, status: int = 0) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == status, result.output
    return result.stdout


def test_list_names_every_collection_that_get_knows() -> None:
    names = {entry.name for entry in ENTRIES}
    assert {command.name for command in get.registered_commands} <= names
    assert [line.split()[0] for line in run("list").splitlines()] == [entry.name for entry in ENTRIES]
    assert {entry["name"] for entry in json.loads(run("list", "--json"))["collections"]} == names


def test_check_of_a_clean_collection_prints_one_line(tmp_path: Path) -> None:
    folder = toy_collection(tmp_path / "toy")
    counts = "12 documents, 6 queries, 10 judgments in train, 4 judgments in dev, 6 judgments in test"
    assert run("check", folder) == f"{folder}: 0 errors, 0 warnings; {counts}\n"


def test_check_prints_each_fault_on_a_line_and_fails(tmp_path: Path) -> None:
    folder = toy_collection(tmp_path / "toy")
    with (folder / "qrels/dev.tsv").open("a") as file:
        file.write("j4\t0\td99\t1\n")
    first, summary = run("check", folder, status=2).splitlines()
    assert first == f"{folder}/qrels/dev.tsv:5: there is no document 'd99'"
    assert summary.startswith(f"{folder}: 1 errors, 0 warnings")
    report = json.loads(run("check", folder, "--json", status=2))
    assert report["faults"] == [
        {
            "path": f"{folder}/qrels/dev.tsv",
            "line": 5,
            "message": "there is no document 'd99'",
            "severity": "error",
        }
    ]
    assert (report["errors"], report["judgments"]) == (1, {"train": 10, "dev": 5, "test": 6})


def test_warnings_alone_do_not_fail(tmp_path: Path) -> None:
    folder = toy_collection(tmp_path / "toy")
    with (folder / "links.tsv").open("a") as file:
        file.write("j4\td99\texaminer\n")
    assert "links.tsv:13: warning: there is no query or document 'd99'" in run("check", folder)


@pytest.mark.parametrize("form", ["beir", "trec", "tsv"])
def test_exported_collection_can_be_got_again(tmp_path: Path, form: str) -> None:
    folder, out, again = toy_collection(tmp_path / "toy"), tmp_path / "out", tmp_path / "again"
    run("export", form, folder, out, *(["--flatten"] if form == "tsv" else []))
    languages = ["--source-language", "ja", "--target-language", "en"]
    sources: list[object] = ["--from", out]
    if form == "trec":
        sources = ["--documents", out / "documents.trec", "--topics", out / "topics.trec"]
        for split in QRELS:
            sources += ["--qrels", f"{split}={out}/{split}.qrels"]
    printed = run("get", form, again, *sources, *languages, "--mate-level", 3)
    assert printed.startswith(f"{again}: 12 documents, 6 queries, 10 judgments in train")
    made = Collection(again)
    assert {split: made.qrels(split) for split in made.splits} == QRELS
    assert made.info.mate_level == 3
    assert all("is not declared, so nothing filters" in fault.message for fault in check(again))


def test_existing_collection_is_replaced_only_by_force(tmp_path: Path) -> None:
    command = ["get", "newsgroups", tmp_path / "c", "--from", archive(tmp_path / "a.tar.gz", POSTS)]
    run(*command)
    with pytest.raises(InputError, match="add --force"):
        run(*command)
    run(*command, "--force")


def test_tsv_collection_by_name_has_its_levels_and_mates(tmp_path: Path) -> None:
    languages = ["--source-language", "ja", "--target-language", "en"]
    source = write(tmp_path / "t", FILES)
    run("get", "tsv", tmp_path / "c", "--from", source, "--name", "BoostCLIR", "--swap-dev-test", *languages)
    info = Collection(tmp_path / "c").info
    assert info.levels["2"] == "cited by the examiner"
    assert (info.name, info.mate_level, info.made_with["swap_dev_test"]) == ("BoostCLIR", 3, True)


def test_citations_command_judges_the_toy_as_its_author_did(tmp_path: Path) -> None:
    run("get", "citations", tmp_path / "c", "--from", toy_collection(tmp_path / "toy"), "--dev", "2006")
    made = Collection(tmp_path / "c")
    assert {split: made.qrels(split) for split in made.splits} == QRELS


def test_bad_options_are_one_line(tmp_path: Path) -> None:
    toy = toy_collection(tmp_path / "toy")
    with pytest.raises(InputError, match="'then' is not a range of years"):
        run("get", "citations", tmp_path / "c", "--from", toy, "--train", "then")
    with pytest.raises(InputError, match="choose from title,desc,narr"):
        run(
            "get",
            "trec",
            tmp_path / "c",
            "--documents",
            "d",
            "--topics",
            "t",
            "--qrels",
            "q",
            "--fields",
            "all",
        )
    with pytest.raises(InputError, match="split test is given twice"):
        run(
            "get", "trec", tmp_path / "c", "--documents", "d", "--topics", "t", "--qrels", "q", "--qrels", "r"
        )
    with pytest.raises(InputError, match="already exists"):
        run("export", "beir", toy, toy)
