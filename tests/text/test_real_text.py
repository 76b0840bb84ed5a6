"""Published and counted figures on text that nobody here wrote."""

import os
import tarfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from kakehashi.text.analyzer import Analyzer
from kakehashi.text.settings import AnalyzerSettings, newsgroup_settings

DATA = Path(os.environ.get("KAKEHASHI_DATA", Path(__file__).parents[2] / ".." / "shared" / "data"))


def path_of(name: str) -> Path:
    path = DATA / name
    if not path.exists():
        pytest.skip(f"{path} is absent: set KAKEHASHI_DATA to the data folder")
    return path


def posts() -> Iterator[tuple[str, str]]:
    with tarfile.open(path_of("20news-bydate.tar.gz")) as archive:
        for member in archive:
            if file := archive.extractfile(member):
                yield member.name, file.read().decode("latin-1")


@pytest.mark.real
def test_newsgroup_chain_gives_the_published_vocabulary() -> None:
    """Published: 115,141 types, 45,488 of them once, and 290.6 tokens a test post."""
    analyzer = Analyzer(newsgroup_settings())
    counts: Counter[str] = Counter()
    test_lengths = []
    for name, text in posts():
        terms = analyzer.terms(text)
        counts.update(terms)
        if "bydate-test" in name:
            test_lengths.append(len(terms))
    assert len(test_lengths) == 7532
    assert len(counts) == pytest.approx(115_141, rel=1e-3)
    assert sum(n == 1 for n in counts.values()) == pytest.approx(45_488, rel=1e-3)
    assert sum(test_lengths) / len(test_lengths) == pytest.approx(290.6, abs=0.05)


@pytest.mark.real
def test_mecab_agrees_with_the_words_of_the_tanaka_corpus() -> None:
    """The corpus comes cut into words by other means; most cuts should be the same."""
    lines = path_of("enja/dev.ja").read_text(encoding="utf-8").splitlines()
    analyzer = Analyzer(AnalyzerSettings(lang="ja", punctuation=True))
    same = total = 0
    for line in lines:
        theirs, ours = cuts(line.split()), cuts(analyzer.segment(line.replace(" ", "")))
        same += len(theirs & ours)
        total += len(theirs | ours)
    assert same / total > 0.8


def cuts(words: list[str]) -> set[int]:
    """Positions, in characters, at which words end."""
    ends, position = set(), 0
    for word in words:
        position += len(word)
        ends.add(position)
    return ends
