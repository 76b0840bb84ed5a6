"""The settings of the CNN rankers, with the sizes of the paper by name; no arrays."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from kakehashi.errors import InputError

SIDES = ("query", "document")
Match = Literal["mean", "maxsim"]
Size = Literal["small", "wikipedia", "patents"]
SIZES: dict[str, tuple[int, int]] = {"small": (2, 256), "wikipedia": (4, 1600), "patents": (2, 3200)}


def has_torch() -> bool:
    from importlib.util import find_spec

    return find_spec("torch") is not None


class CnnSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The network and its training."""

    match: Annotated[
        Match,
        Meta(
            description="How a query meets a document: `mean` gives the means of their windows to the layers, as in "
            "the paper; `maxsim` (late interaction) has no layers and adds up, for every window of the query, the "
            "highest similarity with a window of the document."
        ),
    ] = "mean"
    size: Annotated[
        Size,
        Meta(
            description="Layers and hidden units: `small` has 2 x 256, `wikipedia` 4 x 1,600 and `patents` 2 x 3,200 "
            "as published. `layers` and `hidden` override it."
        ),
    ] = "small"
    layers: Annotated[
        int, Meta(description="Weight matrices above the filters; 0 takes those of `size`.")
    ] = 0
    hidden: Annotated[int, Meta(description="Hidden units of each layer; 0 takes those of `size`.")] = 0
    start: Annotated[
        Literal["near", "random"],
        Meta(
            description="Where training begins: `near` with filters and a first layer alike on both sides, so that "
            "texts with similar vectors begin with the highest scores; `random` as in the paper."
        ),
    ] = "near"
    dropout: Annotated[float, Meta(description="Share of hidden values dropped in training.")] = 0.5
    filters: Annotated[int, Meta(description="Filters over the words of each side.")] = 100
    window: Annotated[int, Meta(description="Words that a filter reads at once.")] = 4
    class_filters: Annotated[int, Meta(description="Filters over the classes of each side.")] = 30
    query_length: Annotated[int, Meta(description="Words read of a query.")] = 100
    document_length: Annotated[int, Meta(description="Words read of a document.")] = 100
    rate: Annotated[float, Meta(description="Step size of Adam.")] = 1e-4
    epochs: Annotated[int, Meta(description="Maximum number of passes over the training queries.")] = 20
    patience: Annotated[
        int,
        Meta(
            description="Stop after this many passes without a better dev measure. The best model is kept. Without "
            "dev queries all passes run."
        ),
    ] = 5
    batch: Annotated[int, Meta(description="Queries whose documents are encoded and compared together.")] = 64
    per_query: Annotated[
        int,
        Meta(
            description="Relevant documents of a query in each pass, at most; others wait for a later pass."
        ),
    ] = 8
    irrelevant: Annotated[
        int,
        Meta(
            description="Documents that are not relevant for each relevant one of the query's highest level."
        ),
    ] = 4
    shared: Annotated[
        int,
        Meta(
            description="Random documents of each batch, from which all its queries draw theirs, so that each is "
            "encoded once; 0 draws others for every instance, as in the paper."
        ),
    ] = 128
    hard: Annotated[
        float,
        Meta(description="Share of the documents that are not relevant which the first system finds."),
    ] = 0.5
    hard_best: Annotated[int, Meta(description="How many of its best documents these are drawn from.")] = 200
    device: Annotated[
        Literal["auto", "cpu", "cuda"],
        Meta(description="Where to train; `auto` takes a GPU where PyTorch finds one."),
    ] = "auto"
    seed: Annotated[int, Meta(description="Random seed; the same seed and data give the same model.")] = 1

    def __post_init__(self) -> None:
        least = dict.fromkeys(("filters", "window", "class_filters", "query_length", "document_length"), 1)
        least |= dict.fromkeys(("epochs", "patience", "batch", "per_query", "irrelevant", "hard_best"), 1)
        least |= dict.fromkeys(("layers", "hidden", "shared", "seed"), 0)
        for name, lowest in least.items():
            if getattr(self, name) < lowest:
                raise InputError(f"{name} must be at least {lowest}, not {getattr(self, name)}")
        if self.layers == 1:
            raise InputError("layers must be 0 or at least 2, not 1")
        if not self.rate > 0:
            raise InputError(f"rate must be positive, not {self.rate}")
        if not 0.0 <= self.dropout < 1.0:
            raise InputError(f"dropout must be from 0 to below 1, not {self.dropout}")
        if not 0.0 <= self.hard <= 1.0:
            raise InputError(f"hard must be from 0 to 1, not {self.hard}")

    @property
    def n_layers(self) -> int:
        if self.match == "maxsim":
            return 1  # the weight of each part
        return self.layers or SIZES[self.size][0]

    @property
    def n_hidden(self) -> int:
        return self.hidden or SIZES[self.size][1]


class WordVectorSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How words get vectors: by skip-gram, for each language from its own texts."""

    vectors: Annotated[
        Literal["translated", "own"],
        Meta(
            description="Vectors of the queries' words: `translated` takes the mean vector of a word's translations, "
            "where a translation table is trained; `own` learns them from the texts of that language alone, as in the "
            "paper."
        ),
    ] = "translated"
    unseen: Annotated[
        Literal["dropped", "subwords"],
        Meta(
            description="What becomes of words without vectors: they are `dropped`, or get vectors from their n-grams "
            "of characters, fitted to the vectors of other words (`subwords`)."
        ),
    ] = "dropped"
    word_dimensions: Annotated[int, Meta(description="Length of the vectors of words.")] = 100
    word_epochs: Annotated[int, Meta(description="Passes of skip-gram over the texts of each language.")] = 10
    least_count: Annotated[
        int, Meta(description="Words that occur less often in the texts of their language have no vectors.")
    ] = 2
    word_seed: Annotated[
        int, Meta(description="Random seed of the word vectors and of the class vectors.")
    ] = 1

    def __post_init__(self) -> None:
        for name in ("word_dimensions", "word_epochs", "least_count"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} must be at least 1, not {getattr(self, name)}")
