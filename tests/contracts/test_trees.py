"""A model of trees keeps what every system promises."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from kakehashi.index.holdings import Holdings
from kakehashi.learn.asked import Asked as Input
from kakehashi.learn.lambdamart import TreeSettings, learn_trees
from kakehashi.learn.linear import Lists
from kakehashi.learn.linear_model import LinearModel
from kakehashi.systems.opening import open_system
from kakehashi.types import Text
from tests.contracts import test_systems as contracts
from tests.contracts.models import FEATURES, put_models
from tests.index.building import build, build_in_parts, dealt, holdings_of, texts_of, zipfian
from tests.retrieve.comparing import same

Promise = Callable[[str, Holdings, list[Text]], None]
PROMISES: list[Promise] = [
    contracts.test_same_question_gets_the_same_answer,
    contracts.test_other_questions_in_between_do_not_matter,
    contracts.test_no_more_than_k_documents_come_back,
    contracts.test_short_list_is_the_beginning_of_the_long_one,
    contracts.test_rankings_are_in_the_order_of_scores_then_ids,
    contracts.test_opened_again_it_answers_alike,
    contracts.test_shares_of_an_explanation_sum_to_the_score,
    contracts.test_score_equals_the_ranking,
    contracts.test_many_threads_get_what_one_gets,
    contracts.test_explaining_many_equals_explaining_each,
    contracts.test_threads_change_nothing,
]


@pytest.fixture(scope="module")
def texts() -> list[Text]:
    plain = texts_of(zipfian(np.random.default_rng(21), contracts.N_DOCS))
    return [contracts.asking(text.id, text.lang, text.text) for text in plain]


@pytest.fixture(scope="module")
def holdings(texts: list[Text], tmp_path_factory: pytest.TempPathFactory) -> Holdings:
    made = holdings_of(build(tmp_path_factory.mktemp("trees") / "index", texts, contracts.FIELDS))
    put_trees(made)
    return made


@pytest.fixture(scope="module")
def queries() -> list[Text]:
    documents = zipfian(np.random.default_rng(22), 40, mean_length=15)
    return [contracts.asking(f"q{id}", "de", text) for id, text in documents.items()]


def put_trees(holdings: Holdings) -> None:
    """In place of the weights of `dense`: the same inputs and features, a little of each counting."""
    put_models(holdings, holdings.index.vocabulary.all_terms())
    rng = np.random.default_rng(6)
    features = rng.uniform(size=(4000, 6)).astype(np.float32)
    worth = features.sum(axis=1) + features[:, 0] * features[:, 3]
    lists = Lists(np.arange(41) * 100, features, (worth > 4.0).astype(np.int32), np.ones(4000))
    trees = learn_trees(lists, TreeSettings(trees=40, leaves=6, smallest=5), seed=5)
    inputs = [Input("psq"), Input("boosted"), Input("lowrank")]
    names = [*(one.name for one in inputs), "tags", "same tag", "citations received"]
    cited = {doc: float(number % 9) for number, doc in enumerate(sorted(holdings.index.numbering.ids))}
    model = LinearModel(inputs, "best", FEATURES, names, trees, cited, holdings.fingerprints, True)
    model.save(holdings.model_folder("dense"), {}, {}, seed=5)


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.__name__.removeprefix("test_"))
def test_trees_keep_the_promise(promise: Promise, holdings: Holdings, queries: list[Text]) -> None:
    promise("dense", holdings, queries)


def test_one_segment_equals_four(
    holdings: Holdings, texts: list[Text], queries: list[Text], tmp_path: Path
) -> None:
    four = holdings_of(build_in_parts(tmp_path / "index", dealt(texts, 4), contracts.FIELDS))
    put_trees(four)
    found, one = (open_system("dense", each).search(queries, 100).rankings for each in (four, holdings))
    same(found, one)
