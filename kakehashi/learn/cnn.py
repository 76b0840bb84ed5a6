"""The CNN ranker: a network of PyTorch that scores a query with a document; `cnn_training.py` trains it.

    p_i = tanh(W [x_i; ...; x_(i+h-1)] + b)        c = mean of p_i
    S(q, d) = tanh(O relu(... relu(U [c_q; c_d])))
    loss = max(0, 1 - (S(q, d+) - S(q, d-)))

Every part (words with windows of h = 4, classes with h = 1) has filters of its own for queries and for documents.
Word vectors stay as they are. Scoring without PyTorch is `cnn_model.py`.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch.nn.functional import dropout, embedding_bag

from kakehashi.learn.cnn_settings import SIDES, Match
from kakehashi.types import Array, Floats32, Ints, Longs

WINDOWS = {"cpu": 1 << 15, "cuda": 1 << 21}  # encoded at a time, which bounds memory


def has_cuda() -> bool:
    return torch.cuda.is_available()


class Texts(NamedTuple):
    """Text i holds words[starts[i]:starts[i + 1]], numbers of rows of its part's vectors."""

    starts: Longs  # (texts + 1,)
    words: Ints


class Part(NamedTuple):
    """What the network reads: words or classes, of both sides."""

    name: str
    window: int
    filters: int
    vectors: tuple[Floats32, Floats32]  # (words, dimensions) of queries and of documents
    texts: tuple[Texts, Texts]
    longest: tuple[int, int]  # words of a text that are read, of queries and of documents


class Shape(NamedTuple):
    """The network above the filters."""

    hidden: int
    layers: int  # matrices, the last of which gives the score
    dropout: float
    near: bool = False  # whether training begins with a score that falls with the distance of c_q and c_d
    match: Match = "mean"  # `maxsim` is in `cnn_windows.py`


Weights = dict[str, Floats32]  # by name: `text.query.w`, `text.query.b`, ..., `mlp.0`, `mlp.1`, ...


class Network:
    """The weights and the texts on one device."""

    def __init__(
        self, parts: Sequence[Part], shape: Shape, weights: Weights, device: str, by_word: bool | None = None
    ):
        self.device, self.shape, self.parts = torch.device(device), shape, parts
        self.by_word = self.device.type == "cpu" if by_word is None else by_word
        self.weights = {
            name: torch.tensor(array, device=device, requires_grad=True) for name, array in weights.items()
        }
        self._vectors, self._texts = {}, {}
        for part in parts:
            for side, vectors, texts in zip(SIDES, part.vectors, part.texts, strict=True):
                key, zeros = (
                    (part.name, side),
                    np.zeros((1, vectors.shape[1]), np.float32),
                )  # the last row pads
                kept = (
                    torch.float32 if self.device.type == "cpu" else torch.bfloat16
                )  # as they are multiplied
                self._vectors[key] = torch.tensor(np.concatenate([vectors, zeros]), dtype=kept, device=device)
                words = np.append(texts.words, np.int32(len(vectors))).astype(np.int64)
                self._texts[key] = torch.tensor(words, device=device), texts.starts

    def encode(self, side: str, rows: Longs) -> torch.Tensor:
        """(texts, filters of all parts)"""
        return torch.cat([self._encode(part, side, rows) for part in self.parts], dim=1)

    def _encode(self, part: Part, side: str, rows: Longs) -> torch.Tensor:
        """Texts of like length together, so that little is padding."""
        starts = self._texts[part.name, side][1]
        sizes = np.minimum(starts[rows + 1] - starts[rows], part.longest[SIDES.index(side)])
        order = np.argsort(sizes, kind="stable")
        found, first, room = [], 0, WINDOWS[self.device.type]
        widths = np.maximum(sizes[order], part.window)
        while first < len(order):
            # the widest text decides how many fit, and they are in ascending order
            fits = widths[first:] * np.arange(1, len(order) - first + 1) <= room
            last = first + max(1, int(np.count_nonzero(fits)))
            some = order[first:last]
            found.append(
                self._encode_block(part, side, starts[rows[some]], sizes[some], int(widths[last - 1]))
            )
            first = last
        if not found:
            return torch.zeros((0, *self._shape_of(part, side)), device=self.device)
        back = np.empty(len(order), np.int64)
        back[order] = np.arange(len(order))
        return torch.cat(found)[torch.from_numpy(back).to(self.device)]

    def _encode_block(self, part: Part, side: str, starts: Longs, sizes: Longs, width: int) -> torch.Tensor:
        words, vectors = self._texts[part.name, side][0], self._vectors[part.name, side]
        w, b = self.weights[f"{part.name}.{side}.w"], self.weights[f"{part.name}.{side}.b"]
        begin, size = (torch.from_numpy(each).to(self.device, non_blocking=True) for each in (starts, sizes))
        places = torch.arange(width, device=self.device)  # (width,)
        inside = places < size[:, None]  # (texts, width)
        tokens = words[torch.where(inside, begin[:, None] + places, len(words) - 1)]  # (texts, width)
        n, h = width - part.window + 1, part.window
        sums = (_by_word if self.by_word else _by_window)(tokens, vectors, w, h)  # (texts · n, filters)
        p = torch.tanh(sums + b.to(sums.dtype)).view(len(starts), n, part.filters)
        count = torch.where(size > 0, torch.clamp(size - h + 1, min=1), 0)  # windows of each text
        mask = (torch.arange(n, device=self.device) < count[:, None]).to(p.dtype)  # (texts, n)
        return self._pooled(part, side, p, mask, torch.clamp(count, min=1))

    def _shape_of(self, part: Part, side: str) -> tuple[int, ...]:
        """Of what `_pooled` makes of a text."""
        return (part.filters,)

    def _pooled(
        self, part: Part, side: str, p: torch.Tensor, mask: torch.Tensor, count: torch.Tensor
    ) -> torch.Tensor:
        total = torch.bmm(mask[:, None], p)[:, 0].float()  # (texts, filters)
        return total / count[:, None]

    def scores(
        self, queries: torch.Tensor, docs: torch.Tensor, query_of: Longs, doc_of: Longs,
        generator: torch.Generator | None = None,
    ) -> torch.Tensor:  # fmt: skip
        """(instances,) of encoded texts; with a generator, hidden values are dropped as in training."""
        u = self.weights["mlp.0"]
        m = queries.shape[1]
        left, right = (torch.from_numpy(each).to(self.device) for each in (query_of, doc_of))
        h = (queries @ u[:m])[left] + (docs @ u[m:])[right]  # U [c_q; c_d], each text's half once
        for i in range(1, self.shape.layers):
            h = self._dropped(torch.relu(h), generator) @ self.weights[f"mlp.{i}"]
        return torch.tanh(h[:, 0].float())

    def _dropped(self, h: torch.Tensor, generator: torch.Generator | None) -> torch.Tensor:
        rate = self.shape.dropout
        if generator is None or not rate:
            return h
        if self.device.type == "cuda":  # fused; its generator was seeded for the epoch
            return dropout(h, rate)
        kept = torch.empty(h.shape, dtype=torch.uint8).random_(0, 256, generator=generator) >= round(
            256 * rate
        )
        return h * kept * (256.0 / (256 - round(256 * rate)))

    def arrays(self) -> Weights:
        return {name: each.detach().cpu().numpy().copy() for name, each in self.weights.items()}


def _by_window(tokens: torch.Tensor, vectors: torch.Tensor, w: torch.Tensor, h: int) -> torch.Tensor:
    """(texts · windows, filters): every window times the filters."""
    found = vectors[tokens]
    if not torch.is_autocast_enabled(found.device.type):
        found = found.to(w.dtype)
    x = found.unfold(1, h, 1)  # (texts, windows, k, h)
    return x.transpose(2, 3).reshape(-1, w.shape[0]) @ w


def _by_word(tokens: torch.Tensor, vectors: torch.Tensor, w: torch.Tensor, h: int) -> torch.Tensor:
    """The same, with every distinct word multiplied once for each place in a window: text repeats its words."""
    used, places = torch.unique(tokens, return_inverse=True)
    k, m = vectors.shape[1], w.shape[1]
    by_place = w.view(h, k, m).transpose(0, 1).reshape(k, h * m)
    projected = (vectors[used] @ by_place).view(-1, m)  # (used · h, m)
    bags = places.unfold(1, h, 1) * h + torch.arange(h, device=tokens.device)  # (texts, windows, h)
    return embedding_bag(bags.reshape(-1, h), projected, mode="sum")


def encoded(network: Network, side: str, rows: Longs) -> Floats32:
    """What the network makes of texts, (texts, ...), for measuring: no gradients are kept."""
    with torch.no_grad():
        return np.asarray(network.encode(side, rows).float().cpu().numpy(), np.float32)


def scored(network: Network, queries: Floats32, docs: Floats32, query_of: Longs, doc_of: Longs) -> Array:
    """(instances,) float32"""
    with torch.no_grad():
        left, right = (torch.from_numpy(each).to(network.device) for each in (queries, docs))
        return np.asarray(network.scores(left, right, query_of, doc_of).cpu().numpy())


def flops(
    parts: Sequence[Part], shape: Shape, n_queries: int, n_docs: int, n_instances: int
) -> Mapping[str, float]:
    """Floating-point operations of one forward pass over full-length texts, by what they are for."""
    filters = {}
    for side, n, i in zip(SIDES, (n_queries, n_docs), (0, 1), strict=True):
        filters[side] = sum(
            2.0
            * n
            * (part.longest[i] - part.window + 1)
            * part.window
            * part.vectors[i].shape[1]
            * part.filters
            for part in parts
        )
    m = sum(part.filters for part in parts)
    first = 2.0 * (n_queries + n_docs) * m * shape.hidden
    rest = 2.0 * n_instances * (shape.hidden * shape.hidden * (shape.layers - 2) + shape.hidden)
    return {"encoding": filters["query"] + filters["document"], "scoring": first + rest}
