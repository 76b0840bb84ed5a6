"""A service as translator, played by a server on the loopback address."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from math import log
from typing import Any

import pytest

from kakehashi.corpus.parallel_text.sentence_pair import Languages
from kakehashi.errors import InputError
from kakehashi.lexicon.chat import KEY, MOST_BYTES, Chat
from kakehashi.lexicon.external import External, TranslatorError
from kakehashi.lexicon.translator import Translation

LANGUAGES = Languages("de", "en")
Answering = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]


class Service:
    """Answers as it is told to, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[dict[str, str], dict[str, Any]]] = []
        self.answer: Answering = complete()
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                service.asked.append((dict(self.headers), body))
                with suppress(OSError):  # whoever asked may have gone
                    service.answer(self, body)

            def do_GET(self) -> None:
                service.asked.append((dict(self.headers), {}))
                complete()(self, {"messages": [{"content": ""}]})

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1/chat/completions"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()


def send(handler: BaseHTTPRequestHandler, data: bytes, status: int = 200, **headers: str) -> None:
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


def complete(*contents: Any) -> Answering:
    """A completion with these contents, or with what the user wrote in capitals."""

    def answer(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        said = contents or [body["messages"][-1]["content"].upper()]
        choices = [
            {"index": i, "message": {"role": "assistant", "content": each}} for i, each in enumerate(said)
        ]
        send(handler, json.dumps({"id": "x", "choices": choices}).encode())

    return answer


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.delenv(KEY, raising=False)
    made = Service()
    yield made
    made.server.shutdown()
    made.server.server_close()


def translator(url: str, seconds: float = 10.0, model: str = "") -> External:
    return External(Chat(url, model, LANGUAGES, seconds))


def refused(url: str, seconds: float = 10.0, n: int = 1) -> str:
    with pytest.raises(TranslatorError) as caught:
        translator(url, seconds).translate([["Ein", "Haus"]], n)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_sentences_are_asked_one_by_one_with_model_and_key(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, "secret-1")
    found = translator(service.url, model="small").translate([["Ein", "Haus"], ["größer"]])
    assert found == [[Translation(("EIN", "HAUS"), (), 0.0)], [Translation(("GRÖSSER",), (), 0.0)]]
    headers, body = service.asked[0]
    assert headers["Authorization"] == "Bearer secret-1"
    assert (body["model"], body["temperature"]) == ("small", 0.0)
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert "from de to en" in body["messages"][0]["content"]
    assert body["messages"][1]["content"] == "Ein Haus"
    assert len(service.asked) == 2


def test_without_key_and_model_none_is_sent(service: Service) -> None:
    translator(service.url).translate([["x"]])
    [(headers, body)] = service.asked
    assert "Authorization" not in headers
    assert "model" not in body


def test_samples_count_as_often_as_they_come(service: Service) -> None:
    service.answer = complete("a house", "a home", "a\n house ", "a house")
    [found] = translator(service.url).translate([["ein", "Haus"]], n=4)
    assert found == [
        Translation(("a", "house"), (), pytest.approx(log(3 / 4))),
        Translation(("a", "home"), (), pytest.approx(log(1 / 4))),
    ]
    assert service.asked[0][1]["n"] == 4


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "did not answer with a chat completion: Input data was truncated"),
        (b"<html>", "did not answer with a chat completion"),
        (b"\xff\xfe", "did not answer with a chat completion"),
        (b"[" * 100_000, "did not answer with a chat completion"),
        (b'{"x":' * 100_000, "did not answer with a chat completion"),
        (b'{"choices": []}', "answered without any choice"),
        (b'{"choices": [{"message": {"content": null}}]}', "Expected `str`, got `null`"),
        (b'{"choices": [{"message": {"content": "a\\u0000b"}}]}', "with a NUL character"),
        (b'{"choices": [{"message": {"content": "' + b"x" * 50_000 + b'"}}]}', "with 50,000 characters"),
        (b'{"choices": [{"message": {"content": "' + b"x" * MOST_BYTES + b'"}}]}', "more than 4,194,304 bytes"),
    ],
    ids=["empty", "html", "utf8", "deep", "deep unknown", "no choice", "null", "nul", "long", "endless"],
)  # fmt: skip
def test_nonsense_is_named(data: bytes, message: str, service: Service) -> None:
    service.answer = lambda handler, body: send(handler, data)
    assert message in refused(service.url)


def test_refusal_is_quoted_without_the_key(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, "secret-1")
    said = json.dumps({"error": {"message": "no such\nkey: secret-1 \x1b[2J"}}).encode()
    service.answer = lambda handler, body: send(handler, said, 401)
    message = refused(f"{service.url}?password=hidden")
    assert "answered with status 401: no such key: … [2J;" in message
    assert "secret-1" not in message
    assert "hidden" not in message
    service.answer = lambda handler, body: send(handler, b"<h1>oops</h1>", 500)
    assert "answered with status 500: Internal Server Error;" in refused(service.url)


def test_key_is_not_carried_to_another_address(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, "secret-1")
    service.answer = lambda handler, body: send(handler, b"", 302, Location=f"{service.url}/elsewhere")
    assert "answered with status 302" in refused(service.url)
    assert len(service.asked) == 1


def test_key_that_fits_no_header_is_not_shown(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, "sec\nret")
    message = refused(service.url)
    assert f"the key in {KEY}" in message
    assert "sec" not in message.replace("seconds", "")
    assert service.asked == []


def test_refused_connection_is_named(service: Service) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assert "cannot be reached: [Errno 111] Connection refused" in refused(f"http://127.0.0.1:{port}/v1")


def test_answer_that_breaks_off_is_named(service: Service) -> None:
    def answer(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        handler.wfile.write(b'{"choices"')

    service.answer = answer
    assert "did not answer with a chat completion" in refused(service.url)


def drip(piece: bytes, begin: bytes = b"") -> Answering:
    def answer(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        handler.wfile.write(begin)
        for _ in range(600):  # a minute
            handler.wfile.write(piece)
            handler.wfile.flush()
            time.sleep(0.1)

    return answer


@pytest.mark.parametrize(
    "answer",
    [
        lambda handler, body: time.sleep(60),
        drip(b" ", b"HTTP/1.0 200 OK\r\n\r\n"),
        drip(b"X: y\r\n", b"HTTP/1.0 200 OK\r\n"),
        drip(b"x", b"HTTP/1.0 200 "),
    ],
    ids=["silent", "body drips", "headers drip", "status drips"],
)
def test_service_that_hangs_is_left(answer: Answering, service: Service) -> None:
    heard_out = threading.Event()

    def answer_to_the_end(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        answer(handler, body)
        heard_out.set()

    service.answer = answer_to_the_end
    assert "did not answer within 1 seconds (--set timeout=);" in refused(service.url, seconds=1.0)
    assert not heard_out.is_set()


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waits for the request waits for ever, so that the request itself is late first."""
    join = threading.Thread.join
    monkeypatch.setattr(threading.Thread, "join", lambda thread, timeout=None: join(thread))


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize(
    "answer", [lambda handler, body: time.sleep(10), drip(b" ", b"HTTP/1.0 200 OK\r\n\r\n")]
)
def test_late_answer_is_late_whoever_notices(answer: Answering, service: Service) -> None:
    service.answer = answer
    assert "did not answer within 1 seconds (--set timeout=);" in refused(service.url, seconds=1.0)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (TimeoutError("timed out"), "did not answer within 10 seconds (--set timeout=);"),
        (TimeoutError(110, "Connection timed out"), "cannot be reached: [Errno 110] Connection timed out;"),
    ],
    ids=["ours", "the system's"],
)
def test_connection_that_takes_too_long_is_named(
    error: OSError, message: str, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    def connect(*arguments: Any, **options: Any) -> None:
        raise error

    monkeypatch.setattr(socket, "create_connection", connect)
    assert message in refused(service.url)


def test_time_is_that_of_a_sentence(service: Service) -> None:
    def answer(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        time.sleep(0.8)
        complete()(handler, body)

    service.answer = answer
    found = translator(service.url, seconds=3.0).translate([[f"w{i}"] for i in range(5)])
    assert [each[0].words for each in found] == [(f"W{i}",) for i in range(5)]


@pytest.mark.parametrize(
    "url", ["http://", "https:/v1", "http://host:port/", "http://host/a b", "http://höst/", "http://h:0/"]
)
def test_address_that_is_none_is_refused_before_anything_is_sent(url: str) -> None:
    with pytest.raises(InputError, match="https://HOST/v1/chat/completions"):
        Chat(url, "", LANGUAGES, 1.0)


def test_password_in_an_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(InputError, match=f"put the key into {KEY}") as caught:
        Chat("https://me:hidden@host/v1", "", LANGUAGES, 1.0)
    assert "hidden" not in str(caught.value)


def test_another_model_language_or_address_is_another_translator() -> None:
    made = [
        Chat("http://h/v1", "a", LANGUAGES, 1.0),
        Chat("http://h/v1", "b", LANGUAGES, 1.0),
        Chat("http://h/v2", "a", LANGUAGES, 1.0),
        Chat("http://h/v1", "a", Languages("fr", "en"), 1.0),
    ]
    assert len({External(each).identity for each in made}) == 4
