"""The command `bench`: runs the benchmarks of a source checkout and prints figures and ratios."""

import importlib
import sys
from pathlib import Path
from typing import Any

import typer

from kakehashi.cli.options import JSON
from kakehashi.cli.terminal import say
from kakehashi.errors import InputError, MissingDependency

NAMES = (
    "index",
    "search",
    "evaluate",
    "load",
    "start",
    "measures",
    "baselines",
    "travel",
    "bilinear",
    "boosted",
    "clusters",
    "dense",
    "combined",
    "psq",
    "alignment",
    "related",
    "neural",
    "serve",
)
_SERVE = ("seconds", "updates", "clients")
OPTIONS = {"collection": "combined", **dict.fromkeys(_SERVE, "serve")}  # option -> its benchmark


def bench(
    name: str = typer.Argument(..., metavar="NAME", help=f"{', '.join(NAMES)}, or all."),
    documents: int = typer.Option(
        100_000, "--documents", min=500, max=2_000_000, help="Size of the synthetic world."
    ),
    folder: Path = typer.Option(
        Path("results/bench"), "--folder", help="Folder in which collections are built and kept."
    ),
    collection: Path = typer.Option(
        None,
        "--collection",
        exists=True,
        file_okay=False,
        metavar="DIR",
        help="combined: measure this collection, which has a model `dense`, instead of the world.",
    ),
    seconds: float = typer.Option(
        None, "--seconds", min=1, help="serve: how long the service is under load (default: 40)."
    ),
    updates: bool = typer.Option(
        False, "--updates", help="serve: update the index all the while, in a copy of the collection."
    ),
    clients: int = typer.Option(
        None, "--clients", min=1, max=128, help="serve: how many ask at the same time (default: 64)."
    ),
    as_json: bool = JSON,
) -> None:
    """Compare speed with other programs and hardware limits in the same run; results are ratios."""
    if name not in (*NAMES, "all"):
        raise InputError(f"no benchmark is called '{name}': choose one of {', '.join(NAMES)}, or all")
    options = {"collection": collection, "seconds": seconds, "updates": updates or None, "clients": clients}
    given = {option: value for option, value in options.items() if value is not None}
    for option in given:
        if name != OPTIONS[option]:
            raise InputError(
                f"--{option} is for {OPTIONS[option]}: leave it out, or run kakehashi bench {OPTIONS[option]}"
            )
    results = [_run(each, folder, documents, given) for each in (NAMES if name == "all" else (name,))]
    if as_json:
        from kakehashi.cli.output import print_json

        print_json(results[0] if name != "all" else {"benches": results})
        return
    for result in results:
        _show(result)


def _run(name: str, folder: Path, documents: int, given: dict[str, Any]) -> dict[str, Any]:
    from kakehashi.cli.progress import progress

    home = Path(__file__).parents[2] / "bench"
    if not (home / f"{name}.py").is_file():
        raise InputError(
            "benchmarks are part of the source, not of the installed package: run this in a checkout"
        )
    if str(home) not in sys.path:
        sys.path.insert(0, str(home))
    try:
        module = importlib.import_module(name)
        harness = importlib.import_module("harness")
    except ModuleNotFoundError as error:
        raise MissingDependency(error.name or name, "bench") from None
    folder.mkdir(parents=True, exist_ok=True)
    result = module.run(folder, documents, progress(), **given)
    return {"name": name, "machine": harness.machine(), **result}


def _show(result: dict[str, Any]) -> None:
    say(f"bench {result['name']}")
    for part in ("machine", "figures", "ratios"):
        for key, value in result.get(part, {}).items():
            say(f"  {key:<56}{value}")
