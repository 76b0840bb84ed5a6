"""How often each client may ask: a bucket per client that fills at a steady rate."""

import time
from collections import OrderedDict
from collections.abc import Callable

CLIENTS = 10_000  # buckets that are kept; the one used longest ago is forgotten, which is to say full again


class Rates:
    """For one thread: the event loop's."""

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic):
        self._rate, self._burst, self._clock = rate, float(burst), clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # client -> (left, when)

    def wait(self, client: str) -> float:
        """Take one; 0, or the seconds until there is one to take."""
        now = self._clock()
        left, when = self._buckets.pop(client, (self._burst, now))
        left = min(self._burst, left + (now - when) * self._rate)
        allowed = left >= 1.0
        self._buckets[client] = (left - 1.0 if allowed else left, now)
        if len(self._buckets) > CLIENTS:
            self._buckets.popitem(last=False)
        return 0.0 if allowed else (1.0 - left) / self._rate
