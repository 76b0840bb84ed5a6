"""Clients that ask a service over connections they keep, one request after the other each, from one thread.

Their own work counts against the service, because they run on the same machine; so they do little: requests are made
beforehand, and of an answer only its status and length are read.
"""

import re
import selectors
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

BLOCK = 1 << 18
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


@dataclass
class Taken:
    """What was answered in one go."""

    seconds: float = 0.0
    times: list[float] = field(default_factory=list)  # seconds of each answer
    errors: list[str] = field(default_factory=list)

    def add(self, other: "Taken") -> None:
        self.seconds += other.seconds
        self.times += other.times
        self.errors += other.errors


class _Client:
    def __init__(self, place: tuple[str, int], requests: Sequence[bytes], first: int, step: int):
        self._requests, self._number, self._step = requests, first, step
        self.socket = socket.create_connection(place, timeout=120)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._asked, self._length = 0.0, 0
        self._got = bytearray()

    def ask(self) -> None:
        self._got.clear()
        self._length, self._asked = 0, time.perf_counter()
        self.socket.sendall(self._requests[self._number % len(self._requests)])
        self._number += self._step

    def read(self, taken: Taken) -> bool:
        """Whether the answer is whole now."""
        block = self.socket.recv(BLOCK)
        if not block:
            raise ConnectionError("the service closed a connection")
        self._got += block
        if not self._length:
            head = self._got.find(b"\r\n\r\n")
            if head < 0:
                return False
            said = _LENGTH.search(self._got, 0, head)
            if said is None:
                raise ConnectionError("an answer does not say how long it is")
            self._length = head + 4 + int(said[1])
        if len(self._got) < self._length:
            return False
        status = bytes(self._got[9:12]).decode()
        if status == "200":
            taken.times.append(time.perf_counter() - self._asked)
        else:
            taken.errors.append(f"{status} {bytes(self._got[-200:]).decode('utf-8', 'replace')}")
        return True


def load(place: tuple[str, int], requests: Sequence[bytes], clients: int, seconds: float) -> Taken:
    """Ask for some time; answers that come after it are waited for, and count with the time they took."""
    taken, began = Taken(), time.perf_counter()
    with selectors.DefaultSelector() as waiting:
        for number in range(clients):
            client = _Client(place, requests, number, clients)
            waiting.register(client.socket, selectors.EVENT_READ, client)
            client.ask()
        while waiting.get_map():
            for key, _ in waiting.select(1.0):
                client = key.data
                try:
                    whole = client.read(taken)
                    ended = whole and time.perf_counter() - began >= seconds
                    if whole and not ended:
                        client.ask()
                except OSError as error:
                    taken.errors.append(repr(error))
                    ended = True
                if ended:
                    waiting.unregister(client.socket)
                    client.socket.close()
    taken.seconds = time.perf_counter() - began
    return taken
