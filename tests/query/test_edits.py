"""A searcher's edits: which translations are left, what they weigh, how they are written and read."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kakehashi.errors import InputError
from kakehashi.index.index import Index
from kakehashi.index.update import Analyzers, build_index
from kakehashi.lexicon.translations import count_translations
from kakehashi.lexicon.translator import Translation
from kakehashi.query.edits import Edit, EditedText, edited, parse_edit, read_edits, with_edits, write_edits
from kakehashi.query.psq import Psq
from kakehashi.query.translated import Translated
from kakehashi.retrieve.sparse import Sparse
from kakehashi.retrieve.weighting import Bm25
from kakehashi.text.analyzer import Analyzer
from kakehashi.text.settings import AnalyzerSettings
from kakehashi.types import Text
from tests.index.building import build, texts_of

DOCUMENTS = {"1": "bank money", "2": "bench park", "3": "shore river", "4": "park river"}


@pytest.fixture(scope="module")
def psq(tmp_path_factory: pytest.TempPathFactory) -> Psq:
    """bank: bank .6, bench .4; fluss: river; ohne has a translation that no document holds."""
    index = build(tmp_path_factory.mktemp("edits") / "index", texts_of(DOCUMENTS))
    sources, targets = ["bank", "bank", "fluss", "ohne"], ["bank", "bench", "river", "without"]
    return Psq(index, count_translations(sources, targets, np.array([0.6, 0.4, 1.0, 1.0])))


def rows(psq: Psq, text: str, *edits: Edit) -> dict[str, tuple[float, dict[str, float]]]:
    """word -> (how often it counts, translation -> weight) of a query under edits."""
    index: Index = psq._index
    query = with_edits(Text("q", "de", text), edits)
    compiled, _ = edited(psq.compile(query), query, index)
    found = {}
    for g, label in enumerate(compiled.labels):
        entries = slice(compiled.starts[g], compiled.starts[g + 1])
        terms = [index.vocabulary[term] for term in compiled.terms[entries].tolist()]
        weights = compiled.term_weights[entries].tolist()
        found[label] = (float(compiled.weights[g]), dict(zip(terms, weights, strict=True)))
    return found


def test_without_edits_nothing_changes(psq: Psq) -> None:
    assert rows(psq, "bank fluss bank") == {
        "bank": (2.0, pytest.approx({"bank": 0.6, "bench": 0.4})),
        "fluss": (1.0, {"river": 1.0}),
    }


def test_dropped_translation_leaves_its_share_to_the_others(psq: Psq) -> None:
    found = rows(psq, "bank fluss", Edit("drop", "bank", "bench"))
    assert found == {"bank": (1.0, pytest.approx({"bank": 1.0})), "fluss": (1.0, {"river": 1.0})}


def test_word_whose_only_translation_is_dropped_is_not_asked_for(psq: Psq) -> None:
    assert [*rows(psq, "bank fluss", Edit("drop", "fluss", "river"))] == ["bank"]


def test_boosted_translation_counts_more_than_the_others(psq: Psq) -> None:
    weight, terms = rows(psq, "bank", Edit("boost", "bank", "bench", 3.0))["bank"]
    assert weight == 1.0
    assert terms == pytest.approx({"bank": 0.6 / 1.8, "bench": 1.2 / 1.8})


def test_only_translation_boosted_makes_its_word_count_more(psq: Psq) -> None:
    assert rows(psq, "fluss", Edit("boost", "fluss", "river", 3.0)) == {"fluss": (3.0, {"river": 1.0})}


def test_added_translation_takes_its_share_from_the_others(psq: Psq) -> None:
    found = rows(psq, "bank", Edit("add", "bank", "shore", 0.25))["bank"][1]
    assert found == pytest.approx({"bank": 0.45, "bench": 0.3, "shore": 0.25})


def test_word_that_had_no_group_gets_one(psq: Psq) -> None:
    assert rows(psq, "ohne ohne", Edit("add", "ohne", "park", 0.5)) == {"ohne": (2.0, {"park": 1.0})}
    assert rows(psq, "bank", Edit("add", "ohne", "park", 0.5)).keys() == {"bank"}


def test_only_translation_can_be_exchanged_for_another(psq: Psq) -> None:
    found = rows(psq, "fluss fluss", Edit("drop", "fluss", "river"), Edit("add", "fluss", "shore", 0.3))
    assert found == {"fluss": (2.0, {"shore": 1.0})}


def test_direct_translation_is_edited_by_any_form_of_the_word(tmp_path: Path) -> None:
    """Its groups are called by words as they stand in the query."""
    analyzers = Analyzers(
        Analyzer(AnalyzerSettings(lang="en", stem=True)), Analyzer(AnalyzerSettings(lang="de", stem=True))
    )
    build_index(tmp_path / "index", texts_of(DOCUMENTS), analyzers, {})
    index = Index(tmp_path / "index")

    class Banks:
        identity = "banks"

        def translate(self, sentences: Sequence[Sequence[str]], n: int = 1) -> list[list[Translation]]:
            return [[Translation(("bench",), ((0, 0),), 0.0)] for _ in sentences]

    plain, query = Translated(index, Banks(), 60), Text("q", "de", "Banken")
    assert plain.compile(query).labels == ("banken",)
    system = Sparse("dt", plain, Bm25(), index)
    assert len(system.compiled(with_edits(query, [Edit("drop", "Bank", "bench")]))) == 0
    added = system.compiled(with_edits(query, [Edit("add", "Bank", "shore", 0.25)]))
    assert len(added) == 1
    assert sorted(added.term_weights.tolist()) == pytest.approx([0.25, 0.75])


def test_edits_follow_one_another(psq: Psq) -> None:
    found = rows(psq, "bank", Edit("add", "bank", "shore", 0.5), Edit("drop", "bank", "bank"))["bank"][1]
    assert found == pytest.approx({"bench": 0.2 / 0.7, "shore": 0.5 / 0.7})


def test_edit_without_effect_is_known_as_such(psq: Psq) -> None:
    drop, other, unknown = (
        Edit("drop", "bank", "bench"),
        Edit("drop", "bank", "river"),
        Edit("boost", "see", "sea", 2.0),
    )
    query = with_edits(Text("q", "de", "bank"), [drop, other, unknown])
    assert Sparse("psq", psq, Bm25(), psq._index).used_edits(query) == {drop}
    assert edited(psq.compile(query), query, psq._index)[1] == {drop}


def test_ranking_and_reasons_follow_the_edit(psq: Psq) -> None:
    system = Sparse("psq", psq, Bm25(), psq._index)
    query = Text("q", "de", "bank")
    assert [*system.search([query]).rankings["q"].docs] == ["1", "2"]
    changed = with_edits(query, [Edit("drop", "bank", "bank")])
    assert [*system.search([changed]).rankings["q"].docs] == ["2"]
    [explained] = system.explain(changed, ["2"])
    assert [(share.query, share.document) for share in explained.shares] == [("bank", "bench")]
    assert np.isnan(system.score(changed, ["1"])).all()
    assert [*system.search([query]).rankings["q"].docs] == ["1", "2"]  # the edit was the query's alone


def test_query_without_edits_stays_the_query_and_one_with_them_keeps_all_it_was() -> None:
    query = Text("q", "de", "bank", "Titel", {"priority": "2001-01-01"})
    assert with_edits(query, []) is query
    changed = with_edits(query, [Edit("drop", "bank", "bank")])
    assert isinstance(changed, EditedText)
    assert (changed.id, changed.lang, changed.content, changed.meta) == ("q", "de", query.content, query.meta)
    assert changed.edits == (Edit("drop", "bank", "bank"),)


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        ("drop", "bank", "'bank' has no translation"),
        ("drop", "=bench", "'=bench' has no translation"),
        ("drop", "bank=", "has no translation"),
        ("boost", "bank=bench", "write boost word=translation:times"),
        ("boost", "bank=bench:0", "write boost word=translation:times"),
        ("boost", "bank=bench:nan", "write boost word=translation:times"),
        ("boost", "bank=bench:much", "write boost word=translation:times"),
        ("add", "bank=bench:1.5", "a share of at most 1"),
        ("change", "bank=bench", "'change' is not an edit"),
    ],
)
def test_malformed_edit_is_refused_with_the_way_to_write_it(kind: str, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_edit(kind, text)


def test_colon_and_equals_signs_inside_words_are_kept() -> None:
    assert parse_edit("drop", "a=b=c:d") == Edit("drop", "a", "b=c:d")
    assert parse_edit("boost", "zeit=12:30:2") == Edit("boost", "zeit", "12:30", 2.0)
    assert parse_edit("add", "zeit=hour") == Edit("add", "zeit", "hour", 0.5)


WORDS = st.text(st.characters(codec="utf-8", categories=["L", "N"]), min_size=1, max_size=8)
EDITS = st.one_of(
    st.builds(lambda f, e: Edit("drop", f, e), WORDS, WORDS),
    st.builds(lambda f, e, x: Edit("boost", f, e, x), WORDS, WORDS, st.floats(1e-3, 1000.0)),
    st.builds(lambda f, e, x: Edit("add", f, e, x), WORDS, WORDS, st.floats(1e-3, 1.0)),
)


@given(st.lists(EDITS, max_size=5))
def test_saved_edits_are_read_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, edits: list[Edit]
) -> None:
    path = tmp_path_factory.mktemp("saved") / "edits.txt"
    write_edits(path, edits)
    assert read_edits(path) == edits


def test_file_with_a_bad_line_is_refused_by_its_number(tmp_path: Path) -> None:
    path = tmp_path / "edits.txt"
    path.write_text("# mine\n\n drop\tbank=bench\nboost bank\n")
    with pytest.raises(InputError, match=r"edits.txt:4: 'bank': write boost"):
        read_edits(path)
