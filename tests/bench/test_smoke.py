"""Benchmarks run from end to end, made small; their figures are for docs, not for tests."""

import sys
from pathlib import Path
from typing import Any

import pytest

from kakehashi.progress import SILENT

BENCH = Path(__file__).parents[2] / "bench"
SMALL: dict[str, dict[str, Any]] = {
    "clusters": {
        "N_QUERIES": 5,
        "CLUSTERS": (8,),
        "BEST": (2, 8),
        "TRAINING": {"pairs": 2000, "epochs": 1, "dev_queries": 0},
    },
    "bilinear": {
        "N_PAIRS": 500,
        "SIZES": (16, 18),
        "RATES": (0.5,),
        "LAYOUTS": {"rows": ("rows", 16)},
        "N_STREAMED": 3000,
    },
    "boosted": {
        "N_INSTANCES": 300,
        "ROUNDS": 40,
        "BITS": 20,
        "PHASES": (10, 40),
        "FEW": 100,
        "FEW_ROUNDS": 20,
        "FEW_BITS": 18,
        "TIMES": 1,
    },
    "alignment": {"N_PAIRS": 300, "N_WORDS": 100},
    "related": {
        "N_WORDS": 300,
        "DIMENSIONS": 20,
        "N_CLUSTERS": 40,
        "SAMPLE": 5,
        "N_QUERIES": 10,
        "LSI_DIMENSIONS": 10,
    },
    "load": {},
    "measures": {"N_QUERIES": 20, "DEPTH": 50, "N_DOCS": 200, "N_RELEVANT": 5, "ROUNDS": 1},
    "psq": {"N_QUERIES": 5, "N_WORDS": 8, "N_PAIRS": 500, "ROUNDS": 1},
    "dense": {"QUERIES": 20},
    "combined": {
        "QUERIES": 8,
        "ROUNDS": 1,
        "TRAINED": {
            "translation": {"decoder": False, "rounds": 1},
            "lowrank": {"pairs": 500, "epochs": 1, "dev_queries": 0, "rank": 8},
            "dense": {"inputs": "psq lowrank", "queries": 20, "best": 20, "random": 50},
        },
    },
    "evaluate": {"N_QUERIES": 200, "N_TERMS": 50},
    "start": {"ROUNDS": 1},
    "serve": {"SECONDS": 1.0, "WARM": 0.2, "CLIENTS": 4, "QUERIES": 20, "PAUSE": 0.1},
}


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Imports a benchmark as the command does, and forgets it afterwards."""
    monkeypatch.syspath_prepend(str(BENCH))
    before = {*sys.modules}

    def load(name: str) -> Any:
        module = __import__(name)
        for constant, value in SMALL[name].items():
            monkeypatch.setattr(module, constant, value)
        return module

    yield load
    for name in {*sys.modules} - before:
        if Path(getattr(sys.modules[name], "__file__", None) or "/").parent == BENCH:
            del sys.modules[name]


def test_clusters_found_all_where_all_are_searched(bench: Any, tmp_path: Path) -> None:
    ratios = bench("clusters").run(tmp_path, 500, SILENT)["ratios"]
    assert ratios["8_of_8_top10_found_of_exact"] == 1.0
    assert 0.0 < ratios["2_of_8_top10_found_of_exact"] <= 1.0
    assert "2_of_8_top1000_speed_vs_exact" in ratios


def test_bilinear_is_measured_beside_its_rivals(bench: Any, tmp_path: Path) -> None:
    pytest.importorskip("vowpalwabbit", reason="the extra `bench` is not installed")
    result = bench("bilinear").run(tmp_path, 500, SILENT)
    for bits in (16, 18):
        assert f"bilinear_2e{bits}_vs_vw" in result["ratios"]
    assert result["figures"]["streaming_pairs"] >= 3000
    assert "two_threads_vs_one" in result["ratios"]


def test_boosting_is_measured_in_both_forms(bench: Any, tmp_path: Path) -> None:
    result = bench("boosted").run(tmp_path, 500, SILENT)
    for kind in ("hashed", "exact"):
        assert result["figures"][f"{kind}_rounds"] == 40
        assert f"{kind}_rounds_per_second_11_40" in result["figures"]
        assert result["figures"][f"{kind}_drift_in_best_gains"] < 1e-3
        assert 0.0 < result["ratios"][f"{kind}_memory_vs_limit"] < 1.0
    assert "kept_up_exact_vs_made_anew" in result["ratios"]


def test_structured_queries_are_the_same_however_they_are_scored(bench: Any, tmp_path: Path) -> None:
    result = bench("psq").run(tmp_path, 500, SILENT)
    for k in (10, 1000):
        assert result["figures"][f"top{k}_rankings_equal_to_query_time"] == 1.0
        assert result["figures"][f"top{k}_scores_equal_to_sparse_product"] == 1.0
        assert f"index_time_top{k}_vs_sparse_product" in result["ratios"]


def test_aligners_find_more_links_than_places_do(bench: Any, tmp_path: Path) -> None:
    figures = bench("alignment").run(tmp_path, 500, SILENT)["figures"]
    for aligner in ("fast", "hmm", "ibm4"):
        assert figures[f"{aligner}_aer"] < 0.6 * figures["aer_by_place"]
        assert figures[f"{aligner}_words_with_a_true_first_translation"] > 0.7


def test_measures_are_those_of_trec_eval(bench: Any, tmp_path: Path) -> None:
    pytest.importorskip("ir_measures", reason="the extra `bench` is not installed")
    result = bench("measures").run(tmp_path, 500, SILENT)
    assert result["figures"]["largest_difference_of_a_score"] < 1e-9
    assert "measures_vs_trec_eval" in result["ratios"]


def test_opening_is_measured_beside_reading(bench: Any, tmp_path: Path) -> None:
    result = bench("load").run(tmp_path, 600, SILENT)
    assert (result["figures"]["documents_small"], result["figures"]["documents_large"]) == (500, 600)
    assert {"open_large_vs_small", "open_vs_reading_the_same_bytes"} <= {*result["ratios"]}
    assert result["figures"]["touched_postings_mib"] > 0.0


def test_features_are_ranked_from_an_opened_library(bench: Any, tmp_path: Path) -> None:
    result = bench("dense").run(tmp_path, 500, SILENT)
    assert result["figures"]["queries"] == 20
    assert result["figures"]["numbers_per_pair"] == 20
    assert "ranking_vs_2_million_pairs_per_second" in result["ratios"]


def test_candidates_are_measured_beside_full_scoring(bench: Any, tmp_path: Path) -> None:
    module = bench("combined")
    result = module.run(tmp_path, 500, SILENT)
    assert result["figures"]["documents"] == 500
    assert result["figures"]["top100_found"] == 1.0  # so few documents are all scored
    assert result["figures"]["difference_in_MAP"] == 0.0
    assert result["figures"]["largest_difference_of_a_score"] == 0.0
    assert {"dense_vs_full", "two_threads_dense_vs_full", "opening_vs_2_s"} <= {*result["ratios"]}
    assert (tmp_path / "combined.svg").read_bytes().startswith(b"<?xml")
    again = module.run(tmp_path, 500, SILENT, collection=tmp_path / "world-500")
    assert again["figures"]["top1000_found"] == 1.0


def test_scores_are_the_same_in_other_parts_and_threads(bench: Any, tmp_path: Path) -> None:
    figures = bench("evaluate").run(tmp_path, 500, SILENT)["figures"]
    assert figures["same_result_in_other_parts"] is True
    assert figures["threads"] >= 1


def test_the_service_is_measured_beside_the_library_while_its_index_changes(
    bench: Any, tmp_path: Path
) -> None:
    result = bench("serve").run(tmp_path, 500, SILENT, updates=True, clients=3)
    figures = result["figures"]
    assert figures["clients"] == 3
    assert figures["errors"] == 0
    assert figures["answers"] > 0
    assert figures["direct, searches a second"] > 0.0
    assert result["ratios"]["served_vs_direct"] > 0.0
    assert {"updates of the index", "memory, MiB", "served, p99 ms"} <= {*figures}
    assert [path.name for path in tmp_path.iterdir()] == ["world-500"]


def test_first_steps_are_timed_in_fresh_processes(bench: Any, tmp_path: Path) -> None:
    result = bench("start").run(tmp_path, 500, SILENT)
    assert {"import_ms", "help_ms", "open_ms", "search_ms"} <= {*result["figures"]}
    assert {"import_vs_python", "open_vs_numpy"} <= {*result["ratios"]}


def test_related_words_are_those_of_gensim(bench: Any, tmp_path: Path) -> None:
    pytest.importorskip("gensim", reason="the extra `bench` is not installed")
    result = bench("related").run(tmp_path, 500, SILENT)
    assert result["ratios"]["words_with_the_same_neighbours"] == 1.0
    assert result["figures"]["thresholds"] == 41 * 21
    assert "sweep_speed_vs_single_searches" in result["ratios"]
