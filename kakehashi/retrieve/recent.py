"""What was worked out for the last few queries: searching, scoring and explaining one ask for the same again."""

from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

from kakehashi.types import Text

T = TypeVar("T")
KEPT = 8


class Recent(Generic[T]):
    """Serves any number of threads; two that ask at the same moment may both work it out.

    Only the same object is known again, which no two different texts can be.
    """

    def __init__(self, kept: int = KEPT):
        self._found: deque[tuple[Text, T]] = deque(maxlen=kept)

    def of(self, query: Text, make: Callable[[Text], T]) -> T:
        found = self.find(query)
        return self.keep(query, make(query)) if found is None else found

    def find(self, query: Text) -> T | None:
        return next((found for asked, found in list(self._found) if asked is query), None)

    def keep(self, query: Text, found: T) -> T:
        self._found.append((query, found))
        return found
