"""The table of related words, from end to end on a collection small enough for a test."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kakehashi.corpus.splits import Split
from kakehashi.evaluation.measures import parse_all
from kakehashi.experiments import related_words, threshold_sweeps
from kakehashi.experiments.registry import recipe_of
from kakehashi.experiments.tables import run
from kakehashi.experiments.threshold_sweeps import Part, Sweeper, Swept, kept_sweep, score, serpentine
from kakehashi.lexicon.translations import count_translations
from kakehashi.library import Library
from kakehashi.progress import SILENT
from kakehashi.query.extended import QueryWords
from kakehashi.retrieve.extended import ExtendedBm25
from kakehashi.systems.related import read_related
from kakehashi.systems.translation import TABLE
from kakehashi.training.measuring import measure_system
from tests.training.subjects import subjects_library

SMALL = {"lsi_dimensions": 8, "least": 0.3, "least_count": 2, "kinds": "lsi"}
MEASURES = ("MAP", "PRES@1000", "R@1000")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    found = subjects_library(tmp_path_factory.mktemp("h18") / "subjects", source="en")
    found.train("related", SMALL)
    (found.folder / "originals.jsonl").write_bytes((found.folder / "queries.jsonl").read_bytes())
    return found


@pytest.fixture(scope="module")
def split(library: Library) -> Split:
    return library.split("dev", 8)


def test_a_sweep_measures_what_the_system_would(library: Library, split: Split) -> None:
    model, steps = read_related(library), [(0.4, 2.0), (0.7, 2.0), (2.0, 2.0)]
    words = QueryWords(library.index, 100, "frequency")
    sweeper = Sweeper(library.index, model.terms, split, ExtendedBm25(), words, MEASURES)
    swept = sweeper.run(iter([Part(model.kind("lsi"), None, steps, steps)]))
    for (threshold, _), values in zip(steps, swept.values, strict=True):
        chosen = {"kind": "lsi", "threshold": threshold} if threshold <= 1 else {"kind": ""}
        expected = measure_system(library.system("extended-bm25", chosen), split, parse_all(MEASURES))
        np.testing.assert_allclose(values, expected.values, atol=0.003)  # near ties may change places
    assert not np.array_equal(swept.values[0], swept.values[2])


def test_two_kinds_filter_each_other(library: Library, split: Split) -> None:
    model, steps = read_related(library), serpentine((0.4, 0.6), (0.4, 0.5, 0.7))
    words = QueryWords(library.index, 100, "frequency")
    sweeper = Sweeper(library.index, model.terms, split, ExtendedBm25(), words, MEASURES)
    related = model.kind("lsi")
    swept = sweeper.run(iter([Part(related, related, steps, steps)]))
    found = dict(zip(swept.thresholds, swept.values, strict=True))
    alone = sweeper.run(iter([Part(related, None, [(0.7, 2.0)], [(0.7, 2.0)])]))
    assert np.array_equal(found[0.4, 0.7], alone.values[0])  # of one kind with itself, the higher one counts
    assert np.array_equal(found[0.6, 0.4], found[0.6, 0.5])


def test_mates_are_left_out_of_ranks() -> None:
    ranks, mates = np.array([1, 3, 0, 5]), np.array([True, False, False, True])
    ap, recall = parse_all(["MAP-mate", "R@1000-mate"])
    assert score(ap, ranks, mates) == pytest.approx((1 / 2) / 2)  # rank 3 is 2 without the mate before it
    assert score(recall, ranks, mates) == 0.5
    assert np.isnan(score(ap, np.array([1]), np.array([True])))
    assert score(parse_all(["MAP"])[0], ranks, mates) == pytest.approx((1 + 2 / 3 + 3 / 5) / 4)


def test_sweeps_are_kept(tmp_path: Path) -> None:
    made = []

    def make() -> Swept:
        made.append(1)
        return Swept([(0.5, 2.0)], np.ones((1, 2, 1)))

    one, other = kept_sweep(tmp_path, ["a"], make), kept_sweep(tmp_path, ["a"], make)
    assert len(made) == 1
    assert one.thresholds == other.thresholds
    assert one.values.tolist() == other.values.tolist()
    kept_sweep(tmp_path, ["b"], make)
    assert len(made) == 2


def test_thresholds_are_chosen_without_the_queries_they_are_applied_to() -> None:
    """One threshold is best for one query alone: held out, that query is not what chooses it."""
    queries = [f"q{i}" for i in range(10)]
    values = np.zeros((2, 10, 3))
    values[0], values[1, 4] = 0.1, 0.5  # the second is better for q4 only, and worse on average
    swept = Swept([(0.6, 2.0), (0.7, 2.0)], values)
    assert related_words.cross_validated(swept, queries)["MAP-mate"]["q4"] == 0.1


def test_the_table_and_the_figure(library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("gensim")
    (tmp_path / "ppdb.txt").write_text("ens0w0 ens0w1\nens1w0 ens2w1\n")
    training = {"kinds": "skipgram lsi ppdb", "lexicons": f"ppdb={tmp_path / 'ppdb.txt'}"}
    vectors = {"dimensions": 16, "epochs": 3, "sample": 0}
    library.train("related", SMALL | vectors | training)
    monkeypatch.setattr(related_words, "FIRST", (0.4, 0.8))
    monkeypatch.setattr(related_words, "SECOND", (0.4, 0.6, 0.8))
    monkeypatch.setattr(related_words, "LEAST", 0.4)
    recipe = replace(recipe_of("h18-1"), measures=("MAP-mate",))
    rows = run(recipe, library.folder, tmp_path / "work")
    assert len(rows) == 2 * 9  # without FrameNet and WordNet
    assert {row.row for row in rows} >= {"BM25^ None", "LM^ PostFilter(LSI)", "LM^ PFRetro(LSI,PPDB)"}
    by_row = {row.row: row for row in rows}
    assert by_row["LM^ Retro(LSI)"].published == 0.221
    assert {*by_row["LM^ Retro(LSI)"].facts} >= {"p(†) MAP", "p(r) PRES", "p(w) R"}
    monkeypatch.setattr(threshold_sweeps.Sweeper, "run", None)  # the sweeps of the table are kept
    drawn = run(recipe_of("h18-fig1"), library.folder, tmp_path / "work")
    gains = [row.measured for row in drawn if row.row.startswith("SkipGram") and row.measure.startswith("AP")]
    assert len(gains) == 20
    assert gains == sorted(gains)


def test_queries_in_another_language_are_measured_by_their_translations(tmp_path: Path) -> None:
    """Each word of the parallel text has one translation, so that queries become those in the documents' language."""
    foreign, own = (subjects_library(tmp_path / lang / "subjects", source=lang) for lang in ("de", "en"))
    words = [(f"de{word}", f"en{word}", 1.0) for word in _plain_words()]
    sources, targets, weights = zip(*words, strict=True)
    table = count_translations(sources, targets, np.array(weights), foreign.fingerprints)
    table.save(foreign.model_folder("translation") / TABLE, {}, {})
    found = []
    for library, queries in ((foreign, "queries.jsonl"), (own, "originals.jsonl")):
        (library.folder / "originals.jsonl").write_bytes((library.folder / "queries.jsonl").read_bytes())
        library.train("related", SMALL)
        lab = related_words._Lab(library.folder, tmp_path / queries, "BM25^", SILENT, queries)
        found.append({q.id: lab._sweeper._words.chosen(q) for q in lab._split.queries})
    assert found[0] == found[1]
    assert {q: len(words) for q, words in found[0].items() if len(words) < 5} == {}
    rows = recipe_of("h18-foreign").configurations
    assert {row.settings["queries"] for row in rows} == {"queries.jsonl"}
    assert not related_words.has_lexicons(own.folder, rows[0].settings)  # no translation was trained there


def _plain_words() -> list[str]:
    return [f"s{s}w{w}" for s in range(4) for w in range(12)] + [f"any{w}" for w in range(20)]
