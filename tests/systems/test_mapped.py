"""Words mapped from one language to the other, from parallel text to systems that search with them."""

from pathlib import Path
from typing import Any

import pytest

from kakehashi import store
from kakehashi.errors import InputError
from kakehashi.lexicon.mapped import KIND, VERSION
from kakehashi.library import Library
from kakehashi.query.psq import Psq
from kakehashi.retrieve.sparse import Sparse
from kakehashi.systems.mapped import read_mapped
from tests.retrieve.comparing import same
from tests.training.subjects import SUBJECTS, subjects_library

VECTORS: dict[str, Any] = {"dimensions": 24, "epochs": 25, "sample": 0, "least_count": 2}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    pytest.importorskip("gensim")
    found = subjects_library(tmp_path_factory.mktemp("mapped") / "subjects")
    found.train("translation")
    found.train("related", VECTORS | {"kinds": "skipgram"})
    found.train("mapped", VECTORS | {"confidence": 0.3})
    return found


def rows(library: Library, settings: dict[str, Any]) -> dict[str, dict[str, float]]:
    system = library.system("psq-mapped", settings)
    assert isinstance(system, Sparse)
    assert isinstance(system.compiler, Psq)
    table = system.compiler.table
    return {word: dict(table.row(word)) for word in table.sources}


def test_words_are_near_words_of_their_own_subject(library: Library) -> None:
    model = read_mapped(library)
    near = [(word, other) for word in model.sources for other, _ in model.row(word)[:3] if "any" not in word]
    assert len(near) > 100
    assert sum(one[2:4] == other[2:4] for one, other in near) > 0.8 * len(near)


def test_near_words_alone_find_the_subject(library: Library) -> None:
    system = library.system("psq-mapped", {"share": 1.0, "threshold": 0.4})
    run = system.search(library.split_queries("test"), 10)
    hits = [int(d[1:]) % SUBJECTS == int(q[1:]) % SUBJECTS for q, r in run.rankings.items() for d in r.docs]
    assert sum(hits) > 0.9 * len(hits)


def test_near_words_share_the_probability_of_a_word(library: Library) -> None:
    model, plain = read_mapped(library), rows(library, {"share": 0.0})
    mixed = rows(library, {"share": 0.25, "threshold": 0.4, "most": 2})
    word = next(word for word in plain if word in model.numbers and len(model.row(word, 0.4)) >= 2)
    near = model.row(word, 0.4)[:2]
    expected = {other: 0.75 * chance for other, chance in plain[word].items()}
    for other, similarity in near:
        expected[other] = expected.get(other, 0.0) + 0.25 * similarity / sum(s for _, s in near)
    assert mixed[word] == pytest.approx(expected, abs=1e-6)


def test_no_share_is_plain_psq(library: Library) -> None:
    queries = library.split_queries("test")
    ours = library.system("psq-mapped", {"share": 0.0}).search(queries, 60)
    same(ours.rankings, library.system("psq").search(queries, 60).rankings)


def test_words_without_translations_can_be_searched_by_near_words(library: Library, tmp_path: Path) -> None:
    """A word of the training queries that no parallel sentence has."""
    (tmp_path / "more.txt").write_text("des0w1 newword des0w2\ndes0w3 newword des0w4\n" * 20)
    values = VECTORS | {"confidence": 0.3, "text": str(tmp_path / "more.txt")}
    library.train("mapped", values, model="more")
    assert "newword" in read_mapped(library, "more").numbers
    found = {
        use: rows(library, {"model": "more", "untranslated": use, "threshold": 0.3}) for use in (True, False)
    }
    assert "newword" not in found[False]
    assert sum(found[True]["newword"].values()) == pytest.approx(1.0)


def test_words_of_test_queries_are_not_learned(tmp_path: Path) -> None:
    """Words that only test queries have; they occur often enough for vectors."""
    pytest.importorskip("gensim")
    folder = tmp_path / "held"
    subjects_library(folder)
    path = folder / "queries.jsonl"
    lines = path.read_text().splitlines()  # q100 to q139 are the test queries
    changed = [line.replace("deany", "odd") if '"q1' in line else line for line in lines]
    path.write_text("\n".join(changed) + "\n")
    library = Library(folder)
    assert sum(query.text.count("odd") for query in library.split_queries("test")) > 100
    for trainer, values in (
        ("translation", {}),
        ("related", VECTORS | {"kinds": "skipgram"}),
        ("mapped", VECTORS | {"confidence": 0.3}),
    ):
        library.train(trainer, values)
    sources = read_mapped(library).sources
    assert len([word for word in sources if word.startswith("deany")]) == 20
    assert not [word for word in sources if word.startswith("odd")]


def test_the_same_seed_gives_the_same_bytes(library: Library) -> None:
    library.train("mapped", VECTORS | {"confidence": 0.3}, model="again")
    one, again = (
        {
            name: entry.xxh3
            for name, entry in store.read(library.model_folder(m), KIND, VERSION).meta.arrays.items()
        }
        for m in ("mapped", "again")
    )
    assert one == again


def test_mistakes_are_named(library: Library) -> None:
    for values, message in (
        ({"confidence": 1.1}, "0 pairs of words are sure translations"),
        ({"dimensions": 10}, "have 24 dimensions: set dimensions=24"),
        ({"related": "nobody"}, "kakehashi train related"),
        ({"translation": "nobody"}, "kakehashi train translation"),
    ):
        with pytest.raises(InputError, match=message):
            library.train("mapped", VECTORS | values, model="wrong")
    for settings, message in (
        ({"threshold": 0.2}, "keeps those from 0.3"),
        ({"most": 0}, "most must be at least 1"),
        ({"share": 1.5}, "share is 0 to 1"),
        ({"model": "nobody"}, "kakehashi train mapped"),
    ):
        with pytest.raises(InputError, match=message):
            library.system("psq-mapped", settings)
