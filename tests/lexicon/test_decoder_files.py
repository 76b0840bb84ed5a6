"""Whatever stands in the files of a decoder, thot reads them or one line says what is wrong."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from kakehashi import store
from kakehashi.errors import FileError
from kakehashi.lexicon.alignment import AlignmentSettings, Pair
from kakehashi.lexicon.decoder import KIND, VERSION, Decoder, DecoderSettings, train_decoder
from kakehashi.lexicon.decoder_files import KEPT, LINK
from kakehashi.types import Array
from tests.attack.outcomes import SAME, in_a_child

WORDS, SENTENCE = 40, ["w1", "w5", "w7", "w2"]
Change = Callable[[bytes], bytes]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What is stored of a decoder that turns w into v."""
    rng = np.random.default_rng(3)
    chosen = rng.integers(WORDS, size=(150, 5))
    pairs = [Pair([f"w{i}" for i in row], [f"v{i}" for i in row]) for row in chosen]
    folder = tmp_path_factory.mktemp("files") / "decoder"
    train_decoder(folder, pairs, DecoderSettings(tune=0), AlignmentSettings(), {})
    artifact = store.read(folder, KIND, VERSION)
    return {name: artifact.array(name).tobytes() for name in artifact.meta.arrays}


def stored(folder: Path, files: dict[str, bytes], weights: object = ()) -> Decoder:
    with store.Writer(folder, KIND, VERSION) as writer:
        writer.put({name: np.frombuffer(data, np.uint8) for name, data in files.items()})
        writer.commit({"training": {"order": 3}, "weights": weights, "analyzers": {}}, {})
    return Decoder(store.read(folder, KIND, VERSION))


def linked(change: Callable[[Array], None]) -> Change:
    def changed(data: bytes) -> bytes:
        links = np.frombuffer(data, LINK).copy()
        change(links)
        return links.tobytes()

    return changed


def set_to(column: str, value: float) -> Change:
    def change(links: Array) -> None:
        links[column][-1] = value

    return linked(change)


WRONG: list[tuple[str, Change]] = [
    ("tm_swm.fa_lexnd", set_to("source", 4_000_000_000)),
    ("tm_swm.fa_lexnd", set_to("target", WORDS + 3)),
    ("tm_invswm.fa_lexnd", set_to("above", float("nan"))),
    ("tm_invswm.fa_lexnd", lambda data: data[:-1]),
    ("tm_swm.svcb", lambda data: data.replace(b"\n5 ", b"\n6 ")),
    ("tm_swm.svcb", lambda data: data.replace(b"\n5 ", b"\n-5 ")),
    ("tm_swm.tvcb", lambda data: data[:-1]),
    ("tm_swm.size_counts", lambda data: data + b"5 0 1\n"),
    ("tm_swm.size_counts", lambda data: data + b"5 5 999999999\n"),
    ("tm_swm.params", lambda data: b"nan 1"),
    ("tm_swm.yml", lambda data: b"model: &a [*a]\n"),
    ("tm.ttable", lambda data: data + b"w1 ||| v1\n"),
    ("tm.ttable", lambda data: data + b"w1 ||| v1 ||| -1 inf\n"),
    ("tm.ttable", lambda data: data + b"w1 ||| ||| ||| 1 1\n"),
    ("lm", lambda data: data + b"a b c d 7 7\n"),
    ("lm", lambda data: data + b"a\x00b 7 7\n"),
]


def test_only_files_that_are_needed_are_stored(files: dict[str, bytes]) -> None:
    assert {*files} == {*KEPT}


@pytest.mark.parametrize(("name", "change"), WRONG)
def test_a_file_that_does_not_hold_together_is_refused(
    name: str, change: Change, files: dict[str, bytes], tmp_path: Path
) -> None:
    changed = change(files[name])
    assert changed != files[name]
    with pytest.raises(FileError) as raised:
        stored(tmp_path / "decoder", files | {name: changed}).translate([SENTENCE])
    assert name in str(raised.value)
    assert str(raised.value).isprintable()


@pytest.mark.parametrize("weights", [[1.0], [1.0] * 9, [float("1e300")] * 8, ["x"] * 8, {"a": 1}])
def test_weights_are_one_for_each_feature(weights: object, files: dict[str, bytes], tmp_path: Path) -> None:
    with pytest.raises(FileError, match="weights are not 8 numbers"):
        stored(tmp_path / "decoder", files, weights).translate([SENTENCE])


def test_files_that_only_training_reads_are_not_taken_from_the_artifact(
    files: dict[str, bytes], tmp_path: Path
) -> None:
    more = {
        f"tm_{direction}.{part}": b"99999999999 -1\t\n\n"
        for direction in ("swm", "invswm")
        for part in ("src_class_names", "trg_class_names", "anji", "aligns", "src", "trg", "srctrgc")
    }
    right = stored(tmp_path / "right", files).translate([SENTENCE], 5)
    with_more = stored(tmp_path / "more", files | more)
    assert in_a_child(lambda: SAME if with_more.translate([SENTENCE], 5) == right else "other") == SAME
    assert right[0][0].words == ("v1", "v5", "v7", "v2")


def test_numbers_that_make_no_sense_do_no_harm(files: dict[str, bytes], tmp_path: Path) -> None:
    """Counts are taken as they are: a wrong one gives another translation, not a crash."""
    rng = np.random.default_rng(4)

    def odd(data: bytes) -> bytes:
        lines = data.splitlines()
        for i in rng.integers(len(lines), size=20):
            head, *_ = lines[i].rpartition(b" ")
            lines[i] = head + b" " + str(rng.choice([0, 1, 999_999_999_999_999])).encode()
        return b"".join(line + b"\n" for line in lines if rng.uniform() < 0.9)

    for case in range(20):
        changed = files | {name: odd(files[name]) for name in ("tm.ttable", "lm")}
        decoder = stored(tmp_path / str(case), changed)
        assert in_a_child(lambda decoder=decoder: str(len(decoder.translate([SENTENCE], 5)[0]) > 0)) == "True"
