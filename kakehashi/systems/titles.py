"""The system `titles`: documents whose title a sentence of the query gives in translation."""

from typing import Annotated

import msgspec
from msgspec import Meta

from kakehashi.index.holdings import Holdings
from kakehashi.index.titles import has_titles, read_titles
from kakehashi.query.psq import Psq
from kakehashi.retrieve.title_search import TitleSearch
from kakehashi.settings import ModelName
from kakehashi.systems.models import has_model
from kakehashi.systems.spec import Opening, SystemSpec
from kakehashi.systems.translation import MODEL, TABLE, TRAINER, read_table

KEPT = "titles"  # the folder of analysed titles inside the model's folder


class TitleSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which translations of a word are used."""

    model: ModelName = "translation"
    least: Annotated[
        float,
        Meta(
            description="Drop translations of this probability or below; the most probable one always stays."
        ),
    ] = 0.01
    mass: Annotated[
        float,
        Meta(
            description="Drop a word's translations after the one at which their probabilities, in descending "
            "order, add up to this."
        ),
    ] = 0.95


def open_titles(opening: Opening) -> TitleSearch:
    holdings, settings = opening.holdings, opening.settings
    table = read_table(holdings, settings.model).pruned(settings.least, settings.mass)
    titles = read_titles(holdings.index, holdings.model_folder(settings.model) / KEPT)
    return TitleSearch(opening.name, Psq(holdings.index, table), titles, holdings.index)


def _is_useful(holdings: Holdings) -> bool:
    """Whether there are a translation table and any titles."""
    return has_model(MODEL, TABLE)(holdings) and has_titles(holdings.index)


SPECS = (
    SystemSpec(
        "titles",
        "Rerank",
        "the sentence of the query that, translated word by word, best matches a document's title",
        TitleSettings,
        open_titles,
        trainer=TRAINER,
        is_trained=_is_useful,
        quick=True,
    ),
)
