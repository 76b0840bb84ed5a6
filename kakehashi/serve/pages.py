"""The page: searching, reading and signing in, as HTML that works without a script."""

import re
from dataclasses import replace
from importlib.resources import files
from typing import Any
from urllib.parse import quote

import jinja2
from fastapi import APIRouter, Request
from starlette.datastructures import FormData, UploadFile
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, RedirectResponse, Response

from kakehashi.serve import answers
from kakehashi.serve.api import file_answer
from kakehashi.serve.asked import ExportAsked
from kakehashi.serve.dating import fields_of
from kakehashi.serve.page_reading import read_view
from kakehashi.serve.page_search import ADDRESS, PageSearch
from kakehashi.serve.page_views import fault_view, level, search_view
from kakehashi.serve.problems import Problem
from kakehashi.serve.service import Service
from kakehashi.serve.sessions import COOKIE, LASTS
from kakehashi.serve.uploads import ACCEPTED, read_upload

STATIC = {
    "page.css": "text/css; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
FIELDS = 400  # of a form
EXPORTED = 100  # hits in a file
SHOWN = ("invalid", "bad-cursor", "changed", "bad-request")  # problems that the form can mend
_INSIDE = re.compile(r"/[\w./?=&%+:;,~-]*", re.ASCII)


class Pages:
    """Draws templates; every value is escaped."""

    def __init__(self, service: Service):
        self._service = service
        loader = jinja2.PackageLoader("kakehashi.serve", "templates")
        self._templates = jinja2.Environment(
            loader=loader,
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.globals.update(level=level, accepted=", ".join(ACCEPTED), quote=_quoted)

    def draw(self, request: HTTPConnection, name: str, status: int = 200, **values: Any) -> Response:
        access = self._service.access
        known = {
            "collections": list(self._service.shelf.folders),
            "signed_in": getattr(request.state, "token", None),
            "form_key": access.sessions.form_key(request.cookies.get(COOKIE, "")),
            "limits": self._service.limits,
        }
        return HTMLResponse(self._templates.get_template(name).render({**known, **values}), status)

    def problem(self, request: HTTPConnection, problem: Problem) -> Response:
        """A problem as a page; whoever must sign in is led there."""
        if problem.kind == "no-token":
            return RedirectResponse(f"/login?next={_quoted(request.url.path)}", 303)
        page = self.draw(request, "problem.html", problem.status, problem=problem)
        page.headers.update(problem.headers or {})
        return page


def _quoted(text: str) -> str:
    return quote(text, safe="")


def router(service: Service, pages: Pages) -> APIRouter:
    site = APIRouter(include_in_schema=False)
    _add_home(site, service, pages)
    _add_search(site, service, pages)
    _add_reading(site, service, pages)
    _add_signing_in(site, service, pages)

    @site.get("/static/{name}")
    async def static(name: str) -> Response:
        """One of three files, by name: no path is made of what was asked for."""
        if name not in STATIC:
            raise Problem("not-found", f"there is no file '{name[:100]}'")
        data = files("kakehashi.serve").joinpath("static", name).read_bytes()
        return Response(data, media_type=STATIC[name], headers={"Cache-Control": "max-age=300"})

    return site


def _add_home(site: APIRouter, service: Service, pages: Pages) -> None:
    shelf = service.shelf

    @site.get("/")
    async def home(request: Request) -> Response:
        names = list(shelf.folders)
        if len(names) == 1:
            return RedirectResponse(f"/c/{names[0]}", 307)
        faults = shelf.faults
        known = await service.do(
            lambda: [answers.collection(shelf.take(name)) for name in names if name not in faults]
        )
        return pages.draw(request, "collections.html", known=known, faults=faults)


def _add_search(site: APIRouter, service: Service, pages: Pages) -> None:
    shelf, limits = service.shelf, service.limits

    async def show(request: Request, collection: str, search: PageSearch) -> Response:
        request.state.query = search.text or search.id
        try:
            view = await service.do(lambda: search_view(shelf, collection, search, limits))
        except Problem as problem:
            return await show_fault(request, collection, search, problem)
        return pages.draw(request, "search.html", view=view, search=search)

    async def show_fault(request: Request, collection: str, search: PageSearch, problem: Problem) -> Response:
        """Above the form, which keeps what was entered, if the form can mend it."""
        if problem.kind not in SHOWN:
            raise problem
        request.state.problem = problem.kind
        view = await service.do(lambda: fault_view(shelf, collection, search, str(problem.detail)))
        return pages.draw(request, "search.html", problem.status, view=view, search=search)

    @site.get("/c/{collection}")
    async def page(request: Request, collection: str) -> Response:
        return await show(request, collection, PageSearch.of(request.query_params, limits))

    @site.post("/c/{collection}")
    async def entered(request: Request, collection: str) -> Response:
        """What the form holds becomes an address; one that would be too long is answered here."""
        shelf.take(collection)
        async with request.form(max_files=1, max_fields=FIELDS, max_part_size=4 * limits.text) as form:
            try:
                search = await _entered(service, form)
            except Problem as problem:
                return await show_fault(request, collection, PageSearch.of(form, limits), problem)
        query = search.query()
        if len(query) > ADDRESS:
            return await show(request, collection, search)
        return RedirectResponse(f"/c/{collection}?{query}", 303)


def _add_reading(site: APIRouter, service: Service, pages: Pages) -> None:
    shelf, limits = service.shelf, service.limits

    @site.get("/c/{collection}/read/{document:path}")
    async def read(request: Request, collection: str, document: str) -> Response:
        search = PageSearch.of(request.query_params, limits)
        view = await service.do(lambda: read_view(shelf, collection, document, search, limits))
        return pages.draw(request, "read.html", view=view, search=search)

    @site.get("/c/{collection}/export/{kind}")
    async def export(request: Request, collection: str, kind: str) -> Response:
        if kind not in answers.MEDIA_TYPES:
            raise Problem("not-found", f"hits are written as {', '.join(answers.MEDIA_TYPES)}")
        search = PageSearch.of(request.query_params, limits)
        fields = shelf.take(collection).library.index.fields
        whole = search.asked(fields_of(fields).publication).model_dump(
            exclude={"k", "cursor", "explain", "passages"}
        )
        asked = ExportAsked.model_validate({**whole, "k": min(EXPORTED, limits.depth), "format": kind})
        return await service.answer(
            request, collection, asked, lambda found: file_answer(found, asked, limits)
        )


async def _entered(service: Service, form: FormData) -> PageSearch:
    """The form's search, after the button that sent it: an edit, a file, a first page."""
    search = replace(PageSearch.of(form, service.limits), cursor="")
    upload = form.get("file")
    if isinstance(upload, UploadFile) and upload.filename:
        name, data = upload.filename, await upload.read()
        found = await service.do(lambda: read_upload(name, data))
        text = (
            f"{found.title}\n{found.text}"
            if found.title and found.title not in found.text[:500]
            else found.text
        )
        search = replace(search, text=text, id="", edits=(), before=search.before or found.date)
    elif search.text.strip():
        search = replace(search, id="")
    edit, undone = str(form.get("edit") or ""), str(form.get("undo") or "")
    word, translation = str(form.get("add_word") or ""), str(form.get("add_translation") or "").strip()
    if edit == "add" and word and translation:
        edit = f"add {word}={translation}:{str(form.get('add_share') or '0.5').strip()}"
    if edit.startswith(("drop ", "boost ", "add ")):
        search = replace(search, edits=(*(one for one in search.edits if one != edit), edit))
    if undone == "all":
        search = replace(search, edits=())
    elif undone:
        search = replace(search, edits=tuple(one for one in search.edits if one != undone))
    if year := str(form.get("year") or ""):
        search = replace(search, since=year, until=year)
    if form.get("clear"):
        search = replace(search, chosen={}, since="", until="", boolean="")
    return search


def _add_signing_in(site: APIRouter, service: Service, pages: Pages) -> None:
    access = service.access

    def checked(request: Request, form: FormData) -> None:
        if not access.sessions.is_form_key(str(form.get("form_key", "")), request.cookies.get(COOKIE, "")):
            raise Problem("forbidden", "this form is not from this page, or too old: load the page again")

    @site.get("/login")
    async def ask(request: Request) -> Response:
        return pages.draw(
            request, "login.html", after=_inside(request.query_params.get("next", "/")), wrong=False
        )

    @site.post("/login")
    async def sign_in(request: Request) -> Response:
        async with request.form(max_files=0, max_fields=10) as form:
            checked(request, form)
            secret, after = str(form.get("token", "")).strip(), _inside(str(form.get("next", "/")))
        token = access.tokens.find(secret) if access.tokens else None
        if token is None:
            return pages.draw(request, "login.html", 401, after=after, wrong=True)
        answer = RedirectResponse(after, 303)
        secure = request.url.scheme == "https"
        answer.set_cookie(
            COOKIE, access.sessions.cookie_of(token), LASTS, httponly=True, samesite="strict", secure=secure
        )
        return answer

    @site.post("/logout")
    async def sign_out(request: Request) -> Response:
        async with request.form(max_files=0, max_fields=10) as form:
            checked(request, form)
        answer = RedirectResponse("/login", 303)
        answer.delete_cookie(COOKIE, httponly=True, samesite="strict")
        return answer


def _inside(path: str) -> str:
    """Never an address elsewhere, whatever a link said."""
    return path if _INSIDE.fullmatch(path) and not path.startswith("//") else "/"
