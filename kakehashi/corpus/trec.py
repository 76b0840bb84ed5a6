"""Judgments and runs in TREC format, as trec_eval reads them; topics and documents are in `trec_text`.

qrels   query 0 document level              any white space between columns; # starts a comment line
run     query Q0 document rank score tag    the rank is ignored, as trec_eval does; so is what follows the tag
"""

import math
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from kakehashi.corpus import lines
from kakehashi.corpus.ids import refuse_bad_id
from kakehashi.corpus.writing import encoded
from kakehashi.errors import FileError, InputError
from kakehashi.types import Qrels, Run, in_order

_LEVEL = re.compile(r"-?[0-9]{1,4}")


def parse_level(path: Path, number: int, word: str) -> int:
    if not _LEVEL.fullmatch(word):
        raise FileError(path, number, f"level '{word[:20]}' is not a whole number")
    return int(word)


def add_judgment(qrels: Qrels, path: Path, number: int, query: str, document: str, level: int) -> None:
    """Repeating the same judgment is allowed; two levels for one pair are not."""
    judged = qrels.setdefault(query, {})
    if judged.setdefault(document, level) != level:
        message = f"judges {query} and {document} as {level}, but an earlier line as {judged[document]}"
        raise FileError(path, number, message)


def read_qrels(path: Path) -> Qrels:
    """Judgments by query; negative levels are kept unchanged."""
    qrels: Qrels = {}
    for number, line in lines.read_lines(path):
        columns = line.split()
        if not columns or line.startswith("#"):
            continue
        if len(columns) != 4:
            raise FileError(path, number, f"has {len(columns)} columns, needs 4: query 0 document level")
        query, _, document, level = columns
        add_judgment(qrels, path, number, query, document, parse_level(path, number, level))
    return qrels


def read_three_columns(path: Path, names: Sequence[str], titled: bool = False) -> Qrels:
    """Judgments in lines `query TAB document TAB level`; `titled` skips a header line."""
    qrels: Qrels = {}
    for number, line in lines.read_lines(path):
        columns = line.split("\t")
        if titled and number == 1 and columns == [*names]:
            continue
        if len(columns) != 3:
            message = f"has {len(columns)} tab-separated columns, needs 3: {' '.join(names)}"
            raise FileError(path, number, message)
        query, document, level = columns
        add_judgment(qrels, path, number, query, document, parse_level(path, number, level))
    return qrels


def write_qrels(path: Path, qrels: Qrels) -> None:
    """One line per judgment, in the order of the dictionary."""
    with lines.write_file(path) as file:
        for query, judged in qrels.items():
            _refuse(path, query)
            for document, level in judged.items():
                refuse_bad_id(str(path), document)
                file.write(encoded(f"{query} 0 {document} {level}\n", str(path)))


def read_run(path: Path, system: str | None = None) -> Run:
    """A run; its system is the tag of the first line unless another name is given."""
    scores: dict[str, dict[str, float]] = {}
    for number, line in lines.read_lines(path):
        columns = line.split()
        if not columns or line.startswith("#"):
            continue
        if len(columns) < 6:
            raise FileError(
                path, number, f"has {len(columns)} columns, needs 6: query Q0 document rank score tag"
            )
        query, _, document, _, score, tag = columns[:6]
        system = tag if system is None else system
        ranking = scores.setdefault(query, {})
        if document in ranking:
            raise FileError(path, number, f"ranks {document} for query {query} a second time")
        ranking[document] = _score(path, number, score)
    rankings = {
        query: in_order(list(found), np.fromiter(found.values(), dtype=np.float64, count=len(found)))
        for query, found in scores.items()
    }
    return Run(system or path.name, rankings)


def _score(path: Path, number: int, word: str) -> float:
    try:
        score = float(word)
    except ValueError:
        score = math.nan
    if not math.isfinite(score) or "_" in word:
        raise FileError(path, number, f"score '{word[:20]}' is not a number")
    return score


def write_run(path: Path, run: Run) -> None:
    """Scores keep all their digits, so that a run reads back unchanged."""
    refuse_bad_id("run", run.system)
    with lines.write_file(path) as file:
        for query, ranking in run.rankings.items():
            _refuse(path, query)
            if not np.isfinite(ranking.scores).all():
                raise InputError(f"{path}: query {query} has a score that is not a number")
            for rank, (document, score) in enumerate(
                zip(ranking.docs, ranking.scores.tolist(), strict=True), 1
            ):
                refuse_bad_id(str(path), document)
                file.write(encoded(f"{query} Q0 {document} {rank} {score!r} {run.system}\n", str(path)))


def _refuse(path: Path, query: str) -> None:
    refuse_bad_id(str(path), query)
    if query.startswith("#"):
        raise InputError(f"{path}: query id {query[:60]!r} would read as a comment")
