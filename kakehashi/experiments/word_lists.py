"""T13 tables 4.1, 4.8, 5.2 and 5.6: groups and words that the thesis prints, beside those found here."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from kakehashi.corpus.collection import Collection
from kakehashi.corpus.splits import pool_conditions
from kakehashi.experiments.newsgroups import COLLECTION, indexed
from kakehashi.experiments.newsgroups_cfh import PRINTED, WORDS
from kakehashi.experiments.patents import NUMBERED, linked_copy
from kakehashi.experiments.tables import Listed, Listing
from kakehashi.lexicon.company import CfhSettings
from kakehashi.lexicon.correlated import Correlated, correlate_index
from kakehashi.library import Library
from kakehashi.progress import SILENT
from kakehashi.text.learn import learn
from kakehashi.text.settings import AnalyzerSettings

GROUPS = {
    "computers": "comp.graphics comp.os.ms-windows.misc comp.sys.ibm.pc.hardware comp.sys.mac.hardware comp.windows.x",
    "leisure": "rec.autos rec.motorcycles rec.sport.baseball rec.sport.hockey",
    "science": "sci.crypt sci.electronics sci.med sci.space",
    "for sale": "misc.forsale",
    "politics": "talk.politics.misc talk.politics.guns talk.politics.mideast",
    "religion": "talk.religion.misc alt.atheism soc.religion.christian",
}
STOP_WORDS = {
    "en": "a an and by for in is of the to with",
    "ja": "が こと さ し する た て で と に の は れ を 図 手段 提供 解決 課題 選択",
}
CORRELATED = {
    "supersampler": "interpolates interpolator greatest interpolating offsets",
    "N.N-N.Nk.sub.N": "NN.N-NN as.sub.N wo.sub.N ceo.sub.N sno.sub.N",
    "aminoglucoside": "antibiotic liposome self-regulating ineffective toxic",
    "suspend-to-disk": "reload reboot routines save saved",
    "cracks": "cracks crack cracking cracked scratches",
}
TARGETS = 30_000
ABSENT = "(not a word of the collection)"


def listed_groups(folder: Path, work: Path) -> list[Listed]:
    groups = {text.meta["group"] for text in Collection(folder).documents()}
    return [
        Listed(label, printed, " ".join(one for one in printed.split() if one in groups))
        for label, printed in GROUPS.items()
    ]


def listed_stop_words(folder: Path, work: Path) -> list[Listed]:
    """Words in half of the texts or more, of documents and of train queries; other languages have no published list."""
    collection = Collection(folder)
    info = collection.info
    documents = (text.content for text in collection.documents())
    queries = (text.content for text in collection.split_queries("train"))
    rows = []
    for language, texts in ((info.target_language, documents), (info.source_language, queries)):
        analyzer = learn(AnalyzerSettings(lang=language, stop="induced"), texts)
        rows.append(Listed(language, STOP_WORDS.get(language, ""), " ".join(analyzer.state.stop_words)))
    return rows


def listed_newsgroups(folder: Path, work: Path) -> list[Listed]:
    library = indexed(folder, SILENT)
    return _rows(_correlated(library, WORDS), PRINTED)


def listed_patents(folder: Path, work: Path) -> list[Listed]:
    """Digits as N and words as written, as in the thesis, over a copy of the collection with an index of its own."""
    library = linked_copy(folder, work / f"{folder.name}-words")
    library.update_index({**NUMBERED, "stop": "none"}, {})
    return _rows(_correlated(library, TARGETS), CORRELATED)


def _correlated(library: Library, words: int) -> Correlated:
    conditions = pool_conditions(library.collection, "train")
    return correlate_index(library.index, CfhSettings(words, 5, "min"), conditions, SILENT)


def _rows(found: Correlated, printed: Mapping[str, str]) -> list[Listed]:
    rows = []
    for word, targets in printed.items():
        own = " ".join(target for target, _ in found.row(word))
        rows.append(Listed(word, targets, own or ABSENT))
    return rows


def _listing(
    name: str,
    title: str,
    collections: str,
    printed: Mapping[str, str],
    rows: Callable[[Path, Path], list[Listed]],
    departs: Sequence[str],
) -> Listing:
    published = {label: {"words": words} for label, words in printed.items()}
    return Listing(name, title, collections, departs, rows, published)


EN = "documents in English"
LISTINGS = (
    _listing("t13-4.1", "20 Newsgroups: the groups", COLLECTION, GROUPS, listed_groups, ()),
    _listing(
        "t13-4.8-words",
        "20 Newsgroups: correlated words",
        COLLECTION,
        PRINTED,
        listed_newsgroups,
        ("counted with `min` over train, the best of the counts of t13-4.8",),
    ),
    _listing(
        "t13-5.2",
        "patents: words that tf-idf makes stop words",
        f"a collection with train judgments; the published lists are of {EN} and queries in Japanese",
        STOP_WORDS,
        listed_stop_words,
        ("the collection: not the published patents; 20 Japanese words are printed, 21 were removed",),
    ),
    _listing(
        "t13-5.6",
        "patents: correlated words",
        f"a collection with {EN} and train judgments",
        CORRELATED,
        listed_patents,
        ("the collection: not the published patents",),
    ),
)
