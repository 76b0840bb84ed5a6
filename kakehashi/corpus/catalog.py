"""The collections that can be built here, and what each needs; builds none."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """One collection or format, with its name in `kakehashi data get`."""

    name: str
    summary: str
    needs: str


ENTRIES = (
    Entry("world", "a synthetic world of Japanese and English patents, of any size", "nothing"),
    Entry(
        "help", "LibreOffice help pages, German, French or Japanese to English", "a Debian or Ubuntu archive"
    ),
    Entry(
        "packages", "Debian package descriptions, German, French or Japanese to English", "a Debian archive"
    ),
    Entry(
        "parallel",
        "parallel text to train translation on, German, French or Japanese to English",
        "a Debian archive",
    ),
    Entry(
        "newsgroups",
        "20 Newsgroups: posts of the same group are relevant to each other",
        "20news-bydate.tar.gz",
    ),
    Entry("tsv", "BoostCLIR, WikiCLIR and others: X.queries, X.docs, X.qrels", "the published files"),
    Entry(
        "wikipedia",
        "English queries and articles of another Wikipedia, with categories",
        "the published files, and SQL dumps of both Wikipedias",
    ),
    Entry("beir", "any collection in BEIR format", "corpus.jsonl, queries.jsonl, qrels/SPLIT.tsv"),
    Entry("trec", "any collection as TREC documents, topics and judgments", "the three files"),
    Entry("irds", "any dataset of ir_datasets", "the extra `datasets`; may download data"),
    Entry(
        "patents",
        "patents in the formats of MAREC, DOCDB, USPTO, EPO or JPO, judged by families and citations",
        "the offices' files",
    ),
    Entry(
        "lens",
        "short English patent records of the Lens, judged by families and citations",
        "a file of JSON lines and one of citations",
    ),
    Entry(
        "citations",
        "a collection judged by its own citations and families",
        "links.tsv, meta family and date",
    ),
    Entry(
        "originals",
        "a monolingual collection, whose queries are another's originals",
        "a collection with originals.jsonl",
    ),
    Entry(
        "wikipedia-metadata",
        "a collection of Wikipedia articles with links, images and categories added",
        "the collection and SQL dumps of both Wikipedias",
    ),
)
