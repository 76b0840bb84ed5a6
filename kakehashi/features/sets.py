"""Feature sets: made for any collection from its fields, or for some kinds of collections by name."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kakehashi.corpus.splits import Split
from kakehashi.errors import InputError
from kakehashi.features.classes import Cut, facet, firm, person, yes
from kakehashi.features.columns import Spelling
from kakehashi.features.geography import country, places, state
from kakehashi.features.kind import Kind
from kakehashi.features.kinds import Common, Cosine, Overlap, Places, Same, Shares
from kakehashi.features.quantities import Bucket, Citations, Lengths, Near
from kakehashi.features.survey import FieldUse, survey
from kakehashi.features.table import class_graph
from kakehashi.index.holdings import Holdings

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

BOTH = Shares(
    "independent", yes
)  # in the paper's words: both inventors own their patent; its formula: equal flags

SETS: dict[str, tuple[Kind, ...]] = {
    "patents": PATENTS,
    "patents-both": tuple(BOTH if kind == Same("independent") else kind for kind in PATENTS),
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
AUTO, NONE = "auto", "none"
UNDECLARED = "the collection declares no such field"
MARKS = {"ipc": "patents", "tags": "packages", "contents": "help", "categories": "encyclopedia"}


@dataclass(frozen=True)
class FeatureSet:
    """Features of a name; those of `auto` follow from how the fields of a collection are used."""

    name: str
    kinds: tuple[Kind, ...]
    uses: tuple[FieldUse, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)  # field -> why it is not used

    @property
    def told(self) -> list[str]:
        """Which fields are used and how, and which are not and why, one line each."""
        used = [f"uses {use.field}: {use.told}" for use in self.uses]
        return used + [f"leaves out {name}: {reason}" for name, reason in self.left_out.items()]


def features_of(
    name: str, holdings: Holdings, split: Split | None = None, fields: Sequence[str] = ()
) -> FeatureSet:
    """The set of a name, without what compares fields that the collection does not declare.

    `auto` makes one of all fields, or of these, that documents and queries of the split have.
    """
    if name == AUTO:
        found = survey(holdings.index, class_graph(holdings), split, fields)
        return general_set(found.uses, found.left_out, split is None or split.name != "train")
    if name not in SETS:
        raise InputError(f"there is no feature set '{name}': choose one of {', '.join(SETS)}, or auto")
    declared = holdings.index.fields
    missing = {
        field: UNDECLARED for kind in SETS[name] for field in _fields_of(kind) if field not in declared
    }
    kinds = tuple(_without(kind, missing) for kind in SETS[name] if getattr(kind, "field", "") not in missing)
    if missing and not any(map(_fields_of, kinds)):
        return FeatureSet(name, SETS[name])  # a set for other collections: using it is an error that says so
    return FeatureSet(name, kinds, left_out=missing)


def _fields_of(kind: Kind) -> list[str]:
    return [name for name in (getattr(kind, "field", ""), getattr(kind, "people", "")) if name]


def _without(kind: Kind, missing: Collection[str]) -> Kind:
    """Places are found through people only where the collection names these."""
    return replace(kind, people="") if isinstance(kind, Places) and kind.people in missing else kind


def general_set(
    uses: Sequence[FieldUse], left_out: Mapping[str, str] | None = None, citations: bool = True
) -> FeatureSet:
    """Features of fields, and of every text."""
    kinds = [kind for use in uses for kind in use.kinds]
    every = (Lengths(), Citations()) if citations else (Lengths(),)
    return FeatureSet(AUTO, (*kinds, *every), tuple(uses), left_out or {})


def made_for(fields: Collection[str]) -> str:
    """The named set for one of our own collections, by a field that only it has; otherwise `any`."""
    name = next((found for mark, found in MARKS.items() if mark in fields), "any")
    return "patents-brief" if name == "patents" and "inventors" not in fields else name
