"""An engine that knows both languages of `tests.training.subjects`: a text is the subjects of its words."""

import os
import re
import time

import numpy as np

from kakehashi.types import Array
from tests.training.subjects import SUBJECTS

_WORD = re.compile(r"\b(?:de|en)s(\d)w(\d+)\b")


def vectors(texts: list[str]) -> Array:
    found = np.zeros((len(texts), SUBJECTS + 12))
    for i, text in enumerate(texts):
        for subject, word in _WORD.findall(text):
            found[i, int(subject)] += 3.0
            found[i, SUBJECTS + int(word)] += 1.0
    return found


def encode(texts: list[str]) -> Array:
    """Slow and talkative on request, for tests that kill it."""
    if log := os.environ.get("ENCODER_LOG"):
        time.sleep(float(os.environ["ENCODER_SECONDS"]) * len(texts))
        with open(log, "a", encoding="utf-8") as file:  # noqa: PTH123
            file.write("".join(text.replace("\n", " ") + "\n" for text in texts))
    return vectors(texts)


vars(encode)["is_encoder"] = True
