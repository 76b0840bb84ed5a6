"""Requests to the service that its description does not allow: answered, or refused as one problem in JSON."""

import io
import json
import random
import warnings
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient

from kakehashi.serve.app import make_app
from kakehashi.serve.guard import Access
from kakehashi.serve.limits import Limits
from kakehashi.serve.logs import Log
from kakehashi.serve.server import LOOPBACK
from kakehashi.serve.shelf import Shelf
from tests.attack.outcomes import REFUSED, SAME
from tests.property.test_readers import mutated

REQUESTS = 20  # of a case, which opens the collection once
AT = "/api/v1/collections/toy"
ASKED: dict[str, dict[str, Any]] = {
    "search": {
        "text": "電池の電極", "lang": "ja", "system": "psq", "where": ["ipc=H01M*"], "boolean": "battery", "k": 3,
        "before": "2006-01-01", "prior_art": False, "undated": "keep", "edits": ["boost 電池=battery:2"],
    },
    "explain": {"text": "電池の電極", "document": "d01", "system": "psq"},
    "translations": {"text": "電池の電極"},
    "export": {"text": "電池", "format": "csv", "k": 3},
}  # fmt: skip
READ = (
    "/health", "/ready", "/metrics", "/api/v1/collections", AT, f"{AT}/systems", f"{AT}/fields",
    f"{AT}/documents/d01", "/", "/c/toy", "/c/toy?q=電池", "/c/toy/read/d01?q=電池", "/c/toy/export/csv?q=電池",
    "/login", "/static/page.css",
)  # fmt: skip
ODD: tuple[Any, ...] = (
    "", " ", "\x00", "\ud800", "\x1b[31m\n", "x" * 100_000, "名" * 5000, "../../etc/passwd", "%00", "(((", "AND",
    "date<", "a=|", "*", -1, 0, 10**30, 1e308, float("nan"), float("inf"), None, True, [], {}, [[]], ["x"] * 300,
    {"a": {}}, "2006-99-99", "psq(", "encoder", "fused", "drop", "boost a=b:nan",
)  # fmt: skip
HEADERS = (
    {}, {"accept": "text/html"}, {"content-type": "text/plain"}, {"content-type": "multipart/form-data"},
    {"host": "elsewhere.example"}, {"authorization": "Bearer \xff"}, {"x-request-id": "a" * 5000},
    {"origin": "http://elsewhere.example"}, {"content-length": "-1"}, {"cookie": "=;;=\x01"},
    {"content-encoding": "gzip"},
)  # fmt: skip


def case(toy: Path, seed: int) -> tuple[str, str]:
    """Some requests to one service; the outcome is the first failure, else whether any was answered."""
    rng = random.Random(seed)
    warnings.simplefilter("ignore")
    shelf = Shelf([toy])
    shelf.open()
    access, limits = Access(hosts=frozenset(LOOPBACK)), Limits(rate=1e6, burst=1_000_000)
    outcomes = []
    with TestClient(
        make_app(shelf, access, limits, Log(io.StringIO())), "http://localhost", raise_server_exceptions=False
    ) as client:
        for _ in range(REQUESTS):
            said, outcome = _ask(client, rng)
            if outcome not in (SAME, REFUSED):
                return f"seed {seed}: {said[:300]!r}", outcome
            outcomes.append(outcome)
    return f"seed {seed}", SAME if SAME in outcomes else REFUSED


def _ask(client: TestClient, rng: random.Random) -> tuple[str, str]:
    headers = {"content-type": "application/json"} | rng.choice(HEADERS)
    if rng.random() < 0.3:
        method, path = (
            rng.choice(("GET", "GET", "HEAD", "POST", "DELETE", "PUT", "OPTIONS")),
            rng.choice(READ),
        )
        if rng.random() < 0.5:
            path = _bent(path, rng)
        body = b""
    else:
        name = rng.choice(list(ASKED))
        method, path, body = "POST", f"{AT}/{name}", _body(ASKED[name], rng)
    said = f"{method} {path} {headers} {body[:200]!r}"
    try:
        sent = {name.encode(): value.encode("latin-1") for name, value in headers.items()}
        answer = client.request(method, path, content=body, headers=sent)
    except (UnicodeError, ValueError):  # what no client can send
        return said, REFUSED
    return said, _judged(answer)


def _body(valid: dict[str, Any], rng: random.Random) -> bytes:
    asked = dict(valid)
    for _ in range(rng.choice((0, 1, 1, 2))):
        wound = rng.randrange(4)
        name = rng.choice([*asked, "settings", "model", "cursor", "id"])
        if wound == 0:
            asked.pop(name, None)
        elif wound == 1 and isinstance(asked.get(name), list):
            asked[name] = [*asked[name], rng.choice(ODD)]
        else:
            asked[name] = rng.choice(ODD)
    data = json.dumps(asked).encode()
    if rng.random() < 0.2:
        return mutated(data, rng.randrange(1 << 30))
    return rng.choice((b"[" * 100_000, b"", b"null", b'"x"', b"\xff\xfe")) if rng.random() < 0.05 else data


def _bent(path: str, rng: random.Random) -> str:
    odd = rng.choice(
        ("%00", "..%2f..%2f", "%ff", "a" * 3000, "?k=nan&page=-1&q=%00", "?q=(&boolean=((", "//", "\u202e")
    )
    place = rng.randrange(1, len(path) + 1)
    return path[:place] + odd + path[place:]


def _judged(answer: Any) -> str:
    if answer.status_code < 400:
        return SAME
    if answer.status_code >= 500:
        return f"status {answer.status_code}: {answer.text[:300]}"
    if answer.request.method == "HEAD" and not answer.content:
        return REFUSED
    if "html" in answer.headers.get("content-type", ""):
        return REFUSED
    try:
        problem = answer.json()
    except ValueError:
        return f"no JSON: {answer.request.method} {answer.status_code} {answer.text[:200]!r}"
    fits = problem.get("status") == answer.status_code and problem.get("detail") and problem.get("type")
    return REFUSED if fits else f"another shape: {answer.text[:300]}"
