"""Errors as a client sees them: problem objects as RFC 9457 describes, each kind with a name of its own."""

from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.responses import Response

MEDIA_TYPE = "application/problem+json"
KINDS = {  # name -> (status, title)
    "bad-request": (400, "The request cannot be understood"),
    "bad-cursor": (400, "This cursor does not belong to this search"),
    "no-token": (401, "A token is needed"),
    "forbidden": (403, "This is not allowed"),
    "not-found": (404, "There is nothing here"),
    "method": (405, "This method is not supported here"),
    "slow": (408, "The request took too long to arrive"),
    "changed": (409, "The collection changed since the first page"),
    "too-large": (413, "The request is too large"),
    "wrong-host": (421, "This host name is not served here"),
    "invalid": (422, "The request is not valid"),
    "too-many": (429, "Too many requests from this client"),
    "failed": (500, "Something went wrong in the service"),
    "full": (507, "The disk of the service is full"),
    "busy": (503, "All threads are busy"),
    "unavailable": (503, "The collection cannot be opened"),
    "timeout": (503, "The search took too long"),
}


class Problem(HTTPException):
    """An answer that says what is wrong and what to do; `more` are further members of the object."""

    def __init__(self, kind: str, detail: str, retry: float | None = None, **more: Any):
        self.kind, self.more = kind, more
        self.status, self.title = KINDS[kind]
        headers = {"Retry-After": str(max(1, round(retry)))} if retry is not None else {}
        if kind == "no-token":
            headers["WWW-Authenticate"] = 'Bearer realm="kakehashi"'
        super().__init__(self.status, detail, headers)

    def members(self, request_id: str) -> dict[str, Any]:
        return {
            "type": f"urn:kakehashi:problem:{self.kind}",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "instance": f"urn:kakehashi:request:{request_id}",
            **self.more,
        }

    def response(self, request_id: str, headers: Mapping[str, str] | None = None) -> Response:
        body = msgspec.json.encode(self.members(request_id))
        return Response(body, self.status, {**(self.headers or {}), **(headers or {})}, MEDIA_TYPE)
