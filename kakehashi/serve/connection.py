"""A client's connection: how long its requests may take to arrive, and its answers to be fetched.

The body of a request has its own limit, in the guard, which knows what is sent and where to.
"""

import asyncio
import secrets

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from kakehashi.serve.problems import Problem


class Connection(H11Protocol):
    """One that is cut after `seconds` without progress, so that slow clients cannot hold all there are."""

    seconds = 30.0
    _waiting: asyncio.TimerHandle | None = None  # for the head of a request
    _fetching: asyncio.TimerHandle | None = None  # of an answer that the client does not read

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._waiting, self._fetching = _ended(self._waiting), _ended(self._fetching)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._fetching = self._fetching or self.loop.call_later(self.seconds, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._fetching = _ended(self._fetching)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if (
            self.conn.their_state is h11.SEND_BODY
        ):  # answered before all of it was there: the rest is passed over
            self._expect()

    @property
    def _is_owed(self) -> bool:
        """Whether the client has to send something that no request waits for: a head, or what is left of a body."""
        state, answered = self.conn.their_state, self.cycle is not None and self.cycle.response_complete
        return not self.transport.is_closing() and (
            state is h11.IDLE or (answered and state is h11.SEND_BODY)
        )

    def _expect(self) -> None:
        """From the first byte, or the beginning of the connection, to the end of what is owed."""
        if not self._is_owed:
            self._waiting = _ended(self._waiting)
        elif self._waiting is None:
            self._waiting = self.loop.call_later(self.seconds, self._late)

    def _late(self) -> None:
        self._waiting = None
        if not self._is_owed:
            return
        has_begun = self.conn.their_state is h11.IDLE and self.conn.trailing_data[0]
        if has_begun:
            said = Problem("slow", f"a request must arrive within {self.seconds:g} s")
            answer = said.response(secrets.token_hex(8), {"Connection": "close"})
            head = h11.Response(status_code=answer.status_code, headers=answer.raw_headers)
            for event in (head, h11.Data(data=bytes(answer.body)), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()


def connection_class(seconds: float) -> type[Connection]:
    """With a limit of its own: the web server makes the objects."""
    return type("Connection", (Connection,), {"seconds": seconds})


def _ended(timer: asyncio.TimerHandle | None) -> asyncio.TimerHandle | None:
    """What a timer is replaced by: nothing."""
    if timer is not None:
        timer.cancel()
    return None
