"""Counts and times of the service, in the text form that Prometheus reads."""

import time
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from kakehashi.serve.memory import resident

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)  # seconds
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
Labels = tuple[tuple[str, str], ...]


class Metrics:
    """For one thread: the event loop's."""

    def __init__(self) -> None:
        self._started = time.time()
        self._requests: Counter[Labels] = Counter()
        self._refused: Counter[Labels] = Counter()
        self._opened: Counter[Labels] = Counter()
        self._buckets: dict[str, list[int]] = defaultdict(lambda: [0] * (len(BOUNDS) + 1))
        self._seconds: dict[str, float] = defaultdict(float)

    def answered(self, route: str, status: int, seconds: float) -> None:
        self._requests[("route", route), ("status", str(status))] += 1
        self._buckets[route][bisect_left(BOUNDS, seconds)] += 1
        self._seconds[route] += seconds

    def refused(self, kind: str) -> None:
        self._refused[(("problem", kind),)] += 1

    def opened(self, collection: str) -> None:
        self._opened[(("collection", collection),)] += 1

    def text(self, gauges: Mapping[str, float]) -> str:
        return "\n".join([*self._lines(gauges), ""])

    def _lines(self, gauges: Mapping[str, float]) -> Iterator[str]:
        for name, said, counter in (
            ("requests", "Requests answered.", self._requests),
            ("problems", "Requests answered with a problem.", self._refused),
            ("reopened", "Collections opened again after a change.", self._opened),
        ):
            yield from _head(f"{name}_total", "counter", said)
            yield from (f"kakehashi_{name}_total{_labels(labels)} {n}" for labels, n in counter.items())
        yield from _head("request_seconds", "histogram", "Time from a request's arrival to its answer.")
        for route, counts in self._buckets.items():
            total = 0
            for bound, n in zip((*BOUNDS, "+Inf"), counts, strict=True):
                total += n
                labels = _labels((("route", route), ("le", str(bound))))
                yield f"kakehashi_request_seconds_bucket{labels} {total}"
            yield f"kakehashi_request_seconds_sum{_labels((('route', route),))} {self._seconds[route]:.6f}"
            yield f"kakehashi_request_seconds_count{_labels((('route', route),))} {total}"
        for name, value in {**gauges, "resident_bytes": resident(), "start_seconds": self._started}.items():
            yield from _head(name, "gauge", name.replace("_", " ").capitalize() + ".")
            yield f"kakehashi_{name} {value:.16g}"


def _head(name: str, kind: str, said: str) -> Iterator[str]:
    yield f"# HELP kakehashi_{name} {said}"
    yield f"# TYPE kakehashi_{name} {kind}"


def _labels(labels: Labels) -> str:
    said = ",".join(f'{name}="{_escaped(value)}"' for name, value in labels)
    return f"{{{said}}}" if said else ""


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
