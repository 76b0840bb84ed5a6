"""How much one client, one request and all requests together may ask for."""

import os
from typing import Annotated

import msgspec
from msgspec import Meta

Most = Annotated[int, Meta(ge=1)]


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Every limit has a clear answer of its own: see the problems in docs/serving.md."""

    body: Most = 1 << 20  # bytes of a request
    upload: Most = 20 << 20  # bytes of a request with a file
    text: Most = 200_000  # characters of a query
    hits: Most = 100  # hits of one page
    depth: Most = 10_000  # hits of one search, over all pages or in one file
    seconds: Annotated[float, Meta(gt=0)] = 30.0  # of computing, per request
    sending: Annotated[float, Meta(gt=0)] = 30.0  # that a client may take to send its request
    threads: Most = max(2, os.cpu_count() or 1)  # requests computed at the same time
    waiting: Annotated[int, Meta(ge=0)] = 64  # requests that may wait for a thread
    rate: Annotated[float, Meta(gt=0)] = 20.0  # requests per second of one client, in the long run
    burst: Most = 60  # requests of one client at once
