"""What every request passes before it is answered: its id, host, origin, token, rate and size; and what every answer
carries: headers that keep a browser from doing more than it should. One line is logged for each."""

import asyncio
import re
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kakehashi.serve.limits import Limits
from kakehashi.serve.logs import Log
from kakehashi.serve.metrics import Metrics
from kakehashi.serve.problems import Problem
from kakehashi.serve.rates import Rates
from kakehashi.serve.sessions import COOKIE, Sessions
from kakehashi.serve.tokens import Role, Token, Tokens

OPEN = ("/health", "/ready", "/login", "/static/")  # without a token
ADMIN = ("/metrics",)
UPLOAD = "multipart/form-data"
SAFE = ("GET", "HEAD", "OPTIONS")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
Show = Callable[[HTTPConnection, Problem], Response]
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


@dataclass
class Access:
    """Who may come in, and by which names."""

    tokens: Tokens | None = None  # None: everyone, as on loopback
    hosts: frozenset[str] = frozenset()  # host names without port; empty: any
    sessions: Sessions = field(default_factory=Sessions)

    def check_host(self, headers: Headers) -> None:
        """A page of another site may make its own name lead here; the browser then still says that name."""
        if self.hosts and host_name(headers.get("host", "")) not in self.hosts:
            raise Problem(
                "wrong-host", "use the address the service printed when it started, or see --allow-host"
            )

    def check_origin(self, method: str, headers: Headers) -> None:
        """A form or script of another site must not send anything here with this user's rights."""
        if method in SAFE:
            return
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        if site is not None:
            elsewhere = site not in ("none", "same-origin")
        else:  # a browser that does not say says at least where a page came from; programs say neither
            elsewhere = origin is not None and origin.partition("://")[2] != headers.get("host", "")
        if elsewhere:
            raise Problem("forbidden", "this was sent from a page of another site")

    def token_of(self, path: str, headers: Headers, cookie: str) -> Token | None:
        """Whose request this is; None where nobody is asked for a token."""
        if self.tokens is None or path.startswith(OPEN):
            return None
        scheme, _, secret = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            token = self.tokens.find(secret.strip())
        else:
            token = self.sessions.token_of(cookie, self.tokens)
        if token is None:
            raise Problem(
                "no-token",
                "send 'Authorization: Bearer TOKEN' with a token that kakehashi token add has shown",
            )
        needed: Role = "admin" if path in ADMIN else "reader"
        if not token.may(needed):
            raise Problem("forbidden", f"'{token.name}' is a {token.role}, and this needs the role {needed}")
        return token


class Parts(Protocol):
    """What the guard needs of a service."""

    @property
    def access(self) -> Access: ...
    @property
    def limits(self) -> Limits: ...
    @property
    def log(self) -> Log: ...
    @property
    def metrics(self) -> Metrics: ...


class Guard:
    """The outermost layer of the application."""

    def __init__(self, app: ASGIApp, parts: Parts, show: Show):
        self._app, self._show = app, show
        self._access, self._limits, self._log, self._metrics = (
            parts.access,
            parts.limits,
            parts.log,
            parts.metrics,
        )
        self._rates = Rates(parts.limits.rate, parts.limits.burst)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, headers = time.perf_counter(), Headers(scope=scope)
        given = headers.get("x-request-id", "")
        request_id = given if _ID.fullmatch(given) else secrets.token_hex(8)
        state: dict[str, Any] = scope.setdefault("state", {})
        state["request_id"], status, ended = request_id, 0, False

        async def answer(message: Message) -> None:
            nonlocal status, ended
            ended = message["type"] == "http.response.body" and not message.get("more_body", False)
            if message["type"] == "http.response.start":
                status = message["status"]
                _add_headers(message, request_id)
            await send(message)

        try:
            token = self._checked(scope, headers)
            state["token"] = token
            await self._app(scope, self._bounded(headers, receive), answer)
        except Problem as problem:
            await self._show(HTTPConnection(scope), problem)(scope, receive, answer)
        except Exception as error:
            state["problem"] = "failed"
            self._log.failure(error, id=request_id)
            if status and not ended:  # the answer has begun: it can only be broken off
                raise
            if not status:
                await self._show(HTTPConnection(scope), failure(request_id))(scope, receive, answer)
        finally:
            self._note(scope, status, time.perf_counter() - began)

    def _checked(self, scope: Scope, headers: Headers) -> Token | None:
        path = scope["path"]
        self._access.check_host(headers)
        self._access.check_origin(scope["method"], headers)
        try:
            token = self._access.token_of(path, headers, _cookie(headers))
        except Problem:
            self._check_rate(_address(scope))
            raise
        if path != "/health":  # asked often, by whoever watches over the service
            self._check_rate(f"token {token.name}" if token else _address(scope))
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit() or int(length[:20]) > self._most(headers):
            raise self._too_large(headers)
        return token

    def _check_rate(self, client: str) -> None:
        wait = self._rates.wait(client)
        if wait:
            raise Problem("too-many", f"at most {self._limits.rate:g} requests a second", retry=wait)

    def _most(self, headers: Headers) -> int:
        is_upload = headers.get("content-type", "").lower().startswith(UPLOAD)
        return self._limits.upload if is_upload else self._limits.body

    def _too_large(self, headers: Headers) -> Problem:
        return Problem("too-large", f"a request like this may have {self._most(headers)} bytes")

    def _bounded(self, headers: Headers, receive: Receive) -> Receive:
        """What is received, as long as it is neither too much nor too slow."""
        most, size = self._most(headers), 0
        until = time.monotonic() + self._limits.sending
        whole = False

        async def received() -> Message:
            nonlocal size, whole
            if whole:  # what comes now is the end of the connection
                return await receive()
            try:
                message = await asyncio.wait_for(receive(), max(0.0, until - time.monotonic()))
            except TimeoutError:
                raise Problem("slow", f"a request must arrive within {self._limits.sending:g} s") from None
            size += len(message.get("body", b""))
            whole = not message.get("more_body", False)
            if size > most:
                raise self._too_large(headers)
            return message

        return received

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        state, route = scope["state"], scope.get("route")
        token = state.get("token")
        if kind := state.get("problem"):
            self._metrics.refused(kind)
        self._metrics.answered(getattr(route, "path", "other"), status, seconds)
        self._log.write(
            "request",
            id=state["request_id"],
            method=scope["method"],
            path=scope["path"],
            status=status,
            problem=state.get("problem"),
            ms=round(1000 * seconds, 1),
            client=token.name if token else _address(scope),
            query=state.get("query") if self._log.queries else None,
        )


def failure(request_id: str) -> Problem:
    return Problem("failed", f"the service's log has more, under the request {request_id}")


def _add_headers(message: Message, request_id: str) -> None:
    headers = MutableHeaders(scope=message)
    headers["X-Request-ID"] = request_id
    for name, value in HEADERS.items():
        headers.setdefault(name, value)
    headers.setdefault("Cache-Control", "no-store")


def _address(scope: Scope) -> str:
    return scope["client"][0] if scope.get("client") else "unknown"


def host_name(host: str) -> str:
    """Without the port: `[::1]:8000` is `::1`."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.rpartition(":")[0].lower() if host.count(":") == 1 else host.lower()


def _cookie(headers: Headers) -> str:
    for part in headers.get("cookie", "").split(";"):
        name, _, value = part.strip().partition("=")
        if name == COOKIE:
            return value
    return ""
