"""Runs the application: where it listens, who may come in, and how it ends."""

import ipaddress
import logging
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import FrameType
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from kakehashi.arrays import in_memory
from kakehashi.errors import InputError
from kakehashi.serve.app import make_app
from kakehashi.serve.connection import connection_class
from kakehashi.serve.guard import Access
from kakehashi.serve.limits import Limits
from kakehashi.serve.logs import Log, LogHandler
from kakehashi.serve.metrics import Metrics
from kakehashi.serve.page_search import ADDRESS
from kakehashi.serve.shelf import Shelf
from kakehashi.serve.tokens import Tokens

LOOPBACK = ("localhost", "127.0.0.1", "::1")
BACKLOG = 2048
PATIENCE = 5.0  # seconds more than a request may take, before a stop breaks it off


class _Server(uvicorn.Server):
    """Ends on SIGINT or SIGTERM after the requests that are running; a second signal ends it at once."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        numbers = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.signal(number, self._stop) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self.force_exit = self.should_exit
        self.should_exit = True


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def access_of(host: str, tokens: Tokens, required: bool, hosts: Sequence[str]) -> Access:
    """On loopback everyone who reaches it may come in; anywhere else a token is needed."""
    local = is_loopback(host)
    if (required or not local) and not tokens.all():
        why = "tokens are required" if local else f"{host} can be reached from other machines"
        raise InputError(
            f"{why}, and {tokens.path} has none: run kakehashi token add NAME --role reader, or listen on 127.0.0.1"
        )
    names = frozenset(map(str.lower, [*hosts, *(LOOPBACK if local else ()), *([host] if hosts else [])]))
    return Access(tokens if required or not local else None, names)


def serve(
    folders: Sequence[Path],
    host: str,
    port: int,
    access: Access,
    limits: Limits,
    log: Log,
    mapped: bool = False,
    ready: Callable[[str], None] = lambda address: None,
) -> None:
    """Open the collections and answer until a signal comes; `ready` is told the address.

    Files are read into memory, or else `mapped`: then one that somebody cuts short ends the process.
    """
    metrics = Metrics()

    def report(event: str, name: str, what: str) -> None:
        log.write(event, "info" if event == "opened" else "warning", collection=name, detail=what)
        if event == "opened":
            metrics.opened(name)

    shelf = Shelf(folders, report)
    listening = _listening(host, port)
    with nullcontext() if mapped else in_memory():
        shelf.open()
        config = _config(make_app(shelf, access, limits, log, metrics), limits, log)
        listening.listen(BACKLOG)  # from here on nobody is refused, at most kept waiting for a moment
        place = address(*listening.getsockname()[:2])
        log.write("serving", address=place, collections=list(shelf.folders))
        ready(place)
        _Server(config).run(sockets=[listening])
    log.write("stopped")


def _config(app: ASGIApp, limits: Limits, log: Log) -> uvicorn.Config:
    logger = logging.getLogger("uvicorn.error")
    logger.handlers, logger.propagate = [LogHandler(log)], False
    logger.setLevel(logging.WARNING)
    settings: dict[str, Any] = {"log_config": None, "access_log": False, "server_header": False}
    return uvicorn.Config(
        app,
        http=connection_class(limits.sending),
        ws="none",
        timeout_graceful_shutdown=round(limits.seconds + PATIENCE),
        timeout_keep_alive=15,
        h11_max_incomplete_event_size=4 * ADDRESS,  # an address may hold a long query
        proxy_headers=False,  # a header that any client can send must not say who it is
        **settings,
    )


def address(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def _listening(host: str, port: int) -> socket.socket:
    """Bound before anything is opened: a port in use is known at once."""
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        found = socket.socket(family, kind, protocol)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(place)
    except OSError as error:
        raise InputError(f"cannot listen on {host}:{port}: {error.strerror or error}") from None
    return found
