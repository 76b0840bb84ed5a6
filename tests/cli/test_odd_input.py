"""What is odd is refused in one line that says what to do: names, values, files that are no files, what was left."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kakehashi.corpus.parallel_text import catalogues
from kakehashi.corpus.parallel_text.sentence_pair import Languages
from kakehashi.corpus.writing import CollectionWriter
from kakehashi.errors import FileError, InputError, one_line
from kakehashi.index.index import Index
from kakehashi.library import Library
from kakehashi.store import replace_file
from tests.cli.calling import CommandLine
from tests.cli.test_pipeline import PROGRAM, ROOT
from tests.toy import INFO, toy_collection

SEARCH = ("battery", "--system", "monolingual", "--lang", "en")


@pytest.mark.parametrize("name", ["../beside", "a/b", "", ".", "..", ".hidden", "a\tb", "a\x1bb"])
def test_split_cannot_be_written_outside_its_folder(tmp_path: Path, name: str) -> None:
    with (
        pytest.raises(InputError, match="cannot name a split"),
        CollectionWriter(tmp_path / "c", INFO) as writer,
    ):
        writer.qrels(name, {"q": {"d": 1}})
    assert [path.name for path in tmp_path.iterdir()] == []


@pytest.mark.parametrize("id", ["a\tb", "a\nb", "a b", ""])
def test_ids_that_data_check_refuses_are_refused_by_index(
    kakehashi: CommandLine, tmp_path: Path, id: str
) -> None:
    folder = toy_collection(tmp_path / "toy")
    with (folder / "documents.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({"id": id, "lang": "en", "title": "t", "text": "x", "meta": {}}) + "\n")
    said = f"documents.jsonl:13: id {id!r} is empty or contains white space"
    assert kakehashi.refused("index", folder).endswith(said)
    assert said in kakehashi("data", "check", folder, status=2).out


@pytest.mark.parametrize("kind", ["pipe", "folder", "endless"])
def test_collection_file_that_is_no_file_is_refused(
    kakehashi: CommandLine, toy_copy: Path, kind: str
) -> None:
    path = toy_copy / "collection.toml"
    path.unlink()
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to("/dev/zero")
    for command in (("search", toy_copy, "x"), ("index", toy_copy), ("verify", toy_copy)):
        assert kakehashi.refused(*command) == f"{path}: is not a file"


def test_collection_file_of_any_size_is_not_read(kakehashi: CommandLine, toy_copy: Path) -> None:
    (toy_copy / "collection.toml").write_bytes(b"#" * (2 << 20))
    assert kakehashi.refused("index", toy_copy).endswith("collection.toml: is longer than 1024 KiB")


@pytest.mark.parametrize("name", ["documents.jsonl", "parallel.tsv", "qrels/dev.tsv", "links.tsv"])
def test_data_check_names_files_that_are_none(kakehashi: CommandLine, toy_copy: Path, name: str) -> None:
    (toy_copy / name).unlink()
    os.mkfifo(toy_copy / name)
    assert f"{toy_copy / name}: is not a file" in kakehashi("data", "check", toy_copy, status=2).out


def test_data_check_names_languages_that_index_refuses(kakehashi: CommandLine, toy_copy: Path) -> None:
    path = toy_copy / "collection.toml"
    path.write_text(path.read_text().replace('source_language = "ja"', 'source_language = "日本"'))
    assert "'日本' is not a language code" in kakehashi.refused("index", toy_copy)
    found = kakehashi("data", "check", toy_copy, status=2).out
    assert "collection.toml: source_language: '日本' is not a language code" in found


def test_output_goes_through_links_and_pipes(
    kakehashi: CommandLine, indexed_toy: object, tmp_path: Path
) -> None:
    folder = indexed_toy.folder  # type: ignore[attr-defined]
    command = ("rank", "monolingual", folder, "--split", "test", "--out")
    target, link, pipe = tmp_path / "target.run", tmp_path / "link.run", tmp_path / "pipe.run"
    target.write_text("old")
    link.symlink_to(target)
    kakehashi(*command, link)
    assert link.is_symlink()
    assert "monolingual" in target.read_text()
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True)
    kakehashi(*command, pipe)
    assert reader.communicate(timeout=60)[0] == target.read_text()
    assert pipe.is_fifo()


@pytest.mark.parametrize("out", ["", "/", "."])
def test_output_that_is_a_folder_is_refused(kakehashi: CommandLine, indexed_toy: object, out: str) -> None:
    folder = indexed_toy.folder  # type: ignore[attr-defined]
    assert "is a folder: name a file" in kakehashi.refused("rank", "monolingual", folder, "--out", out)


def test_values_beyond_all_sizes_are_refused(
    kakehashi: CommandLine, indexed_toy: object, tmp_path: Path
) -> None:
    folder, run = indexed_toy.folder, tmp_path / "a.run"  # type: ignore[attr-defined]
    run.write_text("q Q0 d 1 1.0 x\n")
    weights = ("--weight", "1e308", "--weight", "1e308", "--out", tmp_path / "b.run")
    assert "weights must not be beyond 1e+100" in kakehashi.refused("fuse", "linear", run, run, *weights)
    said = kakehashi.refused("search", folder, *SEARCH, "--set", "k1=1e20")
    assert said == "monolingual: k1=1e+20 is not a number up to 1e+15"
    for value in ("nan", "-inf"):
        assert f"k1={value}" in kakehashi.refused("search", folder, *SEARCH, "--set", f"k1={value}")


def test_messages_are_one_line_whatever_they_quote(kakehashi: CommandLine, indexed_toy: object) -> None:
    folder = indexed_toy.folder  # type: ignore[attr-defined]
    said = kakehashi.refused("search", folder, "x", "--system", "no\nsuch\x1b[31m\u2028system")
    assert "no\\nsuch\\x1b[31m\\u2028system" in said
    assert one_line("架け橋 is\ta bridge") == "架け橋 is\\ta bridge"


def test_split_without_judgments_is_refused(kakehashi: CommandLine, toy_copy: Path, tmp_path: Path) -> None:
    (toy_copy / "qrels" / "none.tsv").write_text("")
    out = tmp_path / "none.run"
    said = kakehashi.refused("rank", "monolingual", toy_copy, "--split", "none", "--out", out)
    assert said == f"{toy_copy} has no judged queries in 'none': nothing can be ranked"
    assert not out.exists()


def test_what_a_killed_writer_left_is_removed_by_the_next(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    dead, alive = tmp_path / f".x.{process.pid}.tmp", tmp_path / f".x.{os.getppid()}.tmp"
    for path in (dead, alive):
        path.write_bytes(b"half")
    replace_file(tmp_path / "x", b"whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == [alive.name, "x"]


@pytest.mark.parametrize(
    "setting", ["n_docs", "segments", "target_analyzer", "fields", "fingerprint", "longest"]
)
@pytest.mark.parametrize("value", ["missing", -1, "x", None, [["../../x"]], 1 << 70])
def test_index_whose_settings_make_no_sense_is_refused(toy_copy: Path, setting: str, value: object) -> None:
    path = toy_copy / "index" / "meta.json"
    meta = json.loads(path.read_bytes())
    if value == "missing":
        del meta["settings"][setting]
    else:
        meta["settings"][setting] = value
    path.write_text(json.dumps(meta))
    if (setting, value) == ("fingerprint", "x"):  # any text may be one
        return
    with pytest.raises(InputError) as refused:
        Library(toy_copy).search("battery", system="monolingual", lang="en")
    assert str(refused.value).isprintable()


def test_stored_text_that_is_not_utf8_is_refused(kakehashi: CommandLine, toy_copy: Path) -> None:
    path = next((toy_copy / "index" / "segments" / "s1").glob("titles.bytes.*.npy"))
    data = bytearray(path.read_bytes())
    data[128:] = b"\xff" * len(data[128:])
    path.write_bytes(bytes(data))
    assert "is not UTF-8" in kakehashi.refused("search", toy_copy, *SEARCH)


def test_damage_is_not_given_new_checksums(kakehashi: CommandLine, toy_copy: Path) -> None:
    path = next((toy_copy / "index" / "segments" / "s1").glob("fwd.tfs.*.npy"))
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(bytes(data))
    with (toy_copy / "documents.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({"id": "d13", "lang": "en", "title": "t", "text": "x", "meta": {}}) + "\n")
    called = kakehashi("index", toy_copy)
    assert "13 added" in called.out
    assert "warning: the index is built again:" in called.err
    assert Index(toy_copy / "index").faults() == []


def test_folder_of_a_whole_system_is_not_walked_for_catalogues(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogues, "MOST_PLACES", 50)
    for i in range(60):
        (tmp_path / f"f{i}").touch()
    with pytest.raises(FileError, match="holds more than 50 files: name the folder of catalogues"):
        catalogues.catalogue_files(tmp_path, Languages("de", "en"))


def test_command_runs_without_home_and_with_closed_streams(indexed_toy: object) -> None:
    qrels = indexed_toy.folder / "qrels" / "test.tsv"  # type: ignore[attr-defined]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": "/dev/null"}
    words = " ".join(f"'{word}'" for word in [*PROGRAM, "evaluate", str(qrels), "/no/such.run"])
    for closed in ("", "<&-", ">&-", "<&- >&- 2>&-"):
        done = subprocess.run(
            ["/bin/sh", "-c", f"{words} {closed}"],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 2
        assert done.stderr in ("", "kakehashi: /no/such.run: cannot be opened: No such file or directory\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_while_modules_are_imported_ends_in_one_line(number: signal.Signals) -> None:
    code = "import os, sys\nimport kakehashi.cli.main as here\nsys.argv = ['kakehashi', '--help']\n"
    code += (
        "class Slow:\n    def find_spec(self, *args):\n        os.kill(os.getpid(), int(sys.argv.pop()))\n"
    )
    code += f"sys.argv.append('{int(number)}')\nsys.meta_path.insert(0, Slow())\nhere.main()\n"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    what = "interrupted" if number == signal.SIGINT else "ended by SIGTERM"
    assert (done.returncode, done.stderr) == (128 + number, f"kakehashi: {what}\n")


def test_file_whose_name_is_not_utf8_is_written_and_named(indexed_toy: object, tmp_path: Path) -> None:
    folder, out = indexed_toy.folder, tmp_path / "\udcff.run"  # type: ignore[attr-defined]
    command = [*PROGRAM, "rank", "monolingual", str(folder), "--split", "test", "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\udcff.run: 2 queries" in done.stdout
    assert out.stat().st_size > 0
