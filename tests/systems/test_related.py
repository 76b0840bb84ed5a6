"""Related words from a collection to systems that search with them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kakehashi import store
from kakehashi.errors import InputError
from kakehashi.lexicon.related import KIND, VERSION
from kakehashi.library import Library
from kakehashi.systems.related import read_related
from kakehashi.training.relating import parse_kind
from kakehashi.types import Text
from tests.retrieve.comparing import same
from tests.training.subjects import SUBJECTS, subjects_library

SMALL: dict[str, Any] = {
    "dimensions": 24,
    "epochs": 25,
    "sample": 0,
    "lsi_dimensions": 8,
    "least": 0.3,
    "least_count": 2,
}
LEXICON = "ens0w0 ens0w1 ens0w2\nens1w0 ens1w1\nens2w0 ens3w0 unknown\n"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Queries and documents of one language, with LSI and a lexicon, which need no other package."""
    folder = tmp_path_factory.mktemp("related") / "subjects"
    found = subjects_library(folder, source="en")
    (folder.parent / "own.txt").write_text(LEXICON)
    found.train("related", SMALL | {"kinds": "lsi own", "lexicons": f"own={folder.parent / 'own.txt'}"})
    return found


@pytest.fixture(scope="module")
def with_vectors(tmp_path_factory: pytest.TempPathFactory) -> Library:
    pytest.importorskip("gensim")
    folder = tmp_path_factory.mktemp("vectors") / "subjects"
    found = subjects_library(folder, source="en")
    (folder.parent / "own.txt").write_text(LEXICON)
    kinds = "skipgram lsi own retro-own retro-lsi@0.6 extretro-lsi@0.6-own"
    found.train("related", SMALL | {"kinds": kinds, "lexicons": f"own={folder.parent / 'own.txt'}"})
    return found


def precision_at_10(library: Library, system: str, settings: dict[str, Any]) -> float:
    run = library.system(system, settings).search(library.split_queries("test"), 10)
    hits = [int(d[1:]) % SUBJECTS == int(q[1:]) % SUBJECTS for q, r in run.rankings.items() for d in r.docs]
    return float(np.mean(hits))


def same_subject(library: Library, kind: str) -> float:
    """How many of the three words most related to a subject's word belong to that subject; by chance, a quarter."""
    model = read_related(library)
    pairs = [
        (term, other) for term in model.terms for other, _ in model.row(kind, term)[:3] if "any" not in term
    ]
    assert len(pairs) > 100
    return float(np.mean([one[:4] == other[:4] for one, other in pairs]))


def test_lsi_relates_words_of_one_subject(library: Library) -> None:
    assert same_subject(library, "lsi") > 0.8


def test_vectors_relate_words_of_one_subject(with_vectors: Library) -> None:
    for kind in ("skipgram", "retro-lsi@0.6", "extretro-lsi@0.6-own"):
        assert same_subject(with_vectors, kind) > 0.8, kind


@pytest.mark.parametrize("system", ["extended-bm25", "extended-lm"])
def test_related_words_find_more_of_a_subject(library: Library, system: str) -> None:
    """A query of one word; with related words, others of its subject count, too."""
    queries = [Text(f"q{s}", "en", f"ens{s}w3") for s in range(SUBJECTS)]
    found = {}
    for kind in ("", "lsi"):
        used = library.system(system, {"kind": kind, "threshold": 0.5})
        runs = used.search(queries, 50).rankings
        found[kind] = sum(int(d[1:]) % SUBJECTS == int(q[1:]) for q, r in runs.items() for d in r.docs)
    assert found["lsi"] > 1.2 * found[""]


def test_no_kind_is_plain_bm25_and_lm(library: Library) -> None:
    queries = library.split_queries("test")
    for extended, plain, values in (
        ("extended-bm25", "bm25", {"b": 0.75, "k3": 2.0}),
        ("extended-lm", "lm", {}),
    ):
        ours = library.system(extended, {**values, "kind": "", "terms": 0})
        same(ours.search(queries, 60).rankings, library.system(plain).search(queries, 60).rankings)


def test_retrofitted_vectors_bring_listed_words_together(with_vectors: Library) -> None:
    model = read_related(with_vectors)
    place = model.numbers

    def cosine(kind: str, one: str, other: str) -> float:
        a, b = (model.vectors[kind][place[term]].astype(np.float64) for term in (one, other))
        return float(a @ b / np.sqrt(a @ a) / np.sqrt(b @ b))

    assert cosine("retro-own", "ens2w0", "ens3w0") > cosine("skipgram", "ens2w0", "ens3w0") + 0.2
    assert model.row("own", "ens0w1") == [
        ("ens0w0", 1.0)
    ]  # the first word of a line is related to the others


def test_filtered_words_are_related_in_both_ways(with_vectors: Library) -> None:
    model = read_related(with_vectors)
    plain = with_vectors.system("extended-bm25", {"threshold": 0.4})
    filtered = with_vectors.system(
        "extended-bm25", {"threshold": 0.4, "within": "lsi", "within_threshold": 0.5}
    )
    query = Text("q", "en", "ens1w5 ens2w7")
    words = [{with_vectors.index.vocabulary[t] for t in s.compiled(query).terms} for s in (plain, filtered)]
    assert words[1] < words[0]
    for word in words[1] - {"ens1w5", "ens2w7"}:
        near = {other for own in ("ens1w5", "ens2w7") for other, _ in model.row("lsi", own, 0.5)}
        assert word in near


def test_the_same_seed_gives_the_same_words(with_vectors: Library) -> None:
    kinds = {"kinds": "skipgram lsi"}
    for name, seed in (("one", 1), ("again", 1), ("other", 2)):
        with_vectors.train("related", SMALL | kinds | {"seed": seed}, model=name)
    files = [
        {
            name: entry.xxh3
            for name, entry in store.read(with_vectors.model_folder(each), KIND, VERSION).meta.arrays.items()
        }
        for each in ("one", "again", "other")
    ]
    assert files[0] == files[1]
    assert files[0]["skipgram.vectors"] != files[2]["skipgram.vectors"]


def test_vectors_are_kept_while_nothing_they_depend_on_changes(
    with_vectors: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_vectors.train("related", SMALL | {"kinds": "skipgram"}, model="kept")
    monkeypatch.setattr("kakehashi.systems.related.train_skipgram", None)  # must not be called again
    with_vectors.train("related", SMALL | {"kinds": "skipgram lsi", "least": 0.4}, model="kept")
    assert {*read_related(with_vectors, "kept").kinds} == {"skipgram", "lsi"}
    with pytest.raises(TypeError):
        with_vectors.train("related", SMALL | {"kinds": "skipgram", "epochs": 2}, model="kept")


def test_mistakes_are_named(library: Library, tmp_path: Path) -> None:
    for kinds, message in (
        ("retro-ppdb", "there is no lexicon 'ppdb'"),
        ("retro-lsi", "is not a kind|threshold"),
        ("retro", "there is no lexicon"),
        ("extretro-own", "is not a kind"),
        ("", "names nothing"),
    ):
        with pytest.raises(InputError, match=message):
            library.train("related", SMALL | {"kinds": kinds}, model="wrong")
    with pytest.raises(InputError, match="no related words of the kind 'skipgram'"):
        library.system("extended-bm25")
    with pytest.raises(InputError, match=r"keeps those from 0\.3"):
        library.system("extended-bm25", {"kind": "lsi", "threshold": 0.2})
    with pytest.raises(InputError, match="kakehashi train related"):
        library.system("extended-bm25", {"model": "nobody"})


def test_names_of_kinds() -> None:
    assert parse_kind("extretro-lsi@0.7-ppdb").resources == (("lsi", 0.7), ("ppdb", None))
    assert parse_kind("wordnet+").lexicons == {"wordnet+"}
    for wrong in ("retro-lsi@x", "retro-skipgram@0.7", "retro-ppdb@0.7"):
        with pytest.raises(InputError, match=wrong.split("@")[0]):
            parse_kind(wrong)


def test_further_text_is_learned_from(library: Library, tmp_path: Path) -> None:
    (tmp_path / "more.txt").write_text("extra words here\n" * 5)
    library.train("related", SMALL | {"kinds": "lsi", "text": str(tmp_path / "more.txt")}, model="more")
    assert "extra" in read_related(library, "more").numbers
    assert read_related(library, "more").row("lsi", "extra") == []  # no document contains it
