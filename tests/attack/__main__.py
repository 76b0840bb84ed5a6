"""`make test-attack`: rounds of all classes of attack, until the time or the cases are used up; a table at the end."""

import argparse
import contextlib
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.attack import artifacts, commands, ground, histories, readers, service, stages
from tests.attack.outcomes import REFUSED, SAME, Counts, in_a_child

Case = Callable[[Path, int], tuple[str, str]]
ROUND = {  # cases of each class in a round; those of readers are batches
    "artifacts": 40, "readers": 2, "kills": 2, "full disks": 2, "signals": 1, "options": 4, "histories": 1,
    "surroundings": 1, "interrupts": 1, "service": 2,
}  # fmt: skip


def prepared(place: Path, wanted: list[str]) -> dict[str, Case]:
    """The classes that are wanted; what they attack is made once."""
    found: dict[str, Case] = {}
    if "artifacts" in wanted:
        folder = ground.made(place / "ground")
        expected = {name: ground.answer(folder, name) for name in ground.ASKED}
        found["artifacts"] = lambda at, seed: artifacts.attack(folder, at, expected, seed)
    if "histories" in wanted:
        models = histories.set_up(place / "histories")
        found["histories"] = lambda at, seed: histories.case(models, at, seed)
    if {*wanted} - {"artifacts", "histories", "readers"}:
        grounds, toy = place / "grounds", place / "grounds" / "toy"
        kills = commands.Kills(grounds, stages.set_up(grounds))
        found |= {
            "kills": kills.case,
            "interrupts": lambda at, seed: kills.case(at, seed, signal.SIGINT),
            "full disks": lambda at, seed: commands.disk_full(grounds, at, seed),
            "options": lambda at, seed: commands.options(toy, at, seed),
            "surroundings": lambda at, seed: commands.surroundings(toy, at, seed),
            "service": lambda _, seed: service.case(toy, seed),
            "signals": lambda at, seed: commands.signals(toy, at, seed),
        }
    return found


def run(seed: int, cases: int, seconds: float, wanted: list[str], say: Callable[[str], None]) -> Counts:
    """Rounds with seeds from `seed` on; a case is repeated by its own seed."""
    counts = Counts()
    ground.quietly()
    with tempfile.TemporaryDirectory(prefix="kakehashi-attack-", ignore_cleanup_errors=True) as name:
        place = Path(name)
        classes = prepared(place, wanted)
        say(f"attacking {', '.join(wanted)} from seed {seed} on")
        end, number = time.monotonic() + seconds, seed
        with contextlib.suppress(KeyboardInterrupt):  # a long run ends early with its table
            while time.monotonic() < end and counts.total() < cases:
                for kind in wanted:
                    for _ in range(ROUND[kind]):
                        number += 1
                        before = len(counts.failures)
                        if kind == "readers":
                            said = in_a_child(lambda n=number: readers.batch(place / "readers", n))
                            _add_batch(counts, number, said)
                            shutil.rmtree(place / "readers", ignore_errors=True)
                        else:
                            _add_case(counts, kind, classes[kind], place / "case", number)
                        for failure in counts.failures[before:]:
                            say(failure)
    return counts


def _add_case(counts: Counts, kind: str, work: Case, place: Path, seed: int) -> None:
    said = in_a_child(lambda: "\t".join(work(place, seed)), 300.0)
    case, _, outcome = said.rpartition("\t")
    counts.add(kind, case or f"seed {seed}", outcome)
    shutil.rmtree(place, ignore_errors=True)


def _add_batch(counts: Counts, seed: int, said: str) -> None:
    lines = said.split("\n")
    if not lines[0].isdigit():  # a crash or a hang loses the rest of its batch
        counts.add("readers", f"batch {seed}", said)
        return
    for outcome, n in zip((SAME, REFUSED), lines[:2], strict=True):
        for _ in range(int(n)):
            counts.add("readers", "", outcome)
    for line in lines[2:]:
        counts.add("readers", "", line)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.attack", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="first seed")
    parser.add_argument(
        "--cases", type=int, default=0, help="stop after so many cases, however long it takes"
    )
    parser.add_argument(
        "--seconds", type=float, default=60.0, help="stop after so long, if no cases are given"
    )
    parser.add_argument("--only", default=",".join(ROUND), help="classes, separated by commas")
    given = parser.parse_args()
    wanted = [name.strip() for name in given.only.split(",")]
    if unknown := {*wanted} - {*ROUND}:
        parser.error(f"there is no class {', '.join(unknown)}: choose from {', '.join(ROUND)}")
    most, seconds = (given.cases, float("inf")) if given.cases else (sys.maxsize, given.seconds)
    counts = run(given.seed, most, seconds, wanted, lambda line: print(line, file=sys.stderr, flush=True))
    print(counts.table())
    sys.exit(1 if counts.failures else 0)


if __name__ == "__main__":
    main()
