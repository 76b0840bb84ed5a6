"""The command train, and what comes after it, on a small collection of two languages."""

from pathlib import Path

import pytest

from kakehashi.cli.settings_help import setting_lines
from kakehashi.corpus import trec
from kakehashi.corpus.world.build import build_world
from kakehashi.settings import settings_of
from kakehashi.systems.registry import TRAINERS
from tests.cli.calling import CommandLine
from tests.training.subjects import SUBJECTS, subjects_library

SMALL = {"bilinear": "batch=16", "lowrank": "rank=8", "topics": "topics=6"}  # those that learn from pairs


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return subjects_library(tmp_path_factory.mktemp("train") / "subjects").folder


@pytest.mark.parametrize("system", SMALL)
def test_trained_system_ranks_and_explains(
    system: str, kakehashi: CommandLine, folder: Path, tmp_path: Path
) -> None:
    words = ["train", system, folder, "--set", "pairs=12000", "--set", "epochs=2", "--set", SMALL[system]]
    lines = kakehashi(*words).out.splitlines()
    assert lines[0].startswith("bag 1: MAP on dev " if system == "lowrank" else "epoch 1: MAP on dev ")
    assert lines[-1].startswith(f"{folder}/models/{system}: ")
    kakehashi("rank", system, folder, "--split", "test", "--out", tmp_path / "run")
    for id, ranking in trec.read_run(tmp_path / "run").rankings.items():
        best = [int(doc[1:]) % SUBJECTS for doc in ranking.docs[:5]]
        assert best.count(int(id[1:]) % SUBJECTS) >= 3
    hits = kakehashi("search", folder, "--id", "q101", "--system", system, "--json").json["hits"]
    for hit in hits:
        assert sum(share["share"] for share in hit["shares"]) == pytest.approx(hit["score"])
    assert "des1w" in kakehashi("search", folder, "--id", "q101", "--system", system, "--explain").out


def test_translation_is_trained_on_parallel_text(
    kakehashi: CommandLine, folder: Path, tmp_path: Path
) -> None:
    more = tmp_path / "more.tsv"
    more.write_text("desnew\tensnew\ndesnew\tensnew\nsame\tsame\n", encoding="utf-8")
    decoder = ["--set", "decoder=true"]
    lines = kakehashi("train", "translation", folder, "--parallel", more, *decoder).out.splitlines()
    assert lines[0] == "parallel.tsv: 300 pairs used"
    assert lines[1] == f"{more}: 1 pairs used; skipped: 1 duplicate, 1 untranslated"
    assert lines[2].startswith(f"{folder}/models/translation: ")
    assert {*TRAINERS} == {
        *SMALL,
        "boosted",
        "translation",
        "related",
        "mapped",
        "examples",
        "knowledge",
        "dense",
        "fused",
        "encoder",
        "cnn-text",
        "cnn-meta",
        "cnn-joint",
        "cnn-stacked",
    }
    for system in ("psq", "psq-hmm", "dt", "psq-nbest"):
        kakehashi("rank", system, folder, "--split", "test", "--out", tmp_path / system)
        for id, ranking in trec.read_run(tmp_path / system).rankings.items():
            best = [int(doc[1:]) % SUBJECTS for doc in ranking.docs[:5]]
            assert best.count(int(id[1:]) % SUBJECTS) >= 4
    lines = kakehashi("show", "translations", folder, "des1w5", "desunknown").out.splitlines()
    assert lines[0].startswith("des1w5: ens1w5 ")
    assert lines[1] == "desunknown: not in the table"
    assert len(kakehashi("show", "translations", folder, "-n", 7).out.splitlines()) == 7
    hits = kakehashi("search", folder, "--id", "q101", "--system", "psq", "--json").json["hits"]
    for share in hits[0]["shares"]:
        assert share["document"].split(", ")[0] == share["query"].replace("de", "en", 1)
    faster = ["--system", "psq", "--set", "indexed=true", "--json"]
    assert kakehashi("search", folder, "--id", "q101", *faster).json["hits"] == hits
    _edit_translations(kakehashi, folder, tmp_path)


def _edit_translations(kakehashi: CommandLine, folder: Path, tmp_path: Path) -> None:
    words = ["search", folder, "des1w5 des2w3", "--system", "psq"]
    shown = kakehashi(*words, "--translations").out.splitlines()
    assert shown[0].startswith("des1w5: ens1w5 ")
    assert shown[1].startswith("des2w3: ens2w3 ")
    given = ["--drop", "des1w5=ens1w5", "--add", "des2w3=ens1w2:0.3", "--drop", "des3w1=ens3w1"]
    edited = kakehashi(*words, *given, "--save-edits", tmp_path / "edits.txt", "--translations", "--json")
    assert edited.err == "drop des3w1=ens3w1: changes nothing here, see search --translations\n"
    [left] = edited.json["translations"]  # the word without its only translation is not asked for
    assert left["word"] == "des2w3"
    shares = {each["word"]: each["p"] for each in left["translations"]}
    assert shares == pytest.approx({"ens2w3": 0.7, "ens1w2": 0.3})
    again = kakehashi(*words, "--edits", tmp_path / "edits.txt", "--translations", "--json")
    assert again.json == edited.json
    out = ["--split", "test", "--out", tmp_path / "edited.run"]
    kakehashi("rank", "psq", folder, "--edits", tmp_path / "edits.txt", *out)
    beforehand = [*words, "--drop", "des1w5=ens1w5", "--json"]
    assert kakehashi(*beforehand, "--set", "indexed=true").json == kakehashi(*beforehand).json


def test_boosted_is_trained_on_samples(kakehashi: CommandLine, folder: Path, tmp_path: Path) -> None:
    small = ["samples=3", "rounds=40", "refresh=20", "per_query=4", "betas=0 0.5", "query_share=0.12"]
    words = ["train", "boosted", folder, *(word for each in small for word in ("--set", each))]
    lines = kakehashi(*words).out.splitlines()
    for number, line in enumerate(lines[:3], 1):
        assert line.startswith(f"sample {number}: 40 rounds, loss 320 to ")
    assert [line.split(" on dev ")[0] for line in lines[3:5]] == ["beta 0: MAP", "beta 0.5: MAP"]
    n_features = int(lines[5].removeprefix(f"{folder}/models/boosted: ").removesuffix(" weights"))
    assert len(lines) == 6
    assert len(kakehashi("show", "boosted", folder, "-n", 10_000).out.splitlines()) == n_features
    assert kakehashi(*words, "--threads", 1).out.splitlines() == lines  # taken up
    kakehashi("rank", "boosted", folder, "--split", "test", "--out", tmp_path / "run")
    for id, ranking in trec.read_run(tmp_path / "run").rankings.items():
        best = [int(doc[1:]) % SUBJECTS for doc in ranking.docs[:5]]
        assert best.count(int(id[1:]) % SUBJECTS) >= 3
    hits = kakehashi("search", folder, "--id", "q101", "--system", "boosted", "--json").json["hits"]
    assert hits
    for hit in hits:
        assert sum(share["share"] for share in hit["shares"]) == pytest.approx(hit["score"])
    asked = ["search", folder, "--system", "boosted", "--explain"]
    assert "des1w" in kakehashi(*asked, "--id", "q101").out
    alike = ["des1w5 ens1w5", "--set", "beta=0.25", "--json"]
    shares = [share for hit in kakehashi(*asked[:-1], *alike).json["hits"] for share in hit["shares"]]
    own = [share for share in shares if share["document"] == "ens1w5" and "ens1w5" in share["query"]]
    assert own
    assert all(share["share"] >= 0.25 - 1e-6 or "des1w5" in share["query"] for share in own)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("ngrams=9", "ngrams must be 1 to 5, not 9"),
        ("samples=0", "samples must be 1 to 1000, not 0"),
        ("betas=x", "betas must be numbers of at least 0, separated by spaces, not 'x'"),
        ("bits=40", "bits must be 4 to 30, not 40"),
        ("refresh=0", "refresh must be at least 1, not 0"),
        ("rounds=many", "boosted: Expected `int`, got `str` - at `$.rounds`"),
    ],
)
def test_wrong_settings_of_boosted_are_one_line(
    setting: str, message: str, kakehashi: CommandLine, folder: Path
) -> None:
    words = ["train", "boosted", folder, "--name", "refused", "--set", setting]
    assert kakehashi.refused(*words) == message
    assert not (folder / "models" / "refused").exists()


def test_translator_that_fails_is_one_line(kakehashi: CommandLine, folder: Path, tmp_path: Path) -> None:
    words = ["rank", "dt", folder, "--split", "test", "--out", tmp_path / "run"]
    line = kakehashi.refused(*words, "--set", "translator=command:sh -c 'echo no model >&2; exit 4'")
    assert " failed with status 4, saying: no model; fix it" in line
    assert not (tmp_path / "run").exists()


def test_alignment_offers_no_threads(kakehashi: CommandLine, folder: Path) -> None:
    """Its sums depend on their number, so there is one per direction."""
    assert "--threads" in kakehashi.refused("train", "translation", folder, "--threads", 2)


def test_missing_parallel_text_is_refused(kakehashi: CommandLine, folder: Path) -> None:
    line = kakehashi.refused("train", "translation", folder, "--parallel", "nowhere.tsv")
    assert line.startswith("nowhere.tsv: does not exist: give X.tsv, ")


@pytest.mark.parametrize("system", TRAINERS)
def test_help_explains_every_setting(system: str, kakehashi: CommandLine) -> None:
    shown = kakehashi("train", system, "--help").out
    words = " ".join(shown.split())
    for setting in settings_of(TRAINERS[system].settings):
        assert f"\n  {setting.name}={setting.shown_default}  (" in shown
        assert setting.description.replace("`", "'") in words


@pytest.mark.parametrize("columns", [60, 80, 100])
@pytest.mark.parametrize("system", TRAINERS)
def test_help_fits_the_terminal_without_losing_a_word(system: str, columns: int) -> None:
    settings = TRAINERS[system].settings
    lines = list(setting_lines(settings, columns))
    assert max(map(len, lines)) <= columns
    words = " ".join(" ".join(lines).split())
    for setting in settings_of(settings):
        assert all(choice in words for choice in setting.choices)
        assert setting.description.replace("`", "'") in words


def dev_figure(lines: str) -> float:
    """What the training said of the model it kept."""
    [*_, last] = [line for line in lines.splitlines() if " on dev " in line]
    return float(last.split(" on dev ")[1])


def test_measure_of_a_training_may_leave_mates_out(
    kakehashi: CommandLine, toy_copy: Path, tmp_path: Path
) -> None:
    small = [word for each in ("pairs=200", "epochs=1", "rank=4") for word in ("--set", each)]
    told = kakehashi("train", "lowrank", toy_copy, *small, "--set", "measure=MAP-mate").out
    assert told.startswith("bag 1: MAP-mate on dev ")
    kakehashi("rank", "lowrank", toy_copy, "--split", "dev", "--out", tmp_path / "run")
    words = ["evaluate", toy_copy / "qrels" / "dev.tsv", tmp_path / "run", "-m", "MAP,MAP-mate", "--json"]
    found = kakehashi(*words).json["runs"]["run"]
    assert dev_figure(told) == pytest.approx(found["MAP-mate"], abs=5e-5)
    assert found["MAP-mate"] != found["MAP"]


def test_dev_is_measured_as_deep_as_the_measure_looks(kakehashi: CommandLine, tmp_path: Path) -> None:
    build_world(tmp_path / "world", documents=2500)
    kakehashi("index", tmp_path / "world")
    small = ["pairs=500", "epochs=1", "rank=4", "identity=false", "measure=R@2000"]
    told = kakehashi(
        "train", "lowrank", tmp_path / "world", *(word for each in small for word in ("--set", each))
    ).out
    words = ["rank", "lowrank", tmp_path / "world", "--split", "dev", "-k", 2000, "--out", tmp_path / "run"]
    kakehashi(*words)
    qrels = tmp_path / "world" / "qrels" / "dev.tsv"
    found = kakehashi("evaluate", qrels, tmp_path / "run", "-m", "R@1000,R@2000", "--json").json["runs"][
        "run"
    ]
    assert dev_figure(told) == pytest.approx(found["R@2000"], abs=5e-5)
    assert found["R@2000"] > found["R@1000"]


def test_hashed_weights_can_be_read_and_counted(kakehashi: CommandLine, folder: Path) -> None:
    small = ["--set", "pairs=2000", "--set", "epochs=1", "--set", "layout=scattered", "--set", "bits=8"]
    kakehashi("train", "bilinear", folder, "--name", "hashed", *small)
    counts = kakehashi("show", "collisions", folder, "--model", "hashed", "--json").json
    assert counts["overload"] == counts["possible"] / 256
    assert counts["used"] <= counts["places"] == 256 < counts["met"]
    lines = kakehashi("show", "collisions", folder, "--model", "hashed").out.splitlines()
    assert lines[1] == f"{counts['met']:,} met in training, and use {counts['used']:,} places"
    assert "% its own)" in kakehashi("show", "pairs", folder, "--model", "hashed").out


def test_search_for_a_penalty_prints_what_each_one_gave(kakehashi: CommandLine, folder: Path) -> None:
    path = ["--set", "l1_steps=3", "--set", "l1_low=1e-6", "--set", "l1_high=1e-2", "--set", "epochs=2"]
    lines = kakehashi(
        "train", "bilinear", folder, "--name", "path", "--set", "pairs=1000", *path
    ).out.splitlines()
    assert [line.split(":")[0] for line in lines[:3]] == ["l1 0.01", "l1 0.0001", "l1 1e-06"]
    weights = [int(line.split(", ")[1].split()[0]) for line in lines[:3]]
    assert weights[0] < weights[1] < weights[2]
    assert lines[3].startswith("epoch 1: MAP on dev ")


def test_exact_weights_have_no_collisions_to_show(kakehashi: CommandLine, folder: Path) -> None:
    kakehashi("train", "bilinear", folder, "--set", "pairs=500", "--set", "epochs=1", "--name", "exact")
    assert "nothing was counted" in kakehashi.refused("show", "collisions", folder, "--model", "exact")


def test_wrong_setting_is_refused_before_anything_is_read(kakehashi: CommandLine) -> None:
    line = kakehashi.refused("train", "lowrank", "nowhere", "--set", "schedule=decay")
    assert line.startswith("lowrank has no setting 'schedule': it has bags, cosine, decay, ")


def test_named_model_stands_beside_the_others(kakehashi: CommandLine, folder: Path) -> None:
    small = ["--set", "pairs=500", "--set", "epochs=1", "--set", "rank=4"]
    assert f"{folder}/models/other: " in kakehashi("train", "lowrank", folder, "--name", "other", *small).out
    asked = ["search", folder, "des0w1", "--system", "lowrank", "--set"]
    assert kakehashi(*asked, "model=other", "--json").json["hits"]
    line = kakehashi.refused(*asked, "model=third")
    assert line.endswith(f"(kakehashi train lowrank {folder} --name third)")


def test_query_in_the_documents_language_is_refused(kakehashi: CommandLine, folder: Path) -> None:
    kakehashi("train", "lowrank", folder, "--set", "pairs=500", "--set", "epochs=1", "--name", "lang")
    words = ["search", folder, "ens0w1", "--system", "lowrank", "--set", "model=lang", "--lang", "en"]
    assert kakehashi.refused(*words) == "query 'query' is in 'en': this model accepts de"


def test_fusion_is_trained_ranked_and_explained(kakehashi: CommandLine, folder: Path, tmp_path: Path) -> None:
    kakehashi("train", "bilinear", folder, "--set", "pairs=12000", "--set", "epochs=2", "--set", "batch=16")
    kakehashi("train", "translation", folder, "--set", "decoder=false")
    inputs = "inputs=psq(k1=0.9) bilinear"
    lines = kakehashi(
        "train", "fused", folder, "--set", inputs, "--set", "measure=PRES@1000"
    ).out.splitlines()
    assert [line.split("  ")[1] for line in lines[:2]] == ["psq(k1=0.9)", "bilinear"]
    assert lines[2].startswith("PRES@1000 ")
    assert lines[2].endswith("best of 101")
    assert "cross-validated in 5 folds: " in lines[3]
    assert lines[5].startswith("MAP on dev, where weights were tuned by PRES@1000: ")
    assert lines[6] == f"PRES@1000 on dev, cross-validated: {lines[3].split()[1]}"
    assert lines[-1].startswith(f"{folder}/models/fused: ")
    kakehashi("rank", "fused", folder, "--split", "test", "--out", tmp_path / "run")
    run = trec.read_run(tmp_path / "run")
    assert (run.system, len(run.rankings)) == ("fused", 40)
    hits = kakehashi("search", folder, "--id", "q101", "--system", "fused", "--json").json["hits"]
    for hit in hits:
        assert sum(share["share"] for share in hit["shares"]) == pytest.approx(hit["score"])
    shown = kakehashi("search", folder, "--id", "q101", "--system", "fused", "--explain").out
    assert "psq(k1=0.9):" in shown or "bilinear:" in shown
    assert [part["part"] for part in hits[0]["parts"]] == ["psq(k1=0.9)", "bilinear"]
    assert sum(part["share"] for part in hits[0]["parts"]) == pytest.approx(hits[0]["score"])
    assert (
        f"{hits[0]['score']:.3e}"[:4].replace(".", "") in shown
    )  # scores of 0.01 and less keep their digits
    helped = kakehashi("train", "fused", "--help").out
    assert "rule=borda" in helped
