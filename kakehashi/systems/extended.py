"""Systems with related words: BM25 and LM that count them with a word of the query, and `psq` with expanded rows."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from kakehashi.errors import InputError
from kakehashi.index.holdings import Holdings
from kakehashi.lexicon.expanding import expanded
from kakehashi.lexicon.neighbours import Related
from kakehashi.lexicon.related import RelatedWords
from kakehashi.query.extended import Chances, Counting, Extended, QueryWords, Weights
from kakehashi.query.psq import Psq
from kakehashi.retrieve.extended import ExtendedBm25, ExtendedLm
from kakehashi.retrieve.sparse import Sparse
from kakehashi.retrieve.weighting import Bm25
from kakehashi.settings import ModelName
from kakehashi.systems.models import has_model
from kakehashi.systems.related import MODEL, TRAINER, read_related
from kakehashi.systems.spec import Opening, SystemSpec
from kakehashi.systems.translation import MODEL as TRANSLATION
from kakehashi.systems.translation import TABLE, LeastProbability, ProbabilityMass, read_table
from kakehashi.training.settings import combined, part


class RelatedUse(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which words count as related, and how."""

    model: ModelName = "related"
    kind: Annotated[
        str,
        Meta(
            description="Kind of related words: one that the model was trained with. Empty: none, as in BM25 and LM."
        ),
    ] = "skipgram"
    threshold: Annotated[float, Meta(description="Words are related from this similarity on.")] = 0.7
    within: Annotated[
        str,
        Meta(
            description="Use only words that are also related by this kind (post-filtering); empty uses all."
        ),
    ] = ""
    within_threshold: Annotated[
        float, Meta(description="`within`: words are related there from this similarity on.")
    ] = 0.6
    chances: Annotated[
        Chances,
        Meta(
            description="Weight of an occurrence of a related word: its similarity (`cosine`), its similarity as a "
            "share of all those of that word (`normalised`), or 1 (`equal`)."
        ),
    ] = "cosine"
    counting: Annotated[
        Counting,
        Meta(
            description="What df, cf and lengths count: a word and its related words together (`extended`), or the "
            "word alone (`generalised`)."
        ),
    ] = "extended"
    terms: Annotated[
        int,
        Meta(description="Search with this many words of the query, those of highest tf·idf; 0 uses all."),
    ] = 100
    weights: Annotated[
        Weights,
        Meta(description="Weight of a word in the query: `equal`, its `frequency`, or `tfidf`."),
    ] = "frequency"
    unseen: Annotated[
        bool, Meta(description="Search for words that no document contains by their related words.")
    ] = False


Bm25Settings = combined("Bm25Settings", "Settings of `extended-bm25`.", RelatedUse, ExtendedBm25)
LmSettings = combined("LmSettings", "Settings of `extended-lm`.", RelatedUse, ExtendedLm)


def open_extended(opening: Opening) -> Sparse:
    index, own = opening.holdings.index, part(opening.settings, RelatedUse)
    if own.terms < 0:
        raise InputError(f"terms must be 0 or more, not {own.terms}")
    model = read_related(opening.holdings, own.model)
    words = QueryWords(index, own.terms, own.weights)
    related = chosen_words(model, own)
    compiler = Extended(index, model.terms, related, words, own.chances, own.counting, own.unseen)
    weighting = _weighting(opening.settings)
    return Sparse(opening.name, compiler, weighting, index)


def _weighting(settings: msgspec.Struct) -> ExtendedBm25 | ExtendedLm:
    if isinstance(settings, LmSettings):
        return part(settings, ExtendedLm)
    return part(settings, ExtendedBm25)


def chosen_words(model: RelatedWords, own: Any) -> Related:
    if not own.kind:
        return next(iter(model.kinds.values())).above(2.0)
    found = model.kind(own.kind).above(model.checked(own.threshold))
    return found.within(model.kind(own.within), model.checked(own.within_threshold)) if own.within else found


class PsqRelatedSettings(Bm25, frozen=True, forbid_unknown_fields=True):
    """BM25 over translated words and the words related to the translations."""

    model: ModelName = "related"
    translation: Annotated[
        str, Meta(description="Name of the translation table, as given to `kakehashi train translation`.")
    ] = "translation"
    least: LeastProbability = 0.01
    mass: ProbabilityMass = 0.95
    kind: Annotated[str, Meta(description="Kind of related words: one that the model was trained with.")] = (
        "skipgram"
    )
    threshold: Annotated[float, Meta(description="Words are related from this similarity on.")] = 0.5
    within: Annotated[
        str, Meta(description="Use only words that are also related by this kind; empty uses all.")
    ] = ""
    within_threshold: Annotated[
        float, Meta(description="`within`: words are related there from this similarity on.")
    ] = 0.6
    share: Annotated[
        float,
        Meta(
            description="Share of the probability of a translation that goes to the words related to it; from 0 to "
            "below 1."
        ),
    ] = 0.5


def open_psq_related(opening: Opening) -> Sparse:
    holdings, settings = opening.holdings, opening.settings
    model = read_related(holdings, settings.model)
    table = read_table(holdings, settings.translation).pruned(settings.least, settings.mass)
    table = expanded(table, model.terms, chosen_words(model, settings), settings.share)
    return Sparse(opening.name, Psq(holdings.index, table), part(settings, Bm25), holdings.index)


def _has_both(holdings: Holdings) -> bool:
    return has_model(MODEL)(holdings) and has_model(TRANSLATION, TABLE)(holdings)


SPECS = (
    SystemSpec(
        "extended-bm25",
        "Sparse",
        "BM25 that counts a word together with its related words",
        Bm25Settings,
        open_extended,
        trainer=TRAINER,
        is_trained=has_model(MODEL),
        either_language=True,
    ),
    SystemSpec(
        "extended-lm",
        "Sparse",
        "language model that counts a word together with its related words",
        LmSettings,
        open_extended,
        trainer=TRAINER,
        is_trained=has_model(MODEL),
        either_language=True,
    ),
    SystemSpec(
        "psq-related",
        "Sparse",
        "psq that also searches for words related to the translations",
        PsqRelatedSettings,
        open_psq_related,
        trainer=TRAINER,
        is_trained=_has_both,
    ),
)
