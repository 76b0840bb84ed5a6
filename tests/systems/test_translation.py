"""Translation trained on a collection's parallel text and on further files."""

import itertools
from pathlib import Path

import pytest

from kakehashi import store
from kakehashi.errors import FileError, InputError
from kakehashi.lexicon.translations import Translations
from kakehashi.library import Library
from kakehashi.systems.translation import read_table
from kakehashi.training.outcome import Outcome
from tests.corpus.parallel_text.files import catalogue
from tests.toy import toy_collection

NOUNS = {
    "電池": "batteries", "電極": "electrodes", "回路": "circuits", "画像": "images", "燃料": "fuels",
    "レンズ": "lenses", "カメラ": "cameras", "ポンプ": "pumps", "エンジン": "engines", "センサ": "sensors",
}  # fmt: skip


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Library:
    library = Library(toy_collection(tmp_path_factory.mktemp("toy") / "c"))
    library.update_index()
    return library


def trained(
    toy: Library, model: str, parallel: list[str], **settings: object
) -> tuple[Outcome, Translations]:
    values = {"decoder": False, **settings}
    _, outcome = toy.train("translation", values, model=model, parallel=parallel)
    return outcome, read_table(toy, model)


@pytest.mark.parametrize("words", ["terms", "surface"])
def test_terms_are_linked_whether_aligned_before_or_after_stemming(
    toy: Library, words: str, tmp_path: Path
) -> None:
    pairs = itertools.permutations(NOUNS.items(), 2)
    rows = [f"{one}の{other}\tthe {plural} of the {many}" for (one, many), (other, plural) in pairs]
    (tmp_path / "x.tsv").write_text("\n".join(rows), encoding="utf-8")
    _, table = trained(toy, "t", [str(tmp_path / "x.tsv")], words=words)
    stem = toy.index.analyzer.terms
    for noun, plural in NOUNS.items():
        assert table.row(noun)[0][0] == stem(plural)[0] != plural
    assert not {"of", "the"} & {*table.targets}  # stop words have no terms


def test_words_of_a_file_are_known_and_every_file_is_accounted_for(toy: Library, tmp_path: Path) -> None:
    more = tmp_path / "more.tsv"
    more.write_text(
        "灯台\tlighthouse\n灯台\tlighthouse\n電池\tbattery\n。\t...\n燃料電池の電極。\tElectrode.\n"
        + "x " * 300 + "\tlong\n",
        encoding="utf-8",
    )  # fmt: skip
    outcome, table = trained(toy, "t", [str(more)])
    assert [word for word, _ in table.row("灯台")] == ["lighthous"]
    left_out = {"duplicate": 2, "in dev or test": 1, "too long": 1, "untranslated": 1}
    assert outcome.made_from["parallel_text"] == [
        {"file": "parallel.tsv", "pairs": 16, "left_out": {}},
        {"file": str(more), "pairs": 1, "left_out": left_out},
    ]
    assert outcome.made_from["sentence_pairs"] == 17
    assert store.read(toy.model_folder("t") / "table", "translations", 1).meta.made_from == outcome.made_from


def test_weight_of_a_dictionary_decides_between_it_and_the_text(toy: Library, tmp_path: Path) -> None:
    (tmp_path / "text.tsv").write_text("灯台\tbeacon\n" + "灯台。\tbeacon\n", encoding="utf-8")
    (tmp_path / "edict").write_text("灯台 [とうだい] /lighthouse/\n", encoding="utf-8")
    files = [str(tmp_path / "text.tsv"), str(tmp_path / "edict")]
    _, light = trained(toy, "light", files)
    _, heavy = trained(toy, "heavy", files, dictionary_weight=6.0)
    assert dict(light.row("灯台")) == pytest.approx({"beacon": 0.8, "lighthous": 0.2})
    assert dict(heavy.row("灯台")) == pytest.approx({"beacon": 0.25, "lighthous": 0.75})
    (tmp_path / "table.tsv").write_text("灯台\tlighthouse\t1\tentry\n", encoding="utf-8")
    _, table = trained(toy, "table", [files[0], str(tmp_path / "table.tsv")], dictionary_weight=6.0)
    assert table.row("灯台") == heavy.row("灯台")


def test_a_broken_file_of_a_folder_is_counted(toy: Library, tmp_path: Path) -> None:
    folder = tmp_path / "locale"
    folder.mkdir()
    (folder / "a.mo").write_bytes(b"nothing")
    (folder / "b.mo").write_bytes(catalogue({"lighthouse": "灯台"}))
    outcome, table = trained(toy, "t", [str(folder)])
    assert [word for word, _ in table.row("灯台")] == ["lighthous"]
    assert outcome.made_from["parallel_text"][1]["left_out"] == {"unusable files": 1}
    with pytest.raises(FileError, match="is not a complete gettext catalogue"):
        trained(toy, "t", [str(folder / "a.mo")])


def test_a_collection_without_text_of_its_own_learns_from_files(tmp_path: Path) -> None:
    toy = Library(toy_collection(tmp_path / "c"))
    (tmp_path / "c" / "parallel.tsv").unlink()
    toy.update_index()
    with pytest.raises(InputError, match="give text with --parallel"):
        trained(toy, "t", [])
    (tmp_path / "x.tsv").write_text("灯台\tlighthouse\n", encoding="utf-8")
    assert len(trained(toy, "t", [str(tmp_path / "x.tsv")])[1]) == 1


def test_a_dictionary_without_weight_is_refused(toy: Library, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="dictionary_weight must be above 0"):
        trained(toy, "t", [], dictionary_weight=0.0)


def test_tables_and_decoder_of_a_model_are_of_one_training(
    toy: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An interrupted training leaves the tables as they were; one without a decoder leaves no old one."""
    pairs = itertools.permutations(NOUNS.items(), 2)
    rows = [f"{one}の{other}\tthe {plural} of the {many}" for (one, many), (other, plural) in pairs]
    (tmp_path / "x.tsv").write_text("\n".join(rows), encoding="utf-8")
    folder, text = toy.model_folder("whole"), [str(tmp_path / "x.tsv")]
    trained(toy, "whole", text, decoder=True, tune=0)
    before = {path: path.read_bytes() for path in folder.glob("*/meta.json")}
    assert {path.parent.name for path in before} == {"table", "reversed", "decoder"}

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("kakehashi.systems.translation.train_decoder", stop)
    with pytest.raises(KeyboardInterrupt):
        trained(toy, "whole", [*text, *text], decoder=True, words="surface")
    assert {path: path.read_bytes() for path in folder.glob("*/meta.json")} == before
    trained(toy, "whole", text)
    assert {path.name for path in folder.iterdir() if path.is_dir()} == {"table", "reversed"}
