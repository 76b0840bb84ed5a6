"""A client of a service in this process."""

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fastapi.testclient import TestClient

from kakehashi.serve.app import make_app
from kakehashi.serve.guard import Access
from kakehashi.serve.limits import Limits
from kakehashi.serve.logs import Log
from kakehashi.serve.server import LOOPBACK
from kakehashi.serve.shelf import Shelf

UNHURRIED = Limits(rate=1e6, burst=1_000_000, seconds=600.0)  # a busy machine is not a fault
LOCAL = frozenset(LOOPBACK)


class Client(TestClient):
    """Speaks to one collection and checks what every answer must have."""

    logged: io.StringIO
    collection = "toy"

    def ask(self, what: str, status: int = 200, **asked: Any) -> Any:
        """The answer to a question, as it is encoded; a problem where one is expected."""
        answer = self.post(f"/api/v1/collections/{self.collection}/{what}", json=asked)
        return self.check(answer, status)

    def read(self, path: str, status: int = 200, **parameters: Any) -> Any:
        return self.check(self.get(path, params=parameters), status)

    @staticmethod
    def check(answer: Any, status: int = 200) -> Any:
        assert answer.status_code == status, answer.text
        assert answer.headers["x-request-id"]
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        if status >= 400:
            problem = answer.json()
            assert answer.headers["content-type"] == "application/problem+json"
            assert problem["status"] == status
            assert problem["detail"]
            assert problem["type"].startswith("urn:kakehashi:problem:")
        return answer.json()

    @property
    def log(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.logged.getvalue().splitlines()]


@contextmanager
def client_of(
    shelf: Shelf, access: Access | None = None, limits: Limits | None = None, queries: bool = False
) -> Iterator[Client]:
    logged = io.StringIO()
    app = make_app(shelf, access or Access(hosts=LOCAL), limits or UNHURRIED, Log(logged, queries))
    with Client(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        client.logged = logged
        yield client
