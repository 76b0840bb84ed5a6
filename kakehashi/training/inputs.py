"""Which systems a ranking is made of: those that were named, or all that were trained and answer at once."""

from pathlib import Path

from kakehashi.errors import InputError
from kakehashi.index.index import Index
from kakehashi.retrieve.models import model_folder
from kakehashi.retrieve.psq import TABLE
from kakehashi.store import META

AUTO = "auto"
# dt and psq-nbest decode, which takes its time
QUICK = ("psq", "psq-hmm", "bilinear", "boosted", "lowrank", "topics")


def chosen_inputs(text: str, index: Index) -> str:
    """As they were named; for `auto` those of the quick ones that have a model of their usual name."""
    if text.strip() != AUTO:
        return text
    found = [name for name in QUICK if (_model(name, index) / META).is_file()]
    if not found:
        folder = index.folder.parent
        raise InputError(
            f"inputs=auto takes trained systems, and {folder} has none: train some of {', '.join(QUICK)}, "
            f"as with kakehashi train bilinear {folder}, or name others"
        )
    return " ".join(found)


def _model(system: str, index: Index) -> Path:
    if system.startswith("psq"):
        return model_folder(index, "translation") / TABLE
    return model_folder(index, system)
