"""Neural models from a folder: the files they need, what is asked of the packages, and the packages themselves."""

import json
import os
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from kakehashi.errors import FileError, MissingDependency
from kakehashi.lexicon import ctranslate
from kakehashi.lexicon.ctranslate import CTranslate
from kakehashi.lexicon.external import External, TranslatorError
from tests.lexicon.tiny_ctranslate import SENTENCES, write_model, write_pieces


def folder_with(folder: Path, *names: str, **config: Any) -> Path:
    for name in ("model.bin", *names):
        (folder / name).write_bytes(b"x")
    (folder / "config.json").write_text(json.dumps(config))
    return folder


class Played:
    """Both packages, played: pieces are words, a translation is the words in capitals, worst first in length."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch):
        self.asked: list[tuple[list[list[str]], dict[str, Any]]] = []
        self.opened: list[str] = []
        self.fails = False
        ctranslate2, sentencepiece = ModuleType("ctranslate2"), ModuleType("sentencepiece")
        ctranslate2.Translator = self._translator  # type: ignore[attr-defined]
        sentencepiece.SentencePieceProcessor = self._pieces  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "ctranslate2", ctranslate2)
        monkeypatch.setitem(sys.modules, "sentencepiece", sentencepiece)

    def _translator(self, folder: str, device: str) -> Any:
        return SimpleNamespace(translate_batch=self._translate)

    def _translate(self, source: list[list[str]], **options: Any) -> list[Any]:
        if self.fails:
            raise RuntimeError("out of\nmemory")
        self.asked.append((source, options))
        n = options["num_hypotheses"]
        return [
            SimpleNamespace(
                hypotheses=[[piece.upper() for piece in pieces] + ["!"] * k for k in range(n)],
                scores=[-1.0 - k for k in range(n)],
            )
            for pieces in source
        ]

    def _pieces(self, model_file: str) -> Any:
        self.opened.append(Path(model_file).name)
        return SimpleNamespace(
            encode=lambda text, out_type: text.split() if out_type is str else [], decode=" ".join
        )


def test_pieces_go_in_and_come_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played = Played(monkeypatch)
    folder = folder_with(tmp_path, "source.spm", "target.spm", add_source_eos=True)
    found = External(CTranslate(folder, beam=4)).translate([["ein", "Haus"], [], ["See"]], n=2)
    assert [[each.words for each in list] for list in found] == [
        [("EIN", "HAUS"), ("EIN", "HAUS", "!")],
        [()],
        [("SEE",), ("SEE", "!")],
    ]
    assert [each.score for each in found[0]] == [-1.0 * 3, -2.0 * 4]  # from means to sums, the end included
    [(source, options)] = played.asked
    assert source == [["ein", "Haus"], ["See"]]
    assert (options["beam_size"], options["num_hypotheses"], options["return_scores"]) == (4, 2, True)
    assert played.opened == ["source.spm", "target.spm"]


def test_beam_is_never_narrower_than_the_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played = Played(monkeypatch)
    External(CTranslate(folder_with(tmp_path, "a.spm"), beam=4)).translate([["x"]], n=30)
    assert played.asked[0][1]["beam_size"] == 30
    assert played.opened == ["a.spm", "a.spm"]  # one model for both sides


def test_wider_beams_take_fewer_sentences_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played = Played(monkeypatch)
    each = External(CTranslate(folder_with(tmp_path, "a.spm"), beam=4))
    each.translate([["x"]])
    each.translate([["x"]], n=1000)
    assert [options["batch_type"] for _, options in played.asked] == ["tokens", "tokens"]
    assert [options["max_batch_size"] for _, options in played.asked] == [4096, 16]


@pytest.mark.parametrize(
    ("config", "end"),
    [
        ({"add_source_eos": True, "eos_token": "</s>", "decoder_start_token": "</s>"}, []),
        ({"add_source_eos": False, "eos_token": "</s>", "decoder_start_token": "<s>"}, []),
        ({"eos_token": "</s>", "decoder_start_token": "</s>"}, ["</s>"]),
    ],
    ids=["from Marian", "from OpenNMT", "from Transformers"],
)
def test_source_ends_as_the_model_learned_it(
    config: dict[str, Any], end: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = Played(monkeypatch)
    External(CTranslate(folder_with(tmp_path, "a.spm", **config), beam=1)).translate([["x"]])
    assert played.asked[0][0] == [["x", *end]]


def test_failure_of_the_package_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Played(monkeypatch).fails = True
    with pytest.raises(TranslatorError, match=r"^translator 'ctranslate2:.*' failed: out of memory; fix it"):
        External(CTranslate(folder_with(tmp_path, "a.spm"), beam=1)).translate([["x"]])


def test_config_that_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Played(monkeypatch)
    folder = folder_with(tmp_path, "a.spm")
    for text in ("{", "[]", "\xff"):
        (folder / "config.json").write_text(text, encoding="latin-1")
        with pytest.raises(TranslatorError, match=r"has a config\.json that cannot be read"):
            External(CTranslate(folder, beam=1)).translate([["x"]])


def test_missing_package_is_named_with_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folder_with(tmp_path, "a.spm")
    for name in ("ctranslate2", "sentencepiece"):
        with monkeypatch.context() as patch:
            Played(patch)
            patch.setitem(sys.modules, name, None)
            with pytest.raises(
                MissingDependency, match=rf"{name} is .* pip install 'kakehashi\[translate\]'"
            ):
                External(CTranslate(folder, beam=1)).translate([["x"]])


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ((), "has no model.bin: convert a model"),
        (("model.bin",), "has no config.json: convert a model"),
        (("model.bin", "config.json"), "has no SentencePiece model: copy source.spm and target.spm"),
        (("model.bin", "config.json", "a.spm", "b.model"), "has 2 SentencePiece models: copy source.spm"),
        (("model.bin", "config.json", "source.spm"), "has no target.spm: copy source.spm and target.spm"),
        (("model.bin", "config.json", "target.spm", "a.model"), "has no source.spm: copy source.spm"),
    ],
)
def test_missing_files_are_named(names: tuple[str, ...], message: str, tmp_path: Path) -> None:
    for name in names:
        (tmp_path / name).touch()
    with pytest.raises(FileError, match=message):
        CTranslate(tmp_path, beam=1)


def test_changed_file_or_beam_is_another_translator(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, "a.spm")
    first = External(CTranslate(folder, beam=4)).identity
    assert External(CTranslate(folder, beam=4)).identity == first
    assert External(CTranslate(folder, beam=5)).identity != first
    os.utime(folder / "model.bin", (1, 1))
    assert External(CTranslate(folder, beam=4)).identity != first


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for package in ("ctranslate2", "sentencepiece"):
        pytest.importorskip(package, reason=f"{package} is not installed (the extra `translate`)")
    folder = tmp_path_factory.mktemp("model")
    write_model(folder, write_pieces(folder, "source.spm", "target.spm"))
    return folder


def test_real_packages_translate(model: Path) -> None:
    sentences = [SENTENCES[0].split(), SENTENCES[1].split(), []]
    best = External(CTranslate(model, beam=5)).translate(sentences)
    assert all(each[0].words for each in best[:2])
    assert best == External(CTranslate(model, beam=5)).translate(sentences)
    assert best[0] != best[1]


def test_real_answers_stay_in_order_however_little_fits_at_once(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [text for sentence in SENTENCES for text in (sentence, sentence.split()[0])]
    whole = CTranslate(model, beam=2).ask(texts, 1)
    monkeypatch.setattr(ctranslate, "AT_ONCE", 1)
    apart = CTranslate(model, beam=2).ask(texts, 1)
    assert [[each.text for each in found] for found in apart] == [
        [each.text for each in found] for found in whole
    ]


def test_real_scores_are_logarithms_of_chances(model: Path) -> None:
    import ctranslate2
    import sentencepiece

    words = SENTENCES[0].split()
    engine = CTranslate(model, beam=8)
    [answers] = engine.ask([" ".join(words)], 8)
    assert len(answers) == 8
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(model / "source.spm"))
    translator = ctranslate2.Translator(str(model), device="cpu")
    source = pieces.encode(" ".join(words), out_type=str)
    [again] = translator.translate_batch([source], beam_size=8, num_hypotheses=8)
    for answer, target in zip(answers, again.hypotheses, strict=True):
        [scored] = translator.score_batch([source], [target])
        # the first piece may not be the end, which makes all others there a little likelier
        assert answer.score == pytest.approx(sum(scored.log_probs), abs=0.25)
        assert answer.text == pieces.decode(target)


def test_real_package_that_cannot_load_is_one_line(model: Path, tmp_path: Path) -> None:
    folder = folder_with(tmp_path, "a.spm")
    with pytest.raises(TranslatorError, match="cannot be loaded: "):
        External(CTranslate(folder, beam=1)).translate([["x"]])
