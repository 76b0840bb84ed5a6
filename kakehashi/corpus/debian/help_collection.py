"""LibreOffice's help as a collection: pages of one language as queries, English pages as documents."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kakehashi.corpus.collection import CollectionInfo
from kakehashi.corpus.debian.help_folder import JOIN
from kakehashi.corpus.debian.help_page import Page
from kakehashi.corpus.debian.splits import split_of
from kakehashi.corpus.held_out import HeldOut
from kakehashi.corpus.parallel_text.cleaning import same_letters
from kakehashi.corpus.writing import CollectionWriter
from kakehashi.types import Qrels, Text

SHORTEST_PAGE = 12  # minimum words of an English page; a shorter one is a stub that only points elsewhere
MOST_UNTRANSLATED = 0.3  # maximum share of a page's characters in blocks that equal the English ones
SHORT_BLOCKS = 2
LEVELS = {"3": "the same page in English", "2": "linked in both directions", "1": "linked from the page"}
Pair = tuple[str, str]  # (source, target)


@dataclass(frozen=True)
class Aligned:
    """One page in both languages: title and translated blocks in pairs."""

    id: str
    title: Pair
    blocks: tuple[Pair, ...]  # without blocks that are the same in both languages
    untranslated: float  # share of the page's characters

    @property
    def title_translated(self) -> bool:
        return not same_letters(*self.title)

    @property
    def pairs(self) -> tuple[Pair, ...]:
        return (self.title, *self.blocks) if self.title_translated else self.blocks


def english_pages(pages: Mapping[str, Page]) -> dict[str, Page]:
    """The pages with enough text to be documents."""
    return {name: page for name, page in pages.items() if _words(page) >= SHORTEST_PAGE}


def align(page: Page, english: Page) -> Aligned:
    """Blocks are paired by element id; ids that repeat on a page (an inserted passage) are paired in order."""
    originals = dict(_numbered(english))
    blocks, same, total = [], 0, 0
    for key, text in _numbered(page):
        total += len(text)
        original = originals.get(key)
        if original is None:
            continue
        if same_letters(text, original):
            same += len(text)
        else:
            blocks.append((text, original))
    return Aligned(page.id, (page.title, english.title), tuple(blocks), same / total if total else 1.0)


def relevant(pages: Mapping[str, Page]) -> dict[str, dict[str, int]]:
    """Page -> {linked page: level}: 2 if the link is mutual, otherwise 1."""
    out = {name: {target for target in page.links if target in pages} for name, page in pages.items()}
    return {name: {target: 2 if name in out[target] else 1 for target in sorted(out[name])} for name in pages}


class HelpCollection:
    """The collection in memory, before it is written; `counts` reports how it was built."""

    def __init__(
        self,
        language: str,
        english: Mapping[str, Page],
        translated: Mapping[str, Page],
        places: Mapping[str, list[str]],
        short: bool = False,
    ):
        self.language, self.places, self.short = language, places, short
        self.documents = english_pages(english)
        self.relevant = relevant(self.documents)
        aligned = [
            align(translated[name], page) for name, page in self.documents.items() if name in translated
        ]
        self.queries = [page for page in aligned if page.blocks and page.untranslated < MOST_UNTRANSLATED]
        self._pairs = list(dict.fromkeys(pair for page in aligned for pair in page.pairs))
        self.parallel = list(self._held_out(self.queries).without(self._training_pairs(aligned)))

    @property
    def counts(self) -> dict[str, int]:
        splits = Counter(split_of(query.id) for query in self.queries)
        return {
            "documents": len(self.documents),
            "links": sum(map(len, self.relevant.values())),
            "queries": len(self.queries),
            **{f"queries in {split}": splits[split] for split in ("train", "dev", "test")},
            "queries with links": sum(bool(self.relevant[query.id]) for query in self.queries),
            "paragraph pairs": len(self._pairs),
            "pairs dropped (in dev or test)": len(self._pairs) - len(self.parallel),
            "pairs kept": len(self.parallel),
        }

    def write(self, folder: Path, made_with: Mapping[str, str], force: bool = False) -> None:
        with CollectionWriter(folder, self._info(made_with), force) as writer:
            for page in self.documents.values():
                text = "\n".join(text for _, text in page.blocks if text != page.title)
                writer.document(Text(page.id, "en", text, page.title, self._meta(page.id)))
            for query in self.queries:
                meta = {**self._meta(query.id), "links": len(self.relevant[query.id])}
                writer.query(self._side(query, 0, self.language, meta))
                writer.original(self._side(query, 1, "en", meta))
            for split in ("train", "dev", "test"):
                writer.qrels(split, self._qrels(split))
            for source, target in self.parallel:
                writer.parallel(source, target)
            for citing, cited, kind in self._links():
                writer.link(citing, cited, kind)
            for child, parent in self._class_edges():
                writer.class_edge(child, parent)

    def query_id(self, page: str) -> str:
        return f"{self.language}/{page}"

    def _side(self, query: Aligned, side: int, lang: str, meta: dict[str, object]) -> Text:
        """The query (side 0) or the English text of exactly the same blocks (side 1)."""
        title = query.title[side] if query.title_translated else ""
        blocks = [pair for pair in query.blocks if pair != query.title]
        shown = blocks[:SHORT_BLOCKS] if self.short else blocks
        return Text(self.query_id(query.id), lang, "\n".join(pair[side] for pair in shown), title, meta)

    def _qrels(self, split: str) -> Qrels:
        chosen = [query.id for query in self.queries if split_of(query.id) == split]
        return {self.query_id(name): {name: 3, **self.relevant[name]} for name in chosen}

    def _training_pairs(self, aligned: list[Aligned]) -> list[Pair]:
        """Pairs of pages that are not dev or test queries, each once."""
        held = {query.id for query in self.queries if split_of(query.id) != "train"}
        return list(dict.fromkeys(pair for page in aligned if page.id not in held for pair in page.pairs))

    def _held_out(self, queries: list[Aligned]) -> HeldOut:
        held = HeldOut()
        for query in queries:
            if split_of(query.id) != "train":
                for pair in (query.title, *query.blocks):
                    held.add(pair[0])
                    held.add(pair[1])
        return held

    def _links(self) -> Iterator[tuple[str, str, str]]:
        """Links from dev and test pages are the judgments to be found, so they are left out."""
        for name, targets in self.relevant.items():
            if split_of(name) == "train":
                for target, level in targets.items():
                    yield name, target, "mutual" if level == 2 else "link"

    def _class_edges(self) -> list[tuple[str, str]]:
        """Every contents node with its parent, and every directory with its parent."""
        places = {place for name in self.documents for place in self.places.get(name, [])}
        directories = {page.directory for page in self.documents.values()}
        edges = {edge for place in places for edge in _ancestry(place, JOIN)}
        return sorted(edges | {edge for directory in directories for edge in _ancestry(directory, "/")})

    def _meta(self, name: str) -> dict[str, object]:
        page = self.documents[name]
        return {"module": page.module, "directory": page.directory, "contents": self.places.get(name, [])}

    def _info(self, made_with: Mapping[str, str]) -> CollectionInfo:
        return CollectionInfo(
            name=f"help-{self.language}" + ("-short" if self.short else ""),
            source_language=self.language,
            target_language="en",
            description="LibreOffice help pages; "
            + ("title and first two blocks" if self.short else "whole pages"),
            licence="MPL-2.0",
            levels=LEVELS,
            mate_level=3,
            fields={"module": "keyword", "directory": "keyword", "contents": "keyword", "links": "number"},
            made_with=dict(made_with),
        )


def _numbered(page: Page) -> Iterator[tuple[tuple[str, int], str]]:
    seen: Counter[str] = Counter()
    for name, text in page.blocks:
        seen[name] += 1
        yield (name, seen[name]), text


def _words(page: Page) -> int:
    return sum(len(text.split()) for _, text in page.blocks)


def _ancestry(place: str, join: str) -> Iterator[tuple[str, str]]:
    while join in place:
        parent = place.rpartition(join)[0]
        yield place, parent
        place = parent
