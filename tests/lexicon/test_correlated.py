"""A map of words is saved and read alike, and rewrites a text word by word."""

from pathlib import Path

import msgspec
import numpy as np
import pytest

from kakehashi.errors import FileError
from kakehashi.index.index import Index
from kakehashi.index.rewrite import state_of
from kakehashi.lexicon.company import CfhSettings
from kakehashi.lexicon.correlated import (
    correlate_index,
    correlate_texts,
    read_correlated,
    save_correlated,
)
from tests.data_beside import data_file

TEXTS = [["crack", "cracks", "glass"], ["cracks", "cracks", "crack"], ["glass", "lens"], ["電池", "lens"]]


def test_each_token_is_replaced_by_its_targets_and_unseen_words_are_dropped() -> None:
    found = correlate_texts(TEXTS, CfhSettings(words=3, k=2))
    # occurrences: cracks 3, crack 2, glass 2, lens 2, 電池 1; targets are the first three
    assert list(found.target_words) == ["cracks", "crack", "glass"]
    assert found.rewrite(["crack"]) == ["crack", "cracks"]  # 1, then 2·(1 + 1) / (2 + 3)
    assert found.rewrite(["lens", "never", "crack", "crack"]) == [
        "glass",
        *["crack", "cracks"] * 2,
    ]
    assert found.rewrite(["電池"]) == []  # it met no target word
    assert found.rewrite([]) == []


def test_saved_map_reads_alike(tmp_path: Path) -> None:
    found = correlate_texts(TEXTS, CfhSettings(words=3, k=2, count="max"))
    save_correlated(tmp_path / "map", found)
    again = read_correlated(tmp_path / "map")
    assert list(again.terms) == list(found.terms)
    assert again.targets.tobytes() == found.targets.tobytes()
    assert again.dice.tobytes() == found.dice.tobytes()
    assert (again.settings, again.n_docs) == (found.settings, 4)
    assert again.rewrite(["lens"]) == found.rewrite(["lens"])


def test_empty_map_can_be_saved(tmp_path: Path) -> None:
    save_correlated(tmp_path, correlate_texts([], CfhSettings()))
    assert len(read_correlated(tmp_path)) == 0


def test_map_of_an_index_says_from_which_state_it_is(toy_index: Index, tmp_path: Path) -> None:
    save_correlated(tmp_path, correlate_index(toy_index))
    assert read_correlated(tmp_path).made_from == {"state": state_of(toy_index), "where": []}


@pytest.mark.parametrize("change", [{"k": 3}, {"words": 2}, {"count": "mean"}, {"more": 1}, {"k": 0}])
def test_map_that_contradicts_its_settings_is_refused(tmp_path: Path, change: dict) -> None:
    save_correlated(tmp_path, correlate_texts(TEXTS, CfhSettings(words=3, k=2)))
    meta = msgspec.json.decode((tmp_path / "meta.json").read_bytes())
    meta["settings"] |= change
    (tmp_path / "meta.json").write_bytes(msgspec.json.encode(meta))
    with pytest.raises(FileError, match="build it again"):
        read_correlated(tmp_path)


def test_targets_outside_the_map_are_refused(tmp_path: Path) -> None:
    save_correlated(tmp_path, correlate_texts(TEXTS, CfhSettings(words=3, k=2)))
    path = next(tmp_path.glob("targets.*.npy"))
    targets = np.load(path)
    targets[0, 0] = -2
    np.save(path, targets)
    with pytest.raises(FileError, match="do not fit"):
        read_correlated(tmp_path)


@pytest.mark.real
def test_published_samples_of_20_newsgroups_are_met(tmp_path: Path) -> None:
    """T13, Table 4.8, compared as sets: there, ties fell as memory was laid out."""
    from kakehashi.corpus.newsgroups import read_posts
    from kakehashi.text.analyzer import Analyzer
    from kakehashi.text.settings import newsgroup_settings

    analyzer = Analyzer(newsgroup_settings())
    posts = (post for post in read_posts(data_file("20news-bydate.tar.gz")) if "train" in post.meta["pool"])
    found = correlate_texts((analyzer.terms(post.content) for post in posts), CfhSettings(words=10_000))
    published = {
        "epidemic": "providers vaccine infected genes killer",
        "painless": "cruel viewers painful execution gifs",
        "tinnitus": "ears iss loud depression sleep",
    }
    for word, targets in published.items():
        assert {target for target, _ in found.row(word)} == set(targets.split())
