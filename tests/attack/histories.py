"""Random histories of an index: whatever was added, replaced, deleted and merged, scores are those of a fresh one."""

import random
import shutil
from pathlib import Path

import numpy as np
import pytest

from kakehashi.index.holdings import Holdings
from kakehashi.index.update import build_index
from kakehashi.types import Text
from tests import test_histories as told
from tests.attack.outcomes import SAME
from tests.contracts.models import put_models
from tests.index.building import plain_analyzers


def set_up(folder: Path) -> Path:
    rng = np.random.default_rng(8)
    every = [told.document(id, " ".join([*rng.choice(told.WORDS, 30), *told.WORDS])) for id in told.IDS]
    build_index(folder / "index", every, plain_analyzers(), told.FIELDS)
    put_models(Holdings(folder), told.WORDS)
    return folder / told.MODELS


def case(models: Path, place: Path, seed: int) -> tuple[str, str]:
    """One history, over which a few systems are asked."""
    rng = random.Random(seed)
    history = [_change(rng, 6, 20, False), *(_change(rng, 0, 8, True) for _ in range(rng.randint(1, 8)))]
    names = rng.sample(list(told.VARIANTS), 3)
    queries = [Text("q", "de", " ".join(_words(rng, 9)), meta={"tags": _words(rng, 3)})]
    said = f"seed {seed}: {len(history)} commits, {', '.join(names)}"
    try:
        with pytest.MonkeyPatch.context() as patch:
            updated, fresh = told.both(place, models, history, patch)
        for name in names:
            told.check_alike(name, told.opened(name, updated), told.opened(name, fresh), queries)
    except AssertionError as error:
        return said, f"another score: {str(error)[:200]}"
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return said, SAME


def _words(rng: random.Random, n: int) -> list[str]:
    return [told.WORDS[rng.randrange(40) ** 2 // 40] for _ in range(n)]


def _change(rng: random.Random, least: int, most: int, deletes: bool) -> told.Change:
    ids = rng.sample(told.IDS, rng.randint(least, most))
    gone = rng.sample(told.IDS, rng.randint(0, 6)) if deletes else []
    puts = {id: " ".join(_words(rng, rng.randint(1, 14))) for id in ids}
    return told.Change(puts, frozenset(gone), deletes and rng.random() < 0.25)
