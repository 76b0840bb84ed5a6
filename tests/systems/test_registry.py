"""The registry lists what the families' files offer, and imports a family only when it is asked for."""

import subprocess
import sys
from importlib import import_module

from kakehashi.systems.registry import FAMILIES, SYSTEMS, TRAINERS


def test_the_list_is_what_the_families_offer() -> None:
    for family, names in FAMILIES.items():
        offered = tuple(spec.name for spec in import_module(f"kakehashi.systems.{family}").SPECS)
        assert offered == names
    trainers = {spec.trainer.name: spec.trainer for spec in SYSTEMS.values() if spec.trainer}
    assert dict(TRAINERS) == dict(sorted(trainers.items()))


def test_a_search_by_words_imports_no_learner() -> None:
    code = "import sys, kakehashi.systems.registry as r; r.spec_of('bm25'); print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {*found.stdout.split()}
    assert "kakehashi.systems.lexical" in loaded
    assert not {"kakehashi.systems.boosted", "kakehashi.learn.boosting", "scipy.optimize"} & loaded
