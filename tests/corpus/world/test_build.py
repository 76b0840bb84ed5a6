import hashlib
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from kakehashi.corpus.collection import Collection
from kakehashi.corpus.world import build_world
from kakehashi.corpus.world.judging import judge
from kakehashi.errors import InputError

LEVEL = {"family": 3, "examiner": 2, "applicant": 1}


def fingerprint(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_same_seed_gives_same_bytes_in_another_process(small_world: Collection, tmp_path: Path) -> None:
    script = "import sys; from kakehashi.corpus.world import build_world; build_world(sys.argv[1], 2000, 7)"
    for hash_seed in ("1", "2024"):
        folder = tmp_path / hash_seed
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        subprocess.run([sys.executable, "-c", script, str(folder)], check=True, env=environment)
        assert fingerprint(folder) == fingerprint(small_world.folder)


def test_another_seed_gives_another_world(small_world: Collection, tmp_path: Path) -> None:
    build_world(tmp_path / "other", documents=2_000, seed=8)
    assert (
        fingerprint(tmp_path / "other")["documents.jsonl"]
        != fingerprint(small_world.folder)["documents.jsonl"]
    )


def test_sizes_are_as_ordered(small_world: Collection) -> None:
    documents = [text.id for text in small_world.documents()]
    queries = [text.id for text in small_world.queries()]
    assert len(documents) == len(set(documents)) == 2_000
    assert {split: len(small_world.qrels(split)) for split in small_world.splits} == {
        "train": 160,
        "dev": 20,
        "test": 20,
    }
    assert len(queries) == len(set(queries)) == 200
    assert [text.id for text in small_world.originals()] == queries
    assert sum(1 for _ in small_world.parallel()) > 5_000


def test_the_folder_says_that_it_is_synthetic(small_world: Collection) -> None:
    info = small_world.info
    assert info.synthetic
    assert "synthetic" in info.name.lower()
    assert "synthetic" in info.description.lower()


def test_judged_documents_and_queries_exist(small_world: Collection) -> None:
    documents = {text.id for text in small_world.documents()}
    queries = {text.id for text in small_world.queries()}
    for split in small_world.splits:
        for query, judged in small_world.qrels(split).items():
            assert query in queries
            assert judged.keys() <= documents
            assert set(judged.values()) <= {1, 2, 3}
            assert 3 in judged.values()


def test_judgments_follow_from_links_and_families(small_world: Collection) -> None:
    family_of = {text.id: text.meta["family"] for text in small_world.documents()}
    members: dict[str, list[str]] = defaultdict(list)
    for document, family in family_of.items():
        members[family].append(document)
    expected: dict[str, dict[str, int]] = defaultdict(dict)
    for citing, cited, kind in small_world.links():
        if citing.startswith("JP"):
            for document in members[family_of[cited]]:
                expected[citing][document] = max(LEVEL[kind], expected[citing].get(document, 0))
    found = {
        query: judged for split in small_world.splits for query, judged in small_world.qrels(split).items()
    }
    assert found == expected


def test_the_highest_level_wins_and_families_are_included() -> None:
    assert judge(["m1"], [(["a", "b"], 1), (["b", "m1"], 2)]) == {"m1": 3, "b": 2, "a": 1}


def test_only_what_was_published_before_is_cited(small_world: Collection) -> None:
    texts = {text.id: text.meta for text in [*small_world.documents(), *small_world.queries()]}
    for citing, cited, kind in small_world.links():
        if kind != "family":
            assert texts[cited]["publication"] <= texts[citing]["filing"]
    for meta in texts.values():
        assert meta["priority"] <= meta["filing"] < meta["publication"]


def test_splits_are_apart_in_time_and_families(small_world: Collection) -> None:
    meta = {text.id: text.meta for text in small_world.queries()}
    dates = {
        split: [meta[query]["filing"] for query in small_world.qrels(split)] for split in small_world.splits
    }
    families = {
        split: {meta[query]["family"] for query in small_world.qrels(split)} for split in small_world.splits
    }
    assert max(dates["train"]) < min(dates["dev"])
    assert max(dates["dev"]) < min(dates["test"])
    assert not families["train"] & (families["dev"] | families["test"])
    assert not families["dev"] & families["test"]


def test_parallel_sentences_occur_in_no_dev_or_test_text(small_world: Collection) -> None:
    held_out = {query for split in ("dev", "test") for query in small_world.qrels(split)}
    source = "\n".join(text.text for text in small_world.queries() if text.id in held_out)
    target = "\n".join(text.text for text in small_world.originals() if text.id in held_out)
    for ja, en in small_world.parallel():
        assert f"】{ja}" not in source
        assert f"。{ja}" not in source
        assert f". {en} " not in target


def test_members_of_dev_and_test_families_have_no_outgoing_links(small_world: Collection) -> None:
    held_out = {query for split in ("dev", "test") for query in small_world.qrels(split)}
    hidden = {text.meta["family"] for text in small_world.queries() if text.id in held_out}
    members = {text.id for text in small_world.documents() if text.meta["family"] in hidden}
    assert not members & {citing for citing, _, _ in small_world.links()}


def test_metadata_is_complete_and_japanese_patents_have_no_address(small_world: Collection) -> None:
    spellings = set()
    for text in small_world.documents():
        meta = text.meta
        assert meta["ipc"]
        assert meta["inventors"]
        assert meta["applicants"]
        assert meta["country"]
        assert meta["first_claim"].endswith(".")
        assert isinstance(meta["independent"], bool)
        assert meta["claims"] >= 1
        spellings.update(meta["city"])
    assert {"Kyoto", "Kyoto-shi"} <= spellings
    assert {"München", "Munich"} & spellings
    for text in small_world.queries():
        assert not {"country", "state", "city"} & text.meta.keys()


def test_class_graph_leads_every_symbol_to_its_section(small_world: Collection) -> None:
    parent = dict(small_world.classes())
    for text in small_world.documents():
        for symbol in text.meta["ipc"]:
            path = [symbol]
            while path[-1] in parent:
                path.append(parent[path[-1]])
            assert path == [symbol, symbol.split("/")[0] + "/00", symbol[:4], symbol[:3], symbol[0]]


@pytest.mark.parametrize(("documents", "seed"), [(10, 7), (3_000_000, 7), (2_000, -1)])
def test_impossible_orders_are_refused_in_one_line(documents: int, seed: int, tmp_path: Path) -> None:
    with pytest.raises(InputError) as refusal:
        build_world(tmp_path / "w", documents=documents, seed=seed)
    assert "\n" not in str(refusal.value)
    assert not list(tmp_path.iterdir())


def test_the_smallest_world_can_be_built(tmp_path: Path) -> None:
    build_world(tmp_path / "w", documents=500)
    assert len(Collection(tmp_path / "w").qrels("test")) == 20


def test_an_existing_world_is_kept_unless_forced(tmp_path: Path) -> None:
    build_world(tmp_path / "w", documents=500)
    with pytest.raises(InputError, match="--force"):
        build_world(tmp_path / "w", documents=500)
    build_world(tmp_path / "w", documents=600, force=True)
    assert sum(1 for _ in Collection(tmp_path / "w").documents()) == 600
