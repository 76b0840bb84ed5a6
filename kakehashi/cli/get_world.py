"""`kakehashi data get world`: build the synthetic world."""

from pathlib import Path

import typer

from kakehashi.cli.terminal import say


def world(
    folder: Path = typer.Argument(..., metavar="DIR", help="Folder to create."),
    documents: int = typer.Option(20_000, help="Number of English documents."),
    seed: int = typer.Option(7, help="Random seed; the same seed gives the same files."),
    force: bool = typer.Option(False, "--force", help="Replace an existing collection."),
) -> None:
    """Build a synthetic Japanese-English patent collection (everything in it is invented)."""
    from kakehashi.cli.progress import progress
    from kakehashi.corpus.world import build_world

    build_world(folder, documents=documents, seed=seed, progress=progress(), force=force)
    say(f"{folder}: synthetic world of {documents} English documents, seed {seed}")
