"""Puts the service together as one application."""

import errno
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from tempfile import gettempdir

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp

from kakehashi import __version__
from kakehashi.serve import api, pages
from kakehashi.serve.desk import Desk
from kakehashi.serve.guard import Access, Guard, Show, failure
from kakehashi.serve.limits import Limits
from kakehashi.serve.logs import Log
from kakehashi.serve.metrics import MEDIA_TYPE as METRICS
from kakehashi.serve.metrics import Metrics
from kakehashi.serve.problems import Problem
from kakehashi.serve.service import Service
from kakehashi.serve.shapes import ProblemShape
from kakehashi.serve.shelf import Shelf

FULL = (errno.ENOSPC, errno.EDQUOT)
FREED = 60.0  # seconds after which somebody may have made room
_BY_STATUS = {404: "not-found", 405: "method", 413: "too-large"}


def make_app(
    shelf: Shelf, access: Access, limits: Limits, log: Log, metrics: Metrics | None = None
) -> ASGIApp:
    """The service over opened collections."""
    gettempdir()  # settled now: on a full disk, Python would quietly choose another place for uploads
    service = Service(shelf, limits, access, Desk(limits), metrics or Metrics(), log)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        shelf.start()
        yield
        shelf.stop()
        service.desk.close()

    app = FastAPI(
        title="kakehashi",
        version=__version__,
        description="Cross-language prior-art search.",
        docs_url=None,  # the pages it offers load scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
    )
    site = pages.Pages(service)

    def show(request: HTTPConnection, problem: Problem) -> Response:
        """Programs get an object, people a page."""
        request.state.problem = problem.kind
        wants_page = "text/html" in request.headers.get("accept", "") and not request.url.path.startswith(
            "/api/"
        )
        return site.problem(request, problem) if wants_page else problem.response(request.state.request_id)

    _add_problems(app, show)
    _add_watching(app, service)
    app.include_router(api.router(service))
    app.include_router(pages.router(service, site))
    _describe_problems(app)
    return Guard(app, service, show)


def _add_problems(app: FastAPI, answer: Show) -> None:
    """Whatever goes wrong is answered as a problem."""

    @app.exception_handler(Problem)
    async def problem(request: Request, error: Problem) -> Response:
        return answer(request, error)

    @app.exception_handler(Exception)
    async def failed(request: Request, error: Exception) -> Response:
        return answer(request, failure(request.state.request_id))

    @app.exception_handler(OSError)
    async def system(request: Request, error: OSError) -> Response:
        if error.errno in FULL:
            return answer(request, Problem("full", "free some space there, then try again", retry=FREED))
        raise error

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> Response:
        kind = _BY_STATUS.get(error.status_code, "bad-request" if error.status_code < 500 else "failed")
        found = answer(request, Problem(kind, f"{request.method} {request.url.path}: {error.detail}"))
        if error.headers and "allow" in {name.lower() for name in error.headers}:
            found.headers["Allow"] = {name.lower(): value for name, value in error.headers.items()}["allow"]
        return found

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        """Says where and what, but not the value: it may be long, or a query."""
        errors = [
            {
                "pointer": "/".join(map(str, ("", *one["loc"][1:]))),
                "in": str(one["loc"][0]),
                "detail": one["msg"],
            }
            for one in error.errors()[:20]
        ]
        first = errors[0] if errors else {"pointer": "", "detail": "is not valid"}
        detail = f"{first['pointer'].strip('/') or 'the body'}: {first['detail']}"
        return answer(request, Problem("invalid", detail, errors=errors))


def _add_watching(app: FastAPI, service: Service) -> None:
    @app.get("/health", include_in_schema=False)
    async def health() -> Response:
        """The process answers."""
        return PlainTextResponse("ok\n")

    @app.get("/ready", include_in_schema=False)
    async def ready() -> Response:
        """All collections can be searched."""
        faults = service.shelf.faults
        if faults:
            raise Problem("unavailable", f"not usable: {', '.join(faults)}", retry=5)
        return PlainTextResponse("ready\n")

    @app.get("/metrics", include_in_schema=False)
    async def metrics() -> Response:
        gauges = {
            "requests_running": service.desk.taken - service.desk.waiting,
            "requests_waiting": service.desk.waiting,
            "collections_unavailable": len(service.shelf.faults),
        }
        return Response(service.metrics.text(gauges), media_type=METRICS)


def _describe_problems(app: FastAPI) -> None:
    """Adds the shape of problems to the description; every answer that is not a success has it."""
    plain = app.openapi

    def described() -> dict[str, object]:
        if app.openapi_schema is None:
            schema = plain()
            schemas = schema["components"]["schemas"]
            schemas["ProblemShape"] = ProblemShape.model_json_schema(
                ref_template="#/components/schemas/{model}"
            )
            for name in ("HTTPValidationError", "ValidationError"):
                schemas.pop(name, None)
            app.openapi_schema = schema
        return app.openapi_schema

    app.openapi = described  # type: ignore[method-assign]
