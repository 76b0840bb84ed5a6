"""The command `train`, with a subcommand per system that learns."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand, TyperGroup

from kakehashi.cli.options import THREADS, setting_pairs
from kakehashi.cli.terminal import say
from kakehashi.errors import InputError

if TYPE_CHECKING:
    from kakehashi.systems.spec import Trainer


class TrainCommand(TyperCommand):
    """Its help ends with the settings of the system it trains."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        super().format_help(ctx, formatter)
        from kakehashi.cli.settings_help import setting_lines
        from kakehashi.systems.registry import TRAINERS

        say("Settings, with their defaults:\n")
        for line in setting_lines(TRAINERS[str(self.name)].settings):
            say(line)


COLLECTION = typer.Argument(..., metavar="DIR", help="An indexed collection folder.")
SETTING = typer.Option([], "--set", metavar="NAME=VALUE", help="A training setting, see below (repeatable).")
NAME = typer.Option("", "--name", help="Name of the model (default: the system's name).")
PARALLEL = typer.Option(
    [],
    "--parallel",
    metavar="FILE",
    help="More parallel text (repeatable): X.tsv, A.de,B.en, X.tmx, X.mo, a folder of catalogues, edict, "
    "de-en, deu-eng.tei.",
)


class TrainGroup(TyperGroup):
    """A subcommand for each trainer of the registry, which is imported only when one is needed."""

    def list_commands(self, ctx: Any) -> list[str]:
        from kakehashi.systems.registry import TRAINERS

        return list(TRAINERS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        from kakehashi.systems.registry import TRAINERS

        trainer = TRAINERS.get(cmd_name)
        return _command(trainer) if trainer else None


app = typer.Typer(help="Train a system on a collection.", no_args_is_help=True, cls=TrainGroup)


@app.callback()
def group() -> None:
    """Train a system on a collection."""


def _command(trainer: "Trainer") -> Any:
    def train(
        folder: Path = COLLECTION, settings: list[str] = SETTING, name: str = NAME, threads: int = THREADS
    ) -> None:
        _train(trainer.name, folder, settings, name, threads)

    def train_with_text(
        folder: Path = COLLECTION,
        parallel: list[str] = PARALLEL,
        settings: list[str] = SETTING,
        name: str = NAME,
    ) -> None:
        _train(trainer.name, folder, settings, name, parallel=parallel)

    one = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    called = train_with_text if trainer.takes_text else train
    one.command(trainer.name, cls=TrainCommand, help=trainer.summary)(called)
    return typer.main.get_command(one)


def _train(
    trainer: str,
    folder: Path,
    settings: list[str],
    name: str,
    threads: int = 0,
    parallel: Sequence[str] = (),
) -> None:
    from kakehashi.cli.progress import progress
    from kakehashi.library import Library

    values = setting_pairs(settings)
    job, outcome = Library(folder).train(
        trainer, values, model=name, parallel=parallel, threads=threads, progress=progress()
    )
    for line in outcome.told:
        say(line)
    for epoch, measure in enumerate(outcome.measures, 1):
        say(f"epoch {epoch}: {job.settings.measure} on dev {measure:.4f}")
    if not outcome.curve and outcome.epoch:
        raise InputError("nothing was learned: there were no pairs")
    for last in outcome.curve[-1:]:
        say(f"{last.pairs} pairs, error in the last block {last.error:.4f}, loss {last.loss:.4f}")
    after = f" after epoch {outcome.epoch}" if outcome.epoch else ""
    say(f"{job.folder}: {outcome.n_weights} {outcome.counted}{after}")
