"""Clients that send or read a little at a time: each is cut off, and nobody else waits for them."""

import json
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.serve.running import Running, running

QUERY = "燃料電池の電極"
PATIENCE = 60.0  # seconds: only a connection that is never cut lasts as long
HEAD = (
    b"POST /api/v1/collections/toy/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
)
UPLOAD = (
    b"POST /c/toy HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=x\r\n"
    b"Content-Length: 9999999\r\n\r\n--x\r\n"
    b'Content-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
)


@pytest.fixture(scope="module")
def service(built_toy: Path) -> Iterator[Running]:
    limits = ("sending=1", "rate=100000", "burst=100000")
    with running(built_toy, *(word for limit in limits for word in ("--limit", limit))) as found:
        yield found


def connected(service: Running, buffer: int = 0) -> socket.socket:
    place = urlsplit(service.address)
    found = socket.socket()
    if buffer:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    found.settimeout(PATIENCE)
    found.connect((place.hostname, place.port))
    return found


def trickle(connection: socket.socket, service: Running) -> bytes:
    """Send a byte at a time until the service has had enough; what it said. Others are answered meanwhile."""
    until, said = time.monotonic() + PATIENCE, b""
    connection.setblocking(False)
    while time.monotonic() < until:
        with suppress(BrokenPipeError, ConnectionResetError):
            connection.send(b"x")
        assert service.ask(text=QUERY)["hits"]
        try:
            block = connection.recv(1 << 16)
        except BlockingIOError:
            time.sleep(0.05)
            continue
        except ConnectionResetError:
            return said
        if not block:
            return said
        said += block
    raise AssertionError("the connection was never cut")


@pytest.mark.parametrize(
    "begun", [b"GET /hea", HEAD, HEAD + b"X-Long: ", HEAD + b"Content-Length: 9999\r\n\r\n{", UPLOAD],
    ids=["line", "headers", "header", "body", "upload"],
)  # fmt: skip
def test_a_request_that_trickles_in_is_answered_and_cut(service: Running, begun: bytes) -> None:
    with connected(service) as connection:
        connection.sendall(begun)
        said = trickle(connection, service)
    assert said.startswith(b"HTTP/1.1 408 ")
    problem = json.loads(said.partition(b"\r\n\r\n")[2])
    assert problem["type"] == "urn:kakehashi:problem:slow"
    assert "within 1 s" in problem["detail"]


def test_the_second_request_of_a_connection_has_the_same_limit(service: Running) -> None:
    with connected(service) as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 200 ")
        connection.sendall(b"GET /hea")
        assert b"HTTP/1.1 408 " in trickle(connection, service)


def test_a_connection_on_which_nothing_is_said_is_closed(service: Running) -> None:
    with connected(service) as connection:
        assert connection.recv(1) == b""


def test_a_client_that_does_not_read_its_answers_is_cut_off(service: Running) -> None:
    asked = b"GET /static/page.css HTTP/1.1\r\nHost: localhost\r\n\r\n"
    until, cut = time.monotonic() + PATIENCE, False
    with connected(service, buffer=4096) as connection:
        connection.setblocking(False)
        while not cut and time.monotonic() < until:
            try:
                connection.send(100 * asked)
            except BlockingIOError:
                assert service.ask(text=QUERY)["hits"]
                time.sleep(0.05)
            except (BrokenPipeError, ConnectionResetError):
                cut = True
    assert cut
