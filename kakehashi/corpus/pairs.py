"""Training pairs (query, positive, negative): sampled from judgments, kept on disk, read as a stream.

The file contains ids and numbers, but no text and no vectors, so any learner can use it.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, get_args

import msgspec
import numpy as np
from msgspec import Meta

from kakehashi.corpus import judged_pool, pair_draws
from kakehashi.corpus.columns import Column
from kakehashi.errors import FileError, InputError
from kakehashi.progress import SILENT, Progress
from kakehashi.store import META, Writer, read, strings_arrays
from kakehashi.types import Array, Qrels

KIND, VERSION = "pairs", 1
BLOCK = 1 << 18  # pairs drawn at a time: 4 MB
MOST_PER_QUERY = 1_000_000
Scheme = Literal["1", "2", "3", "4", "bootstrap", "graded"]
Margin = Literal["levels", "one"]


class PairSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How pairs are drawn.

    1           any query, one of its relevant documents, one that is not relevant
    2           any query, `per_query` such pairs
    3           each query in turn, in a new order every round; one pair for each relevant document
    4           each query in turn; each relevant document with every one that is not relevant
    bootstrap   as 2, but the negative is any document of a lower level than the positive
    graded      each query in turn; each relevant document with `irrelevant` ones that are not relevant and with
                every relevant one of a lower level
    """

    scheme: Annotated[
        Scheme,
        Meta(
            description="How pairs are drawn. `1`: any query, one pair. `2`: any query, `per_query` pairs. `3`: "
            "each query in turn, one pair for each relevant document. `4`: each query in turn, all its pairs. "
            "`bootstrap`: as `2`, but the negative is any document of a lower level than the positive. `graded`: "
            "each query in turn, each relevant document with `irrelevant` ones that are not relevant and with "
            "every relevant one of a lower level."
        ),
    ] = "3"
    pairs: Annotated[
        int,
        Meta(
            description="Number of pairs; sampling ends with the group that reaches it, so there may be a few more."
        ),
    ] = 500_000
    per_query: Annotated[
        int,
        Meta(
            description="Pairs each time a query is drawn, in schemes `2` and `bootstrap`; the others ignore it."
        ),
    ] = 10
    multipartite: Annotated[
        bool,
        Meta(description="Draw negatives equally often from every relevance level below the positive's."),
    ] = False
    margin: Annotated[
        Margin,
        Meta(
            description="By how much the two scores of a pair should differ: the difference of their relevance "
            "`levels`, or `one`."
        ),
    ] = "levels"
    seed: Annotated[
        int, Meta(description="Random seed; the same seed and the same data give the same result.")
    ] = 1
    irrelevant: Annotated[
        int,
        Meta(
            description="`scheme=graded`: documents that are not relevant, for each relevant one; 1 to 1,000."
        ),
    ] = 4

    def __post_init__(self) -> None:
        for name, value, known in (("scheme", self.scheme, Scheme), ("margin", self.margin, Margin)):
            if value not in get_args(known):
                raise InputError(f"{name} must be one of {', '.join(get_args(known))}, not {value!r}")
        if self.pairs < 1:
            raise InputError(f"pairs must be 1 or more, not {self.pairs}")
        if not 1 <= self.per_query <= MOST_PER_QUERY:
            raise InputError(f"per_query must be from 1 to {MOST_PER_QUERY}, not {self.per_query}")
        if not 1 <= self.irrelevant <= 1000:
            raise InputError(f"irrelevant must be from 1 to 1000, not {self.irrelevant}")
        if self.seed < 0:
            raise InputError(f"seed must be 0 or more, not {self.seed}")

    @property
    def group_size(self) -> int:
        """Pairs per draw of a query; 0 means as many as its relevant documents need."""
        return {"1": 1, "3": 0, "4": 0, "graded": 0}.get(self.scheme, self.per_query)

    @property
    def plan(self) -> pair_draws.Plan:
        """What a draw of a query brings."""
        irrelevant = {"4": pair_draws.ALL, "graded": self.irrelevant}.get(self.scheme, 0)
        return pair_draws.Plan(self.group_size, irrelevant, self.negatives)

    @property
    def negatives(self) -> int:
        """Which documents may be negatives; one of the kinds in `pair_draws`."""
        if self.multipartite:
            return pair_draws.LEVELS
        return pair_draws.LOWER if self.scheme in ("bootstrap", "graded") else pair_draws.UNLISTED


class PairBlock(NamedTuple):
    """Some consecutive groups; a group contains the pairs of one draw of a query."""

    queries: Array  # (groups,) int32, numbers into Pairs.query_ids
    starts: Array  # (groups + 1,) int64, group g holds pairs starts[g]:starts[g + 1] of this block
    positives: Array  # (pairs,) int32, numbers into Pairs.document_ids
    negatives: Array  # (pairs,) int32
    margins: Array  # (pairs,) float32


class Pairs:
    """Sampled pairs on disk; many learners can read one folder at once."""

    def __init__(self, folder: Path):
        self.folder = folder
        self._artifact = read(folder, KIND, VERSION)
        self._artifact.map_all()
        meta, array = self._artifact.meta, self._artifact.array
        try:
            self.settings = msgspec.convert(meta.settings, PairSettings)
            self.counts: Mapping[str, int] = msgspec.convert(meta.made_from, dict[str, int])
        except (msgspec.ValidationError, InputError) as error:
            raise self._damaged(str(error)) from None
        self.query_ids, self.document_ids = (
            self._artifact.strings("queries"),
            self._artifact.strings("documents"),
        )
        self._queries, self._starts = array("group.queries"), array("group.starts")
        self._positives, self._negatives, self._margins = map(array, ("positives", "negatives", "margins"))
        self.n_groups, self.n_pairs = len(self._queries), len(self._positives)
        sizes = {len(self._negatives), len(self._margins), *self._starts[-1:].tolist()}
        if len(self._starts) != self.n_groups + 1 or sizes != {self.n_pairs}:
            raise self._damaged("its arrays differ in length")

    def blocks(self, groups: int = 4096, part: int = 0, parts: int = 1) -> Iterator[PairBlock]:
        """All pairs in file order, or those of one of several equal parts, this many groups at a time; copies."""
        if groups < 1:
            raise InputError(f"a block needs 1 group or more, not {groups}")
        end = self.n_groups * (part + 1) // parts
        for first in range(self.n_groups * part // parts, end, groups):
            last = min(first + groups, end)
            starts = np.array(self._starts[first : last + 1])
            pairs = slice(int(starts[0]), int(starts[-1]))
            block = PairBlock(
                np.array(self._queries[first:last]),
                starts - starts[0],
                np.array(self._positives[pairs]),
                np.array(self._negatives[pairs]),
                self._margins[pairs].astype(np.float32),
            )
            self._check(block)
            yield block

    def _check(self, block: PairBlock) -> None:
        """The compiled loops of a learner trust these numbers, so none may point outside its array."""
        limits = (block.queries, self.query_ids), (block.positives, self.document_ids)
        for numbers, ids in (*limits, (block.negatives, self.document_ids)):
            if numbers.min(initial=0) < 0 or numbers.max(initial=0) >= len(ids):
                raise self._damaged("a number has no id")
        if (np.diff(block.starts) < 0).any() or block.starts[-1] != len(block.positives):
            raise self._damaged("its groups overlap")

    def _damaged(self, what: str) -> FileError:
        return FileError(self.folder / META, None, f"the pairs are damaged ({what}): sample them again")


def sample_pairs(
    folder: Path,
    qrels: Qrels,
    documents: Sequence[str],
    settings: PairSettings,
    progress: Progress = SILENT,
    hard: pair_draws.Hard | None = None,
) -> Pairs:
    """Draw pairs and write them to `folder`; positives and negatives come from the pool `documents`.

    Queries are used in ascending order of ids, so the order of judgments in their file does not matter. A share of
    the negatives may be replaced by `hard` ones.
    """
    if hard and settings.negatives != pair_draws.UNLISTED:
        raise InputError(
            "hard negatives are not relevant at all: set scheme=3 and multipartite=false, or hard=0"
        )
    queries = sorted(qrels)
    judgments = judged_pool.read_judgments(
        qrels, queries, documents, settings.negatives != pair_draws.UNLISTED
    )
    counts = _counts(judgments)
    if not len(judgments.usable):
        raise InputError(
            f"no pair can be sampled: of {len(queries)} queries {counts['queries_without_positive']} have no"
            f" relevant document among the {len(documents)} of the pool and"
            f" {counts['queries_without_negative']} no less relevant one:"
            " give judgments and documents of the same collection"
        )
    usable = [queries[i] for i in judgments.usable.tolist()]
    blocks = draw_blocks(judgments, settings, np.random.default_rng(settings.seed))
    if hard:
        blocks = _hardened(blocks, hard, usable, np.random.default_rng([settings.seed, 1]))
    with Writer(folder, KIND, VERSION) as writer:
        writer.put(strings_arrays("queries", usable))
        writer.put(strings_arrays("documents", documents))
        _draw(writer, blocks, settings.pairs, progress)
        writer.commit(msgspec.to_builtins(settings), counts, settings.seed)
    return Pairs(folder)


def _counts(judgments: judged_pool.Judgments) -> dict[str, int]:
    n_queries, used = len(judgments.firsts), len(judgments.usable)
    without_positive = int((np.diff(judgments.starts) == 0).sum())
    return {
        "queries": n_queries,
        "queries_used": used,
        "queries_without_positive": without_positive,
        "queries_without_negative": n_queries - used - without_positive,
        "documents": judgments.n_documents,
        "relevant_outside_pool": judgments.outside,
        "relevant_to_themselves": judgments.own,
    }


def draw_blocks(
    judgments: judged_pool.Judgments, settings: PairSettings, rng: np.random.Generator
) -> Iterator[PairBlock]:
    """Groups of pairs until there are enough; arrays are reused for the next block."""
    turns, plan = pair_draws.first_turns(judgments), settings.plan
    block = pair_draws.new_block(judgments, plan, BLOCK)
    done = 0
    while done < settings.pairs:
        groups, pairs = pair_draws.draw_groups(rng, judgments, turns, plan, settings.pairs - done, block)
        margins = block.margins[:pairs] if settings.margin == "levels" else np.ones(pairs)
        starts = np.append(0, block.ends[:groups])
        yield PairBlock(
            block.queries[:groups], starts, block.positives[:pairs], block.negatives[:pairs], margins
        )
        done += pairs


def _hardened(
    blocks: Iterator[PairBlock], hard: pair_draws.Hard, queries: Sequence[str], rng: np.random.Generator
) -> Iterator[PairBlock]:
    lists = hard.of(queries)
    for block in blocks:
        draws = rng.random(len(block.negatives)) / hard.share
        pair_draws.harden(block.queries, block.starts, block.negatives, draws, *lists)
        yield block


def draw_pairs(
    judgments: judged_pool.Judgments, settings: PairSettings, rng: np.random.Generator
) -> PairBlock:
    """All of them at once, for samples that fit in memory."""
    blocks = [PairBlock(*map(np.copy, block)) for block in draw_blocks(judgments, settings, rng)]
    sizes = np.concatenate([np.diff(block.starts) for block in blocks])
    return PairBlock(
        np.concatenate([block.queries for block in blocks]),
        np.append(0, np.cumsum(sizes)).astype(np.int64),
        np.concatenate([block.positives for block in blocks]),
        np.concatenate([block.negatives for block in blocks]),
        np.concatenate([block.margins for block in blocks]).astype(np.float32),
    )


def _draw(writer: Writer, blocks: Iterator[PairBlock], wanted: int, progress: Progress) -> None:
    progress.start("sample pairs", wanted)
    with ExitStack() as stack:
        stack.callback(progress.finish)

        def column(name: str, dtype: type) -> Column:
            return stack.enter_context(Column(writer.path(name), dtype))

        queries, starts = column("group.queries", np.int32), column("group.starts", np.int64)
        positives, negatives = column("positives", np.int32), column("negatives", np.int32)
        margins = column("margins", np.uint8)
        starts.append(np.zeros(1))
        done = 0
        for block in blocks:
            queries.append(block.queries)
            starts.append(block.starts[1:] + done)
            positives.append(block.positives)
            negatives.append(block.negatives)
            margins.append(block.margins)
            done += len(block.positives)
            progress.advance(len(block.positives))
