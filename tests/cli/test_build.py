"""`build` on the command line, and the commands that use what it chose."""

from pathlib import Path

import pytest

from kakehashi.corpus.world.build import build_world
from tests.cli.calling import CommandLine


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("build") / "world"
    build_world(folder, documents=500)
    return folder


def test_build_search_and_rank_without_naming_a_system(
    kakehashi: CommandLine, world: Path, tmp_path: Path
) -> None:
    built = kakehashi("build", world, "--only", "translation,fused")
    assert [line.split()[:2] for line in built.err.splitlines()] == [
        ["translation:", "trained"],
        ["fused:", "trained"],
    ]
    header, *rows = built.out.splitlines()[1:-1]
    assert header.split()[:4] == ["system", "MAP", "MAP-mate", "PRES@1000"]
    systems = [row.split()[0] for row in rows]
    assert {*systems} == {"psq", "psq-hmm", "titles", "fused", "passthrough", "monolingual"}
    best = next(name for name in systems if name != "monolingual")
    assert f"{world}: searches with {best} from now on" in built.out.splitlines()[-1]

    asked = kakehashi("search", world, "リチウム電池")
    assert f"searching with {best}, best on dev" in asked.err
    assert kakehashi("search", world, "リチウム電池", "--json").json["system"] == best
    kakehashi("rank", world, "--out", tmp_path / "best.run")
    kakehashi("rank", best, world, "--out", tmp_path / "named.run")
    assert (tmp_path / "best.run").read_bytes() == (tmp_path / "named.run").read_bytes()

    again = kakehashi("build", world, "--only", "translation,fused", "--json")
    assert again.json["best"]["system"] == best
    assert [step["happened"] for step in again.json["steps"]] == ["kept", "kept"]
    assert [row["system"] for row in again.json["rows"]] == systems


def test_an_unbuilt_collection_answers_and_says_what_to_run(kakehashi: CommandLine, tmp_path: Path) -> None:
    folder = tmp_path / "world"
    build_world(folder, documents=500)
    kakehashi("index", folder)
    asked = kakehashi("search", folder, "LED laser")
    assert asked.err.splitlines()[-1] == f"to search across languages, run: kakehashi build {folder}"
    assert asked.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--budget", "soon"], "'soon' is not a duration: write 90s, 10m or 1.5h"),
        (["--only", "psq"], "'psq' cannot be trained: choose from"),
        (["--measure", "MAPP"], "MAPP"),
    ],
)
def test_mistakes_are_said_in_one_line(
    kakehashi: CommandLine, world: Path, words: list[str], said: str
) -> None:
    assert said in kakehashi.refused("build", world, *words)
