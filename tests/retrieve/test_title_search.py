"""Titles that a sentence of the query gives in translation: scores from the formula, and what they do not depend on."""

from collections import Counter
from math import log, sqrt
from pathlib import Path

import numpy as np
import pytest

from kakehashi.index.index import Index
from kakehashi.index.titles import Titles, has_titles, read_titles
from kakehashi.lexicon.translations import Translations, count_translations
from kakehashi.query.psq import Psq
from kakehashi.retrieve.title_search import TitleSearch
from kakehashi.types import Condition, Scope, Text
from tests.index.building import add, build, build_in_parts, dealt, texts_of, zipfian

FIELDS = {"half": "keyword"}
N_DOCS = 300


def titled(text: Text, title: str) -> Text:
    return Text(text.id, text.lang, text.text, title, {"half": "odd" if int(text.id[1:]) % 2 else "even"})


@pytest.fixture(scope="module")
def texts() -> list[Text]:
    """Titles of none to six words; some words stand twice in one."""
    rng = np.random.default_rng(3)
    plain = texts_of(zipfian(rng, N_DOCS, n_terms=80))
    drawn = [rng.integers(60, size=rng.integers(0, 7)) for _ in plain]
    return [
        titled(text, " ".join(f"w{w}" for w in words.tolist()))
        for text, words in zip(plain, drawn, strict=True)
    ]


@pytest.fixture(scope="module")
def table() -> Translations:
    rng = np.random.default_rng(5)
    links = [(f"f{i}", f"w{e}") for i in range(30) for e in rng.integers(90, size=rng.integers(1, 7))]
    return count_translations([f for f, _ in links], [e for _, e in links], rng.uniform(0.1, 1.0, len(links)))


@pytest.fixture(scope="module")
def index(texts: list[Text], tmp_path_factory: pytest.TempPathFactory) -> Index:
    return build(tmp_path_factory.mktemp("titles") / "index", texts, FIELDS)


@pytest.fixture(scope="module")
def queries() -> list[Text]:
    """Lines and sentences of words to be translated, words that pass through and unknown ones."""
    rng = np.random.default_rng(6)
    words = [*(f"F{i}" for i in range(30)), *(f"W{i}" for i in range(0, 60, 3)), "Nonsense"]
    found = []
    for i in range(12):
        sentences = [" ".join(rng.choice(words, rng.integers(1, 9))) for _ in range(1 + i % 5)]
        found.append(Text(f"q{i}", "de", "\n".join(sentences[:2]) + ". " + ". ".join(sentences[2:])))
    return found


def searching(index: Index, table: Translations) -> TitleSearch:
    return TitleSearch("titles", Psq(index, table), read_titles(index), index)


def by_formula(query: Text, texts: list[Text], table: Translations) -> dict[str, float]:
    """Plain Python over strings; what shares nothing is left out."""
    held = [{*text.content.split()} for text in texts]
    df = Counter(word for words in held for word in words)
    idf = {word: log(1 + (len(texts) - n + 0.5) / (n + 0.5)) for word, n in df.items()}
    known = {word for i in range(30) if (word := f"f{i}") in table.numbers}
    sentences = []
    for line in query.content.split("\n"):
        for sentence in line.split(". "):
            expected: Counter[str] = Counter()
            for word in sentence.lower().replace(".", "").split():
                for term, chance in table.row(word) if word in known else [(word, 1.0)]:
                    if term in idf:
                        expected[term] += chance
            sentences.append({term: idf[term] * min(1.0, times) for term, times in expected.items()})
    found: dict[str, float] = {}
    for text in texts:
        title = {*text.title.split()}
        length = sqrt(sum(idf[term] ** 2 for term in title))
        for said in sentences:
            met = title & {*said}
            if met:
                cosine = sum(said[term] * idf[term] for term in met)
                cosine /= length * sqrt(sum(value**2 for value in said.values()))
                found[text.id] = max(
                    found.get(text.id, 0.0), cosine * sum(said[term] for term in sorted(met))
                )
    return found


def test_scores_are_those_of_the_formula(
    index: Index, table: Translations, texts: list[Text], queries: list[Text]
) -> None:
    system = searching(index, table)
    for query in queries:
        expected = by_formula(query, texts, table)
        ranking = system.search([query], N_DOCS).rankings[query.id]
        assert len(expected) > 3
        found = dict(zip(ranking.docs, ranking.scores.tolist(), strict=True))
        assert found == {doc: pytest.approx(score, rel=1e-6) for doc, score in expected.items()}


def test_full_title_in_one_sentence_beats_the_same_words_in_two(tmp_path: Path) -> None:
    table = count_translations(["rot", "auto"], ["red", "car"], np.ones(2))
    texts = [
        Text("a", "en", "x", "red car"),
        Text("b", "en", "x", "green car"),
        Text("c", "en", "x", "red red"),
    ]
    system = searching(build(tmp_path / "index", texts), table)
    together, apart = (system.score(Text("q", "de", text), ["a", "b"]) for text in ("Rot auto", "Rot\nauto"))
    assert together[0] > together[1]
    assert together[0] > apart[0]


def test_shares_name_the_words_of_the_best_sentence(tmp_path: Path) -> None:
    table = count_translations(["rot", "auto"], ["red", "car"], np.ones(2))
    texts = [Text("a", "en", "x", "red car"), Text("b", "en", "red red car", "")]
    system = searching(build(tmp_path / "index", texts), table)
    query = Text("q", "de", "Rot\nRot auto\nauto")
    [explained, nothing] = system.explain(query, ["a", "b"])
    assert {(share.query, share.document) for share in explained.shares} == {("rot", "red"), ("auto", "car")}
    assert sum(share.share for share in explained.shares) == pytest.approx(explained.score, rel=1e-12)
    assert explained.score == pytest.approx(system.score(query, ["a"])[0], rel=0)
    assert (nothing.score, nothing.shares) == (0.0, [])  # its words are in the text, not in the title


def test_some_documents_score_as_all_do(index: Index, table: Translations, queries: list[Text]) -> None:
    system, docs = searching(index, table), np.arange(0, N_DOCS, 7)
    for query in queries:
        assert system.probe(query).some(docs).tobytes() == system.score_all(query)[docs].tobytes()


def test_segments_filters_and_the_query_itself(
    index: Index, table: Translations, texts: list[Text], queries: list[Text], tmp_path: Path
) -> None:
    one, four = (
        searching(each, table)
        for each in (index, build_in_parts(tmp_path / "index", dealt(texts, 4), FIELDS))
    )
    for query in queries:
        whole, parts = (system.search([query], N_DOCS).rankings[query.id] for system in (one, four))
        assert list(whole.docs) == list(parts.docs)
        assert whole.scores.tobytes() == parts.scores.tobytes()
        assert one.probe(query).cost == four.probe(query).cost
        own = Text(whole.docs[0], query.lang, query.text)
        scope = Scope((Condition("half", "=", "odd"),), not_itself=True)
        kept = [doc for doc in whole.docs[1:] if int(doc[1:]) % 2]
        assert list(one.search([own], 5, scope).rankings[own.id].docs) == kept[:5]


def test_stored_titles_are_used_until_the_index_changes(texts: list[Text], tmp_path: Path) -> None:
    index = build(tmp_path / "index", texts, FIELDS)
    first = read_titles(index, tmp_path / "kept")
    stored = (tmp_path / "kept" / "meta.json").read_bytes()
    again = read_titles(Index(index.folder), tmp_path / "kept")
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert (tmp_path / "kept" / "meta.json").read_bytes() == stored
    add(index.folder, [Text(texts[0].id, "en", texts[0].text, "w1 w2 w3", texts[0].meta)], FIELDS)
    changed = Index(index.folder)
    found = read_titles(changed, tmp_path / "kept")
    assert words(changed, found, texts[0].id) == {"w1", "w2", "w3"}
    assert (tmp_path / "kept" / "meta.json").read_bytes() != stored


def test_titles_are_read_as_sets_of_words(texts: list[Text], index: Index) -> None:
    titles = read_titles(index)
    assert has_titles(index)
    for text in texts:
        assert words(index, titles, text.id) == {*text.title.split()}


def test_collection_without_titles_says_so(tmp_path: Path, table: Translations) -> None:
    index = build(tmp_path / "index", texts_of({"a": "w1 w2", "b": "w3"}))
    assert not has_titles(index)
    assert len(searching(index, table).search([Text("q", "de", "w1")]).rankings["q"]) == 0


def words(index: Index, titles: Titles, doc: str) -> set[str]:
    number = int(index.numbering.of([doc])[0])
    terms = titles.terms[titles.starts[number] : titles.starts[number + 1]].tolist()
    assert len(terms) == len({*terms})
    return {index.vocabulary[term] for term in terms}
