"""Artifacts that somebody else made: any array and any setting changed, and the checksums made right again."""

import io
import json
import math
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import xxhash

from kakehashi import store
from kakehashi.types import Array
from tests.attack.ground import ASKED, Answer, answer, known_ids, linked_copy
from tests.attack.outcomes import OTHER, SAME

EXTREMES = (-1, 0, 1, 2**31 - 1, -(2**31), 2**32 - 1, 2**62, -(2**62), 255, 65535)
FLOATS = (float("nan"), float("inf"), -float("inf"), 1e300, -1e300, 1e-320, -1.0, 0.0)
SETTINGS: tuple[Any, ...] = (
    -1,
    0,
    1,
    2**31,
    2**70,
    1e308,
    "x",
    "",
    None,
    [],
    {},
    True,
    ["../../x"],
    "x" * 5000,
)
OWNERS = {  # which systems read a model
    "translation": ("psq", "psq-hmm", "psq indexed", "dt", "psq-nbest", "titles", "dense", "psq-hmm indexed"),
    "related": ("extended-bm25", "extended-lm", "psq-related"),
    "mapped": ("psq-mapped",),
}


def targets(ground: Path) -> list[tuple[Path, str]]:
    """Every array of every artifact, and every artifact's settings (an empty name)."""
    found = []
    for meta in sorted(ground.rglob(store.META)):
        folder = meta.parent.relative_to(ground)
        found += [(folder, name) for name in ("", *store.read_any(meta.parent).meta.arrays)]
    return found


def systems_for(folder: Path, rng: random.Random) -> list[str]:
    """Those that read the artifact, as far as its place says; some others for what everybody reads."""
    if folder.parts[0] != "models":
        return rng.sample(ASKED, 3)
    own = OWNERS.get(folder.parts[1], ())
    return (
        [rng.choice(own)]
        if own
        else [name for name in ASKED if name == folder.parts[1]] or [rng.choice(ASKED)]
    )


def change(folder: Path, name: str, rng: random.Random) -> str:
    """Change one thing of an artifact, seal it, and say what was changed."""
    meta = json.loads((folder / store.META).read_bytes())
    if not name:
        said = _change_setting(meta, rng)
    else:
        said, data = _changed(np.load(folder / meta["arrays"][name]["file"]), rng)
        own = folder / f"{name}.attack.npy"
        own.write_bytes(data)
        meta["arrays"][name] = {"file": own.name, "size": len(data), "xxh3": xxhash.xxh3_128_hexdigest(data)}
    _replace(folder / store.META, json.dumps(meta).encode())
    return said


def _replace(path: Path, data: bytes) -> None:
    """As another file, because this one may be linked from elsewhere."""
    path.unlink()
    path.write_bytes(data)


def _change_setting(meta: dict[str, Any], rng: random.Random) -> str:
    places = list(_places(meta["settings"], "settings"))
    if rng.random() < 0.1 or not places:
        places = list(_places(meta, "meta"))
    holder, key, path = rng.choice(places)
    if rng.random() < 0.3 and isinstance(holder, dict):
        del holder[key]
        return f"{path} removed"
    holder[key] = rng.choice(SETTINGS)
    return f"{path} = {str(holder[key])[:20]!r}"


def _places(value: Any, path: str) -> Iterator[tuple[Any, Any, str]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield value, key, f"{path}.{key}"
        yield from _places(inner, f"{path}.{key}")


def _changed(array: Array, rng: random.Random) -> tuple[str, bytes]:
    kind = rng.choice(
        ("values", "values", "values", "all", "order", "length", "type", "shape", "header", "swap")
    )
    if kind == "values" and array.size:
        array = array.copy()
        for _ in range(rng.choice((1, 1, 2, 8))):
            array.flat[rng.randrange(array.size)] = _value(array, rng)
    elif kind == "all" and array.size:
        array = np.full_like(array, _value(array, rng))
    elif kind == "order" and array.size:
        array = (
            array[::-1] if rng.random() < 0.5 else np.random.default_rng(rng.randrange(99)).permutation(array)
        )
    elif kind == "length" and array.ndim:
        array = rng.choice(
            (array[:-1], array[:0], np.concatenate([array, array[-1:]]), np.repeat(array, 3, axis=0))
        )
    elif kind == "type":
        with np.errstate(all="ignore"):
            array = array.astype(
                rng.choice(("<i4", "<i8", "|u1", "<u4", "<f4", "<f8", ">i4", "<c16", "|b1", "<U3", "<M8[s]"))
            )
    elif kind == "shape":
        array = (
            array.reshape(rng.choice(((-1, 1), (1, -1), (-1,), (1, 1, -1))))
            if array.size
            else np.zeros((0, 0), array.dtype)
        )
    elif kind == "swap" and array.size > 1:
        array, (i, j) = array.copy(), rng.sample(range(len(array)), 2) if len(array) > 1 else (0, 0)
        array[[i, j]] = array[[j, i]]
    data = _saved(np.asfortranarray(array) if rng.random() < 0.02 else array)
    return kind, _lying(data, rng) if kind == "header" else data


def _value(array: Array, rng: random.Random) -> Any:
    if array.dtype.kind == "f":
        return rng.choice(FLOATS)
    if array.dtype.kind == "b":
        return rng.random() < 0.5
    info = np.iinfo(array.dtype)
    near = [
        array.size,
        array.size - 1,
        int(array.max()) + 1,
        int(array.max()),
        info.max,
        info.min,
        rng.randrange(256),
    ]
    return min(max(rng.choice((*EXTREMES, *near)), info.min), info.max)


def _saved(array: Array) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def _lying(data: bytes, rng: random.Random) -> bytes:
    """Another header before the same numbers."""
    array = bytearray(data)
    if rng.random() < 0.5:
        array[rng.randrange(min(128, len(array)))] = rng.randrange(256)
        return bytes(array)
    shape = rng.choice(
        (b"(9999999999,)", b"(-1,)", b"(4611686018427387904, 4)", b"(0, 1)", b"()", b"(1,", b"(" * 90)
    )
    header = b"{'descr': '<i4', 'fortran_order': False, 'shape': " + shape + b", }"
    header += b" " * ((64 - (len(header) + 11) % 64) % 64) + b"\n"
    return data[:8] + len(header).to_bytes(2, "little") + header + data[128:]


def attack(ground: Path, place: Path, expected: dict[str, Answer], seed: int) -> tuple[str, str]:
    """(what was done, its outcome) of one changed artifact."""
    rng = random.Random(seed)
    folder, name = rng.choice(targets(ground))
    copy = linked_copy(ground, place)
    try:
        said = change(copy / folder, name, rng)
        case = f"seed {seed}: {folder}/{name or 'settings'}: {said}"
        names = systems_for(folder, rng)
        known = set() if name.startswith("ids.") else known_ids(ground)  # an id is whatever it says
        return case, "\n".join(names) if not names else _asked(copy, names, expected, known)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _asked(copy: Path, names: list[str], expected: dict[str, Answer], known: set[str]) -> str:
    outcomes = []
    for name in names:
        found = answer(copy, name)
        if not all(math.isfinite(score) for _, score in found):
            return f"{name}: a score that is no number"
        if known and not {doc for doc, _ in found} <= known:
            return f"{name}: found {sorted({doc for doc, _ in found} - known)[:2]}, which is no document"
        outcomes.append(SAME if found == expected[name] else OTHER)
    return OTHER if OTHER in outcomes else SAME
