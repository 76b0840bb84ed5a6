import math

import numpy as np
import pytest

from kakehashi.text.idf import inverse_df
from kakehashi.text.induced import induced_stop_words


@pytest.mark.parametrize("n_docs", [7, 12, 1001])
def test_clamped_idf_induces_the_terms_in_half_of_the_documents_or_more(n_docs: int) -> None:
    df = {f"w{n:04}": n for n in range(1, n_docs + 1)}
    assert induced_stop_words(df, n_docs) == [word for word, n in df.items() if 2 * n >= n_docs]


def test_plain_idf_induces_only_terms_in_every_document() -> None:
    n_docs = 888_127
    assert induced_stop_words({"all": n_docs, "nearly": n_docs - 1, "rare": 1}, n_docs, "log") == ["all"]


def test_idf_values_match_their_formulas() -> None:
    weights = inverse_df(np.array([1.0, 4.0, 9.0]), 10, "rsj_clamped")
    assert weights[:2] == pytest.approx([math.log(9.5 / 1.5), math.log(6.5 / 4.5)])
    assert weights[2] == 0
    assert inverse_df(np.array([1.0, 4.0, 10.0]), 10, "log") == pytest.approx(
        [math.log(10), math.log(2.5), 0]
    )


def test_nothing_is_induced_from_nothing() -> None:
    assert induced_stop_words({}, 0) == []
    assert induced_stop_words({"unseen": 0}, 5) == []
