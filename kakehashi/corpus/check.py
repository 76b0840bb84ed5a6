"""Lists every error of a collection folder with file and line; never changes anything.

Keeps the ids of documents and queries and eight bytes per judgment in memory, but no texts.
"""

from array import array
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kakehashi.corpus import leaks, lines
from kakehashi.corpus.collection import INFO, Collection, CollectionInfo, decode_text, read_info
from kakehashi.corpus.faults import Fault, Faults, decoded_lines, rows
from kakehashi.corpus.fields import FieldsSeen
from kakehashi.corpus.ids import fault_of_id
from kakehashi.errors import FileError, InputError
from kakehashi.progress import SILENT, Progress
from kakehashi.text.settings import settings_for
from kakehashi.types import Text

Ids = dict[str, int]  # id -> its line
UNJUDGED = "queries without judgments"  # how an import that keeps them counts them in collection.toml


@dataclass(frozen=True)
class Report:
    """What was found in a collection; `errors` and `warnings` also count those that are not listed."""

    faults: list[Fault]
    errors: int
    warnings: int
    documents: int
    queries: int
    judgments: dict[str, int]  # split -> rows that can be read


def check(folder: Path, progress: Progress = SILENT) -> list[Fault]:
    """Every error of the folder, the first twenty of each kind and file in full."""
    return examine(folder, progress).faults


def examine(folder: Path, progress: Progress = SILENT) -> Report:
    """The errors of the folder and its sizes."""
    faults = Faults()
    if not folder.is_dir():
        raise FileError(folder, None, "is not a folder")
    info = _checked_info(folder, faults)
    languages = (info.source_language, info.target_language) if info else ("", "")
    fields = FieldsSeen(info)
    documents = _check_texts(folder, "documents.jsonl", fields, languages[1], faults, progress)
    judged = bool(Collection.split_names(folder)) or lines.find(folder, "originals.jsonl") is not None
    queries = _check_texts(folder, "queries.jsonl", fields, languages[0], faults, progress, needed=judged)
    _check_originals(folder, fields, languages[1], queries, faults, progress)
    judgments = _check_all_qrels(folder, info, queries, documents, faults, progress)
    _check_links(folder, queries, documents, faults, progress)
    _check_pairs(folder, "parallel.tsv", "source target", faults, progress)
    _check_pairs(folder, "classes.tsv", "child parent", faults, progress)
    _check_pairs(folder, "class_titles.tsv", "class title", faults, progress, once=True)
    _check_pairs(folder, "class_links.tsv", "source target", faults, progress)
    fields.report(folder, faults)
    _check_leaks(folder, faults)
    found = faults.listed()
    return Report(found, faults.errors, faults.warnings, len(documents), len(queries), judgments)


def _checked_info(folder: Path, faults: Faults) -> CollectionInfo | None:
    path = folder / INFO
    try:
        info = read_info(folder)
    except FileError as error:
        faults.add(path, error.line, "collection.toml", error.message)
        return None
    for side, language in (("source", info.source_language), ("target", info.target_language)):
        try:
            settings_for(language)
        except InputError as error:
            faults.add(path, None, "languages", f"{side}_language: {error}")
    for level in info.levels:
        if not (level.isascii() and level.isdigit()):
            faults.add(path, None, "levels", f"level '{level}' is not a whole number")
    if info.mate_level is not None and str(info.mate_level) not in info.levels:
        faults.add(path, None, "mate_level", f"mate_level {info.mate_level} is not one of the levels")
    return info


def _file(folder: Path, name: str, faults: Faults, needed: bool = False) -> Path | None:
    forms = [folder / (name + suffix) for suffix in lines.SUFFIXES if (folder / (name + suffix)).is_file()]
    if needed and not forms:
        faults.add(folder / name, None, "missing", "is missing")
    for suffix in lines.SUFFIXES:
        place = folder / (name + suffix)
        if place.exists() and not place.is_file():
            faults.add(place, None, "not files", "is not a file")
    for other in forms[1:]:
        faults.add(other, None, "unused", f"is ignored, because {forms[0].name} exists too", "warning")
    return forms[0] if forms else None


class _StrictText(Text, frozen=True, forbid_unknown_fields=True):
    """A record without keys that a reader would ignore."""


_strict = msgspec.json.Decoder(_StrictText)


def _check_texts(
    folder: Path, name: str, fields: FieldsSeen, lang: str, faults: Faults, progress: Progress,
    needed: bool = True,
) -> Ids:  # fmt: skip
    """Check every record of a file; returns the ids, each with its line."""
    ids: Ids = {}
    path = _file(folder, name, faults, needed)
    if path is None:
        return ids
    for number, line in decoded_lines(path, faults, progress):
        text = _decoded(path, number, line, faults) if line else None
        if text is None:
            continue
        if fault := fault_of_id(text.id):
            faults.add(path, number, "bad ids", fault)
        if ids.setdefault(text.id, number) != number:
            faults.add(
                path, number, "ids used twice", f"id '{text.id}' is already used in line {ids[text.id]}"
            )
        if not text.text.strip() and not text.title.strip():
            faults.add(path, number, "empty texts", f"'{text.id}' has neither title nor text")
        if lang and text.lang != lang:
            faults.add(path, number, "languages", f"language is '{text.lang}', not '{lang}'", "warning")
        fields.add(path, number, text, faults)
    if not ids:
        faults.add(path, None, "empty", "has no records")
    return ids


def _decoded(path: Path, number: int, line: str, faults: Faults) -> Text | None:
    try:
        return _strict.decode(line)
    except (msgspec.MsgspecError, RecursionError) as error:
        unknown = str(error)
    try:
        text = decode_text(path, number, line)
    except FileError as error:
        faults.add(path, number, "broken records", error.message)
        return None
    faults.add(path, number, "unknown keys", unknown, "warning")
    return text


def _check_originals(
    folder: Path, fields: FieldsSeen, lang: str, queries: Ids, faults: Faults, progress: Progress
) -> None:
    originals = _check_texts(folder, "originals.jsonl", fields, lang, faults, progress, needed=False)
    for id, number in originals.items():
        if id not in queries:
            path = lines.find(folder, "originals.jsonl") or folder
            faults.add(path, number, "originals of unknown queries", f"there is no query '{id}'")


def _check_all_qrels(
    folder: Path,
    info: CollectionInfo | None,
    queries: Ids,
    documents: Ids,
    faults: Faults,
    progress: Progress,
) -> dict[str, int]:
    """Check the judgments of all splits; returns the number of each."""
    levels = {"0", *info.levels} if info else None
    counts: dict[str, int] = {}
    split_of: dict[str, str] = {}
    for split in Collection.split_names(folder):
        path = _file(folder, f"qrels/{split}.tsv", faults)
        if path is not None:
            counts[split] = _check_qrels(path, split, split_of, levels, queries, documents, faults, progress)
    if queries and not counts:
        message = "has no judgments: nothing can be trained or measured without qrels/train.tsv, dev.tsv or test.tsv"
        faults.add(folder / "qrels", None, "missing", message, "warning")
    unjudged = len(queries.keys() - split_of.keys())
    expected = info is not None and info.made_with.get(UNJUDGED) == unjudged  # the import said so
    if counts and unjudged and not expected:
        path = lines.find(folder, "queries.jsonl") or folder
        faults.add(
            path, None, "unjudged queries", f"{unjudged} queries have no judgments in any split", "warning"
        )
    return counts


def _check_qrels(
    path: Path, split: str, split_of: dict[str, str], levels: set[str] | None, queries: Ids, documents: Ids,
    faults: Faults, progress: Progress,
) -> int:  # fmt: skip
    pairs = array("q")
    count = 0
    leaked: set[str] = set()
    for number, (query, _, document, level) in rows(path, "query 0 document level", faults, progress):
        count += 1
        if split_of.setdefault(query, split) != split and query not in leaked:
            leaked.add(query)
            message = f"query '{query}' is also judged in {split_of[query]}: a query may be in only one split"
            faults.add(path, number, "queries in two splits", message)
        if not (level.isascii() and level.isdigit()) or len(level) > 4:
            faults.add(path, number, "bad levels", f"level '{level[:20]}' is not a whole number")
        elif levels is not None and level not in levels:
            faults.add(path, number, "undeclared levels", f"level {level} is not declared in {INFO}")
        in_query, in_document = queries.get(query), documents.get(document)
        if in_query is None:
            faults.add(path, number, "unknown queries", f"there is no query '{query}'")
        if in_document is None:
            faults.add(path, number, "unknown documents", f"there is no document '{document}'")
        if in_query is not None and in_document is not None:
            pairs.append(in_query << 32 | in_document)
    _check_repetitions(path, np.frombuffer(pairs, dtype=np.int64), queries, documents, faults)
    return count


def _check_repetitions(
    path: Path, pairs: np.ndarray[Any, np.dtype[np.int64]], queries: Ids, documents: Ids, faults: Faults
) -> None:
    """Pairs judged twice; the file is read again, for the line numbers, only if there are any."""
    ordered = np.sort(pairs)
    repeated = set(ordered[1:][ordered[1:] == ordered[:-1]].tolist())
    seen: set[int] = set()
    for number, (query, _, document, _) in rows(path, "query 0 document level", Faults()) if repeated else []:
        pair = queries.get(query, -1) << 32 | documents.get(document, 0)
        if pair in seen:
            faults.add(path, number, "pairs judged twice", f"judges {query} and {document} a second time")
        elif pair in repeated:
            seen.add(pair)


def _check_links(folder: Path, queries: Ids, documents: Ids, faults: Faults, progress: Progress) -> None:
    path = _file(folder, "links.tsv", faults)
    if path is None:
        return
    for number, (citing, cited, _) in rows(path, "citing cited kind", faults, progress):
        for id in (citing, cited):
            if id not in queries and id not in documents:
                message = f"there is no query or document '{id}'"
                faults.add(path, number, "links of unknown ids", message, "warning")


def _check_leaks(folder: Path, faults: Faults) -> None:
    """Only where nothing else is wrong with the files: what they say could not be read otherwise."""
    if faults.errors == 0 and (found := leaks.warning(Collection(folder))):
        path = lines.find(folder, leaks.OWN) or folder
        faults.add(path, None, "text of dev and test", found, "warning")


def _check_pairs(
    folder: Path, name: str, columns: str, faults: Faults, progress: Progress, once: bool = False
) -> None:
    """Two columns that are not empty; `once`: no two rows begin alike."""
    path, seen = _file(folder, name, faults), Ids()
    for number, row in rows(path, columns, faults, progress) if path else []:
        if once and seen.setdefault(row[0], number) != number:
            message = f"'{row[0][:60]}' is already in line {seen[row[0]]}"
            faults.add(path or folder, number, "rows that begin alike", message)
        if not all(column.strip() for column in row):
            faults.add(path or folder, number, "empty columns", "has an empty column", "warning")
