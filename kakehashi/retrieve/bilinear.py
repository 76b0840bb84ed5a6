"""The system `bilinear`: a learned q'Wd over the inverted index."""

import msgspec

from kakehashi.errors import FileError, InputError
from kakehashi.index.index import Index
from kakehashi.learn.bilinear_model import Bilinear, read_bilinear
from kakehashi.query.bilinear import Projected
from kakehashi.query.reading import Reading, open_reading
from kakehashi.retrieve.learned import Learned
from kakehashi.retrieve.models import model_folder
from kakehashi.retrieve.sparse import Scope, Sparse


class BilinearUse(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which trained model answers."""

    model: str = "bilinear"


def open_bilinear(name: str, index: Index, settings: BilinearUse, scope: Scope) -> Sparse:
    folder = model_folder(index, settings.model)
    try:
        model = read_bilinear(folder)
    except FileError as error:
        raise InputError(f"{error} (kakehashi train bilinear {index.folder.parent})") from None
    return bilinear_system(name, open_reading(index, folder), model, scope)


def bilinear_system(name: str, reading: Reading, model: Bilinear, scope: Scope) -> Sparse:
    index = reading.index
    weighting = Learned(model.document_words, model.document_words.from_index(index))
    return Sparse(name, Projected(model, reading), weighting, index, scope)
