"""The command `warm-up`."""

import tempfile
from pathlib import Path
from typing import Any

from kakehashi.cli.terminal import say

# Small enough to take a second each; training calls the same compiled functions whatever the sizes are.
SMALL: dict[str, Any] = {
    "pairs": 2000, "epochs": 1, "samples": 1, "rounds": 5, "per_query": 1, "topics": 10, "rank": 10,
    "dev_queries": 5, "queries": 10,
}  # fmt: skip
DOCUMENTS = 500


def warm_up() -> None:
    """Compile everything for this machine now, instead of when a command first needs it.

    Compiled code is kept in the user's cache until the package changes. This takes a minute or two.
    """
    import msgspec

    from kakehashi.cli.progress import progress
    from kakehashi.corpus.world.build import build_world
    from kakehashi.library import Library
    from kakehashi.progress import track
    from kakehashi.systems.registry import SYSTEMS, TRAINERS

    with tempfile.TemporaryDirectory(prefix="kakehashi-") as place:
        folder = Path(place) / "world"
        build_world(folder, documents=DOCUMENTS)
        library = Library(folder)
        library.update_index()
        trainers = sorted(TRAINERS.values(), key=lambda trainer: trainer.turn)
        for trainer in track(trainers, "compiling what trains", len(trainers), progress()):
            known = {field.name for field in msgspec.structs.fields(trainer.settings)}
            library.train(trainer.name, {name: value for name, value in SMALL.items() if name in known})
        ready = [name for name, spec in SYSTEMS.items() if not spec.trainer or spec.is_trained(library)]
        for name in track(ready, "compiling what searches", len(ready), progress()):
            hits = library.search(library.split_queries("test", name)[0], 3, name)
            assert len(hits[0].why) > 0, f"{name} gives no reasons"
            library.rank(name, "test")
    say("compiled: commands start at full speed from now on")
