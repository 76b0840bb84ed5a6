"""What a client may ask, as the API describes it; a field that is not listed here is refused.

A system's settings are not among them: some name files or programs of the machine the service runs on.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

Line = Annotated[str, Field(max_length=500)]
Condition = Annotated[str, Field(max_length=5000)]  # may list many values
Date = Annotated[str, Field(pattern=r"^([0-9]{4}-[0-9]{2}-[0-9]{2})?$")]
Format = Literal["csv", "xlsx", "ris", "html", "json"]


class Asked(BaseModel):
    """A query, and which documents may be found: either `text`, or the `id` of a query or document."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: str = Field("", description="The text to search with, in any length up to the service's limit.")
    id: Line = Field(
        "", description="In place of a text: the id of a query of the collection, or of a document."
    )
    lang: Annotated[str, Field(pattern=r"^[a-zA-Z-]{0,16}$")] = Field(
        "", description="Language of the text; guessed if it is empty."
    )
    system: Annotated[str, Field(max_length=100)] = Field(
        "", description="Short name of a system; the collection's best if it is empty."
    )
    where: list[Condition] = Field(
        [],
        max_length=50,
        description="Conditions on metadata that must all hold, such as `ipc=A61B*|H01L*` or `publication<2006-01-01`.",
    )
    boolean: str = Field("", max_length=2000, description="A Boolean expression over words of the documents.")
    prior_art: bool = Field(
        False,
        description="Only documents published before the query's priority date, none of its own family, one of "
        "each family.",
    )
    before: Date = Field("", description="Only documents published before this date, such as 2006-12-31.")
    one_per_family: bool = Field(False, description="Only the best document of each family.")
    undated: Literal["keep", "drop"] = Field(
        "keep", description="What becomes of documents without a date where dates matter."
    )
    edits: list[Line] = Field(
        [],
        max_length=200,
        description="Changes to translations: `drop word=translation`, `boost word=translation:2` or "
        "`add word=translation:0.5`.",
    )

    @field_validator("*")
    @classmethod
    def _is_text(cls, value: Any) -> Any:
        """Half of a character pair, which JSON can write but no text can hold, is refused."""
        try:
            for text in value if isinstance(value, list) else [value]:
                str(text).encode()
        except UnicodeEncodeError:
            raise ValueError("holds half of a character") from None
        return value


class SearchAsked(Asked):
    """A page of hits."""

    k: int = Field(10, ge=1, description="Hits on a page.")
    cursor: str = Field("", max_length=200, description="`next` of the page before.")
    explain: bool = Field(True, description="With the shares that each hit's score consists of.")
    passages: bool = Field(True, description="With the passage of each document that matches best.")


class ExplainAsked(Asked):
    """Documents to explain, whether or not the search would list them."""

    documents: list[Line] = Field(min_length=1, max_length=20, description="Ids of documents.")


class ExportAsked(Asked):
    """Hits as a file."""

    k: int = Field(100, ge=1, description="Hits in the file.")
    format: Format = Field("csv", description="The format of the file.")
