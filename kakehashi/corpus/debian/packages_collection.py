"""Package descriptions as a collection: translated source packages as queries, English ones as documents."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from kakehashi.corpus.collection import CollectionInfo
from kakehashi.corpus.debian.packages_index import Binary
from kakehashi.corpus.debian.packages_texts import Source, Translated, read_sources
from kakehashi.corpus.debian.references import References
from kakehashi.corpus.debian.splits import split_of
from kakehashi.corpus.held_out import HeldOut
from kakehashi.corpus.writing import CollectionWriter
from kakehashi.types import Qrels, Text

LEVELS = {
    "3": "the same source package",
    "2": "mutual references, Enhances, or alternatives",
    "1": "depended on, recommended or suggested",
}


class PackagesCollection:
    """The collection in memory, before it is written; `counts` reports how it was built."""

    def __init__(
        self,
        language: str,
        binaries: Mapping[str, Binary],
        english: Mapping[str, str],
        translations: Mapping[str, str],
        masked: bool = True,
    ):
        self.language, self.masked = language, masked
        self.sources = read_sources(binaries, english, translations, masked)
        self.references = References()
        source_of = {name: binary.source for name, binary in binaries.items()}
        for binary in binaries.values():
            self.references.add(binary.source, binary.relations, source_of)
        self.links = self.references.telling(self.sources)
        self.queries = {name: source.translated for name, source in self.sources.items() if source.translated}
        self._pairs = dict.fromkeys(pair for query in self.queries.values() for pair in query.pairs)
        self.parallel = list(self._held_out().without(self._training_pairs()))

    @property
    def counts(self) -> dict[str, int]:
        splits = Counter(map(split_of, self.queries))
        return {
            "documents": len(self.sources),
            "links": sum(map(len, self.links.values())),
            "queries": len(self.queries),
            **{f"queries in {split}": splits[split] for split in ("train", "dev", "test")},
            "queries with links": sum(bool(self.links[name]) for name in self.queries),
            "paragraph pairs": len(self._pairs),
            "pairs dropped (in dev or test)": len(self._pairs) - len(self.parallel),
            "pairs kept": len(self.parallel),
        }

    def write(self, folder: Path, made_with: Mapping[str, str], force: bool = False) -> None:
        with CollectionWriter(folder, self._info(made_with), force) as writer:
            for source in self.sources.values():
                writer.document(
                    Text(source.name, "en", "\n".join(source.passages), source.title, _meta(source))
                )
            for name, query in self.queries.items():
                meta = {**_meta(self.sources[name]), "links": len(self.links[name])}
                key = self.query_id(name)
                writer.query(Text(key, self.language, "\n".join(query.passages), query.titles[0], meta))
                writer.original(Text(key, "en", "\n".join(query.originals), query.titles[1], meta))
            for split in ("train", "dev", "test"):
                writer.qrels(split, self._qrels(split))
            for here, there in self.parallel:
                writer.parallel(here, there)
            for citing, cited, kind in self._training_links():
                writer.link(citing, cited, kind)
            for tag in sorted({tag for source in self.sources.values() for tag in _tags(source)}):
                writer.class_edge(tag, tag.split("::")[0])

    def query_id(self, name: str) -> str:
        return f"{self.language}/{name}"

    def _qrels(self, split: str) -> Qrels:
        chosen = [name for name in self.queries if split_of(name) == split]
        return {self.query_id(name): {name: 3, **self._levels(name)} for name in chosen}

    def _levels(self, name: str) -> dict[str, int]:
        return {target: self.references.level(name, target) for target in self.links[name]}

    def _training_pairs(self) -> list[tuple[str, str]]:
        training = (query.pairs for name, query in self.queries.items() if split_of(name) == "train")
        return list(dict.fromkeys(pair for pairs in training for pair in pairs))

    def _held_out(self) -> HeldOut:
        held = HeldOut()
        for name, query in self.queries.items():
            if split_of(name) != "train":
                for passage in _everything(query):
                    held.add(passage)
        return held

    def _training_links(self) -> Iterator[tuple[str, str, str]]:
        """Links from dev and test packages are the judgments to be found, so they are left out."""
        for name, targets in self.links.items():
            if split_of(name) == "train":
                for target, kinds in targets.items():
                    for kind in sorted(kinds):
                        yield name, target, kind

    def _info(self, made_with: Mapping[str, str]) -> CollectionInfo:
        return CollectionInfo(
            name=f"packages-{self.language}" + ("" if self.masked else "-unmasked"),
            source_language=self.language,
            target_language="en",
            description="Package descriptions; " + ("names and code masked" if self.masked else "unmasked"),
            licence="that of each package; the translations are the Debian Description Translation Project's",
            levels=LEVELS,
            mate_level=3,
            fields={"section": "keyword", "tags": "keyword", "maintainer": "keyword", "links": "number"},
            made_with=dict(made_with),
        )


def _everything(query: Translated) -> Iterator[str]:
    yield from query.titles
    yield from query.passages
    yield from query.originals
    for pair in query.pairs:
        yield from pair


def _tags(source: Source) -> list[str]:
    return sorted({tag for binary in source.binaries for tag in binary.tags})


def _meta(source: Source) -> dict[str, object]:
    sections = sorted({binary.section for binary in source.binaries if binary.section})
    return {"section": sections, "tags": _tags(source), "maintainer": source.binaries[0].maintainer}
