"""The shapes of answers, for the description of the API; tests hold what `answers.py` makes to them."""

from typing import Any

from pydantic import BaseModel, ConfigDict


class Shape(BaseModel):
    """No answer has a member that is not listed."""

    model_config = ConfigDict(extra="forbid")


class ProblemShape(BaseModel):
    """An error as RFC 9457 describes it."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    errors: list[dict[str, Any]] | None = None


class Fingerprints(Shape):
    """With the same fingerprints, the same question has the same answer."""

    index: str
    models: str


class CollectionShape(Shape):
    name: str
    title: str
    description: str
    source_language: str
    target_language: str
    documents: int
    fields: dict[str, str]
    best: str
    note: str
    advice: str
    fingerprints: Fingerprints


class UnavailableShape(Shape):
    name: str
    fault: str


class CollectionsShape(Shape):
    collections: list[CollectionShape]
    unavailable: list[UnavailableShape]


class SystemShape(Shape):
    name: str
    kind: str
    summary: str
    best: bool


class SystemsShape(Shape):
    collection: str
    fingerprints: Fingerprints
    systems: list[SystemShape]


class ValueShape(Shape):
    value: str
    title: str | None = None
    documents: int


class FieldShape(Shape):
    field: str
    kind: str
    values: list[ValueShape] = []
    distinct: int | None = None
    by_prefix: bool | None = None
    first: str | None = None
    last: str | None = None
    least: float | None = None
    most: float | None = None


class FieldsShape(Shape):
    collection: str
    fingerprints: Fingerprints
    documents: int
    fields: list[FieldShape]


class QueryShape(Shape):
    id: str
    lang: str
    guessed: bool
    title: str


class AboutShape(Shape):
    collection: str
    system: str
    fingerprints: Fingerprints
    query: QueryShape


class ShareShape(Shape):
    query: str
    document: str
    share: float
    part: str | None = None


class PartShape(Shape):
    part: str
    share: float


class PieceShape(Shape):
    text: str
    match: bool


class HitShape(Shape):
    rank: int
    id: str
    score: float
    title: str
    shares: list[ShareShape] | None = None
    parts: list[PartShape] | None = None
    date: str | None = None
    applicant: str | None = None
    classes: list[str] = []
    class_titles: dict[str, str] | None = None
    passage: list[PieceShape] | None = None
    publication: str | None = None
    family: list[str] | None = None


class PriorArtShape(Shape):
    before: str | None
    by: str | None
    not_of: list[str]
    warnings: list[str]
    rules: str


class EditShape(Shape):
    edit: str
    used: bool


class SearchShape(AboutShape):
    hits: list[HitShape]
    next: str | None
    prior_art: PriorArtShape | None
    nothing: str | None
    edits: list[EditShape]


class SpanShape(Shape):
    text: str
    met: list[str]
    weight: float
    pairs: list[int]


class MetShape(Shape):
    word: str
    term: str
    share: float


class ExplainedShape(Shape):
    id: str
    score: float
    classes: list[str]
    class_titles: dict[str, str] | None = None
    shares: list[ShareShape]
    parts: list[PartShape]
    pairs: list[MetShape]
    query: list[SpanShape]
    title: list[SpanShape]
    text: list[SpanShape]


class ExplainShape(AboutShape):
    documents: list[ExplainedShape]


class TranslationShape(Shape):
    word: str
    p: float


class WordShape(Shape):
    word: str
    times: float
    translations: list[TranslationShape]


class TranslationsShape(AboutShape):
    words: list[WordShape]
    edits: list[EditShape]


class DocumentShape(Shape):
    collection: str
    fingerprints: Fingerprints
    id: str
    lang: str
    title: str
    text: str
    meta: dict[str, Any]
    class_titles: dict[str, str] | None = None
