"""The commands `serve` and `token`."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from kakehashi.cli.terminal import say
from kakehashi.errors import InputError, MissingDependency

if TYPE_CHECKING:
    from kakehashi.serve.limits import Limits

TOKENS = typer.Option(
    None,
    "--tokens",
    metavar="FILE",
    help="File of tokens (default: kakehashi/tokens.json in the user's config).",
)
app = typer.Typer(help="Tokens that let people and programs use the service.", no_args_is_help=True)


class Role(StrEnum):
    reader = "reader"
    reviewer = "reviewer"
    admin = "admin"


def serve(
    folders: list[Path] = typer.Argument(..., metavar="DIR...", help="Collection folders."),
    host: str = typer.Option(
        "127.0.0.1", "--host", help="Address to listen on; any but a loopback address needs tokens."
    ),
    port: int = typer.Option(
        8080, "--port", min=0, max=65_535, help="Port to listen on; 0 takes a free one."
    ),
    tokens: Path | None = TOKENS,
    require_tokens: bool = typer.Option(
        False, "--require-tokens", help="Ask for tokens on a loopback address, too."
    ),
    allow_host: list[str] = typer.Option(
        [], "--allow-host", metavar="NAME", help="Host name by which the service may be called (repeatable)."
    ),
    limit: list[str] = typer.Option(
        [], "--limit", metavar="NAME=VALUE", help="A limit, as docs/serving.md lists them (repeatable)."
    ),
    log_queries: bool = typer.Option(
        False, "--log-queries", help="Write the text of queries to the log; by default it is never written."
    ),
    mapped: bool = typer.Option(
        False,
        "--map",
        help="Map indexes and models instead of reading them into memory, for collections larger than memory; a "
        "file that is cut short then ends the service.",
    ),
) -> None:
    """Serve collections as a search page and an API, until Ctrl-C or SIGTERM."""
    _serve(folders, host, port, tokens, require_tokens, allow_host, limit, log_queries, mapped)


def serve_locally(folders: list[Path], port: int) -> None:
    """For this machine alone, with the usual limits."""
    _serve(folders, "127.0.0.1", port, None, False, [], [], False, False)


def _serve(
    folders: list[Path],
    host: str,
    port: int,
    tokens: Path | None,
    require_tokens: bool,
    allow_host: list[str],
    limit: list[str],
    log_queries: bool,
    mapped: bool,
) -> None:
    try:
        from kakehashi.serve.server import access_of
        from kakehashi.serve.server import serve as run
    except ModuleNotFoundError as error:
        raise MissingDependency(error.name or "fastapi", "serve") from None
    from kakehashi.serve.logs import Log
    from kakehashi.serve.tokens import Tokens, default_path

    access = access_of(host, Tokens(tokens or default_path()), require_tokens, allow_host)
    run(folders, host, port, access, _limits(limit), Log(queries=log_queries), mapped, _tell)


def _tell(address: str) -> None:
    say(address, flush=True)


def _limits(given: list[str]) -> "Limits":
    import msgspec

    from kakehashi.cli.options import setting_pairs
    from kakehashi.serve.limits import Limits

    try:
        return msgspec.convert(setting_pairs(given), Limits, strict=False)
    except msgspec.ValidationError as error:
        known = ", ".join(field.name for field in msgspec.structs.fields(Limits))
        raise InputError(f"--limit: {error}; limits are {known}") from None


@app.command("add")
def add(
    name: str = typer.Argument(..., metavar="NAME", help="Whose token it is: a person or a program."),
    role: Role = typer.Option(
        Role.reader, "--role", help="A reader or reviewer searches and reads; an admin also reads /metrics."
    ),
    tokens: Path | None = TOKENS,
) -> None:
    """Make a token and print it; it is shown this once and kept only as a hash."""
    from kakehashi.serve.tokens import Tokens, default_path

    say(Tokens(tokens or default_path()).add(name, role.value))


@app.command("list")
def list_tokens(tokens: Path | None = TOKENS) -> None:
    """List the tokens by name, without their secrets."""
    from kakehashi.cli.output import add_row, show, table_with
    from kakehashi.serve.tokens import Tokens, default_path

    table = table_with("name", "role", "added", left=3)
    for token in Tokens(tokens or default_path()).all():
        add_row(table, token.name, token.role, token.added)
    show(table)


@app.command("revoke")
def revoke(
    name: str = typer.Argument(..., metavar="NAME", help="Name of the token."), tokens: Path | None = TOKENS
) -> None:
    """Revoke a token; a running service refuses it at once."""
    from kakehashi.serve.tokens import Tokens, default_path

    Tokens(tokens or default_path()).revoke(name)
    say(f"{name}: revoked")
