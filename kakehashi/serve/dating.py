"""Which metadata fields of a collection hold dates and families, where nobody says."""

from collections.abc import Mapping

from kakehashi.corpus.facts import DATES
from kakehashi.index.bibliography import PATENT_FIELDS, Fields


def fields_of(fields: Mapping[str, str]) -> Fields:
    """Those of patents; where there is no date of publication, the first date field with a usual name."""
    dates = [name for name in DATES if fields.get(name) == "date"]
    if fields.get(PATENT_FIELDS.publication) == "date" or not dates:
        return PATENT_FIELDS
    return Fields(publication=dates[0])
