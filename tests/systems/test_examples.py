"""Training of `examples`, what it leaves out, and a searcher's own searches."""

import multiprocessing
import shutil
from pathlib import Path

import msgspec
import numpy as np
import pytest

from kakehashi import store
from kakehashi.building.lending import lends
from kakehashi.corpus.remembered import FILE, add_remembered, read_remembered
from kakehashi.errors import FileError, InputError
from kakehashi.learn.asked import Asked
from kakehashi.learn.linear import Weights
from kakehashi.learn.linear_model import LinearModel
from kakehashi.library import Library
from kakehashi.systems.examples import KIND, VERSION, ExamplesTraining
from kakehashi.systems.opening import chosen_inputs
from kakehashi.systems.registry import TRAINERS
from kakehashi.types import Text
from tests.toy import QUERIES

BATTERY = "リチウム電池"


@pytest.fixture
def library(toy_copy: Path) -> Library:
    return Library(toy_copy)


@pytest.fixture
def trained(library: Library) -> Library:
    library.train("examples")
    return library


def docs(library: Library, text: str, **more: object) -> list[str]:
    return [hit.id for hit in library.search(text, system="examples", **more)]


def test_training_keeps_the_training_queries_and_no_others(trained: Library) -> None:
    meta = store.read(trained.model_folder("examples"), KIND, VERSION).meta
    assert meta.made_from["queries"] == 3
    assert meta.made_from["judgments"] == 10
    assert docs(trained, "電池") == ["d01", "d02", "d03"] or set(docs(trained, "電池")) == {
        "d01",
        "d02",
        "d03",
    }
    assert docs(trained, "ポンプ") == []  # only a test query has this word


def test_settings_are_tuned_on_dev_unless_given(library: Library) -> None:
    _, tuned = library.train("examples")
    assert tuned.made_from["dev"]["measure"] == "MAP-mate"
    assert any("MAP-mate on dev, the best of" in line for line in tuned.told)
    _, given = library.train("examples", {"neighbours": 2, "power": 1.5, "mates": 0, "rarity": 0.25})
    assert given.made_from["votes"] == {"neighbours": 2, "power": 1.5, "mates": 0.0, "rarity": 0.25}
    _, untuned = library.train("examples", {"dev_queries": 0})
    assert untuned.made_from["votes"] == {"neighbours": 100, "power": 3.0, "mates": 1.0, "rarity": 0.0}
    assert not any("on dev" in line for line in untuned.told)


def test_tuning_finds_the_best_value_of_a_setting(library: Library) -> None:
    """Measured anew for every value."""
    _, tuned = library.train("examples", {"neighbours": -1, "power": 2.0, "mates": 1.0, "rarity": 0.0})
    values = {}
    for neighbours in (10, 30, 100, 300):
        fixed = {"neighbours": neighbours, "power": 2.0, "mates": 1.0, "rarity": 0.0}
        _, outcome = library.train("examples", fixed, model="other")
        values[neighbours] = outcome.made_from["dev"]["value"]
    assert tuned.made_from["dev"]["value"] == max(values.values())


@pytest.mark.parametrize("name", ["neighbours", "power", "mates", "rarity"])
def test_wrong_values_are_refused(name: str, library: Library) -> None:
    with pytest.raises(InputError, match=f"{name} must not be -2"):
        library.train("examples", {name: -2})
    with pytest.raises(InputError, match="share must be above 0 and at most 1, not 0"):
        library.train("examples", {"share": 0})
    assert msgspec.convert({}, ExamplesTraining).power == -1


def test_share_of_the_training_queries_is_used(library: Library) -> None:
    _, outcome = library.train("examples", {"share": 0.34})
    assert outcome.made_from["queries"] == 1


def test_training_without_judgments_is_refused(library: Library) -> None:
    (library.folder / "qrels/train.tsv").write_text("j1\t0\td02\t0\n")
    with pytest.raises(InputError, match="has no training query with a relevant document"):
        library.train("examples")


def test_query_judged_in_two_splits_does_not_vote(library: Library) -> None:
    with (library.folder / "qrels/test.tsv").open("a") as file:
        file.write("j1\t0\td01\t3\n")
    library.train("examples")
    assert docs(library, "リチウム") == []


def test_training_query_of_the_querys_family_does_not_vote(trained: Library) -> None:
    family = Text("new", "ja", BATTERY, meta={"family": "f01"})
    other = Text("new", "ja", BATTERY, meta={"family": "f99"})
    assert docs(trained, family) == []
    assert set(docs(trained, other)) == {"d01", "d02", "d03"}
    assert docs(trained, Text("d01", "ja", BATTERY)) == []  # the mate of the earlier query
    assert docs(trained, Text("j1", "ja", BATTERY)) == []


def test_copy_of_a_training_query_gets_no_vote_of_it(trained: Library) -> None:
    [copied] = [query for query in trained.collection.queries() if query.id == "j1"]
    again = Text("again", "ja", copied.text, copied.title)
    assert "d02" not in docs(trained, again)


def test_it_is_an_input_of_dense_by_default(trained: Library) -> None:
    assert chosen_inputs("auto", trained) == "examples"


def test_model_is_never_lent(trained: Library) -> None:
    assert not lends(trained, TRAINERS["examples"])


def test_own_search_is_answered_from_at_once(trained: Library) -> None:
    before = docs(trained, "ポンプの回路")
    made = trained.searches.add("燃料ポンプ", {"d12": 2, "d09": 1})
    assert made.query.id == "search-1"
    assert "d12" not in before
    hits = trained.search("ポンプの回路", system="examples")
    assert {hit.id for hit in hits} >= {"d12", "d09"}
    [share] = next(hit for hit in hits if hit.id == "d12").why
    assert (share.query, share.document) == ("search-1 燃料ポンプ", "(cited by the examiner)")
    assert docs(Library(trained.folder), "ポンプの回路") == [hit.id for hit in hits]
    assert docs(trained, "燃料ポンプ")[:2] == ["d12", "d09"]  # asking again is no leak


def test_own_searches_survive_training_and_forgetting_undoes_them(trained: Library) -> None:
    before = docs(trained, "燃料の噴射")
    trained.searches.add("噴射の燃料", ["d07"])
    with_it = docs(trained, "燃料の噴射")
    assert "d07" in with_it
    trained.train("examples")
    assert docs(trained, "燃料の噴射") == with_it
    trained.searches.forget("search-1")
    assert docs(trained, "燃料の噴射") == before
    assert len(trained.searches) == 0


def test_own_searches_alone_are_enough(library: Library) -> None:
    shutil.rmtree(library.folder / "qrels")
    with pytest.raises(InputError, match="train examples"):
        library.system("examples")
    library.searches.add("ポンプの回路", ["d12"])
    assert docs(library, "ポンプ") == ["d12"]
    assert chosen_inputs("auto", library) == "examples"
    library.searches.add("カメラ", ["d05"])
    assert set(docs(library, "カメラのポンプ")) == {"d12", "d05"}


def test_arrays_of_own_searches_are_kept_and_made_again_when_the_file_changes(trained: Library) -> None:
    folder = trained.model_folder("examples") / "remembered"
    trained.searches.add("ポンプ", ["d12"])
    docs(trained, "ポンプ")
    first = (folder / store.META).read_bytes()
    docs(Library(trained.folder), "ポンプ")
    assert (folder / store.META).read_bytes() == first
    trained.searches.add("回路", ["d03"])
    assert docs(trained, "回路") == ["d03"]
    assert (folder / store.META).read_bytes() != first
    assert trained.faults() == []


def test_same_search_again_gets_more_documents(library: Library) -> None:
    library.searches.add("ポンプ", ["d12"])
    made = library.searches.add("ポンプ", {"d09": 2, "d12": 2})
    assert (made.query.id, made.documents) == ("search-1", {"d12": 2, "d09": 2})
    assert len(library.searches) == 1


@pytest.mark.parametrize(
    ("query", "documents", "line"),
    [
        ("ポンプ", ["d12", "nobody"], "there is no document 'nobody' in the index"),
        ("ポンプ", {"d12": 7}, "d12: 7 is not a level of relevance here: use 1, 2, 3"),
        ("ポンプ", [], "name at least one document"),
        ("  ", ["d12"], "the query has no word that is searched for"),
        ("\ud800ポンプ", ["d12"], "not valid Unicode"),
        (Text("x", "en", "pump"), ["d12"], "query 'x' is in 'en': this model accepts ja"),
    ],
)
def test_wrong_searches_are_refused_and_nothing_is_written(
    query: str | Text, documents: list[str] | dict[str, int], line: str, library: Library
) -> None:
    with pytest.raises(InputError, match=line):
        library.searches.add(query, documents)
    assert not (library.folder / FILE).exists()


@pytest.mark.parametrize("number", [3, 5], ids=["dev", "test"])
def test_queries_that_figures_are_measured_with_are_not_remembered(number: int, library: Library) -> None:
    id, title, text = QUERIES[number][:3]
    split = "dev" if number == 3 else "test"
    for query in (Text(id, "ja", "何か"), Text("", "ja", f" {text} ", title), f"{title}\n{text}"):
        with pytest.raises(InputError, match=f"this is the query '{id}' of {split}"):
            library.searches.add(query, ["d01"])


def test_damaged_file_is_refused_with_its_line(trained: Library) -> None:
    trained.searches.add("ポンプ", ["d12"])
    with (trained.folder / FILE).open("a") as file:
        file.write("{}\n")
    with pytest.raises(FileError, match=rf"{FILE}:2.*is not a remembered search record"):
        trained.system("examples")


def _add_some(folder: Path, name: str) -> None:
    for i in range(10):
        while True:
            try:
                add_remembered(folder, Text(f"{name}{i}", "ja", "ポンプ"), {"d12": 1})
                break
            except InputError as error:
                if "is being written by another process" not in str(error):
                    raise


def test_two_writers_lose_nothing(toy_copy: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_add_some, args=(toy_copy, name)) for name in "ab"]
    for each in writers:
        each.start()
    for each in writers:
        each.join()
    assert sorted(one.query.id for one in read_remembered(toy_copy)) == sorted(
        f"{n}{i}" for n in "ab" for i in range(10)
    )


def test_crash_while_writing_leaves_the_old_file(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    library.searches.add("ポンプ", ["d12"])
    before = (library.folder / FILE).read_bytes()

    def fail(path: Path) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as broken:
        broken.setattr(Path, "replace", lambda self, target: fail(self))
        with pytest.raises(OSError, match="no space"):
            library.searches.add("回路", ["d03"])
    assert (library.folder / FILE).read_bytes() == before
    assert [path.name for path in library.folder.glob(".*.tmp")] == []


def test_dense_answers_from_own_searches_at_once(library: Library) -> None:
    """A model of weights alone, put beside the index; only `examples` is its input."""
    library.train("examples")
    worth, made_with = Weights(np.ones(1)), library.fingerprints
    model = LinearModel([Asked("examples")], "best", "none", ["examples"], worth, {}, made_with, True)
    model.save(library.model_folder("dense"), {}, {}, seed=1)
    before = library.system("dense").score(library.query("ポンプ"), ["d12"])
    library.searches.add("燃料ポンプ", ["d12"])
    assert np.isnan(before).all()
    assert library.system("dense").score(library.query("ポンプ"), ["d12"]) == pytest.approx([1.0])
