"""`train bilinear` from a collection to answers: on a small synthetic world, and on the toy in one language."""

from typing import Any

import msgspec
import numpy as np
import pytest

from kakehashi.corpus.world.build import build_world
from kakehashi.errors import InputError
from kakehashi.learn.bilinear_model import KIND, VERSION
from kakehashi.learn.clusters import cluster
from kakehashi.library import Library
from kakehashi.retrieve.clusters import Preselected
from kakehashi.retrieve.sparse import Sparse
from kakehashi.store import read
from kakehashi.systems.bilinear import BilinearTraining, read_bilinear, read_with_reading
from kakehashi.training.outcome import Outcome

QUICK = {"pairs": 20_000, "epochs": 3, "dev_queries": 100, "query_share": 0.5, "document_share": 0.5}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Library:
    folder = tmp_path_factory.mktemp("training") / "world"
    build_world(folder, documents=3000)
    library = Library(folder)
    library.update_index()
    return library


def train(library: Library, name: str, threads: int = 0, **settings: Any) -> Outcome:
    return library.train("bilinear", {**QUICK, **settings}, model=name, threads=threads)[1]


def recall(library: Library, system: str, **settings: Any) -> float:
    run = library.rank(system, "test", 100, settings=settings)
    return library.measure(run, "test", ["R@100"]).means()["R@100"]


def test_learned_pairs_find_far_more_than_untranslated_words(world: Library) -> None:
    trained = train(world, "bilinear")
    assert trained.curve[-1].error < 0.02 < trained.curve[0].error
    assert recall(world, "bilinear") > 1.5 * recall(world, "passthrough") > 0


def checksums(library: Library, name: str) -> dict[str, str]:
    meta = read(library.model_folder(name), KIND, VERSION).meta
    return {array: entry.xxh3 for array, entry in meta.arrays.items()}


def test_same_seed_same_model_whatever_the_threads(world: Library) -> None:
    train(world, "one", 1, pairs=5000, epochs=1)
    train(world, "other", 2, pairs=5000, epochs=1)
    train(world, "again", 1, pairs=5000, epochs=1, seed=2)
    assert checksums(world, "one") == checksums(world, "other") != checksums(world, "again")


def test_model_is_kept_with_all_that_made_it(world: Library) -> None:
    trained = train(world, "kept", pairs=5000, epochs=2)
    meta = read(world.model_folder("kept"), KIND, VERSION).meta
    assert meta.settings["training"]["pairs"] == 5000
    assert meta.made_from["dev"]["by_epoch"] == trained.measures
    assert meta.made_from["nonzero_weights"] == trained.n_weights
    assert meta.seed == 1
    model = read_bilinear(world, "kept")
    strongest = model.strongest(20)
    assert [pair.weight for pair in strongest] == sorted((pair.weight for pair in strongest), reverse=True)
    best = strongest[0]
    assert model.translations(best.query, 3)[0] == best
    assert all(pair.weight < 0 for pair in model.strongest(5, least=True))


def test_correlated_words_are_read_as_in_training(world: Library) -> None:
    train(world, "cfh", document_cfh=3, query_cfh=2, cfh_words=500)
    answers = recall(world, "bilinear", model="cfh")
    assert answers > recall(world, "passthrough")
    index, built = world.index, world.system("bilinear", {"model": "cfh"})
    assert built.index.folder != index.folder
    assert len(built.index.vocabulary) == 500
    query = world.split_queries("test")[0]
    best = built.search([query], 1).rankings[query.id].docs[0]
    assert built.index.title(best) == index.title(best)


def test_model_trained_again_without_correlated_words_reads_plain_ones(world: Library) -> None:
    train(world, "twice", pairs=2000, epochs=1, document_cfh=3, query_cfh=2, cfh_words=500)
    train(world, "twice", pairs=2000, epochs=1)
    train(world, "once", pairs=2000, epochs=1)
    queries = world.split_queries("test")[:5]
    twice, once = (world.system("bilinear", {"model": name}) for name in ("twice", "once"))
    assert twice.index.folder == world.index.folder
    for id, ranking in once.search(queries, 20).rankings.items():
        assert list(twice.search(queries, 20).rankings[id].docs) == list(ranking.docs)


def test_path_of_penalties_keeps_the_best_on_dev(world: Library) -> None:
    trained = train(world, "path", pairs=5000, epochs=1, l1_steps=3, l1_low=1e-6, l1_high=1e-3)
    steps = read(world.model_folder("path"), KIND, VERSION).meta.made_from["l1_path"]
    assert [step["l1"] for step in steps] == pytest.approx([1e-3, 10**-4.5, 1e-6])
    assert max(trained.measures) == max(step["measure"] for step in steps)
    assert steps[0]["nonzero_weights"] < steps[-1]["nonzero_weights"]


def test_separate_penalties_are_learned_as_if_each_were_the_only_one(world: Library) -> None:
    told = {"pairs": 5000, "epochs": 1, "l1_steps": 2, "l1_low": 1e-6, "l1_high": 1e-4}
    trained = train(world, "separate", **told)
    alone = [train(world, f"l1-{l1}", pairs=5000, epochs=1, l1=l1) for l1 in (1e-4, 1e-6)]
    assert trained.measures == max((one.measures for one in alone), key=max)
    path = read(world.model_folder("separate"), KIND, VERSION).meta.made_from["l1_path"]
    assert [step["measure"] for step in path] == [max(one.measures) for one in alone]
    best = max(range(2), key=lambda i: max(alone[i].measures))
    assert checksums(world, "separate") == checksums(world, f"l1-{(1e-4, 1e-6)[best]}")
    train(world, "warm", **told, l1_runs="warm")
    warm = read(world.model_folder("warm"), KIND, VERSION).meta.made_from["l1_path"]
    assert warm[0] == path[0]
    assert warm[1] != path[1]


def test_hashed_model_answers_like_the_exact_one(world: Library) -> None:
    train(world, "exact", pairs=5000, epochs=1)
    train(world, "hashed", pairs=5000, epochs=1, layout="blocks", bits=24)
    assert recall(world, "bilinear", model="hashed") == pytest.approx(
        recall(world, "bilinear", model="exact"), abs=0.02
    )


def test_hashed_model_names_the_pairs_the_exact_one_names(world: Library) -> None:
    train(world, "exact", pairs=5000, epochs=1)
    train(world, "crowded", pairs=5000, epochs=1, layout="scattered", bits=20)
    exact, crowded = (read_bilinear(world, name) for name in ("exact", "crowded"))
    assert crowded.collisions is not None
    assert 0 < crowded.collisions.lost < crowded.collisions.met < crowded.collisions.possible
    named = {(pair.query, pair.document) for pair in crowded.strongest(100)}
    wanted = {(pair.query, pair.document) for pair in exact.strongest(100)}
    assert len(named & wanted) >= 60  # without the table, any two words that share a place could be named
    best = crowded.strongest(1)[0]
    assert best in crowded.translations(best.query, 5)
    assert 0.0 < best.share <= 1.0


def test_hashed_model_without_a_reverse_table_names_nothing(world: Library) -> None:
    train(world, "unreadable", pairs=2000, epochs=1, layout="scattered", bits=18, readable=0)
    model = read_bilinear(world, "unreadable")
    with pytest.raises(InputError, match="readable="):
        model.strongest(5)


def test_all_clusters_find_what_the_exact_search_finds_and_two_find_most(world: Library) -> None:
    train(world, "bilinear", pairs=5000, epochs=1)
    exact = world.system("bilinear")
    assert isinstance(exact, Sparse)
    model, reading = read_with_reading(world)
    rows = model.document_words.document_rows(world.index)
    clusters = cluster(rows, len(model.document_words), 8, np.random.default_rng(1))
    queries = world.split_queries("test")[:20]
    wanted = exact.search(queries, 50).rankings
    everything = Preselected(exact, model, reading, clusters, best=8).search(queries, 50).rankings
    some = Preselected(exact, model, reading, clusters, best=2).search(queries, 50).rankings
    for id, ranking in wanted.items():
        assert list(everything[id].docs) == list(ranking.docs)
        assert everything[id].scores.tolist() == ranking.scores.tolist()
    kept = np.mean([len({*some[id].docs} & {*wanted[id].docs}) / len(wanted[id]) for id in wanted])
    assert 0.4 < kept < 1.0


def test_untrained_model_is_refused_with_the_command_that_makes_it(world: Library) -> None:
    with pytest.raises(InputError, match="kakehashi train bilinear"):
        world.system("bilinear", {"model": "nobody"})
    with pytest.raises(InputError, match="cannot name a model"):
        world.system("bilinear", {"model": "../elsewhere"})


def test_query_in_the_documents_language_is_refused(world: Library) -> None:
    train(world, "bilinear", pairs=2000, epochs=1)
    original = next(iter(world.collection.originals()))
    with pytest.raises(InputError, match="is in 'en'"):
        world.system("bilinear").search([original])


def test_model_of_another_analysis_is_refused(world: Library) -> None:
    train(world, "bilinear", pairs=2000, epochs=1)
    world.update_index({"stem": False})
    try:
        with pytest.raises(InputError, match="train"):
            world.system("bilinear")
    finally:
        world.update_index(rebuild=True)


def test_settings_reach_every_part(world: Library) -> None:
    names = {field.name for field in msgspec.structs.fields(BilinearTraining)}
    assert {"scheme", "query_words", "l1", "measure", "l1_steps", "document_cfh"} <= names
    with pytest.raises(InputError, match="bilinear has no setting 'colour'"):
        train(world, "x", colour="red")
    with pytest.raises(InputError, match="rate must be positive"):
        train(world, "x", rate=-1.0)
