"""Rows on 20 Newsgroups: each is trained as its label says."""

from kakehashi.experiments.newsgroups import ROWS_4_7, ROWS_4_9, ROWS_4_10
from kakehashi.experiments.newsgroups_figures import RECIPES


def settings(label: str) -> dict[str, object]:
    rows = {row.label: row for row in (*ROWS_4_7, *ROWS_4_9)}
    return dict(rows[label].settings["training"])


def test_identities_are_diagonals_that_hardly_learn() -> None:
    """So they can be limited and rewritten like the others, and stay what they are."""
    for label in ("identity, 10,000 words", "identity, CFH k=1 of train", "identity, CFH k=5 of train"):
        training = settings(label)
        assert training["shape"] == "diagonal"
        assert float(str(training["pairs"])) * float(str(training["rate"])) < 1e-5


def test_one_correlated_word_and_five_differ_in_nothing_else() -> None:
    for shape in ("identity", "diagonal", "quadratic"):
        one, five = (settings(f"{shape}, CFH k={k} of train") for k in (1, 5))
        assert (one.pop("query_cfh"), one.pop("document_cfh")) == (1, 1)
        assert (five.pop("query_cfh"), five.pop("document_cfh")) == (5, 5)
        assert one == five


def test_overview_quotes_the_identity_of_train() -> None:
    """The other tables print the identity of df over all beside rankers of train."""
    of = {row.label: row.published.get("MAP") for row in ROWS_4_10}
    assert of["identity"] == 0.2055
    assert of["identity, df of train, in test of all"] == 0.2041
    assert of["quadratic, 200,000 pairs"] is None  # table 4.5's
    assert {row.published["MAP"] for row in (*ROWS_4_7, *ROWS_4_9) if row.label == "identity"} == {0.2041}


def test_figures_end_at_the_pairs_that_their_rankers_learn_from() -> None:
    for recipe in RECIPES:
        for row in recipe.configurations:
            if row.settings.get("amounts"):
                assert row.settings["amounts"][-1] == row.settings["training"]["pairs"]
