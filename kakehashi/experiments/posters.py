"""P14: translation, domain knowledge and word pairs, fused by Borda and learned linearly, on any collection."""

from collections.abc import Mapping, Sequence
from typing import Any

from kakehashi.experiments.combinations import DK, recipe, row
from kakehashi.experiments.combining import PUBLISHED
from kakehashi.experiments.tables import Configuration


def _p14(published: Mapping[str, Sequence[float]]) -> list[Configuration]:
    measures = ("MAP", "NDCG", "PRES@1000")
    mt, dkvw = ("DT", "PSQ"), ("DK", "VW")

    def one(label: str, by: str, of: Sequence[str], than: tuple[str, ...] = (), **more: Any) -> Configuration:
        return row(label, by, of, published[label], than, measures, **more)

    def learned_row(
        label: str, of: Sequence[str], than: tuple[str, ...], features: str
    ) -> list[Configuration]:
        """The paper's pairwise hinge over scores as they are; then our softmax over scaled ones."""
        ours = {"features": features, "loss": "softmax", "scaling": "best"}
        return [
            one(label, "linear", of, than, features=features, loss="margin", scaling="raw"),
            row(f"{label}, softmax (ours)", "linear", of, (), label, measures, **ours),
        ]

    everything = (*mt, *dkvw)
    return [
        one("DT", "alone", ["dt"]),
        one("PSQ", "alone", ["psq-nbest"]),
        *learned_row("DK", [], (), PUBLISHED),
        one("VW", "alone", ["bilinear"]),
        one("BM", "alone", ["boosted"]),
        one("Borda DT+PSQ", "borda", ["dt", "psq-nbest"], mt),
        one("Borda DK+VW", "borda", [DK, "bilinear"], dkvw),
        one("Borda (DT+PSQ)+(DK+VW)", "borda", ["dt", "psq-nbest", DK, "bilinear"], everything, nest=True),
        *learned_row("LinLearn DT+PSQ", ["dt", "psq-nbest"], mt, "none"),
        *learned_row("LinLearn DK+VW", ["bilinear"], dkvw, PUBLISHED),
        *learned_row("LinLearn DT+PSQ+DK+VW", ["dt", "psq-nbest", "bilinear"], everything, PUBLISHED),
    ]


P14_LABELS = (
    "DT", "PSQ", "DK", "VW", "BM", "Borda DT+PSQ", "Borda DK+VW", "Borda (DT+PSQ)+(DK+VW)",
    "LinLearn DT+PSQ", "LinLearn DK+VW", "LinLearn DT+PSQ+DK+VW",
)  # fmt: skip
P14_PATENTS = (
    (0.2554, 0.5397, 0.5680), (0.2659, 0.5508, 0.5851), (0.2203, 0.4874, 0.5171), (0.2205, 0.4989, 0.4911),
    (0.1669, 0.4167, 0.4665), (0.2747, 0.5618, 0.5988), (0.3023, 0.5980, 0.6137), (0.3465, 0.6420, 0.6858),
    (0.2707, 0.5578, 0.5941), (0.3283, 0.6366, 0.7104), (0.3739, 0.6755, 0.7599),
)  # fmt: skip
P14_WIKIPEDIA = (
    (0.3678, 0.5691, 0.7219), (0.3642, 0.5671, 0.7165), (0.2661, 0.4584, 0.6717), (0.1249, 0.3389, 0.6466),
    (0.1386, 0.3418, 0.6145), (0.3742, 0.5777, 0.7306), (0.3238, 0.5484, 0.7736), (0.4173, 0.6333, 0.8031),
    (0.3718, 0.5751, 0.7251), (0.3436, 0.5686, 0.7914), (0.4137, 0.6435, 0.8233),
)  # fmt: skip


BY_HINGE = (
    "DK and LinLearn are learned by the pairwise hinge over raw scores; our rows by softmax over scaled ones"
)
P14 = ("MAP", "NDCG", "PRES@1000")
RECIPES = (
    recipe(
        "p14-patents",
        "translation, domain knowledge and word pairs, fused and learned",
        _p14(dict(zip(P14_LABELS, P14_PATENTS, strict=True))),
        P14,
        BY_HINGE,
    ),
    recipe(
        "p14-wikipedia",
        "the same, compared with the figures for Wikipedia",
        _p14(dict(zip(P14_LABELS, P14_WIKIPEDIA, strict=True))),
        P14,
        BY_HINGE,
    ),
)
