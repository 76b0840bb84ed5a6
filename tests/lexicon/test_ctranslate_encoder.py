"""An encoder from a folder: the files it needs, and what becomes of its states."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kakehashi.errors import FileError, MissingDependency
from kakehashi.lexicon.ctranslate_encoder import CTranslateEncoder
from kakehashi.lexicon.encoders import Encoder
from tests.lexicon.tiny_ctranslate import DEPTH, SENTENCES, fill, write_pieces


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["config.json"], "has no model.bin: convert a model with ct2-transformers-converter"),
        (
            ["model.bin", "config.json"],
            "has 0 SentencePiece models instead of one: copy the model's own into it",
        ),
        (["model.bin", "config.json", "a.model", "b.model"], "has 2 SentencePiece models instead of one"),
    ],
)
def test_incomplete_folder_says_what_it_lacks(names: list[str], message: str, tmp_path: Path) -> None:
    for name in names:
        (tmp_path / name).write_bytes(b"x")
    with pytest.raises(FileError, match=message):
        Encoder(f"ctranslate2:{tmp_path}")


def test_other_files_are_another_state(tmp_path: Path) -> None:
    for name in ("model.bin", "config.json", "a.model"):
        (tmp_path / name).write_bytes(b"x")
    before = CTranslateEncoder(tmp_path).state()
    (tmp_path / "model.bin").write_bytes(b"another")
    assert CTranslateEncoder(tmp_path).state() != before


def test_missing_package_is_named_with_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("model.bin", "config.json", "a.model"):
        (tmp_path / name).write_bytes(b"x")
    monkeypatch.setitem(__import__("sys").modules, "ctranslate2", None)
    with pytest.raises(MissingDependency, match=r"ctranslate2 is .* pip install 'kakehashi\[translate\]'"):
        Encoder(f"ctranslate2:{tmp_path}").queries(["lamp"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Transformer of random weights, as the real converter would leave it."""
    for package in ("ctranslate2", "sentencepiece"):
        pytest.importorskip(package, reason=f"{package} is not installed (the extra `translate`)")
    from ctranslate2.specs import TransformerEncoderModelSpec, TransformerEncoderSpec, model_spec

    folder = tmp_path_factory.mktemp("encoder")
    pieces = write_pieces(folder, "sentencepiece.bpe.model")
    spec = TransformerEncoderModelSpec(TransformerEncoderSpec(1, 2))
    rng = np.random.default_rng(4)
    model_spec.visit_spec(spec, lambda part, name, value: fill(part, name, value, rng, len(pieces)))
    spec.register_vocabulary(pieces)
    spec.validate()
    spec.optimize()
    spec.save(str(folder))
    return folder


def test_vector_is_the_mean_of_the_states_of_its_pieces(folder: Path) -> None:
    import ctranslate2
    import sentencepiece

    encoder: Any = ctranslate2.Encoder(str(folder))
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / "sentencepiece.bpe.model"))
    vectors = Encoder(f"ctranslate2:{folder}").passages(SENTENCES)
    assert vectors.shape == (len(SENTENCES), DEPTH)
    for text, vector in zip(SENTENCES, vectors, strict=True):
        marked = ["<s>", *pieces.encode(text, out_type=str), "</s>"]
        states = np.asarray(encoder.forward_batch([marked]).last_hidden_state)[0]
        assert len(states) == len(marked)
        mean = states.mean(axis=0)
        assert vector == pytest.approx(mean / np.linalg.norm(mean), abs=1e-5)


def test_text_is_encoded_alike_beside_a_longer_one(folder: Path) -> None:
    encoder = Encoder(f"ctranslate2:{folder}")
    together = encoder.passages(SENTENCES)
    assert together.tobytes() == b"".join(encoder.passages([text]).tobytes() for text in SENTENCES)
