"""Files of every format with random wounds: read, or refused in one line."""

import os
import random
from collections.abc import Callable
from pathlib import Path

from kakehashi.corpus.collection import Collection
from tests.attack.outcomes import REFUSED, SAME, outcome_of
from tests.property.test_readers import ARTIFACT, FILES, PARTS, mutated, read_artifact
from tests.test_store import write as write_artifact
from tests.toy import toy_collection

BATCH = 200
Job = tuple[Path, bytes, Callable[[], object]]


def jobs(place: Path) -> dict[str, Job]:
    """For every reader: a file it likes, and how it is read."""
    found: dict[str, Job] = {}
    for name, reader in FILES.items():
        path = place / f"{os.getpid()}-{name.replace(' ', '-')}" / reader.file
        path.parent.mkdir(parents=True)
        found[name] = path, reader.sample, lambda path=path, reader=reader: reader.read(path)
    toy = toy_collection(place / f"toy-{os.getpid()}")
    for file, read in PARTS.items():
        found[file] = toy / file, (toy / file).read_bytes(), lambda read=read: read(Collection(toy))
    artifact = place / f"artifact-{os.getpid()}"
    write_artifact(artifact)
    for file in ARTIFACT:
        found[file] = artifact / file, (artifact / file).read_bytes(), lambda: read_artifact(artifact)
    return found


def batch(place: Path, seed: int) -> str:
    """Outcomes of so many files for one reader, one per line; a failure says which seed it was."""
    found = jobs(place)
    name = random.Random(seed).choice(list(found))
    path, sample, read = found[name]
    counts, failures = {SAME: 0, REFUSED: 0}, []

    def work() -> str:
        read()
        return SAME

    for number in range(seed * BATCH, (seed + 1) * BATCH):
        path.write_bytes(mutated(sample, number))
        outcome = outcome_of(work)
        if outcome in counts:
            counts[outcome] += 1
        else:
            failures.append(f"{name}, wounds {number}: {outcome}".replace("\n", " ")[:300])
    return "\n".join([str(counts[SAME]), str(counts[REFUSED]), *failures[:5]])
