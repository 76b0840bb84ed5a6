"""How fast patent files are read, beside a bare parser, and with how much memory; the files are given by the user.

    python bench/patents.py --mib 1024 FILE...

The files are repeated behind each other until they are as long as asked. Every measurement is a fresh process; time is
that of the processor.
"""

import argparse
import io
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import msgspec
from lxml import etree

from kakehashi.corpus.patents.reading import READERS, read_patents
from kakehashi.corpus.patents.record import Wanted
from kakehashi.corpus.patents.tally import Tally

DECLARATION = re.compile(rb"<\?xml\s")
EXCHANGED = re.compile(rb"<exch:exchange-document .*?</exch:exchange-document>\s*", re.DOTALL)
WAYS = ("parser", "brief", "full")


def repeated(files: list[Path], target: Path, n_bytes: int) -> None:
    """An exchange file has one element around its records: these are repeated inside it."""
    pieces = [path.read_bytes() for path in files]
    if all(b"exchange-document " in piece for piece in pieces):
        pieces = [one for piece in pieces for one in EXCHANGED.findall(piece)]
        around = (b'<?xml version="1.0"?>\n<exch:exchange-documents xmlns:exch="http://www.epo.org/exchange">\n',
                  b"</exch:exchange-documents>\n")  # fmt: skip
    else:
        around = (b"", b"")
    with target.open("wb") as out:
        out.write(around[0])
        while out.tell() < n_bytes:
            for piece in pieces:
                out.write(piece.removeprefix(b"\xef\xbb\xbf"))
                out.write(b"" if piece.endswith(b"\n") else b"\n")
        out.write(around[1])


def documents(path: Path) -> Iterator[bytes]:
    """The XML documents of a file, by their declarations."""
    data = b""
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            data += chunk
            starts = [found.start() for found in DECLARATION.finditer(data)]
            for start, end in pairwise(starts):
                yield data[start:end]
            data = data[starts[-1] :] if starts else data
    yield data


def parsed(path: Path) -> int:
    """Records, by lxml's iterparse alone."""
    found = 0
    tags = [f"{{*}}{name}" for name in READERS]
    is_one = path.open("rb").read(4096).count(b"<exch:exchange-documents") == 1
    for source in [path.open("rb")] if is_one else map(io.BytesIO, documents(path)):
        for _, element in etree.iterparse(
            source, tag=tags, resolve_entities=False, load_dtd=False, recover=True
        ):
            found += 1
            element.clear()
            while (parent := element.getparent()) is not None and element.getprevious() is not None:
                del parent[0]
    return found


def measured(path: Path, way: str) -> dict[str, float]:
    tally, before = Tally(), time.process_time()
    if way == "parser":
        found = parsed(path)
    else:
        found = sum(
            1 for _ in read_patents([path], tally, Wanted(claims=way == "full", description=way == "full"))
        )
    seconds = time.process_time() - before
    status = Path("/proc/self/status").read_text(encoding="ascii")
    peak = int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]
    mib = path.stat().st_size / 2**20
    return {"records": found, "seconds": round(seconds, 1), "mib_per_second": round(mib / seconds, 1),
            "peak_mib": round(peak), "faults": sum(tally.faults.by_kind().values())}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--mib", type=int, default=256)
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.way:
        sys.stdout.write(msgspec.json.encode(measured(given.files[0], given.way)).decode())
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"many{given.files[0].suffix}"
        repeated(given.files, path, given.mib << 20)
        for way in WAYS:
            done = subprocess.run([sys.executable, __file__, str(path), "--way", way], check=True, stdout=-1)
            print(way, done.stdout.decode())


if __name__ == "__main__":
    main()
