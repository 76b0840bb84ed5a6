"""Which pairs are learned from, and what is counted of the others."""

from pathlib import Path

import msgspec
import pytest

from kakehashi.corpus.collection import Collection
from kakehashi.corpus.parallel_text.aligned_lines import read_columns
from kakehashi.corpus.parallel_text.selection import Selection, Tally, Unseen
from kakehashi.corpus.parallel_text.sentence_pair import SentencePair
from tests.toy import toy_collection


@pytest.fixture(scope="module")
def unseen(tmp_path_factory: pytest.TempPathFactory) -> Unseen:
    return Unseen(Collection(toy_collection(tmp_path_factory.mktemp("toy") / "c")))


def choose(unseen: Unseen, *pairs: SentencePair) -> tuple[list[SentencePair], Tally]:
    tally = Tally("x")
    return list(Selection(unseen, [("電池", "battery")]).choose(pairs, tally)), tally


def test_every_pair_left_out_is_counted_by_its_reason(unseen: Unseen) -> None:
    kept, tally = choose(
        unseen,
        SentencePair(" 灯台\x07の灯り ", "light of a lighthouse", 3.0),
        SentencePair("", "nothing"),
        SentencePair("nothing", " \t"),
        SentencePair("USB 3.0", "usb-3.0"),
        SentencePair("灯台 の灯り", "light  of a lighthouse"),
        SentencePair("電池", "battery"),  # the collection has it
    )
    assert kept == [SentencePair("灯台 の灯り", "light of a lighthouse", 3.0)]
    assert tally.left_out == {"empty": 2, "untranslated": 1, "duplicate": 2}


@pytest.mark.parametrize(
    ("pair", "kept"),
    [
        (("燃料電池の電極。", "anything"), False),  # the text of a test query
        (("何か", "Circuit of a fuel pump."), False),  # what a test query says in English
        (("画像センサ。カメラのセンサ。", "anything"), False),  # dev counts, too
        (("カメラのレンズ。", "Lens of a camera."), True),  # a training query may be learned from
        (("ポンプ", "pump"), False),  # a whole title
        (("燃料ポンプ", "fuel pump"), True),  # a phrase that belongs to nobody
    ],
)
def test_what_dev_and_test_say_is_left_out(unseen: Unseen, pair: tuple[str, str], kept: bool) -> None:
    found, tally = choose(unseen, SentencePair(*pair))
    assert bool(found) == kept
    assert tally.left_out["in dev or test"] == (not kept)


def test_an_entry_may_be_a_title_or_the_same_word(unseen: Unseen) -> None:
    entries = [SentencePair("ポンプ", "pump", 0.5, True), SentencePair("Computer", "computer", 0.5, True)]
    assert choose(unseen, *entries)[0] == entries
    quoted = SentencePair("Circuit of a fuel pump", "x", 0.5, True)
    assert choose(unseen, quoted)[1].left_out == {"in dev or test": 1}


def test_an_entry_may_not_have_a_sentence_of_dev_or_test(tmp_path: Path) -> None:
    said = "Die Lampe brennt im Turm."
    folder = toy_collection(tmp_path / "c")
    queries = [msgspec.json.decode(line) for line in (folder / "queries.jsonl").read_bytes().splitlines()]
    test = next(iter(Collection(folder).qrels("test")))
    rows = [{**query, "text": f"{said} Ja." if query["id"] == test else query["text"]} for query in queries]
    (folder / "queries.jsonl").write_bytes(b"\n".join(map(msgspec.json.encode, rows)))
    unseen = Unseen(Collection(folder))
    assert unseen.has(said, is_entry=True)
    assert unseen.has(f"Es wird Nacht. {said} Alle schlafen.", is_entry=True)
    assert not unseen.has("Lampe im Turm", is_entry=True)


def test_a_score_below_one_makes_no_entry(unseen: Unseen, tmp_path: Path) -> None:
    path = tmp_path / "scored.tsv"
    path.write_text("ポンプ\tpump\t0.87\nUSB\tUSB\t0.9\nポンプ\tpump it\t0.5\tentry\n", encoding="utf-8")
    kept, tally = choose(unseen, *read_columns(path))
    assert kept == [SentencePair("ポンプ", "pump it", 0.5, is_entry=True)]
    assert tally.left_out == {"in dev or test": 1, "untranslated": 1}
