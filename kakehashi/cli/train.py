"""The command `train`, with a subcommand per system that learns."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand

from kakehashi.errors import InputError

if TYPE_CHECKING:
    from kakehashi.index.index import Index


class TrainCommand(TyperCommand):
    """Its help ends with the settings of the system it trains."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        super().format_help(ctx, formatter)
        from kakehashi.cli.settings_help import setting_lines
        from kakehashi.training.trainers import TRAINERS

        typer.echo("Settings, with their defaults:\n")
        for line in setting_lines(TRAINERS[str(self.name)].settings):
            typer.echo(line)


app = typer.Typer(help="Train a system on a collection.", no_args_is_help=True)
COLLECTION = typer.Argument(..., metavar="DIR", help="A collection folder, indexed.")
SETTING = typer.Option([], "--set", metavar="NAME=VALUE", help="A setting, see below (repeatable).")
NAME = typer.Option("", "--name", help="What to call the model (default: the system's name).")
THREADS = typer.Option(0, "--threads", min=0, help="0: one per core. The result does not depend on it.")


SUMMARIES = {
    "bilinear": "Learn which word of a query looks for which word of a document, from the training judgments.",
    "boosted": "Choose pairs of n-grams by boosting on samples of the judgments; "
    "a stopped run goes on where it was.",
    "dense": "Learn what scores of other systems and common metadata are worth, from the dev judgments.",
    "fused": "Tune on the dev judgments how much the lists of other systems weigh in one.",
    "knowledge": "Learn what common metadata alone are worth, from the dev judgments.",
    "lowrank": "Learn short vectors for the words of both languages, from the training judgments.",
    "topics": "Find topics in both languages, and learn which belong together from the training judgments.",
}


def _add_command(system: str, summary: str) -> None:
    def train(
        folder: Path = COLLECTION, settings: list[str] = SETTING, name: str = NAME, threads: int = THREADS
    ) -> None:
        _train(system, folder, settings, name, threads)

    app.command(system, cls=TrainCommand, help=summary)(train)


for _system, _summary in SUMMARIES.items():
    _add_command(_system, _summary)


PARALLEL = typer.Option(
    [],
    "--parallel",
    metavar="FILE",
    help="More parallel text (repeatable): X.tsv, A.de,B.en, X.tmx, X.mo, a folder of catalogues, edict, "
    "de-en, deu-eng.tei.",
)


@app.command("translation", cls=TrainCommand)
def translation(
    folder: Path = COLLECTION,
    parallel: list[str] = PARALLEL,
    settings: list[str] = SETTING,
    name: str = NAME,
) -> None:
    """Align the words of parallel sentences, and count which word translates which."""
    _train("translation", folder, settings, name, parallel=parallel)


def _train(system: str, folder: Path, settings: list[str], name: str, threads: int = 0, **more: Any) -> None:
    from kakehashi.cli.progress import progress
    from kakehashi.cli.search import open_index, setting_pairs
    from kakehashi.corpus.collection import Collection
    from kakehashi.registry import read_values
    from kakehashi.retrieve.models import model_folder
    from kakehashi.training.trainers import TRAINERS

    trainer = TRAINERS[system]
    values: Any = read_values(system, trainer.settings, setting_pairs(settings))
    collection = Collection(folder)
    index = open_index(collection)
    target = model_folder(index, name or system)
    outcome = trainer.train(collection, index, target, values, threads, progress(), **more)
    _print_texts(outcome.made_from.get("parallel_text", ()))
    for step in outcome.made_from.get("l1_path", ()):
        kept = f"{step['nonzero_weights']} weights after epoch {step['epoch']}"
        print(f"l1 {step['l1']:.3g}: {values.measure} on dev {step['measure']:.4f}, {kept}")
    _print_samples(outcome.made_from)
    _print_weights(outcome.made_from)
    if system == "fused":
        _print_fused(target, index, outcome.made_from["dev"])
    if system == "boosted" and not outcome.n_weights:
        raise InputError("nothing was learned: no feature tells a document from a less relevant one")
    for epoch, measure in enumerate(outcome.measures, 1):
        print(f"epoch {epoch}: {values.measure} on dev {measure:.4f}")
    if not outcome.curve and outcome.epoch:
        raise InputError("nothing was learned: there were no pairs")
    for last in outcome.curve[-1:]:
        print(f"{last.pairs} pairs, error in the last block {last.error:.4f}, loss {last.loss:.4f}")
    if outcome.epoch:
        print(f"{target}: {outcome.n_weights} weights after epoch {outcome.epoch}")
    else:
        print(
            f"{target}: {outcome.n_weights} {'features in use' if 'gains' in outcome.made_from else 'weights'}"
        )


def _print_samples(made_from: dict[str, Any]) -> None:
    """How the samples of a bagged model went."""
    for number, losses in enumerate(made_from.get("losses", ()), 1):
        rounds = made_from["rounds"][number - 1]
        print(
            f"sample {number}: {rounds} rounds, loss {' to '.join(f'{loss:.6g}' for loss in losses) or 'as it was'}"
        )
    dev = made_from.get("dev", {})
    if "losses" in made_from and not dev["by_beta"]:
        print("beta was not searched for: it was given, or there is no dev part")
    for beta, measure in dev.get("by_beta", ()):
        print(f"beta {beta:g}: {dev['measure']} on dev {measure:.4f}")


def _print_weights(made_from: dict[str, Any]) -> None:
    """What a linear model, or trees, found everything to be worth, and how well it did on queries it had not seen."""
    for name, worth in made_from.get("weights", {}).items():
        print(f"{name}: {worth:+.4f}")
    for name, share in made_from.get("gains", {}).items():
        print(f"{name}: {share:.1%} of what trees gained")
    for measure, value in made_from.get("cross_validated", {}).items():
        print(f"{measure} on {made_from['split']}, cross-validated: {value:.4f}")


def _print_fused(target: Path, index: "Index", dev: dict[str, Any]) -> None:
    """What every list is worth, alone and together."""
    from kakehashi.fuse.fused import read_fused

    for line in read_fused(target, index).tuned.told():
        print(line)
    for measure, value in dev["fused"].items():
        print(f"{measure} on dev, where weights were tuned by {dev['measure']}: {value:.4f}")
    for measure, value in dev["cross_validated"].items():
        print(f"{measure} on dev, cross-validated: {value:.4f}")


def _print_texts(texts: Iterable[dict[str, Any]]) -> None:
    """A line for every source of parallel text."""
    for text in texts:
        left_out = ", ".join(f"{count:,} {why}" for why, count in text["left_out"].items())
        print(
            f"{text['file']}: {text['pairs']:,} pairs used" + (f"; left out: {left_out}" if left_out else "")
        )
