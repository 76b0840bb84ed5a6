"""The systems dt and psq-nbest with another translator than the collection's decoder."""

import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

from kakehashi.errors import InputError
from kakehashi.index.holdings import Holdings
from kakehashi.lexicon.external import TranslatorError
from kakehashi.lexicon.translations import count_translations
from kakehashi.retrieve.system import IndexSystem
from kakehashi.systems.opening import open_system
from kakehashi.systems.translation import TABLE
from kakehashi.types import Text
from tests.index.building import build, holdings_of, texts_of
from tests.lexicon.test_remembered import Steps

PROGRAM = """
import sys
words = {"Haus": "house", "See": "lake", "Hund": "dog"}
lines = sys.stdin.read().splitlines()
open(sys.argv[1], "a").write(f"{len(lines)}\\n")
if any("kaputt" in line for line in lines):
    sys.exit("kaputt is no word")
lists = len(sys.argv) > 2
for i, line in enumerate(lines):
    said = " ".join(words.get(word, word) for word in line.split())
    print(f"{i} ||| {said} ||| -0.5" if lists else said)
    if lists:
        print(f"{i} ||| {said.replace('house', 'home')} ||| -0.5")
"""


@pytest.fixture
def holdings(tmp_path: Path) -> Holdings:
    words = {"d1": "house lake", "d2": "home side", "d3": "dog cat", "d4": "linux dog"}
    return holdings_of(build(tmp_path / "index", texts_of(words)))


@pytest.fixture
def command(tmp_path: Path) -> str:
    (tmp_path / "mt.py").write_text(PROGRAM)
    return f"command:{shlex.join([sys.executable, str(tmp_path / 'mt.py'), str(tmp_path / 'log')])}"


def put_table(holdings: Holdings) -> None:
    table = count_translations(["haus", "haus"], ["house", "home"], np.ones(2), holdings.fingerprints)
    table.save(holdings.model_folder("translation") / TABLE, {}, {})


def system(holdings: Holdings, name: str, **values: str) -> IndexSystem:
    return open_system(name, holdings, values)


def found(holdings: Holdings, name: str, text: str, **values: str) -> list[str]:
    return list(system(holdings, name, **values).search([Text("q", "de", text)]).rankings["q"].docs)


def test_direct_translation_needs_no_training(holdings: Holdings, command: str) -> None:
    assert found(holdings, "dt", "Haus am See", translator=command) == ["d1"]
    [explained] = system(holdings, "dt", translator=command).explain(Text("q", "de", "Hund"), ["d3"])
    [share] = explained.shares
    assert (share.query, share.document) == ("dog", "dog")  # no table, no links: words stand for themselves


def test_with_a_table_explanations_name_the_words_of_the_query(holdings: Holdings, command: str) -> None:
    put_table(holdings)
    [explained] = system(holdings, "dt", translator=command).explain(Text("q", "de", "Haus"), ["d1"])
    [share] = explained.shares
    assert (share.query, share.document) == ("haus", "house")


def test_structured_queries_from_lists_need_a_table(holdings: Holdings, command: str) -> None:
    lists = f"{command} {{n}}"
    with pytest.raises(InputError, match=r"run kakehashi train translation \S+$"):
        found(holdings, "psq-nbest", "Haus", translator=lists)
    put_table(holdings)
    assert sorted(found(holdings, "psq-nbest", "Haus", translator=lists)) == ["d1", "d2"]
    assert found(holdings, "psq-nbest", "Haus", translator=command) == ["d1"]


def test_all_queries_of_a_run_share_their_batches(holdings: Holdings, command: str, tmp_path: Path) -> None:
    queries = [Text(f"q{i}", "de", f"Haus {i}") for i in range(50)]
    system(holdings, "dt", translator=command, batch="40").search(queries)
    assert (tmp_path / "log").read_text().split() == ["40", "10"]
    system(holdings, "dt", translator=command).search(queries)
    assert (tmp_path / "log").read_text().split() == ["40", "10"]


def test_batch_may_be_larger_than_any_block_of_queries(
    holdings: Holdings, command: str, tmp_path: Path
) -> None:
    queries = [Text(f"q{i}", "de", f"Haus {i}") for i in range(250)]
    steps = Steps()
    system(holdings, "dt", translator=command, batch="200").search(queries, progress=steps)
    assert (tmp_path / "log").read_text().split() == ["200", "50"]
    assert steps.seen[:4] == [("translating", 250), 200, 50, "end"]
    assert steps.seen[4:] == [("searching with dt", 250), 128, 122, "end"]


def test_failing_run_goes_on_where_it_stopped(holdings: Holdings, command: str, tmp_path: Path) -> None:
    queries = [Text(f"q{i}", "de", f"Haus {i}") for i in range(20)]
    broken = [*queries, Text("q20", "de", "kaputt")]
    with pytest.raises(TranslatorError, match="failed with status 1, saying: kaputt is no word; fix it"):
        system(holdings, "dt", translator=command).search(broken)
    assert (tmp_path / "log").read_text().split() == ["16", "5"]
    system(holdings, "dt", translator=command).search(queries)
    assert (tmp_path / "log").read_text().split() == ["16", "5", "4"]


def test_label_keeps_two_states_of_a_program_apart(holdings: Holdings, command: str, tmp_path: Path) -> None:
    for model in ("", "second", "second"):
        found(holdings, "dt", "Haus", translator=command, translator_model=model)
    assert (tmp_path / "log").read_text().split() == ["1", "1"]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"translator": "moses"}, "there is no translator 'moses': write command:PROGRAM"),
        ({"translator": "ctranslate2:"}, "there is no translator 'ctranslate2:'"),
        ({"translator": "ctranslate2:/nowhere"}, "/nowhere: has no model.bin"),
        ({"translator": "command:"}, "has no program"),
        ({"translator": "http:/x"}, "write https://HOST"),
        ({"timeout": "0"}, "timeout must be above 0"),
        ({"timeout": "nan"}, "timeout must be above 0"),
        ({"batch": "0"}, "batch must be 1 to 10000"),
        ({"k1": "-1"}, "BM25 needs k1 > 0"),
    ],
)
def test_settings_that_mean_nothing_are_refused(
    values: dict[str, str], message: str, holdings: Holdings
) -> None:
    with pytest.raises(InputError, match=message):
        system(holdings, "dt", **values)
