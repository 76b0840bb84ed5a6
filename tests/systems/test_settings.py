"""What a weighting cannot be set to is refused with the setting named."""

from typing import Any

import pytest

from kakehashi.errors import InputError
from kakehashi.retrieve.weighting import Bm25, Lm, TfIdf
from kakehashi.systems.registry import spec_of
from kakehashi.systems.spec import read_settings


@pytest.mark.parametrize(
    ("system", "values", "message"),
    [
        ("bm25", {"k1": "0"}, "needs k1 > 0"),
        ("bm25", {"k1": "inf"}, "needs k1 > 0"),
        ("bm25", {"k1": "nan"}, "needs k1 > 0"),
        ("bm25", {"b": "1.1"}, "0 <= b <= 1"),
        ("bm25", {"b": "-0.1"}, "0 <= b <= 1"),
        ("bm25", {"k3": "-1"}, "k3 >= 0"),
        ("bm25", {"k1": "much"}, r"bm25: .*float.*k1"),
        ("bm25", {"idf": "none"}, r"bm25: .*none.*idf"),
        ("bm25", {"saturation": ""}, r"bm25: .*saturation"),
        ("lm", {"mu": "0"}, "needs mu > 0"),
        ("lm", {"mu": "inf"}, "needs mu > 0"),
        ("lm", {"k1": "1"}, "lm has no setting 'k1': it has mu"),
        ("tfidf", {"idf": "bm25"}, r"tfidf: .*idf"),
        ("psq-hmm", {"alpha": "\udcff"}, "psq-hmm: a setting is not valid Unicode text"),
    ],
)
def test_values_out_of_range_are_refused(system: str, values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_settings(spec_of(system), values)


def test_strings_from_the_command_line_become_values() -> None:
    assert read_settings(spec_of("bm25"), {"k1": "2", "k3": "inf", "idf": "log"}) == Bm25(
        2.0, 0.75, float("inf"), "log"
    )
    assert read_settings(spec_of("lm"), {"mu": "12.5"}) == Lm(12.5)


@pytest.mark.parametrize("settings", [Bm25(), Lm(), TfIdf()])
def test_settings_cannot_be_changed_afterwards(settings: Any) -> None:
    with pytest.raises(AttributeError):
        settings.idf = "log"
