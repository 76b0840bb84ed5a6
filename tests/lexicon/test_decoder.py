"""A decoder trained on sentences whose translation is known, and its translations kept on disk."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from kakehashi import store
from kakehashi.errors import InputError
from kakehashi.lexicon.alignment import AlignmentSettings, Pair
from kakehashi.lexicon.decoder import KIND, LONGEST, VERSION, Decoder, DecoderSettings, parted, train_decoder
from kakehashi.lexicon.remembered import Remembered
from kakehashi.lexicon.translator import Translation, shares, without_duplicates

NOUNS, ADJECTIVES = 12, 8


def sentence(rng: np.random.Generator) -> Pair:
    """Noun phrases: in one language the adjective follows, in the other it goes before."""
    here, there = [], []
    for _ in range(rng.integers(1, 4)):
        noun, adjective = rng.integers(NOUNS), rng.integers(ADJECTIVES)
        here += ["le", f"nom{noun}", f"adj{adjective}"]
        there += ["the", f"adjective{adjective}", f"noun{noun}"]
    return Pair(here, there)


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory) -> store.Artifact:
    rng = np.random.default_rng(1)
    folder = tmp_path_factory.mktemp("decoder") / "decoder"
    pairs = [sentence(rng) for _ in range(400)]
    train_decoder(folder, pairs, DecoderSettings(), AlignmentSettings(), {})
    return store.read(folder, KIND, VERSION)


@pytest.fixture(scope="module")
def decoder(artifact: store.Artifact) -> Decoder:
    return Decoder(artifact)


def test_phrases_are_translated_with_their_word_order(decoder: Decoder) -> None:
    rng = np.random.default_rng(2)
    right = 0
    for _ in range(30):
        pair = sentence(rng)
        right += decoder.translate([pair.source])[0][0].words == tuple(pair.target)
    assert right >= 27


def test_links_lead_to_the_words_that_were_translated(decoder: Decoder) -> None:
    [[best]] = decoder.translate([["le", "nom3", "adj5"]])
    assert best.words == ("the", "adjective5", "noun3")
    assert sorted(best.links) == [(0, 0), (1, 2), (2, 1)]


def test_unknown_words_pass_through(decoder: Decoder) -> None:
    [[best]] = decoder.translate([["le", "nom3", "xylophone", "|||"]])
    assert {"xylophone", "|||"} < {*best.words}
    place = best.words.index("xylophone")
    assert (2, place) in best.links


def test_list_is_ordered_and_without_duplicates(artifact: store.Artifact) -> None:
    [found] = Decoder(artifact, beam=50, reorder=2).translate([["le", "nom3", "adj5", "le", "nom1"]], n=50)
    assert len(found) > 1
    assert len({each.words for each in found}) == len(found)
    scores = [each.score for each in found]
    assert scores == sorted(scores, reverse=True)
    assert shares(found).sum() == pytest.approx(1.0)
    assert shares(found)[0] == max(shares(found))


def test_entries_of_a_dictionary_are_phrases_but_no_sentences(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    scored = [sentence(rng)._replace(weight=0.87) for _ in range(100)]  # a light sentence is one
    pairs = [*scored, *[Pair(["mot", "à", "mot", "dit"], ["word"], 3.0, is_entry=True)] * 40]
    train_decoder(tmp_path / "d", pairs, DecoderSettings(), AlignmentSettings(), {})
    artifact = store.read(tmp_path / "d", KIND, VERSION)
    assert artifact.meta.made_from["held_out"] == 14
    assert artifact.meta.made_from["sentence_pairs"] >= 40  # no entry is held out
    assert Decoder(artifact).translate([["mot", "à", "mot", "dit"]])[0][0].words == ("word",)
    assert b"word" not in artifact.array("lm").tobytes()
    assert b"noun1" in artifact.array("lm").tobytes()


def test_weights_are_tuned_on_sentences_that_were_not_learned(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    pairs = [*(sentence(rng) for _ in range(300)), *[Pair(["mot"] * 5, ["word"] * 5, 0.25)] * 4]
    made = train_decoder(tmp_path / "d", pairs, DecoderSettings(tune=20), AlignmentSettings(), {})
    artifact = store.read(tmp_path / "d", KIND, VERSION)
    weights = artifact.meta.settings["weights"]
    assert made["held_out"] == 20
    assert made["sentence_pairs"] <= len(pairs) - 20
    assert 0.0 < made["bleu_untuned"] <= made["bleu"] <= 1.0
    model, _, _ = Decoder(artifact)._loaded
    assert list(model.weights) == pytest.approx(weights, rel=1e-5)
    train_decoder(tmp_path / "d", pairs, DecoderSettings(tune=0), AlignmentSettings(), {})
    assert store.read(tmp_path / "d", KIND, VERSION).meta.settings["weights"] == []


def test_held_out_sentences_are_spread_and_stand_nowhere_else() -> None:
    rng = np.random.default_rng(5)
    entry = Pair(["mot"] * 5, ["word"] * 5, 0.25, is_entry=True)
    pairs = [*(sentence(rng) for _ in range(400)), *[entry] * 50]
    held_out, rest = parted(pairs, 30)
    assert len(held_out) == 30
    assert entry not in held_out
    assert not {tuple(pair.source) for pair in held_out} & {tuple(pair.source) for pair in rest}
    assert not {tuple(pair.target) for pair in held_out} & {tuple(pair.target) for pair in rest}
    places = [pairs.index(pair) for pair in held_out]
    assert min(places) < 40 < 360 < max(places)
    assert len(parted(pairs[:50], 30)[0]) == 5


def test_empty_sentence_is_an_empty_translation(decoder: Decoder) -> None:
    assert decoder.translate([[]]) == [[Translation((), (), 0.0)]]


def test_standard_list_has_a_translation_for_every_way_to_it(artifact: store.Artifact) -> None:
    sentence = ["le", "nom3", "adj5", "le", "nom1"]
    unique = Decoder(artifact, beam=50, reorder=2)
    standard = Decoder(artifact, beam=50, reorder=2, unique=False)
    [once], [often] = unique.translate([sentence], n=50), standard.translate([sentence], n=50)
    assert len(often) > len(once) == len({each.words for each in often})
    assert without_duplicates(often) == once
    assert often[0] == once[0]
    assert [each.score for each in often] == sorted((each.score for each in often), reverse=True)
    assert standard.identity != unique.identity  # lists that were kept are not mistaken for each other


def test_limits_are_named(decoder: Decoder, artifact: store.Artifact) -> None:
    with pytest.raises(InputError, match=f"split it at {LONGEST}"):
        decoder.translate([["le"] * (LONGEST + 1)])
    with pytest.raises(InputError, match="1 to 1000, not 5000"):
        decoder.translate([["le"]], n=5000)
    with pytest.raises(InputError, match="a beam of 1 to 1000"):
        Decoder(artifact, beam=0)
    with pytest.raises(InputError, match="order must be 1 to 5"):
        DecoderSettings(order=9)


def test_best_of_equal_strings_is_kept() -> None:
    found = [Translation(("a",), (), -3.0), Translation(("b",), (), -2.0), Translation(("a",), (), -1.0)]
    assert without_duplicates(found) == [found[2], found[1]]


class Counting:
    """Translates a word into itself in capitals, and counts."""

    identity = "counting-1"

    def __init__(self, fails_at: str = "") -> None:
        self.asked: list[tuple[str, ...]] = []
        self._fails_at = fails_at

    def translate(self, sentences: Sequence[Sequence[str]], n: int = 1) -> list[list[Translation]]:
        if any(self._fails_at in sentence for sentence in sentences):
            raise KeyboardInterrupt
        self.asked += [tuple(sentence) for sentence in sentences]
        return [
            [Translation(tuple(word.upper() for word in sentence), ((0, 0),), -1.5)] * n
            for sentence in sentences
        ]


def test_nothing_is_translated_twice_even_by_another_process(tmp_path: Path) -> None:
    first = Counting()
    kept = Remembered(first, tmp_path)
    found = kept.translate([["ein", "haus"], ["und"], ["ein", "haus"]])
    assert found[0] == found[2] == [Translation(("EIN", "HAUS"), ((0, 0),), -1.5)]
    second = Counting()
    again = Remembered(second, tmp_path)
    assert again.translate([["ein", "haus"], ["neu"]])[0] == found[0]
    assert (first.asked, second.asked) == ([("ein", "haus"), ("und",)], [("neu",)])
    again.translate([["neu"]], n=3)  # a longer list is another question
    assert second.asked == [("neu",), ("neu",)]


def test_interrupted_work_goes_on_where_it_stopped(tmp_path: Path) -> None:
    sentences = [[f"w{i}"] for i in range(40)]
    with pytest.raises(KeyboardInterrupt):
        Remembered(Counting("w35"), tmp_path).translate(sentences)
    rest = Counting()
    assert len(Remembered(rest, tmp_path).translate(sentences)) == 40
    assert rest.asked == [(f"w{i}",) for i in range(32, 40)]


def test_line_cut_off_by_a_crash_is_passed_over(tmp_path: Path) -> None:
    Remembered(Counting(), tmp_path).translate([["a"], ["b"]])
    [path] = tmp_path.iterdir()
    whole = path.read_bytes()
    path.write_bytes(whole[: whole.rindex(b"[1,") + 9])
    again = Counting()
    Remembered(again, tmp_path).translate([["a"], ["b"], ["c"]])
    assert again.asked == [("b",), ("c",)]
    last = Counting()
    Remembered(last, tmp_path).translate([["a"], ["b"], ["c"]])
    assert last.asked == []
