"""The system `titles`: documents whose title a sentence of the query gives, in translation or in its own language."""

import msgspec
import numpy as np

from kakehashi.index.holdings import INDEX, Holdings
from kakehashi.index.titles import has_titles, read_titles
from kakehashi.lexicon.translations import Translations
from kakehashi.query.psq import Psq
from kakehashi.retrieve.title_search import TitleSearch
from kakehashi.settings import ModelName
from kakehashi.systems.lexical import translates_nothing
from kakehashi.systems.models import has_model
from kakehashi.systems.spec import Opening, SystemSpec
from kakehashi.systems.translation import (
    MODEL,
    TABLE,
    TRAINER,
    LeastProbability,
    ProbabilityMass,
    read_table,
)

KEPT = "titles"  # the folder of analysed titles inside the model's folder
NONE = np.zeros(0)
UNTRANSLATED = Translations(
    [], [], np.zeros(1, np.int64), NONE.astype(np.int32), NONE.astype(np.float32), NONE
)


class TitleSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which translations of a word are used."""

    model: ModelName = "translation"
    least: LeastProbability = 0.01
    mass: ProbabilityMass = 0.95


def open_titles(opening: Opening) -> TitleSearch:
    holdings, settings = opening.holdings, opening.settings
    table = UNTRANSLATED  # a word that it does not have stands for itself
    if holdings.index.source_analyzer.settings.lang != holdings.index.analyzer.settings.lang:
        table = read_table(holdings, settings.model).pruned(settings.least, settings.mass)
    titles = read_titles(holdings.index, holdings.model_folder(settings.model) / KEPT)
    return TitleSearch(opening.name, Psq(holdings.index, table), titles, holdings.index)


def _is_useful(holdings: Holdings) -> bool:
    """Whether there are any titles, and a translation table where one is needed."""
    if not (translates_nothing(holdings) or has_model(MODEL, TABLE)(holdings)):
        return False
    return (holdings.folder / INDEX).is_dir() and has_titles(holdings.index)


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
