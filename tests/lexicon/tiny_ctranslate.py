"""A neural translator of a few thousand random weights, written as CTranslate2 reads it."""

from pathlib import Path
from typing import Any

import numpy as np

SENTENCES = ["das haus am see ist gross", "ein kleiner hund", "the house at the lake is big", "a small dog"]
DEPTH = 16


def write_pieces(folder: Path, *names: str) -> list[str]:
    """SentencePiece models of these names, all alike; their pieces."""
    import sentencepiece

    for name in names:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(SENTENCES * 20),
            model_prefix=str(folder / "trained"),
            vocab_size=40,
            hard_vocab_limit=False,
            minloglevel=2,
        )
        (folder / "trained.model").rename(folder / name)
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / names[0]))
    return [pieces.id_to_piece(i) for i in range(pieces.get_piece_size())]


def write_model(folder: Path, vocabulary: list[str], seed: int = 1) -> None:
    from ctranslate2.specs import TransformerSpec, model_spec

    spec = TransformerSpec.from_config(1, 2)
    rng = np.random.default_rng(seed)

    model_spec.visit_spec(spec, lambda part, name, value: fill(part, name, value, rng, len(vocabulary)))
    # sentences shall end: the end token has an advantage over all others
    spec.decoder.projection.bias = np.where(np.array(vocabulary) == "</s>", 3.0, 0.0).astype(np.float32)
    spec.register_source_vocabulary(vocabulary)
    spec.register_target_vocabulary(vocabulary)
    spec.config.add_source_eos = True
    spec.validate()
    spec.optimize()
    spec.save(str(folder))


def fill(part: Any, name: str, value: Any, rng: np.random.Generator, n_pieces: int) -> None:
    """Give a weight of a model's specification a value, unless it has one."""
    leaf = name.rsplit("/", 1)[-1]
    if value is None and leaf in ("gamma", "beta"):
        setattr(part, leaf, np.full(DEPTH, leaf == "gamma", np.float32))
    elif value is None:
        setattr(part, leaf, 0.4 * rng.standard_normal(_shape(name, n_pieces), dtype=np.float32))


def _shape(name: str, n_pieces: int) -> tuple[int, int]:
    if "embeddings" in name or "projection" in name:
        return n_pieces, DEPTH
    if "ffn" in name:
        return (4 * DEPTH, DEPTH) if "linear_0" in name else (DEPTH, 4 * DEPTH)
    stacked = {"self_attention/linear_0": 3, "/attention/linear_1": 2}  # queries, keys and values in one
    return next((n for key, n in stacked.items() if key in name), 1) * DEPTH, DEPTH
