"""Builds the collection folder of the world; the same seed gives the same bytes."""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.random import Generator

from kakehashi.corpus.collection import CollectionInfo, FieldKind
from kakehashi.corpus.world import symbols
from kakehashi.corpus.world.citing import APPLICANT, EXAMINER, Citations, cite
from kakehashi.corpus.world.glossary import glossary
from kakehashi.corpus.world.inventions import Inventions, draw_inventions
from kakehashi.corpus.world.judging import judge
from kakehashi.corpus.world.people import Cast, cast
from kakehashi.corpus.world.publishing import (
    Members,
    choose_queries,
    family_sizes,
    first_published,
    priority_days,
    publish,
)
from kakehashi.corpus.world.records import Records, draws
from kakehashi.corpus.world.topics import Topics, make_topics
from kakehashi.corpus.world.writing_room import WritingRoom
from kakehashi.corpus.writing import CollectionWriter, refuse_to_overwrite
from kakehashi.errors import InputError
from kakehashi.progress import SILENT, Progress, track
from kakehashi.types import Longs, Qrels, Text

MIN_DOCUMENTS, MAX_DOCUMENTS = 500, 2_000_000
DESCRIPTION = (
    "A synthetic bilingual patent collection: every invention, person, firm and text is invented. "
    "Japanese patents are the queries, English patents the documents; the citations follow topic, class, "
    "inventor and applicant. Made from a glossary and grammars written for this project."
)
LEVELS = {"3": "same patent family", "2": "cited by the examiner", "1": "cited by the applicant"}
_KEYWORDS = ("ipc", "inventors", "applicants", "independent", "country", "state", "city", "family", "office")
_DATES = ("filing", "priority", "publication")
FIELDS: dict[str, FieldKind] = {
    **dict.fromkeys(_KEYWORDS, "keyword"),
    "claims": "number",
    **dict.fromkeys(_DATES, "date"),
}
_SENTENCE_END = re.compile(r"(?<=。)|(?<=\.) |【[^】]*】")
KINDS = {EXAMINER: "examiner", APPLICANT: "applicant"}


@dataclass(frozen=True)
class World:
    """Everything that is decided before a text is written."""

    topics: Topics
    inventions: Inventions
    who: Cast
    priority: Longs
    members: Members
    first: Longs  # (inventions,) earliest English member
    citations: Citations
    queries: dict[str, Longs]  # split -> inventions


def build_world(
    folder: Path | str,
    documents: int = 20_000,
    seed: int = 7,
    progress: Progress = SILENT,
    force: bool = False,
) -> None:
    """Write a synthetic Japanese-English patent collection with this many English documents."""
    if not MIN_DOCUMENTS <= documents <= MAX_DOCUMENTS:
        raise InputError(f"{documents} documents: choose {MIN_DOCUMENTS} to {MAX_DOCUMENTS}")
    if seed < 0:
        raise InputError(f"seed {seed} is negative: choose 0 or more")
    refuse_to_overwrite(Path(folder), force)
    # independent streams, so that a change in one kind of draw does not affect the others
    decide, write, teach = (np.random.default_rng([seed, stream]) for stream in range(3))
    world = make_world(documents, decide, progress)
    room = WritingRoom(world.topics, world.inventions)
    info = CollectionInfo(
        name="Synthetic patent world",
        source_language="ja",
        target_language="en",
        description=DESCRIPTION,
        licence="Apache-2.0",
        synthetic=True,
        levels=LEVELS,
        mate_level=3,
        fields=FIELDS,
        made_with={"command": "data get world", "documents": documents, "seed": seed},
    )
    with CollectionWriter(folder, info, force) as writer:
        records = Records(world.inventions, world.topics, world.who, world.priority, world.members)
        _write_documents(writer, world, records, room, write, progress)
        held_out = _write_queries(writer, world, records, room, write, progress)
        _write_links(writer, world, records, write)
        _write_parallel(writer, world.topics, documents, held_out, teach, progress)
        for child, parent in symbols.class_edges(world.topics):
            writer.class_edge(child, parent)
        for code, title in symbols.class_titles():
            writer.class_title(code, title)


def make_world(documents: int, rng: Generator, progress: Progress = SILENT) -> World:
    words = glossary()
    per_subclass = int(np.clip(round(documents / len(words.subclasses) / 60), 1, 6))
    topics = make_topics(words, per_subclass, rng)
    sizes = family_sizes(documents, rng)
    inventions = draw_inventions(topics, len(sizes), rng)
    who = cast(inventions.topic, len(topics), rng)
    priority = priority_days(len(sizes), rng)
    members = publish(sizes, priority, rng)
    first, published = first_published(members, len(sizes))
    citations = cite(inventions, topics, who, priority, published, rng, progress)
    return World(
        topics, inventions, who, priority, members, first, citations, choose_queries(priority, documents, rng)
    )


def _write_documents(
    writer: CollectionWriter,
    world: World,
    records: Records,
    room: WritingRoom,
    rng: Generator,
    progress: Progress,
) -> None:
    rows = world.members.invention
    chance = draws(rng, len(rows))
    for i, text in enumerate(track(room.english(rows, rng), "documents", len(rows), progress)):
        meta = {**records.of_document(i, chance[i]), "first_claim": text.claim}
        writer.document(Text(world.members.id(i), "en", text.abstract, text.title, meta))


def _write_queries(
    writer: CollectionWriter,
    world: World,
    records: Records,
    room: WritingRoom,
    rng: Generator,
    progress: Progress,
) -> set[str]:
    """Queries, their English originals and their judgments; returns every sentence of dev and test."""
    rows = np.sort(np.concatenate(list(world.queries.values())))
    chance = draws(rng, len(rows))
    originals = room.english(rows, rng.spawn(1)[0])
    learnable = set(world.queries["train"].tolist())
    held_out: set[str] = set()
    texts = track(room.japanese(rows, rng), "queries", len(rows), progress)
    for i, (row, text, original) in enumerate(zip(rows.tolist(), texts, originals, strict=True)):
        writer.query(Text(query_id(row), "ja", text.abstract, text.title, records.of_query(row, chance[i])))
        writer.original(Text(query_id(row), "en", original.abstract, original.title))
        if row not in learnable:
            held_out.update(sentences(text.abstract), sentences(original.abstract))
    for split, chosen in world.queries.items():
        writer.qrels(split, _judgments(world, records, chosen))
    return held_out


def sentences(abstract: str) -> list[str]:
    """The sentences of an abstract in either language, without Japanese headings."""
    return [sentence.strip() for sentence in _SENTENCE_END.split(abstract)]


def query_id(invention: int) -> str:
    return f"JP-S{invention + 1:07d}"


def _judgments(world: World, records: Records, chosen: Longs) -> Qrels:
    citations = world.citations
    qrels = {}
    for row in chosen.tolist():
        low, high = np.searchsorted(citations.citing, [row, row + 1])
        cited = zip(citations.cited[low:high].tolist(), citations.level[low:high].tolist(), strict=True)
        qrels[query_id(row)] = judge(records.family(row), [(records.family(c), level) for c, level in cited])
    return qrels


def _write_links(writer: CollectionWriter, world: World, records: Records, rng: Generator) -> None:
    """Citations of the queries, and of documents outside the families of dev and test queries.

    The English members of a dev or test query have similar citations: their links would reveal its answers.
    """
    citations, members = world.citations, world.members
    asked = np.zeros(len(world.inventions), dtype=bool)
    hidden = asked.copy()
    for split, chosen in world.queries.items():
        asked[chosen] = True
        hidden[chosen] = split != "train"
    mentioned = rng.random(len(citations.citing)) < 0.6
    rows = zip(
        citations.citing.tolist(), citations.cited.tolist(), citations.level.tolist(), mentioned, strict=True
    )
    for citing, cited, level, also in rows:
        target = members.id(int(world.first[cited]))
        if asked[citing]:
            writer.link(query_id(citing), target, KINDS[level])
        if also and not hidden[citing]:
            writer.link(members.id(int(world.first[citing])), target, KINDS[level])
    for row in np.flatnonzero(asked).tolist():
        for mate in records.family(row):
            writer.link(query_id(row), mate, "family")


def _write_parallel(
    writer: CollectionWriter,
    topics: Topics,
    documents: int,
    held_out: set[str],
    rng: Generator,
    progress: Progress,
) -> None:
    """Sentence pairs of separate inventions; none repeats a sentence of dev or test, even by chance."""
    n = max(1_000, documents // 4)
    others = draw_inventions(topics, n, rng)
    pairs = WritingRoom(topics, others).sentence_pairs(np.arange(n), rng)
    for source, target in track(pairs, "parallel sentences", None, progress):
        if source not in held_out and target not in held_out:
            writer.parallel(source, target)
