"""The parts of a running service, made once and shared by all requests."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from starlette.requests import Request

from kakehashi.errors import FileError, InputError
from kakehashi.serve.asked import Asked
from kakehashi.serve.desk import Desk
from kakehashi.serve.guard import Access
from kakehashi.serve.limits import Limits
from kakehashi.serve.logs import Log
from kakehashi.serve.metrics import Metrics
from kakehashi.serve.problems import Problem
from kakehashi.serve.questions import Question, question
from kakehashi.serve.shelf import EVERY, Shelf

T = TypeVar("T")


@dataclass(frozen=True)
class Service:
    """What requests are answered with."""

    shelf: Shelf
    limits: Limits
    access: Access
    desk: Desk
    metrics: Metrics
    log: Log

    async def do(self, work: Callable[[], T]) -> T:
        """Work for a thread; what a user can mend becomes a problem that says so, without paths of this machine."""
        try:
            return await self.desk.do(work)
        except FileError as error:  # what was asked is not the fault of a file
            raise Problem("unavailable", self.shelf.shown(str(error)), retry=EVERY) from None
        except InputError as error:
            raise Problem("invalid", self.shelf.shown(str(error))) from None

    async def answer(
        self, request: Request, collection: str, asked: Asked, work: Callable[[Question], T]
    ) -> T:
        """What `work` makes of a question."""
        request.state.query = asked.text or asked.id
        return await self.do(lambda: work(question(self.shelf, collection, asked, self.limits)))
