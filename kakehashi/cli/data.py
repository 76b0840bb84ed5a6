"""`kakehashi data`: list what can be built, build it, check it, export it."""

from enum import StrEnum
from pathlib import Path

import typer

from kakehashi.cli import get_debian, get_formats, get_patents, get_world
from kakehashi.cli.options import JSON
from kakehashi.cli.progress import progress
from kakehashi.cli.terminal import say
from kakehashi.errors import InputError

app = typer.Typer(help="Build, check and export collections.", no_args_is_help=True)
get = typer.Typer(
    help="Build a collection folder; `data list` shows the available ones.", no_args_is_help=True
)
app.add_typer(get, name="get")
get.command("world")(get_world.world)
get.command("help")(get_debian.help_pages)
get.command("packages")(get_debian.packages)
get.command("parallel")(get_debian.parallel)
get.command("patents")(get_patents.patents)
for _command in get_formats.COMMANDS:
    get.command(_command.__name__.replace("_", "-"))(_command)


class Form(StrEnum):
    """Formats a collection can be exported in."""

    beir = "beir"
    tsv = "tsv"
    trec = "trec"


@app.command("list")
def list_collections(as_json: bool = JSON) -> None:
    """List the collections that can be built here and what each needs."""
    from kakehashi.cli.output import print_json
    from kakehashi.corpus.catalog import ENTRIES

    if as_json:
        print_json({"collections": ENTRIES})
        return
    width = max(len(entry.name) for entry in ENTRIES) + 2
    for entry in ENTRIES:
        say(f"{entry.name:{width}}{entry.summary}; needs {entry.needs}")


@app.command()
def check(folder: Path = typer.Argument(..., help="A collection folder."), as_json: bool = JSON) -> None:
    """Report the errors of a collection, line by line; exit status 2 if there are any."""
    from kakehashi.cli.output import print_json
    from kakehashi.corpus.check import examine

    report = examine(folder, progress())
    if as_json:
        print_json(report)
    else:
        for fault in report.faults:
            say(fault)
        splits = "".join(f", {count} judgments in {split}" for split, count in report.judgments.items())
        counts = f"{report.documents} documents, {report.queries} queries{splits}"
        say(f"{folder}: {report.errors} errors, {report.warnings} warnings; {counts}")
    if report.errors:
        raise typer.Exit(2)


@app.command()
def export(
    form: Form = typer.Argument(..., help="The format to write."),
    folder: Path = typer.Argument(..., help="A collection folder."),
    out: Path = typer.Argument(..., help="The folder to create."),
    flatten: bool = typer.Option(False, "--flatten", help="tsv: join title and text into one line."),
) -> None:
    """Export a collection in another format, for other programs."""
    from kakehashi.corpus import beir, trec_collection, tsv
    from kakehashi.corpus.collection import Collection

    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise InputError(f"{out} already exists: choose another folder")
    collection = Collection(folder)
    if form is Form.beir:
        beir.export_beir(collection, out)
    elif form is Form.tsv:
        tsv.export_tsv(collection, out, flatten)
    else:
        trec_collection.export_trec(collection, out)
    say(f"{out}: {collection.info.name} as {form.value}")
