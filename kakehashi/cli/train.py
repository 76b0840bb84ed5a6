"""The command `train`, with a subcommand per system that learns."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import typer

from kakehashi.errors import InputError

app = typer.Typer(help="Train a system on a collection.", no_args_is_help=True)
COLLECTION = typer.Argument(..., metavar="DIR", help="A collection folder, indexed.")
SETTING = typer.Option([], "--set", metavar="NAME=VALUE", help="A setting, see below (repeatable).")
NAME = typer.Option("", "--name", help="What to call the model (default: the system's name).")
THREADS = typer.Option(0, "--threads", min=0, help="0: one per core. The result does not depend on it.")


@app.command("bilinear")
def bilinear(
    folder: Path = COLLECTION, settings: list[str] = SETTING, name: str = NAME, threads: int = THREADS
) -> None:
    """Learn which word of a query looks for which word of a document, from the training judgments."""
    from kakehashi.training.bilinear import BilinearTraining, train

    _train("bilinear", train, BilinearTraining, folder, settings, name, threads)


def _train(
    system: str,
    train: Callable[..., Any],
    kind: type[msgspec.Struct],
    folder: Path,
    settings: list[str],
    name: str,
    threads: int,
) -> None:
    from kakehashi.cli.progress import progress
    from kakehashi.cli.search import open_index, setting_pairs
    from kakehashi.corpus.collection import Collection
    from kakehashi.retrieve.models import model_folder
    from kakehashi.retrieve.registry import read_values

    collection = Collection(folder)
    index = open_index(collection)
    values: Any = read_values(system, kind, setting_pairs(settings))
    target = model_folder(index, name or system)
    trained = train(collection, index, target, values, threads, progress())
    for epoch, measure in enumerate(trained.measures, 1):
        print(f"epoch {epoch}: {values.measure} on dev {measure:.4f}")
    if not trained.curve:
        raise InputError("nothing was learned: there were no pairs")
    last = trained.curve[-1]
    print(f"{last.pairs} pairs, error in the last block {last.error:.4f}, loss {last.loss:.4f}")
    print(f"{target}: {trained.n_nonzero} weights after epoch {trained.epoch}")
