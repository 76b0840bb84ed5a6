"""The command `bench`: runs the benchmarks of a source checkout and prints figures and ratios."""

import importlib
import sys
from pathlib import Path
from typing import Any

import typer

from kakehashi.cli.options import JSON
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
    "serve",
)
COLLECTION = "combined"  # the benchmark that can measure a collection of one's own


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
    as_json: bool = JSON,
) -> None:
    """Compare speed with other programs and hardware limits in the same run; results are ratios."""
    if name not in (*NAMES, "all"):
        raise InputError(f"no benchmark is called '{name}': choose one of {', '.join(NAMES)}, or all")
    if collection is not None and name != COLLECTION:
        raise InputError(
            f"--collection is for {COLLECTION}: leave it out, or run kakehashi bench {COLLECTION}"
        )
    given = {} if collection is None else {"collection": collection}
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
    print(f"bench {result['name']}")
    for part in ("machine", "figures", "ratios"):
        for key, value in result.get(part, {}).items():
            print(f"  {key:<56}{value}")
