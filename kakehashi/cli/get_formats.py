"""`kakehashi data get` for collections that exist as files in a published format."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from kakehashi.cli.progress import progress
from kakehashi.cli.terminal import say
from kakehashi.errors import InputError

if TYPE_CHECKING:
    from kakehashi.corpus.collection import CollectionInfo

DIR = typer.Argument(..., help="The collection folder to create.")
FROM = typer.Option(..., "--from", help="The folder with the published files.")
FORCE = typer.Option(False, "--force", help="Replace an existing collection.")
NAME = typer.Option("", "--name", help="Name of the collection; by default that of its source.")
SOURCE_LANGUAGE = typer.Option(..., "--source-language", help="Language of the queries, such as ja.")
TARGET_LANGUAGE = typer.Option(..., "--target-language", help="Language of the documents, such as en.")
ENGLISH_QUERIES = typer.Option("en", "--source-language", help="Language of the queries.")
ENGLISH_DOCUMENTS = typer.Option("en", "--target-language", help="Language of the documents.")
MATE_LEVEL = typer.Option(
    None, "--mate-level", help="Relevance level of documents that are translations of the query."
)


def newsgroups(
    folder: Path = DIR,
    archive: Path = typer.Option(..., "--from", help="20news-bydate.tar.gz."),
    force: bool = FORCE,
) -> None:
    """Import 20 Newsgroups: every post is a query, and the other posts of its group are relevant."""
    from kakehashi.corpus.newsgroups import import_newsgroups

    say(f"{folder}: {import_newsgroups(archive, folder, force, progress())}")


def beir(
    folder: Path = DIR,
    source: Path = FROM,
    name: str = NAME,
    source_language: str = ENGLISH_QUERIES,
    target_language: str = ENGLISH_DOCUMENTS,
    mate_level: int | None = MATE_LEVEL,
    force: bool = FORCE,
) -> None:
    """Import a collection in BEIR format: corpus.jsonl, queries.jsonl, qrels/SPLIT.tsv."""
    from kakehashi.corpus.beir import import_beir

    info = _info(name or source.resolve().name, source_language, target_language, mate_level)
    say(f"{folder}: {import_beir(source, folder, info, force, progress())}")


def tsv(
    folder: Path = DIR,
    source: Path = FROM,
    name: str = typer.Option(
        "",
        "--name",
        help="Name of the collection; boostclir and wikiclir also set names for the relevance levels.",
    ),
    source_language: str = SOURCE_LANGUAGE,
    target_language: str = TARGET_LANGUAGE,
    mate_level: int | None = MATE_LEVEL,
    swap_dev_test: bool = typer.Option(False, "--swap-dev-test", help="Exchange the names of dev and test."),
    texts: Path | None = typer.Option(
        None, "--texts", help="File of id TAB text, for queries published as ids."
    ),
    document_texts: Path | None = typer.Option(
        None,
        "--document-texts",
        help="File of id TAB text that replaces the texts of documents, such as first claims.",
    ),
    metadata: list[Path] = typer.Option(
        [],
        "--metadata",
        help="File of id TAB field TAB value for queries and documents, such as FI and ECLA codes; repeatable.",
    ),
    classes: Path | None = typer.Option(None, "--classes", help="The class graph: child TAB parent."),
    force: bool = FORCE,
) -> None:
    """Import BoostCLIR, WikiCLIR and similar: X.queries, X.docs and X.qrels, where X is train, dev or test."""
    from kakehashi.corpus.metadata_lines import More
    from kakehashi.corpus.tsv import LEVELS, import_tsv

    levels = LEVELS.get(name.lower(), {})
    mate_level = 3 if mate_level is None and levels else mate_level
    info = _info(name or source.resolve().name, source_language, target_language, mate_level, levels)
    more = More(document_texts, metadata, classes)
    say(f"{folder}: {import_tsv(source, folder, info, swap_dev_test, texts, force, progress(), more)}")


def wikipedia(
    folder: Path = DIR,
    source: Path = typer.Option(..., "--from", help="The folder of the published set, with all languages."),
    target_language: str = typer.Option(
        ..., "--target-language", help="Language of the articles, such as de."
    ),
    queries: Path | None = typer.Option(
        None, "--queries", help="Folder with SQL dumps of the English Wikipedia, for categories."
    ),
    documents: Path | None = typer.Option(
        None, "--documents", help="Folder with SQL dumps of the Wikipedia of the articles, for categories."
    ),
    name: str = NAME,
    force: bool = FORCE,
) -> None:
    """Import the large set of Wikipedia articles in 25 languages, with English queries, and their categories."""
    from kakehashi.corpus.wikipedia.collection import BothDumps, import_wikipedia

    if (queries is None) != (documents is None):
        raise InputError("categories need the dumps of both Wikipedias: give --queries and --documents")
    dumps = BothDumps(queries, documents) if queries and documents else None
    made = import_wikipedia(source, folder, target_language, dumps, name, force, progress())
    say(f"{folder}: {made}")


def trec(
    folder: Path = DIR,
    documents: list[Path] = typer.Option(
        ..., "--documents", help="TREC documents or id TAB text; repeatable."
    ),
    topics: list[Path] = typer.Option(..., "--topics", help="TREC topics or id TAB text; repeatable."),
    qrels: list[str] = typer.Option(..., "--qrels", help="Judgments, as FILE or SPLIT=FILE; repeatable."),
    fields: str = typer.Option("title,desc", "--fields", help="Parts of a topic to use: title, desc, narr."),
    name: str = NAME,
    source_language: str = ENGLISH_QUERIES,
    target_language: str = ENGLISH_DOCUMENTS,
    mate_level: int | None = MATE_LEVEL,
    force: bool = FORCE,
) -> None:
    """Import a collection of TREC documents, topics and judgments."""
    from kakehashi.corpus.trec_collection import import_trec

    parts = fields.split(",")
    if not set(parts) <= {"title", "desc", "narr"}:
        raise InputError(f"--fields {fields}: choose from title,desc,narr")
    splits = {split: Path(file) for split, file in _named("--qrels", qrels).items()}
    info = _info(name or documents[0].name.split(".")[0], source_language, target_language, mate_level)
    say(f"{folder}: {import_trec(documents, topics, splits, folder, info, parts, force, progress())}")


def irds(
    folder: Path = DIR,
    datasets: list[str] = typer.Argument(..., help="Names in ir_datasets, as NAME or SPLIT=NAME."),
    document_fields: str = typer.Option(
        "", "--document-fields", help="Fields of a document to use, such as a,b."
    ),
    query_fields: str = typer.Option(
        "", "--query-fields", help="Fields of a query to use, such as title,text."
    ),
    name: str = NAME,
    source_language: str = ENGLISH_QUERIES,
    target_language: str = ENGLISH_DOCUMENTS,
    mate_level: int | None = MATE_LEVEL,
    force: bool = FORCE,
) -> None:
    """Import a dataset of ir_datasets, which may download it first."""
    from kakehashi.corpus.irdatasets import import_datasets, load

    loaded = {split: load(dataset) for split, dataset in _named("datasets", datasets).items()}
    info = _info(name or datasets[0].split("=")[-1], source_language, target_language, mate_level)
    fields = (
        [part for part in document_fields.split(",") if part],
        [part for part in query_fields.split(",") if part],
    )
    say(f"{folder}: {import_datasets(loaded, folder, info, *fields, force, progress())}")


def citations(
    folder: Path = DIR,
    source: Path = typer.Option(..., "--from", help="A collection with links.tsv and the meta field family."),
    train: str = typer.Option("2003-2005", "--train", help="Years of the train queries."),
    dev: str = typer.Option("2006-2006", "--dev", help="Years of the dev queries."),
    test: str = typer.Option("2007-2007", "--test", help="Years of the test queries."),
    force: bool = FORCE,
) -> None:
    """Derive judgments from the links of a collection: 3 same family, 2 cited by the examiner, 1 by the applicant."""
    from kakehashi.corpus.citation_collection import import_citations

    years = {"train": years_of(train), "dev": years_of(dev), "test": years_of(test)}
    say(f"{folder}: {import_citations(source, folder, years, force, progress())}")


def lens(
    folder: Path = DIR,
    patents: Path = typer.Option(
        ..., "--from", help="Patents as JSON lines: id, title, year, ipc and so on."
    ),
    cited: Path = typer.Option(..., "--citations", help="Lines of citing TAB cited."),
    train: str = typer.Option(
        "0-2015", "--train", help="Years in which the families of the train queries begin."
    ),
    dev: str = typer.Option("2016", "--dev", help="Years in which the families of the dev queries begin."),
    test: str = typer.Option(
        "2017-2018", "--test", help="Years in which the families of the test queries begin."
    ),
    name: str = NAME,
    force: bool = FORCE,
) -> None:
    """Import short English patent records of the Lens: 3 same family, 1 cited; patents are also queries."""
    from kakehashi.corpus.patents.lens import import_lens

    years = {"train": years_of(train), "dev": years_of(dev), "test": years_of(test)}
    say(f"{folder}: {import_lens(patents, cited, folder, years, name or 'lens', force, progress())}")


def originals(
    folder: Path = DIR,
    source: Path = typer.Option(..., "--from", help="A collection with originals.jsonl."),
    force: bool = FORCE,
) -> None:
    """Derive a monolingual collection, whose queries are the originals: what can be reached without translation."""
    from kakehashi.corpus.originals_collection import import_originals

    say(f"{folder}: {import_originals(source, folder, force)}")


class ArticleIds(StrEnum):
    """What the ids of texts are."""

    by_page = "page"
    by_title = "title"


def wikipedia_metadata(
    folder: Path = DIR,
    source: Path = typer.Option(
        ..., "--from", help="A collection of articles, such as from data get wikipedia, or WikiCLIR."
    ),
    queries: Path = typer.Option(
        ..., "--queries", help="Folder with SQL dumps of the Wikipedia in the queries' language."
    ),
    documents: Path = typer.Option(
        ..., "--documents", help="Folder with SQL dumps of the Wikipedia in the documents' language."
    ),
    ids: ArticleIds = typer.Option(
        ArticleIds.by_page, "--ids", help="Whether ids of texts are page ids or titles of articles."
    ),
    force: bool = FORCE,
) -> None:
    """Add links, images and categories of Wikipedia articles to a collection, and the category graph."""
    from kakehashi.corpus.wikipedia.enriching import enrich

    say(f"{folder}: {enrich(source, folder, queries, documents, ids.value, force, progress())}")


COMMANDS = (newsgroups, beir, tsv, wikipedia, trec, irds, citations, lens, originals, wikipedia_metadata)


def _info(
    name: str, source: str, target: str, mate_level: int | None, levels: Mapping[str, str] | None = None
) -> "CollectionInfo":
    from kakehashi.corpus.collection import CollectionInfo

    return CollectionInfo(name, source, target, levels=levels or {}, mate_level=mate_level)


def _named(option: str, values: list[str]) -> dict[str, str]:
    """SPLIT=VALUE, or VALUE alone for the split test."""
    named: dict[str, str] = {}
    for value in values:
        split, equals, rest = value.partition("=")
        split, rest = (split, rest) if equals else ("test", value)
        if split in named:
            raise InputError(f"{option}: split {split} is given twice; write SPLIT=... for each")
        named[split] = rest
    return named


def years_of(words: str) -> tuple[int, int]:
    """The first and the last year of 2003-2005, or of 2006."""
    first, dash, last = words.partition("-")
    last = last if dash else first
    if not (first.isdecimal() and last.isdecimal()):
        raise InputError(f"'{words}' is not a range of years: write 2003-2005")
    return int(first), int(last)
