"""Who may come in, how much may be asked, and what is written about it."""

import io
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from kakehashi.errors import InputError
from kakehashi.serve.desk import Desk
from kakehashi.serve.guard import Access, host_name
from kakehashi.serve.limits import Limits
from kakehashi.serve.rates import Rates
from kakehashi.serve.server import access_of
from kakehashi.serve.sessions import LASTS, Sessions
from kakehashi.serve.shelf import Shelf
from kakehashi.serve.tokens import Tokens
from tests.cli.calling import CommandLine
from tests.serve.serving import LOCAL, UNHURRIED, Client, client_of

SEARCH = "/api/v1/collections/toy/search"
SECRET_QUERY = "燃料電池の電極"


@pytest.fixture
def tokens(tmp_path: Path) -> Tokens:
    return Tokens(tmp_path / "config" / "tokens.json")


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


def test_a_token_opens_until_it_is_revoked(
    shelf: Shelf, serve: Callable[..., Client], tokens: Tokens
) -> None:
    secret = tokens.add("anna", "reader")
    other = tokens.add("bert", "reader")
    client = serve(shelf, Access(tokens, LOCAL))
    asked = {"text": SECRET_QUERY}
    answer = client.post(SEARCH, json=asked)
    client.check(answer, 401)
    assert answer.headers["www-authenticate"].startswith("Bearer")
    for wrong in ("", "kkh_", secret + "x", secret[:-1], "あ", "x" * 5000):
        client.check(
            client.post(SEARCH, json=asked, headers={"Authorization": f"Bearer {wrong}".encode()}), 401
        )
    assert client.post(SEARCH, json=asked, headers=bearer(secret)).status_code == 200
    tokens.revoke("anna")
    client.check(client.post(SEARCH, json=asked, headers=bearer(secret)), 401)
    assert client.post(SEARCH, json=asked, headers=bearer(other)).status_code == 200
    assert client.get("/health").status_code == 200  # whoever watches over it needs no token


def test_metrics_are_for_admins(shelf: Shelf, serve: Callable[..., Client], tokens: Tokens) -> None:
    reader, admin = tokens.add("anna", "reader"), tokens.add("root", "admin")
    client = serve(shelf, Access(tokens, LOCAL))
    client.check(client.get("/metrics", headers=bearer(reader)), 403)
    assert client.get("/metrics", headers=bearer(admin)).status_code == 200


def test_tokens_are_kept_as_hashes_for_their_owner_alone(tokens: Tokens) -> None:
    secret = tokens.add("anna", "admin")
    kept = tokens.path.read_text(encoding="utf-8")
    assert secret not in kept
    assert secret.removeprefix("kkh_") not in kept
    assert tokens.path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(InputError, match="already"):
        tokens.add("anna", "reader")
    with pytest.raises(InputError, match="has no token 'bert'"):
        tokens.revoke("bert")


def test_the_command_line_shows_a_token_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    call, path = CommandLine(monkeypatch, capsys), tmp_path / "tokens.json"
    secret = call("token", "add", "anna", "--role", "reviewer", "--tokens", path).out.strip()
    assert Tokens(path).find(secret) is not None
    listed = call("token", "list", "--tokens", path).out
    assert "anna" in listed
    assert "reviewer" in listed
    assert secret not in listed
    assert call("token", "revoke", "anna", "--tokens", path).out == "anna: revoked\n"
    assert Tokens(path).all() == []
    path.write_text("{]", encoding="utf-8")
    assert "is not a file of tokens" in call.refused("token", "list", "--tokens", path)


def test_other_machines_are_refused_without_tokens(tokens: Tokens) -> None:
    for host in ("0.0.0.0", "192.168.1.5", "::"):
        with pytest.raises(InputError, match="kakehashi token add"):
            access_of(host, tokens, False, [])
    with pytest.raises(InputError, match="tokens are required"):
        access_of("127.0.0.1", tokens, True, [])
    assert access_of("127.0.0.1", tokens, False, []).tokens is None
    tokens.add("anna", "reader")
    assert access_of("0.0.0.0", tokens, False, []).tokens is tokens
    assert access_of("127.0.0.1", tokens, False, []).tokens is None
    assert access_of("0.0.0.0", tokens, False, ["search.example"]).hosts == {"search.example", "0.0.0.0"}


def test_a_host_name_that_leads_here_from_elsewhere_is_refused(client: Client) -> None:
    for host in ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", ""):
        client.check(client.get("/api/v1/collections", headers={"Host": host}), 421)
    for host in ("localhost", "LOCALHOST:8080", "127.0.0.1:1", "[::1]:8080"):
        assert client.get("/api/v1/collections", headers={"Host": host}).status_code == 200


def test_host_names_are_read_without_their_port() -> None:
    assert [host_name(one) for one in ("a:1", "[::1]:80", "[::1]", "::1", "A")] == [
        "a",
        "::1",
        "::1",
        "::1",
        "a",
    ]


def test_pages_of_other_sites_cannot_send_anything(client: Client) -> None:
    asked = {"text": SECRET_QUERY}
    for headers in (
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ):
        client.check(client.post(SEARCH, json=asked, headers=headers), 403)
    own = {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}
    assert client.post(SEARCH, json=asked, headers=own).status_code == 200


def test_large_requests_are_refused_before_they_are_read(shelf: Shelf, serve: Callable[..., Client]) -> None:
    client = serve(shelf, None, Limits(body=1000, upload=2000, rate=1e6, burst=1000))
    client.check(client.post(SEARCH, json={"text": "x" * 1000}), 413)
    chunks = (b"x" * 300 for _ in range(10))  # without a length
    client.check(client.post(SEARCH, content=chunks, headers={"content-type": "application/json"}), 413)
    client.check(client.post(SEARCH, content=b"", headers={"content-length": "-1"}), 413)
    assert client.post(SEARCH, json={"text": "fuel", "lang": "en"}).status_code == 200


def test_large_uploads_are_refused_with_and_without_a_length(
    shelf: Shelf, serve: Callable[..., Client]
) -> None:
    client = serve(shelf, None, Limits(body=100, upload=2000, rate=1e6, burst=1000))
    small = client.post("/c/toy", files={"file": ("a.txt", SECRET_QUERY.encode())}, follow_redirects=False)
    assert small.status_code == 303  # more than other requests may have
    client.check(client.post("/c/toy", files={"file": ("a.txt", b"x" * 2000)}), 413)
    head = b'--part\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
    chunks = (one for one in [head, *10 * [b"x" * 300], b"\r\n--part--\r\n"])
    kind = {"content-type": "multipart/form-data; boundary=part"}
    client.check(client.post("/c/toy", content=chunks, headers=kind), 413)


def test_clients_that_ask_too_often_are_told_when_to_come_back(
    shelf: Shelf, serve: Callable[..., Client]
) -> None:
    client = serve(shelf, None, Limits(rate=0.01, burst=3))
    answers = [client.get("/api/v1/collections") for _ in range(5)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
    assert 90 <= int(answers[-1].headers["retry-after"]) <= 100
    assert client.get("/health").status_code == 200


def test_rates_are_kept_by_client_and_fill_with_time() -> None:
    now = 0.0
    rates = Rates(rate=2.0, burst=2, clock=lambda: now)
    assert [rates.wait("a") for _ in range(3)] == [0.0, 0.0, 0.5]
    assert rates.wait("b") == 0.0
    now = 0.5
    assert [rates.wait("a"), rates.wait("a")] == [0.0, 0.5]


async def _full(desk: Desk, hold: threading.Event) -> list[int]:
    import asyncio

    from kakehashi.serve.problems import Problem

    asked = [asyncio.create_task(desk.do(hold.wait)) for _ in range(5)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    hold.set()
    done = await asyncio.gather(*asked, return_exceptions=True)
    return [one.status if isinstance(one, Problem) else 200 for one in done]


def test_what_finds_no_place_is_refused_at_once() -> None:
    import asyncio

    desk = Desk(Limits(threads=1, waiting=2))
    assert asyncio.run(_full(desk, threading.Event())) == [200, 200, 200, 503, 503]
    assert desk.taken == 0
    desk.close()


def test_work_that_takes_too_long_keeps_its_thread_but_not_its_client() -> None:
    import asyncio

    from kakehashi.serve.problems import Problem

    desk, hold, ended = Desk(Limits(threads=1, waiting=0, seconds=0.01)), threading.Event(), threading.Event()

    def work() -> None:
        hold.wait()
        ended.set()

    async def ask() -> None:
        with pytest.raises(Problem) as late:
            await desk.do(work)
        assert late.value.kind == "timeout"
        with pytest.raises(Problem) as full:
            await desk.do(work)
        assert full.value.kind == "busy"

    asyncio.run(ask())
    hold.set()
    assert ended.wait(60)
    desk.close()


def test_a_slow_request_is_broken_off(shelf: Shelf) -> None:
    import asyncio

    from kakehashi.serve.app import make_app
    from kakehashi.serve.logs import Log

    app = make_app(shelf, Access(), Limits(sending=0.05), Log(io.StringIO()))
    sent: list[dict[str, object]] = []

    async def ask() -> None:
        asked = False

        async def receive() -> dict[str, object]:
            nonlocal asked
            if not asked:
                asked = True
                return {"type": "http.request", "body": b'{"text": ', "more_body": True}
            await asyncio.sleep(3600)
            raise AssertionError

        async def send(message: dict[str, object]) -> None:
            sent.append(message)

        scope = {
            "type": "http", "method": "POST", "path": SEARCH, "raw_path": SEARCH.encode(), "query_string": b"",
            "headers": [(b"content-type", b"application/json")], "client": ("127.0.0.1", 1), "scheme": "http",
            "server": ("localhost", 80), "http_version": "1.1", "root_path": "",
        }  # fmt: skip
        await app(scope, receive, send)  # type: ignore[arg-type]

    asyncio.run(ask())
    assert sent[0]["status"] == 408


def test_logs_have_ids_and_no_queries(client: Client) -> None:
    client.ask("search", text=SECRET_QUERY)
    client.ask("search", 422, text=SECRET_QUERY, where=["nope=1"])
    answer = client.get("/health", headers={"X-Request-ID": "my-id.1"})
    assert answer.headers["x-request-id"] == "my-id.1"
    assert client.get("/health", headers={"X-Request-ID": "a b\t"}).headers["x-request-id"] != "a b\t"
    assert SECRET_QUERY not in client.logged.getvalue()
    first, second, third = client.log[:3]
    assert (first["status"], first["path"], first["method"]) == (200, SEARCH, "POST")
    assert (second["status"], second["problem"]) == (422, "invalid")
    assert third["id"] == "my-id.1"


def test_queries_are_logged_only_where_that_was_asked_for(shelf: Shelf) -> None:
    with client_of(shelf, limits=UNHURRIED, queries=True) as client:
        client.ask("search", text=SECRET_QUERY)
        assert client.log[0]["query"] == SECRET_QUERY


def test_an_unexpected_error_shows_nothing_of_itself(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*asked: object) -> None:
        raise RuntimeError(f"secret {SECRET_QUERY}")

    monkeypatch.setattr("kakehashi.serve.answers.search", broken)
    problem = client.ask("search", 500, text=SECRET_QUERY)
    assert "secret" not in str(problem)
    failure = next(line for line in client.log if line["event"] == "failure")
    assert failure["error"] == "RuntimeError"
    assert SECRET_QUERY not in client.logged.getvalue()
    assert problem["instance"].endswith(failure["id"])


def test_metrics_count_requests_and_problems(client: Client) -> None:
    client.ask("search", text=SECRET_QUERY)
    client.ask("search", 422)
    text = client.get("/metrics").text
    route = 'route="/api/v1/collections/{collection}/search"'
    assert f'kakehashi_requests_total{{{route},status="200"}} 1' in text
    assert f'kakehashi_requests_total{{{route},status="422"}} 1' in text
    assert 'kakehashi_problems_total{problem="invalid"} 1' in text
    assert f'kakehashi_request_seconds_bucket{{{route},le="+Inf"}} 2' in text
    assert "kakehashi_requests_waiting 0" in text
    for line in text.splitlines():
        assert line.startswith(("# HELP kakehashi_", "# TYPE kakehashi_", "kakehashi_"))


def test_sessions_end_with_their_token_their_time_and_their_process(tokens: Tokens) -> None:
    now = 1000.0
    sessions = Sessions(clock=lambda: now)
    tokens.add("ännä", "reader")
    token = tokens.named("ännä")
    assert token is not None
    cookie = sessions.cookie_of(token)
    assert sessions.token_of(cookie, tokens) == token
    assert Sessions().token_of(cookie, tokens) is None
    for wrong in ("", ".", "a.b.c.d", cookie + "0", cookie.replace(".", ",", 1), "あ"):
        assert sessions.token_of(wrong, tokens) is None
    now += LASTS + 1
    assert sessions.token_of(cookie, tokens) is None
    now = 1000.0
    tokens.revoke("ännä")
    assert sessions.token_of(cookie, tokens) is None
    tokens.add("ännä", "reader")  # another token by the same name
    assert sessions.token_of(cookie, tokens) is None
