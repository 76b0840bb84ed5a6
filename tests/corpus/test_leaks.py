"""Text of dev and test in a collection's own parallel text: found, reported and left out."""

from pathlib import Path

import pytest

from kakehashi.corpus.check import examine
from kakehashi.corpus.collection import Collection, CollectionInfo
from kakehashi.corpus.leaks import HeldOutText, warning
from kakehashi.corpus.writing import CollectionWriter
from kakehashi.training.parallel_text import TextSettings, gather
from kakehashi.types import Text

QUERY = (
    "Die Pumpe fördert heißes Wasser in den oberen Kessel. Danach schließt sich das Ventil von selbst wieder."
)
MATE = "The pump moves hot water into the upper boiler. Afterwards the valve closes again by itself."
PAIRS = [
    ("Der Hund schläft heute auf dem alten Sofa.", "The dog sleeps on the old sofa today."),
    (
        "Danach schließt sich das Ventil von selbst wieder.",
        "Then the valve shuts by itself again.",
    ),  # of the query
    (
        "Hinterher geht die Klappe zu, ganz allein.",
        "Afterwards, the valve closes again by itself!",
    ),  # of the mate
    ("Das Ventil klemmt.", "The valve is stuck."),
    (
        "So lief es im ersten Entwurf noch nicht.",
        "The first draft did not work like that.",
    ),  # of the original
    ("Die Pumpe pumpt auch in diesem Satz wieder Wasser.", "The pump pumps water in this sentence, too."),
    ("Heizung und Kühlung", "Heating"),  # a short line of a mate is no secret
    ("Pumpe", "pump"),  # nor is a word, even if it is the title of a query
    ("Pumpe mit Kessel", "pump and boiler"),
    ("Der Trainingstext darf ganz genau so hier stehen.", "The training text may stand here just like this."),
]


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    info = CollectionInfo("c", "de", "en", "x", levels={"1": "cited", "3": "same"}, mate_level=3)
    with CollectionWriter(tmp_path / "c", info) as writer:
        writer.document(Text("d1", "en", f"Heating\n{MATE}"))
        writer.document(Text("d2", "en", PAIRS[0][1]))
        writer.document(Text("d3", "en", PAIRS[9][1]))
        writer.query(Text("q1", "de", f"Pumpe\n{QUERY}", "Pumpe mit Kessel"))
        writer.query(Text("q2", "de", PAIRS[9][0]))
        writer.original(Text("q1", "en", f"{PAIRS[4][1]} It was mended."))
        for pair in PAIRS:
            writer.parallel(*pair)
        writer.qrels("test", {"q1": {"d1": 3, "d2": 1}})
        writer.qrels("train", {"q2": {"d3": 3}})
    return Collection(tmp_path / "c")


def test_sentences_of_queries_originals_and_mates_are_found(collection: Collection) -> None:
    """Not those of documents that are cited only, nor of training queries."""
    assert [*HeldOutText(collection).lines(collection.parallel())] == [2, 3, 5, 9]


def test_check_names_number_and_lines(collection: Collection) -> None:
    report = examine(collection.folder)
    assert report.errors == 0
    [fault] = [fault for fault in report.faults if fault.path.name == "parallel.tsv"]
    assert fault.severity == "warning"
    assert fault.message.startswith(
        "4 pairs hold text of dev or test queries or of their translations (lines 2, 3, 5, 9)"
    )


def test_training_leaves_them_out_unless_told_otherwise(collection: Collection) -> None:
    kept = gather(collection, [], TextSettings())
    assert [(pair.source, pair.target) for pair in kept.sentences] == [PAIRS[n] for n in (0, 3, 5, 6, 7, 9)]
    assert kept.tallies[0].left_out == {"in dev or test": 4}
    everything = gather(collection, [], TextSettings(without_test_text=False))
    assert len(everything.sentences) == len(PAIRS)
    assert not everything.tallies[0].left_out


def test_collection_without_judgments_has_nothing_to_hide(collection: Collection) -> None:
    for path in (collection.folder / "qrels").iterdir():
        path.unlink()
    assert warning(collection) == ""
    assert len(gather(collection, [], TextSettings()).sentences) == len(PAIRS)
