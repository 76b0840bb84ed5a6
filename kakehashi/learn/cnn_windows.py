"""Late interaction: a network of PyTorch that compares every window of a query with every window of a document.

    S(q, d) = tanh(Σ_parts |o| · mean_i max(0, max_j cos(p_i, p_j)))        i: windows of q, j: windows of d

The windows p are those of `cnn.py`; its layers are left out. Each part has columns of its own, so that windows of
words and of classes have nothing in common. Scoring without PyTorch is `cnn_maxsim.py`.
"""

from collections.abc import Sequence

import torch
from torch.nn.functional import normalize, pad

from kakehashi.learn.cnn import Network, Part, Shape, Weights
from kakehashi.learn.cnn_settings import SIDES
from kakehashi.types import Longs

PAIRS = 256  # of a query and a document, compared at a time


class WindowNetwork(Network):
    """A query's vectors hold its windows' shares of the score, so that a maximum is all that is left to do."""

    def encode(self, side: str, rows: Longs) -> torch.Tensor:
        """(texts, windows of all parts, filters of all parts); zeros where a text has no more windows"""
        widths, before, found = [part.filters for part in self.parts], 0, []
        for part, width in zip(self.parts, widths, strict=True):
            found.append(pad(self._encode(part, side, rows), (before, sum(widths) - before - width)))
            before += width
        return torch.cat(found, dim=1)

    def _shape_of(self, part: Part, side: str) -> tuple[int, ...]:
        return max(part.longest[SIDES.index(side)] - part.window + 1, 1), part.filters

    def _pooled(
        self, part: Part, side: str, p: torch.Tensor, mask: torch.Tensor, count: torch.Tensor
    ) -> torch.Tensor:
        units = normalize(p.float(), dim=2) * mask.float()[:, :, None]  # (texts, n, filters)
        if side == "query":
            weight = self.weights["mlp.0"][self.parts.index(part), 0].abs()
            units = units * (weight / count)[:, None, None]
        return pad(units, (0, 0, 0, self._shape_of(part, side)[0] - units.shape[1]))

    def scores(
        self, queries: torch.Tensor, docs: torch.Tensor, query_of: Longs, doc_of: Longs,
        generator: torch.Generator | None = None,
    ) -> torch.Tensor:  # fmt: skip
        left, right = (torch.from_numpy(each).to(self.device) for each in (query_of, doc_of))
        found = [torch.zeros(0, device=self.device)]
        for first in range(0, len(left), PAIRS):
            some = slice(first, first + PAIRS)
            similar = torch.bmm(queries[left[some]], docs[right[some]].transpose(1, 2))  # (pairs, i, j)
            found.append(similar.float().max(dim=2).values.clamp(min=0).sum(dim=1))
        return torch.tanh(torch.cat(found))


def network_of(
    parts: Sequence[Part], shape: Shape, weights: Weights, device: str, by_word: bool | None = None
) -> Network:
    kind = WindowNetwork if shape.match == "maxsim" else Network
    return kind(parts, shape, weights, device, by_word)
