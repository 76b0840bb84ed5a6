"""Words in their order, kept beside the index; an update reads only what is new."""

from pathlib import Path

import numpy as np
import pytest

from kakehashi import store
from kakehashi.errors import InputError
from kakehashi.index import tokens
from kakehashi.index.holdings import Holdings
from kakehashi.index.tokens import Tokens, read_tokens
from kakehashi.types import Text
from tests.index.building import add, put_texts

TEXTS = [Text("a", "en", "red red lamp"), Text("b", "en", ""), Text("c", "en", "lamp of a ship", "old ship")]


def words(found: Tokens, holdings: Holdings) -> dict[str, list[str]]:
    numbers = np.flatnonzero(holdings.index.numbering.live)
    starts, own = found.of(numbers)
    return {
        holdings.index.numbering.id(number): [
            found.terms[word] for word in own[starts[i] : starts[i + 1]].tolist()
        ]
        for i, number in enumerate(numbers.tolist())
    }


def changed(folder: Path, texts: list[Text]) -> Holdings:
    put_texts(folder, texts)
    add(folder / "index", texts)
    return Holdings(folder)


def test_words_are_in_the_order_of_the_text_with_the_title_first(tmp_path: Path) -> None:
    holdings = changed(tmp_path, TEXTS)
    assert words(read_tokens(holdings), holdings) == {
        "a": ["red", "red", "lamp"], "b": [], "c": ["old", "ship", "lamp", "of", "a", "ship"],
    }  # fmt: skip


def test_after_an_update_only_changed_documents_are_analysed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_tokens(changed(tmp_path, TEXTS))
    holdings = changed(tmp_path, [TEXTS[0], Text("c", "en", "new lamp"), Text("d", "en", "horn")])
    analysed, inner = [], tokens.ordered_terms
    monkeypatch.setattr(
        tokens, "ordered_terms", lambda analyzer, text: (analysed.append(text.id), inner(analyzer, text))[1]
    )
    put_texts(tmp_path, [*TEXTS[:2], Text("c", "en", "new lamp"), Text("d", "en", "horn")])
    assert words(read_tokens(holdings), holdings)["c"] == ["new", "lamp"]
    assert sorted(analysed) == ["c", "d"]
    assert words(read_tokens(Holdings(tmp_path)), Holdings(tmp_path))["d"] == ["horn"]
    assert len(analysed) == 2  # kept


def test_texts_that_are_not_those_of_the_index_are_refused_with_the_command_to_run(tmp_path: Path) -> None:
    holdings = changed(tmp_path, TEXTS)
    put_texts(tmp_path, [TEXTS[0], Text("b", "en", "other"), TEXTS[2]])
    with pytest.raises(
        InputError, match=rf"documents.jsonl lacks 1 documents .*: run kakehashi index {tmp_path}"
    ):
        read_tokens(holdings)


def test_kept_words_whose_hashes_are_out_of_order_are_read_again(tmp_path: Path) -> None:
    """A search in them would find wrong rows, or rows that do not exist, and their checksums are right."""
    holdings = changed(tmp_path, TEXTS)
    before = words(read_tokens(holdings), holdings)
    folder = tmp_path / "index" / tokens.FOLDER
    kept = store.read(folder, tokens.KIND, tokens.VERSION)
    arrays = {name: np.array(kept.array(name)) for name in kept.meta.arrays}
    arrays["hashes"] = arrays["hashes"][::-1].copy()
    made_from = dict(kept.meta.made_from)
    with store.Writer(folder, tokens.KIND, tokens.VERSION) as writer:
        writer.put(arrays)
        writer.commit({}, made_from)
    assert words(read_tokens(Holdings(tmp_path)), holdings) == before
