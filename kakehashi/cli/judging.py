"""How `evaluate` and `compare` judge runs: the judgments, what their collection tells about them, and groups."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from kakehashi.errors import FileError, InputError

if TYPE_CHECKING:
    from kakehashi.evaluation.measures import Measure
    from kakehashi.evaluation.scores import Scores
    from kakehashi.types import Qrels, Run

MEASURES = "MAP, NDCG, PRES@1000, R@1000, P@10, MRR"
MATE_MEASURES = "MAP-mate, PRES@1000-mate"
CITED_MEASURES = "R@100:cited, R@100:new"
GROUP_MEASURES, GROUP_MATE_MEASURES = "MAP, PRES@1000, R@100", "MAP, MAP-mate, R@100-mate"


class By(StrEnum):
    """What results can be grouped by."""

    cited = "cited"
    length = "length"


@dataclass(frozen=True)
class Judging:
    """Judgments and how they count."""

    path: Path  # of the judgments
    level: int
    given_mates: int | None
    trained_on: Path | None  # training judgments; by default those beside the file
    queries: Path | None  # texts of the queries; by default those of the collection
    answered_only: bool

    @cached_property
    def _judged(self) -> "tuple[Qrels, int | None]":
        return judgments(self.path, self.given_mates)

    @property
    def qrels(self) -> "Qrels":
        return self._judged[0]

    @property
    def mates(self) -> int | None:
        return self._judged[1]

    @cached_property
    def cited(self) -> frozenset[str] | None:
        """Documents that training judgments call relevant; None if there are no such judgments."""
        from kakehashi.corpus import lines, trec
        from kakehashi.corpus.splits import TRAIN, citations_received

        path = self.trained_on or lines.find(self.path.absolute().parent, f"{TRAIN}.tsv")
        if path is None or (self.trained_on is None and path.samefile(self.path)):
            return None
        return frozenset(citations_received(trec.read_qrels(path), self.mates))

    @cached_property
    def words(self) -> Mapping[str, int]:
        """Query -> number of its words."""
        from kakehashi.corpus.collection import Collection
        from kakehashi.corpus.query_files import read_queries
        from kakehashi.text.counting import word_counts

        folder = collection_of(self.path)
        if self.queries is not None:
            lang = Collection(folder).info.source_language if folder else "und"
            return word_counts(read_queries(self.queries, lang))
        if folder is None:
            raise InputError(
                f"{self.path} does not lie in a collection: give the queries with --queries FILE"
            )
        judged = self.qrels
        return word_counts(text for text in Collection(folder).queries() if text.id in judged)

    def measure(self, run: "Run", measures: "Sequence[Measure]") -> "Scores":
        from kakehashi.evaluation.scores import evaluate

        asked = any(measure.subset in (":cited", ":new") for measure in measures)
        return evaluate(
            self.qrels,
            run,
            measures,
            level=self.level,
            mate_level=self.mates,
            cited=self.cited if asked else None,
            answered_only=self.answered_only,
        )

    def groups(self, by: By, run: "Run", measures: "Sequence[Measure]") -> "dict[str, Scores]":
        """A run's scores by group; the first group is everything."""
        from kakehashi.evaluation.groups import by_cited, by_length

        if by is By.length:
            return by_length(self.measure(run, measures), self.words)
        return by_cited(lambda some: self.measure(run, some), measures, self.mates is not None)

    def default_measures(self, by: By | None = None) -> list[str]:
        """With and without mates if both are known: finding a mate is easy, and the only task of some queries."""
        judged = {(doc, level) for query in self.qrels.values() for doc, level in query.items()}
        levels = {level for _, level in judged}
        others = any(self.level <= level != self.mates for level in levels)
        has_mates = self.mates in levels and others
        if by is not None:
            return [GROUP_MATE_MEASURES if has_mates and by is By.length else GROUP_MEASURES]
        found = [MEASURES, *([MATE_MEASURES] if has_mates else [])]
        if self.cited is not None:
            known = {doc in self.cited for doc, level in judged if self.level <= level != self.mates}
            found += [CITED_MEASURES] if len(known) == 2 else []
        return found


def judgments(path: Path, mate_level: int | None) -> "tuple[Qrels, int | None]":
    """The judgments, and the mate level as given or as defined by their collection."""
    from kakehashi.corpus import collection, trec

    if path.is_dir():
        found = sorted(str(file) for file in path.glob("qrels/*"))
        raise FileError(
            path, None, f"is a folder: give a file of judgments{', such as ' + found[0] if found else ''}"
        )
    if mate_level is None and (folder := collection_of(path)):
        mate_level = collection.read_info(folder).mate_level
    return trec.read_qrels(path), mate_level


def collection_of(path: Path) -> Path | None:
    """The collection that a file of judgments belongs to, if any."""
    from kakehashi.corpus import collection

    folder = path.absolute().parent.parent
    is_inside = path.absolute().parent.name == "qrels" and (folder / collection.INFO).is_file()
    return folder if is_inside else None
