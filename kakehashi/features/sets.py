"""Feature sets by name: which metadata of a collection are used for ranking."""

from kakehashi.errors import InputError
from kakehashi.features.classes import Cut, facet, firm, person
from kakehashi.features.columns import Spelling
from kakehashi.features.geography import country, places, state
from kakehashi.features.kind import Kind
from kakehashi.features.kinds import Common, Cosine, Overlap, Places, Same, Shares
from kakehashi.features.quantities import Bucket, Citations, Lengths, Near
from kakehashi.index.index import Index

SECTION, CLASS, SUBCLASS = Cut(1), Cut(3), Cut(4)  # of an IPC code: A, A01, A01B


def _place(name: str, spelling: Spelling, near: bool = False) -> Places:
    return Places(name, spelling, people="inventors", near=near, people_spelling=person)


PATENTS: tuple[Kind, ...] = (  # T13 5.3, in its order; the score of a sparse model is the twentieth
    Shares("ipc", SUBCLASS, "ipc3"),
    Shares("inventors", person, "inventor"),
    Same("applicants", firm, "assignee"),
    Same("independent"),
    Bucket("claims", (0, 1, 6, 11)),
    Common("ipc", SECTION, "ipc1"),
    Common("ipc", CLASS, "ipc2"),
    _place("country", country),
    _place("state", state),
    _place("city", places, near=True),
)

SETS: dict[str, tuple[Kind, ...]] = {
    "patents": PATENTS,
    "patents-plus": (
        *PATENTS,
        Cosine("ipc", SUBCLASS, "ipc3 cosine"),
        Cosine("ipc", name="ipc cosine"),
        Cosine("inventors", person, "inventors cosine"),
        Lengths(),
        Citations(),
    ),
    "patents-brief": (  # for records without people, places and claims
        Shares("ipc", SUBCLASS, "ipc3"),
        Same("applicants", firm, "assignee"),
        Common("ipc", SECTION, "ipc1"),
        Common("ipc", CLASS, "ipc2"),
        Cosine("ipc", name="ipc cosine"),
        Cosine("cpc", name="cpc cosine"),
        Citations(),
    ),
    "encyclopedia": (  # P14
        Lengths(),
        Near("n_links"),
        Near("n_images"),
        Common("links", name="common links"),
        Common("images", name="common images"),
        Overlap("categories", steps=(-2, -1, 0, 1, 2)),
    ),
    "packages": (
        Cosine("tags"),
        Overlap("tags", name="tag set"),
        Cosine("tags", facet, "facets"),
        Cosine("section"),
        Shares("section", name="same section"),
        Shares("maintainer"),
        Lengths(),
        Citations(),
    ),
    "help": (
        Shares("module"),
        Shares("directory"),
        Shares("contents"),
        Cosine("contents", name="rare contents"),
        Overlap("contents", name="contents tree", steps=(-1, 0, 1)),
        Lengths(),
        Citations(),
    ),
    "any": (Lengths(), Citations()),  # features of every collection
    "none": (),
}
MARKS = {"ipc": "patents", "tags": "packages", "contents": "help", "categories": "encyclopedia"}


def set_of(name: str, index: Index) -> tuple[str, tuple[Kind, ...]]:
    """(name, features); `auto` chooses the set made for a field that the index has, or `any`."""
    if name == "auto":
        name = next((found for field, found in MARKS.items() if field in index.fields), "any")
        if name == "patents" and "inventors" not in index.fields:
            name = "patents-brief"
    if name not in SETS:
        raise InputError(f"there is no feature set '{name}': choose one of {', '.join(SETS)}, or auto")
    return name, SETS[name]
