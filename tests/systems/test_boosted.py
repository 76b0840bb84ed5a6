"""`train boosted` from a collection to answers: the same model however it came about, and one that can be explained."""

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kakehashi import store
from kakehashi.errors import InputError
from kakehashi.learn.boosted_model import KIND, VERSION, BoostedModel, readable
from kakehashi.learn.boosting import Boosted, BoostingSettings
from kakehashi.library import Library
from kakehashi.progress import SILENT, Progress
from kakehashi.systems.boosted import BoostedTraining, gram_index, put_jobs, read_boosted
from kakehashi.systems.spec import read_values
from kakehashi.text.analyzer import Analyzer
from kakehashi.training import boosting_jobs
from kakehashi.training.outcome import Outcome
from kakehashi.types import Text
from tests.retrieve.comparing import assert_right
from tests.training.subjects import SUBJECTS, subjects_library

ROOT = Path(__file__).parents[2]
SMALL = {"samples": 3, "rounds": 48, "refresh": 16, "per_query": 4, "betas": "0 0.5"}
HASHED = {"hashed": True, "bits": 10}  # so few places that rounds choose several features at once
every_table = pytest.mark.parametrize("table", [{}, HASHED], ids=["exact", "hashed"])


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return subjects_library(tmp_path_factory.mktemp("two") / "subjects")


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Queries in the documents' language, so that words pass through."""
    return subjects_library(tmp_path_factory.mktemp("one") / "subjects", source="en")


def trained(
    library: Library, name: str, threads: int = 1, progress: Progress = SILENT, **changes: Any
) -> Outcome:
    settings = {**SMALL, **changes}
    return library.train("boosted", settings, model=name, threads=threads, progress=progress)[1]


def checksums(library: Library, name: str) -> dict[str, str]:
    meta = store.read(library.model_folder(name), KIND, VERSION).meta
    return {array: entry.xxh3 for array, entry in meta.arrays.items()} | {"beta": meta.settings["beta"]}


def precision_at_10(library: Library, name: str) -> float:
    run = library.rank("boosted", "test", 10, settings={"model": name})
    hits = [
        int(doc[1:]) % SUBJECTS == int(id[1:]) % SUBJECTS
        for id, ranking in run.rankings.items()
        for doc in ranking.docs
    ]
    return float(np.mean(hits))


@dataclass
class Ends:
    """Progress that breaks off once more rounds than these are boosted."""

    rounds: int
    boosting: bool = False

    def start(self, what: str, total: int | None = None) -> None:
        self.boosting = what.startswith("boosting")

    def advance(self, n: int = 1) -> None:
        self.rounds -= n * self.boosting
        if self.boosting and self.rounds < 0:
            raise KeyboardInterrupt

    def finish(self) -> None:
        self.boosting = False


@dataclass
class Counts:
    """Progress that remembers what the boosting promised and did."""

    total: int = 0
    done: int = 0
    boosting: bool = False

    def start(self, what: str, total: int | None = None) -> None:
        self.boosting = what.startswith("boosting")
        self.total = total or 0 if self.boosting else self.total

    def advance(self, n: int = 1) -> None:
        self.done += n * self.boosting

    def finish(self) -> None:
        self.boosting = False


@pytest.fixture
def boosts(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """(rounds taken up, rounds in the end) of every sample that was worked on."""
    seen: list[tuple[int, int]] = []
    plain = boosting_jobs.boost

    def watched(*words: Any) -> Boosted:
        found = plain(*words)
        seen.append((len(words[4].rounds), len(found.rounds)))
        return found

    monkeypatch.setattr(boosting_jobs, "boost", watched)
    return seen


@every_table
def test_subjects_of_unseen_queries_are_found_across_languages(table: dict[str, Any], two: Library) -> None:
    """The languages share no word, so chance is one in four."""
    trained(two, "found", **({**table, "bits": 16} if table else {}))
    assert precision_at_10(two, "found") > 0.9


@every_table
def test_same_seed_same_model_whatever_the_threads(table: dict[str, Any], two: Library) -> None:
    for name, threads, seed in (("one", 1, 1), ("both", 2, 1), ("seed", 1, 2)):
        trained(two, f"{name}-{len(table)}", threads, seed=seed, **table)
    sums = [checksums(two, f"{name}-{len(table)}") for name in ("one", "both", "seed")]
    assert sums[0] == sums[1]
    assert sums[0]["rows.weights"] != sums[2]["rows.weights"]


ONE_JOB = """
import sys
from pathlib import Path
from kakehashi.training.boosting_jobs import boost_sample
boost_sample(Path(sys.argv[1]), int(sys.argv[2]))
"""


def test_samples_may_be_run_by_processes_that_know_a_folder_and_a_number(
    two: Library, boosts: list[tuple[int, int]]
) -> None:
    trained(two, "here")
    assert boosts == 3 * [(0, 48)]
    folder = two.model_folder("elsewhere")
    settings = read_values("boosted", BoostedTraining, SMALL)
    put_jobs(two.over(gram_index(two, folder, 2)), folder, settings)
    for number in (2, 0):
        words = [sys.executable, "-c", ONE_JOB, str(folder), str(number)]
        subprocess.run(words, env=os.environ | {"PYTHONPATH": str(ROOT)}, check=True, timeout=120)
    trained(two, "elsewhere")
    assert boosts[3:] == [(0, 48)]  # the sample that nobody had run
    assert checksums(two, "elsewhere") == checksums(two, "here")


@every_table
def test_stopped_training_goes_on_where_it_was(
    table: dict[str, Any], two: Library, boosts: list[tuple[int, int]]
) -> None:
    name = f"stopped-{len(table)}"
    with pytest.raises(KeyboardInterrupt):
        trained(two, name, progress=Ends(48 + 16), **table)
    assert not (two.model_folder(name) / store.META).exists()
    first = two.model_folder(name) / "samples" / "000" / store.META
    before, boosts[:] = first.stat().st_mtime_ns, []
    counts = Counts()
    trained(two, name, progress=counts, **table)
    assert boosts == [(16, 48), (0, 48)]
    assert first.stat().st_mtime_ns == before
    assert counts.done == counts.total == 3 * 48
    trained(two, f"undisturbed-{len(table)}", **table)
    assert checksums(two, name) == checksums(two, f"undisturbed-{len(table)}")


TRAINING = """
import sys
from kakehashi.library import Library
from tests.systems.test_boosted import Ends, trained

class Waits(Ends):
    def advance(self, n=1):
        try:
            super().advance(n)
        except KeyboardInterrupt:
            print("in the middle", flush=True)
            sys.stdin.readline()

trained(Library(sys.argv[1]), "killed", progress=Waits(int(sys.argv[2])))
"""


def test_killed_training_goes_on_where_it_was(two: Library, boosts: list[tuple[int, int]]) -> None:
    words = [sys.executable, "-c", TRAINING, str(two.folder), "64"]
    process = subprocess.Popen(
        words, env=os.environ | {"PYTHONPATH": str(ROOT)}, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"in the middle\n"
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    trained(two, "killed")
    assert boosts == [(16, 48), (0, 48)]
    trained(two, "never-killed")
    assert checksums(two, "killed") == checksums(two, "never-killed")


def test_more_and_fewer_samples_and_rounds_are_what_they_would_be_anew(
    two: Library, boosts: list[tuple[int, int]]
) -> None:
    """Each step is compared with a model that was never anything else."""
    steps = [
        ({"samples": 2, "rounds": 32}, [(0, 32), (0, 32)]),
        ({"samples": 3, "rounds": 32}, [(0, 32)]),
        ({"samples": 3, "rounds": 48}, [(32, 48), (32, 48), (32, 48)]),
        ({"samples": 2, "rounds": 40}, []),
        ({"samples": 3, "rounds": 64}, [(48, 64), (48, 64), (48, 64)]),
    ]
    for n, (changes, expected) in enumerate(steps):
        boosts.clear()
        trained(two, "growing", **changes)
        assert boosts == expected
        trained(two, f"grown-{n}", **changes)
        assert checksums(two, "growing") == checksums(two, f"grown-{n}")


def test_rounds_beyond_the_last_refresh_are_made_again(two: Library, boosts: list[tuple[int, int]]) -> None:
    """Their sums were not made anew there, and going on would give another model."""
    trained(two, "between", samples=1, rounds=20)
    trained(two, "between", samples=1, rounds=32)
    trained(two, "at-once", samples=1, rounds=32)
    assert boosts == [(0, 20), (0, 32), (0, 32)]
    assert checksums(two, "between") == checksums(two, "at-once")


def test_rounds_of_an_earlier_longer_training_are_not_shown(two: Library) -> None:
    trained(two, "shorter", samples=1, rounds=32)
    trained(two, "shorter", samples=1, rounds=20)
    folder = two.model_folder("shorter")
    assert [feature.round for feature in boosting_jobs.sample_features(folder, 0)] == [*range(1, 21)]
    whole, part = read_boosted(two, "shorter"), boosting_jobs.saved_model(folder, 1, None, two.fingerprints)
    assert [*whole.features()] == [*part.features()]


@pytest.mark.parametrize("changes", [{"seed": 2}, {"rounds": 48}], ids=["another", "a longer one"])
def test_samples_of_a_training_that_was_stopped_are_not_shown_for_the_model(
    changes: dict[str, Any], two: Library
) -> None:
    """A model stays as it is until another one is whole."""
    trained(two, "kept", samples=2, rounds=32)
    folder = two.model_folder("kept")
    before = [*read_boosted(two, "kept").features()]
    with pytest.raises(KeyboardInterrupt):
        trained(two, "kept", progress=Ends(50), **{"samples": 2, "rounds": 32, **changes})
    assert [*read_boosted(two, "kept").features()] == before
    if "seed" in changes:
        with pytest.raises(InputError, match="does not contain sample 1 of this model: train it again"):
            next(boosting_jobs.sample_features(folder, 0))
    else:
        assert len([*boosting_jobs.sample_features(folder, 0)]) == 32
        part = boosting_jobs.saved_model(folder, 2, None, two.fingerprints)
        assert [*part.features()] == before


@pytest.mark.parametrize(
    "changes",
    [
        {"seed": 7},
        {"per_query": 5},
        {"smoothing": 1e-3},
        {"refresh": 8},
        {"unique": True},
        {"query_words": 30},
        {"document_share": 0.1},
        {"ngrams": 1},
        {"instances": 200},
        {"multipartite": False},
        HASHED,
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_samples_of_other_settings_are_not_taken_up(
    changes: dict[str, Any], two: Library, boosts: list[tuple[int, int]]
) -> None:
    trained(two, "changed", samples=1, rounds=16)
    boosts.clear()
    trained(two, "changed", samples=1, rounds=16, **changes)
    assert boosts == [(0, 16)]


def test_samples_of_another_collection_are_not_taken_up(
    tmp_path: Path, boosts: list[tuple[int, int]]
) -> None:
    library = subjects_library(tmp_path / "subjects")
    trained(library, "boosted", samples=1, rounds=16)
    qrels = library.folder / "qrels" / "train.tsv"
    first, *lines = qrels.read_text(encoding="utf-8").splitlines(keepends=True)
    qrels.write_text("".join([first, *lines[1:]]), encoding="utf-8")
    trained(Library(library.folder), "boosted", samples=1, rounds=16)
    assert boosts == 2 * [(0, 16)]
    documents = library.folder / "documents.jsonl"
    kept = documents.read_text(encoding="utf-8").replace("ens1w5", "ens1w6", 1)
    documents.write_text(kept, encoding="utf-8")
    library.update_index()
    for name in ("boosted", "fresh"):
        trained(library, name, samples=1, rounds=16)
    assert boosts == 4 * [(0, 16)]
    assert checksums(library, "boosted") == checksums(library, "fresh")


@pytest.mark.parametrize("damaged", [*boosting_jobs.ROUND_ARRAYS, "instances", "meta.json"])
def test_damaged_sample_is_made_again(damaged: str, two: Library, boosts: list[tuple[int, int]]) -> None:
    trained(two, "damaged", samples=2, rounds=16)
    before = checksums(two, "damaged")
    place = two.model_folder("damaged") / "samples" / "001"
    meta = store.read(place, boosting_jobs.SAMPLE_KIND, boosting_jobs.VERSION).meta
    path = place / (store.META if damaged == "meta.json" else meta.arrays[damaged].file)
    path.write_bytes(path.read_bytes()[:-9])
    boosts.clear()
    trained(two, "damaged", samples=2, rounds=16)
    assert boosts == [(0, 16)]
    assert checksums(two, "damaged") == before


def test_sample_with_a_changed_byte_is_made_again(two: Library, boosts: list[tuple[int, int]]) -> None:
    trained(two, "flipped", samples=1, rounds=16)
    before = checksums(two, "flipped")
    place = two.model_folder("flipped") / "samples" / "000"
    meta = store.read(place, boosting_jobs.SAMPLE_KIND, boosting_jobs.VERSION).meta
    path = place / meta.arrays["features"].file
    data = bytearray(path.read_bytes())
    data[-1] ^= 0x40
    path.write_bytes(data)
    boosts.clear()
    trained(two, "flipped", samples=1, rounds=16)
    assert boosts == [(0, 16)]
    assert checksums(two, "flipped") == before


def test_two_trainings_of_one_model_do_not_mix(two: Library) -> None:
    folder = two.model_folder("twice")
    with store.locked(folder / "samples"), pytest.raises(InputError, match="written by another process"):
        trained(two, "twice", samples=1, rounds=16)
    trained(two, "twice", samples=1, rounds=16)
    with pytest.raises(InputError, match="overwritten by another training"):
        boosting_jobs.boost_sample(folder, 1, key="of other work")


def by_hand(folder: Path, n_samples: int) -> dict[tuple[str, str], tuple[float, int, int]]:
    """(query n-gram, document n-gram) -> (weight, earliest round, number of samples)."""
    work = store.read(folder / "work", boosting_jobs.WORK_KIND, boosting_jobs.VERSION)
    queries, documents = [*work.strings("query.terms")], [*work.strings("document.terms")]
    found: dict[tuple[str, str], list[tuple[float, int, int]]] = {}
    for number in range(n_samples):
        place = folder / "samples" / f"{number:03}"
        array = store.read(place, boosting_jobs.SAMPLE_KIND, boosting_jobs.VERSION).array
        starts, features = array("starts").tolist(), array("features").tolist()
        for n, weight in enumerate(array("weights").tolist()):
            for feature in features[starts[n] : starts[n + 1]]:
                pair = queries[feature // len(documents)], documents[feature % len(documents)]
                found.setdefault(pair, []).append((weight / n_samples, n + 1, number))
    return {
        pair: (sum(w for w, _, _ in each), min(n for _, n, _ in each), len({s for _, _, s in each}))
        for pair, each in found.items()
    }


@every_table
def test_model_is_the_average_of_its_samples(table: dict[str, Any], two: Library) -> None:
    outcome = trained(two, "average", **table)
    folder = two.model_folder("average")
    expected = by_hand(folder, 3)
    model = read_boosted(two, "average")
    assert outcome.n_weights == len(expected)
    assert {each[2] for each in expected.values()} == {1, 2, 3}
    found = weights_of(model)
    assert found.keys() == expected.keys()
    for pair, (weight, _, _) in expected.items():
        assert found[pair] == pytest.approx(weight, rel=1e-6, abs=1e-7)
    listed = [*model.features()]
    assert {(each.query, each.document): (each.round, each.samples) for each in listed} == {
        (readable(query), readable(document)): (first, n)
        for (query, document), (_, first, n) in expected.items()
    }
    rounds = [(each.round, -abs(each.weight)) for each in listed]
    assert rounds == sorted(rounds)


def weights_of(model: BoostedModel) -> dict[tuple[str, str], float]:
    rows: Any = model.pairs.weights
    queries, documents = model.pairs.query_words.terms, model.pairs.document_words.terms
    return {
        (query, documents[rows.columns[n]]): float(rows.weights[n])
        for i, query in enumerate(queries)
        for n in range(rows.starts[i], rows.starts[i + 1])
    }


def grams(analyzer: Analyzer, text: Text) -> set[str]:
    """Terms, and neighbouring terms of a sentence."""
    found = set()
    for terms in analyzer.sentences(text.content):
        found |= {*terms, *("_".join(pair) for pair in pairwise(terms))}
    return found


def test_score_sums_the_features_that_both_texts_hold_and_words_written_alike(one: Library) -> None:
    trained(one, "scored", query_share=0.12, document_share=0.12)
    weights = {pair: weight for pair, (weight, _, _) in by_hand(one.model_folder("scored"), 3).items()}
    assert any("_" in query for query, _ in weights)  # else bigrams were not shown
    assert any("_" in document for _, document in weights)
    index = one.index
    documents = {text.id: grams(index.analyzer, text) for text in one.collection.documents()}
    for beta in (0.0, 0.35):
        system = one.system("boosted", {"model": "scored", "beta": beta})
        for query in one.split_queries("test")[:6]:
            asked, words = grams(index.source_analyzer, query), {*index.analyzer.terms(query.content)}
            expected = {}
            for id, held in documents.items():
                learned = [weight for (q, d), weight in weights.items() if q in asked and d in held]
                if learned or (beta and words & held):
                    expected[id] = sum(learned) + beta * len(words & held)
            assert_right(system.search([query], 300).rankings[query.id], expected, 300, slack=1e-5)


def test_beta_is_the_best_on_dev_unless_it_is_given(one: Library) -> None:
    betas = "2.4 0.1 0.3 0"
    trained(one, "beta", rounds=3, samples=1, betas=betas)
    meta = store.read(one.model_folder("beta"), KIND, VERSION).meta
    curve = dict(meta.made_from["dev"]["by_beta"])
    assert [*curve] == [2.4, 0.1, 0.3, 0.0]
    assert len(set(curve.values())) > 1  # else there was nothing to choose
    assert meta.settings["beta"] == max(curve, key=lambda beta: curve[beta])
    trained(one, "beta", rounds=3, samples=1, betas=betas, beta=0.7)
    meta = store.read(one.model_folder("beta"), KIND, VERSION).meta
    assert (meta.settings["beta"], meta.made_from["dev"]["by_beta"]) == (0.7, [])


def test_collection_without_dev_gives_no_weight_to_words_written_alike(tmp_path: Path) -> None:
    library = subjects_library(tmp_path / "subjects", dev=False)
    outcome = trained(library, "boosted", samples=1, rounds=16)
    assert outcome.made_from["dev"]["by_beta"] == []
    assert read_boosted(library).beta == 0.0
    assert precision_at_10(library, "boosted") > 0.5


def test_documents_that_cannot_be_told_apart_teach_nothing(
    tmp_path: Path, boosts: list[tuple[int, int]]
) -> None:
    """No model without features is kept; one that was there before stays as it is."""
    library = subjects_library(tmp_path / "subjects")
    trained(library, "before", samples=1, rounds=16)
    before = checksums(library, "before")
    documents = library.folder / "documents.jsonl"
    alike = [
        line.partition('"text":')[0] + '"text":"all alike"}' for line in documents.read_text().splitlines()
    ]
    documents.write_text("\n".join(alike) + "\n", encoding="utf-8")
    library.update_index()
    for name in ("boosted", "before"):
        boosts.clear()
        with pytest.raises(InputError, match="nothing was learned: no feature distinguishes a document from"):
            trained(library, name, samples=2, document_share=1.0)
        assert boosts == [(0, 0), (0, 0)]
    assert not (library.model_folder("boosted") / store.META).exists()
    assert checksums(library, "before") == before


def test_hashed_sums_that_do_not_fit_are_refused_with_the_way_out() -> None:
    hashed, exact = BoostingSettings(hashed=True, bits=28), BoostingSettings(bits=28)
    needed = 9 << 28
    assert boosting_jobs.jobs_that_fit(hashed, 100, 3 * needed) == 3
    assert boosting_jobs.jobs_that_fit(hashed, 100, needed) == 1
    with pytest.raises(
        InputError, match=r"2\^28 places need 2\.2 GiB, and 2\.0 are free: set fewer bits, or hashed="
    ):
        boosting_jobs.jobs_that_fit(hashed, 100, 2 << 30)
    assert (
        boosting_jobs.jobs_that_fit(exact, 1 << 30, 1 << 28) == 1
    )  # most words sleep, so it may fit all the same


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ngrams": 9}, "ngrams must be 1 to 5, not 9"),
        ({"samples": 0}, "samples must be 1 to 1000, not 0"),
        ({"betas": "0.1, 0.2"}, "betas must be numbers of at least 0, separated by spaces, not '0.1, 0.2'"),
        ({"bits": 40}, "bits must be 4 to 30, not 40"),
        ({"refresh": 0}, "refresh must be at least 1, not 0"),
        ({"rounds": 0}, "rounds must be at least 1, not 0"),
        ({"smoothing": 1.0}, "smoothing must be from 0 to 1"),
        ({"measure": "best"}, "unknown measure 'best'"),
        ({"betas": ""}, "betas must be numbers of at least 0, separated by spaces, not ''"),
        ({"betas": "0 nan"}, "betas must be numbers of at least 0, separated by spaces, not '0 nan'"),
        ({"beta": "inf"}, "beta must be a number, not inf"),
        ({"instances": -5}, "instances must be 0 to 10,000,000, not -5"),
        ({"per_query": 0}, "per_query must be 1 to 1000, not 0"),
        ({"query_words": -1}, "query_words must not be negative"),
    ],
)
def test_wrong_settings_are_refused_before_anything_is_written(
    changes: dict[str, Any], message: str, two: Library
) -> None:
    with pytest.raises(InputError, match=message):
        trained(two, "refused", **changes)
    assert not two.model_folder("refused").exists()
