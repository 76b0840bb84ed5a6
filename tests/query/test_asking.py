"""What reaches a translator of words and one of text, and what is made of their answers."""

from collections.abc import Sequence

import numpy as np
import pytest

from kakehashi.index.index import Index
from kakehashi.lexicon.linking import Linker
from kakehashi.lexicon.translations import count_translations
from kakehashi.lexicon.translator import Translation
from kakehashi.progress import SILENT, Progress
from kakehashi.query.asking import Asking
from kakehashi.query.nbest import NbestPsq
from kakehashi.query.translated import Translated
from kakehashi.types import PreparingCompiler, Text
from tests.index.building import build, texts_of

QUERY = Text("q", "de", "Das Haus, am See.\nLinux!\n...")


class Noting:
    """Writes down what it is asked; answers with what it was told, or with the question."""

    identity = "noting"

    def __init__(self, **answers: Sequence[tuple[str, float]]) -> None:
        self.asked: list[list[str]] = []
        self._answers = answers

    def translate(
        self, sentences: Sequence[Sequence[str]], n: int = 1, progress: Progress = SILENT
    ) -> list[list[Translation]]:
        self.asked += [list(sentence) for sentence in sentences]
        return [
            [
                Translation(tuple(text.split()), (), score)
                for text, score in self._answers.get(sentence[0], [(" ".join(sentence), 0.0)])
            ]
            for sentence in sentences
        ]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    words = {"d1": "house lake", "d2": "home lake shore", "d3": "linux house"}
    return build(tmp_path_factory.mktemp("asking") / "index", texts_of(words))


@pytest.fixture(scope="module")
def linker(index: Index) -> Linker:
    table = count_translations(["haus", "haus", "see"], ["house", "home", "lake"], np.ones(3))
    return Linker(index.source_analyzer, index.analyzer, table)


def test_own_decoder_reads_words_in_small_letters(index: Index) -> None:
    noting = Noting()
    list(Asking(index, noting, 60).translated(QUERY))
    assert noting.asked == [["das", "haus", "am", "see"], ["linux"]]


def test_other_translators_read_the_text_as_it_stands(index: Index, linker: Linker) -> None:
    noting = Noting()
    found = list(Asking(index, noting, 60, linker).translated(QUERY))
    assert noting.asked == [["Das", "Haus,", "am", "See."], ["Linux!"]]  # dots alone are no sentence
    assert [words for words, _ in found] == [["das", "haus", "am", "see"], ["linux"]]


def test_answers_become_words_of_the_documents_language_with_links(index: Index, linker: Linker) -> None:
    noting = Noting(Das=[("The House, at the lake.", -1.0)])
    [(_, [first]), _] = Asking(index, noting, 60, linker).translated(QUERY)
    assert first.words == ("the", "house", "at", "the", "lake")
    assert {(1, 1), (3, 4)} <= {*first.links}
    assert first.score == -1.0


def test_answers_that_differ_in_signs_only_are_one(index: Index, linker: Linker) -> None:
    noting = Noting(Das=[("The house.", -1.0), ("the House", -2.0), ("a house", -3.0)])
    [(_, found), _] = Asking(index, noting, 60, linker).translated(QUERY, 3)
    assert [(each.words, each.score) for each in found] == [(("the", "house"), -1.0), (("a", "house"), -3.0)]


def test_long_sentences_are_asked_in_parts(index: Index, linker: Linker) -> None:
    noting = Noting()
    query = Text("q", "de", " ".join(f"W{i}" for i in range(10)))
    found = list(Asking(index, noting, 4, linker).translated(query))
    assert [len(asked) for asked in noting.asked] == [3, 3, 4]
    assert [word for words, _ in found for word in words] == [f"w{i}" for i in range(10)]


def test_half_a_character_is_asked_as_a_question_mark(index: Index, linker: Linker) -> None:
    for each in (None, linker):
        noting = Noting()
        list(Asking(index, noting, 60, each).translated(Text("q", "de", "haus\ud800x")))
        assert "\ud800" not in str(noting.asked)
        assert noting.asked[0]


def test_direct_translation_names_the_words_of_the_query(index: Index, linker: Linker) -> None:
    noting = Noting(Das=[("The home at the lake.", 0.0)])
    query = Translated(index, noting, 60, linker).compile(QUERY)
    assert [index.vocabulary[int(term)] for term in query.terms] == ["home", "lake", "linux"]
    assert query.labels == ("haus", "see", "linux")


def test_structured_query_from_a_list_of_texts(index: Index, linker: Linker) -> None:
    noting = Noting(Das=[("A house at the lake", 0.0), ("A home at the lake", 0.0)])
    compiler = NbestPsq(index, noting, 60, 2, linker=linker)
    query = compiler.compile(Text("q", "de", "Das Haus am See"))
    groups = {
        label: {
            index.vocabulary[int(term)]: weight
            for term, weight in zip(
                query.terms[query.starts[g] : query.starts[g + 1]],
                query.term_weights[query.starts[g] : query.starts[g + 1]].tolist(),
                strict=True,
            )
        }
        for g, label in enumerate(query.labels)
    }
    assert groups["haus"] == pytest.approx({"house": 0.5, "home": 0.5})
    assert groups["see"] == pytest.approx({"lake": 1.0})


def test_compilers_let_a_translator_see_all_queries_at_once(index: Index, linker: Linker) -> None:
    for make in (
        lambda noting: Translated(index, noting, 60, linker),
        lambda noting: NbestPsq(index, noting, 60, 2, linker=linker),
    ):
        noting = Noting()
        compiler = make(noting)
        assert isinstance(compiler, PreparingCompiler)
        compiler.prepare([QUERY, Text("r", "de", "Haus")])
        assert noting.asked == [["Das", "Haus,", "am", "See."], ["Linux!"], ["Haus"]]
