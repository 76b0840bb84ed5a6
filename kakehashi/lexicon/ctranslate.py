"""Translation by a neural model in CTranslate2 format, from a local folder; nothing is downloaded.

For models of one language pair: no language tokens are added.
"""

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from kakehashi.errors import FileError, MissingDependency
from kakehashi.lexicon.external import Answer, Failure, quoted

LONGEST_OUTPUT = 512  # subword pieces; sentences are split long before
AT_ONCE = 1 << 14  # pieces of sentences, counted once per hypothesis: they determine the memory


class CTranslate:
    """A folder with model.bin, and the SentencePiece models that split words into its pieces."""

    def __init__(self, folder: Path, beam: int):
        for needed in ("model.bin", "config.json"):
            if not (folder / needed).is_file():
                raise FileError(folder, None, f"has no {needed}: convert a model with ct2-opus-mt-converter")
        self._folder, self._beam = folder, beam
        self._piece_files = _piece_files(folder)

    @property
    def name(self) -> str:
        return f"ctranslate2:{self._folder}"

    def state(self) -> Any:
        files = sorted(path for path in self._folder.iterdir() if path.is_file())
        stats = [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in files]
        return ["ctranslate2", str(self._folder), self._beam, stats]

    def ask(self, texts: Sequence[str], n: int) -> list[list[Answer]]:
        translator, source, target = self._loaded
        beam = max(self._beam, n)
        try:
            results = translator.translate_batch(
                [source.encode(text, out_type=str) + self._source_end for text in texts],
                beam_size=beam,
                num_hypotheses=n,
                return_scores=True,
                max_decoding_length=LONGEST_OUTPUT,
                max_batch_size=max(1, AT_ONCE // beam),
                batch_type="tokens",
            )
            return [
                [
                    # its score is the mean over all pieces and the end: the sum is the logarithm needed here
                    Answer(target.decode(pieces), score * (len(pieces) + 1))
                    for pieces, score in zip(result.hypotheses, result.scores, strict=True)
                ]
                for result in results
            ]
        except (RuntimeError, ValueError) as error:
            raise Failure(f"failed: {quoted(str(error))}") from None

    @cached_property
    def _loaded(self) -> tuple[Any, Any, Any]:
        """(translator, pieces of the source, pieces of the target)."""
        try:
            import ctranslate2
            import sentencepiece
        except ImportError as error:
            raise MissingDependency(error.name or "ctranslate2", "translate") from None
        try:
            translator = ctranslate2.Translator(str(self._folder), device="cpu")
            pieces = [
                sentencepiece.SentencePieceProcessor(model_file=str(path)) for path in self._piece_files
            ]
        except (RuntimeError, ValueError, OSError) as error:
            raise Failure(f"cannot be loaded: {quoted(str(error))}") from None
        return translator, pieces[0], pieces[1]

    @cached_property
    def _source_end(self) -> list[str]:
        """Marian models add an end token to the source; those converted from Transformers expect it from the caller.

        They are recognised by a decoder that starts with the end token.
        """
        try:
            config = json.loads((self._folder / "config.json").read_text(encoding="utf-8"))
            end = config.get("eos_token")
            wanted = not config.get("add_source_eos") and end and config.get("decoder_start_token") == end
        except (ValueError, AttributeError, OSError) as error:
            raise Failure(f"has a config.json that cannot be read: {quoted(str(error))}") from None
        return [str(end)] if wanted else []


def _piece_files(folder: Path) -> tuple[Path, Path]:
    """(source, target): source.spm and target.spm, otherwise the only SentencePiece model in the folder."""
    both = folder / "source.spm", folder / "target.spm"
    missing = [path.name for path in both if not path.is_file()]
    if not missing:
        return both
    if len(missing) == 1:  # the other side's pieces would give nonsense without a visible reason
        raise FileError(folder, None, f"has no {missing[0]}: copy source.spm and target.spm into it")
    single = sorted({*folder.glob("*.spm"), *folder.glob("*.model")})
    if len(single) != 1:
        found = f"has {len(single)} SentencePiece models" if single else "has no SentencePiece model"
        raise FileError(folder, None, f"{found}: copy source.spm and target.spm into it")
    return single[0], single[0]
