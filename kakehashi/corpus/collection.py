"""The collection folder: documents, queries, judgments and related files, in plain text formats.

    collection.toml    name, languages, relevance levels, metadata fields      (CollectionInfo)
    documents.jsonl    {"id", "lang", "title", "text", "meta"}                 (also .zst or .gz, as below)
    queries.jsonl      the same shape
    originals.jsonl    optional: the queries in the target language, same ids  (the monolingual baseline)
    qrels/SPLIT.tsv    query TAB 0 TAB document TAB level
    parallel.tsv       optional: source sentence TAB target sentence
    links.tsv          optional: citing TAB cited TAB kind
    classes.tsv        optional: the class graph, child TAB parent
    class_titles.tsv   optional: class TAB title, in the documents' language
    class_links.tsv    optional: class of queries TAB the same class of documents, where they differ

Reading is strict: the first fault raises with file and line. `check.py` lists every fault instead.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from kakehashi.corpus import lines
from kakehashi.corpus.ids import fault_of_id
from kakehashi.corpus.json_lines import decode
from kakehashi.errors import FileError, InputError
from kakehashi.types import Qrels, Text

INFO = "collection.toml"
FORMAT = 1
LARGEST_INFO = 1 << 20  # bytes
_FIELD_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
FieldKind = Literal["keyword", "number", "date"]  # keyword: string or list of strings; date: "2006-12-31"


class CollectionInfo(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The contents of collection.toml."""

    name: str
    source_language: str
    target_language: str
    description: str = ""
    licence: str = ""
    synthetic: bool = False
    format: int = FORMAT
    levels: Mapping[str, str] = {}  # "3" -> "same patent family"; TOML keys are strings
    mate_level: int | None = None  # documents of this level are translations of the query itself
    fields: Mapping[str, FieldKind] = {}  # metadata fields that can be filtered on
    exclude_self: bool = False  # queries are also documents, and no query is its own answer
    made_with: Mapping[str, Any] = {}  # the command's settings: seed, sizes, dates


class Collection:
    """A collection folder, read as a stream."""

    def __init__(self, folder: Path | str):
        self.folder = Path(folder)
        self.info = read_info(self.folder)

    def documents(self) -> Iterator[Text]:
        return self.texts("documents.jsonl")

    def queries(self) -> Iterator[Text]:
        return self.texts("queries.jsonl")

    def originals(self) -> Iterator[Text]:
        return self.texts("originals.jsonl")

    def has(self, name: str) -> bool:
        """Whether a file of the folder exists, plain or compressed."""
        return lines.find(self.folder, name) is not None

    def path(self, name: str) -> Path:
        return lines.require(self.folder, name, "is missing: run kakehashi data check on the folder")

    @property
    def splits(self) -> list[str]:
        return self.split_names(self.folder)

    @staticmethod
    def split_names(folder: Path) -> list[str]:
        files = [lines.stem(path) for path in folder.glob("qrels/*")]
        names = {name.removesuffix(".tsv") for name in files if name.endswith(".tsv") and name[0] != "."}
        return sorted(names, key=lambda name: ({"train": 0, "dev": 1, "test": 2}.get(name, 3), name))

    def qrels(self, split: str) -> Qrels:
        if split not in self.splits:
            known = ", ".join(self.splits)
            why = (
                f"its splits are {known}"
                if known
                else f"it has no judgments, which belong in qrels/{split}.tsv"
            )
            raise InputError(f"{self.folder} has no split '{split}': {why}")
        return read_qrels_tsv(self.path(f"qrels/{split}.tsv"))

    def split_queries(self, split: str, name: str = "queries.jsonl") -> list[Text]:
        """The queries judged in a split, in file order."""
        judged = self.qrels(split)
        return [text for text in self.texts(name) if text.id in judged]

    def parallel(self) -> Iterator[tuple[str, str]]:
        return ((source, target) for source, target in self._rows("parallel.tsv", 2))

    def links(self) -> Iterator[tuple[str, str, str]]:
        return ((citing, cited, kind) for citing, cited, kind in self._rows("links.tsv", 3))

    def classes(self) -> Iterator[tuple[str, str]]:
        return ((child, parent) for child, parent in self._rows("classes.tsv", 2))

    def class_titles(self) -> Iterator[tuple[str, str]]:
        return ((code, title) for code, title in self._rows("class_titles.tsv", 2))

    def class_links(self) -> Iterator[tuple[str, str]]:
        return ((source, target) for source, target in self._rows("class_links.tsv", 2))

    def texts(self, name: str) -> Iterator[Text]:
        path = self.path(name)
        for number, line in lines.read_lines(path):
            if line:
                text = decode_text(path, number, line)
                if fault := fault_of_id(text.id):
                    raise FileError(path, number, fault)
                yield text

    def _rows(self, name: str, width: int) -> Iterator[list[str]]:
        path = self.path(name)
        for number, line in lines.read_lines(path):
            row = line.split("\t")
            if len(row) != width:
                raise FileError(path, number, f"has {len(row)} tab-separated columns, needs {width}")
            yield row


_decoder = msgspec.json.Decoder(Text)


def decode_text(path: Path, number: int | None, line: str) -> Text:
    return decode(_decoder, path, number, line, "text")


def read_info(folder: Path) -> CollectionInfo:
    path = folder / INFO
    try:
        raw = tomllib.loads(lines.read_small(path, LARGEST_INFO).decode())
    except FileNotFoundError:
        raise FileError(
            folder, None, f"is not a collection: it has no {INFO} (make one with kakehashi data get)"
        ) from None
    except OSError as error:
        raise FileError(path, None, f"cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:  # bad UTF-8, bad TOML, a number of 5000 digits
        place = re.search(r"\(at line (\d+), column \d+\)$", str(error))
        raise FileError(path, int(place[1]) if place else None, f"is not TOML: {error}") from None
    try:
        info = msgspec.convert(raw, CollectionInfo)
    except msgspec.ValidationError as error:
        raise FileError(path, None, str(error)) from None
    if info.format != FORMAT:
        raise FileError(path, None, f"has format {info.format}, this program reads {FORMAT}")
    for name in info.fields:
        if not _FIELD_NAME.fullmatch(name):  # it becomes part of file names
            raise FileError(path, None, f"field '{name[:40]}': use letters, digits, _ and - in its name")
    return info


def read_qrels_tsv(path: Path) -> Qrels:
    """Judgments by query; a pair judged twice is an error, because the intended level is unknown."""
    qrels: Qrels = {}
    ids: dict[str, str] = {}  # one string per document, however often it is judged
    for number, line in lines.read_lines(path):
        columns = line.split("\t")
        if len(columns) != 4:
            raise FileError(
                path, number, f"has {len(columns)} tab-separated columns, needs 4: query 0 document level"
            )
        query, _, document, level = columns
        if not (level.isascii() and level.isdigit()) or len(level) > 4:
            raise FileError(path, number, f"level '{level[:20]}' is not a whole number")
        judged = qrels.setdefault(query, {})
        if document in judged:
            raise FileError(path, number, f"judges {query} and {document} a second time")
        judged[ids.setdefault(document, document)] = int(level)
    return qrels
