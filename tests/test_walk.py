"""The way of one question through the rooms of the package: down the line, and never back up.

A room that is left for another and entered again in the same chain of calls (A → B → A) means that two rooms do one
job between them. The files that read artifacts are no rooms in this sense: whoever opens an artifact hands them the
checks of its arrays, and they call these when an array is first used.
"""

import sys
import threading
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import kakehashi
from kakehashi.library import Library
from kakehashi.systems.registry import SYSTEMS
from tests.contracts.models import put_models

PACKAGE = f"{Path(kakehashi.__file__).parent}/"
READING = {"store", "strings", "arrays", "soundness"}  # call back the checks that they are handed


class Walk:
    """Writes down which rooms call which, in every thread, while it is open."""

    def __init__(self) -> None:
        self.returns: Counter[tuple[str, ...]] = Counter()
        self.files: set[str] = set()
        self._own = threading.local()

    def __enter__(self) -> "Walk":
        threading.setprofile(self._watch)
        sys.setprofile(self._watch)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        threading.setprofile(None)

    def _watch(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if not code.co_filename.startswith(PACKAGE) or code.co_name == "<module>":
            return
        stack: list[str] = self._own.__dict__.setdefault("stack", [])
        if event == "return" and stack:
            stack.pop()
        elif event == "call":
            name = code.co_filename[len(PACKAGE) :]
            self.files.add(name)
            room = name.split("/")[0].removesuffix(".py")
            handed = stack and stack[-1] in READING  # a check, called back
            stack.append(stack[-1] if handed else room)
            walked = [room for room in stack if room not in READING]
            rooms = [room for i, room in enumerate(walked) if not i or room != walked[i - 1]]
            if stack[-1] not in READING and rooms[-1] in rooms[:-1]:
                first = len(rooms) - 2 - rooms[-2::-1].index(rooms[-1])
                self.returns[tuple(rooms[first:])] += 1


@pytest.mark.parametrize("name", SYSTEMS)
def test_no_room_is_entered_twice_on_the_way_of_a_question(name: str, toy_copy: Path) -> None:
    library = Library(toy_copy)
    analyzer = library.index.source_analyzer
    put_models(
        library, [term for text in library.collection.queries() for term in analyzer.terms(text.content)]
    )
    query = library.known_query(library.split_queries("test", name)[0].id, name)
    library = Library(toy_copy)
    with Walk() as walk:
        hits = library.search(query, 3, name)
        reasons = [hit.why for hit in hits]
    assert len(reasons) == len(hits)
    assert len(walk.files) > 10  # it was looked at all
    assert not walk.returns
