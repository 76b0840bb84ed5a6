"""Chooses the translator named by a setting; without one, the collection's own decoder, which is not opened here."""

from pathlib import Path

from kakehashi.corpus.parallel_text.sentence_pair import Languages
from kakehashi.errors import InputError
from kakehashi.lexicon.chat import Chat
from kakehashi.lexicon.command import Command
from kakehashi.lexicon.ctranslate import CTranslate
from kakehashi.lexicon.external import Engine, External, quoted

FORMS = "command:PROGRAM ARGUMENTS, ctranslate2:FOLDER, http://... or https://..."


def open_external(spec: str, model: str, seconds: float, beam: int, languages: Languages) -> External:
    """Nothing is started, loaded or requested before the first sentence."""
    return External(_engine(spec, model, seconds, beam, languages))


def _engine(spec: str, model: str, seconds: float, beam: int, languages: Languages) -> Engine:
    kind, _, rest = spec.partition(":")
    if kind == "command":
        return Command(rest.strip(), model, seconds)
    if kind == "ctranslate2" and rest.strip():
        return CTranslate(Path(rest.strip()).expanduser().resolve(), beam)
    if kind in ("http", "https"):
        return Chat(spec, model, languages, seconds)
    raise InputError(f"there is no translator '{quoted(spec)}': write {FORMS}")
