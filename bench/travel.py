"""How far models travel: trained on one collection, used on another without its judgments and parallel text.

For each language the package descriptions and the help pages lend each other their models. A borrower has documents
alone when it is built; its queries and judgments are put beside them only to measure. This measures quality, not
speed, and needs a Debian archive.

    python bench/travel.py FOLDER [LANGUAGE ...]      prints the table of docs/little-data.md
"""

import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kakehashi.corpus.debian.build import build_help, build_packages
from kakehashi.evaluation.comparison import compare
from kakehashi.evaluation.measures import parse, parse_all
from kakehashi.evaluation.scores import Scores
from kakehashi.library import Library
from kakehashi.progress import SILENT, Progress
from kakehashi.training.measuring import measure_system

LANGUAGES = ("fr", "de", "ja")
KINDS = ("packages", "help")
TRAINED = ("translation", "bilinear", "lowrank", "dense")
MEASURES = ("MAP", "MAP-mate", "PRES@1000")
QUERIES = 500  # of the test split, evenly chosen
SYSTEMS = ("psq", "psq-hmm", "lowrank", "dense")
DOCUMENTS = ("collection.toml", "documents.jsonl", "classes.tsv")
JUDGED = ("queries.jsonl", "originals.jsonl", "qrels")


@dataclass(frozen=True)
class Reached:
    """Every system on one collection's test queries; `borrowed` systems never saw its judgments."""

    collection: str
    lender: str
    scores: dict[str, Scores]  # passthrough, monolingual, own SYSTEM, borrowed SYSTEM


def run(folder: Path, documents: int, progress: Progress) -> dict[str, Any]:
    """The collections are as large as they are; `documents` has no effect."""
    found = [one for language in LANGUAGES for one in travel(folder, language, progress)]
    figures: dict[str, Any] = {}
    for one in found:
        for system, scores in one.scores.items():
            for name, value in scores.means().items():
                figures[f"{one.collection} {system} {name}"] = round(value, 4)
    ratios = {
        f"{one.collection}_borrowed_vs_own": round(_mean(one, "borrowed dense") / _mean(one, "own dense"), 3)
        for one in found
    }
    return {"figures": figures, "ratios": ratios}


def travel(folder: Path, language: str, progress: Progress = SILENT) -> list[Reached]:
    """Both ways between the two collections of a language."""
    libraries = {f"{kind}-{language}": _built(folder, kind, language, progress) for kind in KINDS}
    names = list(libraries)
    return [
        _reached(folder, name, libraries[name], lender, libraries[lender], progress)
        for name, lender in (names, names[::-1])
    ]


def _built(folder: Path, kind: str, language: str, progress: Progress) -> Library:
    place = folder / f"{kind}-{language}"
    if not place.exists():
        (build_packages if kind == "packages" else build_help)(place, language, progress=progress)
    library = Library(place)
    library.build(only=TRAINED, progress=progress)
    return library


def _reached(
    folder: Path, name: str, own: Library, lender: str, other: Library, progress: Progress
) -> Reached:
    scores = {name: _scores(own, name, progress) for name in ("passthrough", "monolingual")}
    scores |= {f"own {system}": _scores(own, system, progress) for system in SYSTEMS}
    borrower = _bare(own.folder, folder / f"{name}-from-{lender}")
    Library(borrower).build(lender=other.folder, progress=progress)
    for file in JUDGED:
        _copy(own.folder / file, borrower / file)
    judged = Library(borrower)
    scores |= {f"borrowed {system}": _scores(judged, system, progress) for system in SYSTEMS}
    return Reached(name, lender, scores)


def _bare(source: Path, place: Path) -> Path:
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    for file in DOCUMENTS:
        _copy(source / file, place / file)
    return place


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target)
    elif source.exists():
        shutil.copyfile(source, target)


def _scores(library: Library, system: str, progress: Progress) -> Scores:
    queries = "originals.jsonl" if system == "monolingual" else "queries.jsonl"
    split = library.split("test", QUERIES, queries)
    return measure_system(library.system(system), split, parse_all(MEASURES), progress=progress)


def _mean(one: Reached, system: str, measure: str = "MAP") -> float:
    return one.scores[system].mean(parse(measure))


def table(found: Sequence[Reached]) -> list[str]:
    """MAP, then MAP with the query's own translation left out; p of borrowed `dense` against monolingual."""
    lines = []
    for one in found:
        lines += [
            f"{one.collection}, {len(one.scores['monolingual'].queries)} test queries, lender {one.lender}"
        ]
        for system, scores in one.scores.items():
            means = "  ".join(f"{scores.mean(parse(measure)):.4f}" for measure in MEASURES)
            lines.append(f"  {system:<18}{means}")
        for other in ("passthrough", "monolingual", "own dense"):
            pair = [one.scores["borrowed dense"], one.scores[other]]
            for measure in MEASURES[:2]:
                [found_p] = compare(pair, parse(measure))
                lines.append(
                    f"  borrowed dense against {other}: {measure} {found_p.difference:+.4f}, p = {found_p.p:.2g}"
                )
    return lines


if __name__ == "__main__":
    place, *languages = sys.argv[1:]
    for language in languages or LANGUAGES:
        for line in table(travel(Path(place), language)):
            print(line, flush=True)
