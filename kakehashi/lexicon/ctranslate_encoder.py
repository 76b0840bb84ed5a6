"""An encoder in CTranslate2 format, from a local folder: BERT, XLM-RoBERTa and their like, means of the last layer."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from kakehashi.errors import FileError, MissingDependency
from kakehashi.types import Floats32

MOST_PIECES = 510  # these models have 512 positions, and two are for the marks around a text


class CTranslateEncoder:
    """A folder with model.bin and the SentencePiece model, as ct2-transformers-converter writes with --copy_files."""

    def __init__(self, folder: Path):
        for needed in ("model.bin", "config.json"):
            if not (folder / needed).is_file():
                raise FileError(
                    folder, None, f"has no {needed}: convert a model with ct2-transformers-converter"
                )
        found = sorted({*folder.glob("*.spm"), *folder.glob("*.model")})
        if len(found) != 1:
            raise FileError(
                folder,
                None,
                f"has {len(found)} SentencePiece models instead of one: copy the model's own into it",
            )
        self._folder, self._pieces = folder, found[0]

    def state(self) -> list[str]:
        files = sorted(path for path in self._folder.iterdir() if path.is_file())
        return [
            str(self._folder),
            *(f"{path.name} {path.stat().st_size} {path.stat().st_mtime_ns}" for path in files),
        ]

    def load(self) -> tuple[Callable[[list[str]], Any], Callable[[list[str]], Any]]:
        try:
            import ctranslate2
            import sentencepiece
        except ImportError as error:
            raise MissingDependency(error.name or "ctranslate2", "translate") from None
        encoder = ctranslate2.Encoder(str(self._folder), device="cpu", compute_type="float32")
        pieces = sentencepiece.SentencePieceProcessor(model_file=str(self._pieces))

        def encode(texts: list[str]) -> Floats32:
            """(texts, dimensions) means over the pieces of each text."""
            cut = [["<s>", *pieces.encode(text, out_type=str)[:MOST_PIECES], "</s>"] for text in texts]
            # one at a time: padding would change the last bits
            states = [np.asarray(encoder.forward_batch([one]).last_hidden_state) for one in cut]
            return np.stack([state[0].mean(axis=0) for state in states]).astype(np.float32)

        return encode, encode
