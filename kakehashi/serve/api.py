"""The API under /api/v1: one function per address, each handing its work to a thread."""

from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from kakehashi.serve import answers, shapes
from kakehashi.serve.asked import Asked, ExplainAsked, ExportAsked, SearchAsked
from kakehashi.serve.field_counts import count_documents, field_counts
from kakehashi.serve.limits import Limits
from kakehashi.serve.problems import KINDS, MEDIA_TYPE
from kakehashi.serve.questions import Question
from kakehashi.serve.service import Service

MADE_BY = ("Kakehashi-System", "Kakehashi-Index", "Kakehashi-Models")  # headers of files, to repeat them by
Name = Annotated[str, Path(max_length=100, description="The collection's name.")]
_STATUSES = sorted({status for status, _ in KINDS.values()} - {405})
PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {
        "description": "; ".join(title for other, title in KINDS.values() if other == status),
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemShape"}}},
    }
    for status in _STATUSES
}


def json_answer(found: object) -> Response:
    return Response(msgspec.json.encode(found, enc_hook=str), media_type="application/json")


def router(service: Service) -> APIRouter:
    """Answers are encoded as they are: their shapes are declared for the description and held to by tests."""
    api = APIRouter(prefix="/api/v1", responses=PROBLEMS)
    _add_collections(api, service)
    _add_contents(api, service)
    _add_questions(api, service)
    return api


def _add_collections(api: APIRouter, service: Service) -> None:
    shelf = service.shelf

    @api.get("/collections", response_model=shapes.CollectionsShape)
    async def collections() -> Response:
        """The collections that can be searched, and those that cannot be opened at the moment."""

        def work() -> dict[str, Any]:
            faults = shelf.faults
            usable = [shelf.take(name) for name in shelf.folders if name not in faults]
            return {
                "collections": [answers.collection(volume) for volume in usable],
                "unavailable": [
                    {"name": name, "fault": shelf.shown(fault)} for name, fault in faults.items()
                ],
            }

        return json_answer(await service.do(work))

    @api.get("/collections/{collection}", response_model=shapes.CollectionShape)
    async def collection(collection: Name) -> Response:
        """One collection: its languages, fields and fingerprints, and the system that answers by default."""
        return json_answer(await service.do(lambda: answers.collection(shelf.take(collection))))

    @api.get("/collections/{collection}/systems", response_model=shapes.SystemsShape)
    async def systems(collection: Name) -> Response:
        """The systems that can answer: those without training, and those trained here."""
        return json_answer(await service.do(lambda: answers.systems(shelf.take(collection))))


def _add_contents(api: APIRouter, service: Service) -> None:
    shelf = service.shelf

    @api.get("/collections/{collection}/fields", response_model=shapes.FieldsShape)
    async def fields(
        collection: Name,
        where: Annotated[
            list[str] | None, Query(max_length=50, description="Conditions, as in a search.")
        ] = None,
        boolean: Annotated[str, Query(max_length=2000, description="As in a search.")] = "",
        most: Annotated[int, Query(ge=1, le=1000, description="Values listed per field.")] = 20,
    ) -> Response:
        """The fields to filter by, with the number of documents per value; conditions on other fields apply."""

        def work() -> dict[str, Any]:
            volume = shelf.take(collection)
            index, conditions = volume.library.index, where or []
            return {
                "collection": volume.name,
                "fingerprints": dict(volume.fingerprints),
                "documents": count_documents(index, conditions, boolean),
                "fields": field_counts(volume.library, conditions, boolean, most),
            }

        return json_answer(await service.do(work))

    @api.get("/collections/{collection}/documents/{document:path}", response_model=shapes.DocumentShape)
    async def document(
        collection: Name, document: Annotated[str, Path(max_length=500, description="The document's id.")]
    ) -> Response:
        """A document with all its metadata."""
        return json_answer(await service.do(lambda: answers.document(shelf.take(collection), document)))


def _add_questions(api: APIRouter, service: Service) -> None:
    @api.post("/collections/{collection}/search", response_model=shapes.SearchShape)
    async def search(request: Request, collection: Name, asked: SearchAsked) -> Response:
        """The documents that answer a query, best first, a page at a time."""
        found = await service.answer(
            request, collection, asked, lambda question: answers.search(question, asked, service.limits)
        )
        return json_answer(found)

    @api.post("/collections/{collection}/explain", response_model=shapes.ExplainShape)
    async def explain(request: Request, collection: Name, asked: ExplainAsked) -> Response:
        """Query and documents with the words marked that met, and what each gave."""
        found = await service.answer(
            request, collection, asked, lambda question: answers.explain(question, asked)
        )
        return json_answer(found)

    @api.post("/collections/{collection}/translations", response_model=shapes.TranslationsShape)
    async def translations(request: Request, collection: Name, asked: Asked) -> Response:
        """What each word of a query is looked for as, after the edits."""
        return json_answer(await service.answer(request, collection, asked, answers.translations))

    @api.post(
        "/collections/{collection}/export",
        response_class=Response,
        responses={
            200: {
                "description": "The file. Its headers say what other answers say in their body.",
                "content": {kind: {} for kind in answers.MEDIA_TYPES.values()},
                "headers": {name: {"schema": {"type": "string"}} for name in MADE_BY},
            }
        },
    )
    async def export(request: Request, collection: Name, asked: ExportAsked) -> Response:
        """The hits of a search as a file: CSV, Excel, RIS, HTML or JSON."""
        return await service.answer(
            request, collection, asked, lambda question: file_answer(question, asked, service.limits)
        )


def file_answer(question: Question, asked: ExportAsked, limits: Limits) -> Response:
    """A file to keep; a page among them is shown without any rights of this site."""
    prints = question.volume.fingerprints
    headers = {
        "Content-Disposition": f'attachment; filename="hits.{asked.format}"',
        "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        **dict(zip(MADE_BY, (question.name, prints["index"], prints["models"]), strict=True)),
    }
    data = answers.export(question, asked, limits)
    return Response(data, headers=headers, media_type=answers.MEDIA_TYPES[asked.format])
