"""Translation by a service with the chat-completions protocol, one sentence per request.

Nothing is sent anywhere unless a setting names the service. The key comes from the environment and is used only
in the request.
"""

import json
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from http.client import HTTPException, HTTPMessage
from math import log
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.parse import SplitResult, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

import msgspec

from kakehashi.corpus.parallel_text.sentence_pair import Languages
from kakehashi.errors import InputError
from kakehashi.lexicon.external import Answer, Failure, quoted

KEY = "KAKEHASHI_TRANSLATOR_KEY"
MOST_BYTES, BLOCK = 1 << 22, 1 << 16
TASK = (
    "Translate what the user writes from {source} to {target} (codes of ISO 639). "
    "Answer with the translation alone, in one line."
)


class _Message(msgspec.Struct):
    content: str


class _Choice(msgspec.Struct):
    message: _Message


class _Reply(msgspec.Struct):
    choices: list[_Choice]


class Chat:
    """A service at an address, and the model to request."""

    def __init__(self, url: str, model: str, languages: Languages, seconds: float):
        parts = _parts(url)
        self._url, self._model, self._languages, self._seconds = url, model, languages, seconds
        # what follows a question mark may be a secret, so it is not shown
        self._name = f"{parts.scheme}://{parts.netloc}{parts.path}"

    @property
    def name(self) -> str:
        return self._name

    def state(self) -> Any:
        return ["chat", self._url, self._model, *self._languages, TASK]

    def ask(self, texts: Sequence[str], n: int) -> list[list[Answer]]:
        return [self._answers(text, n) for text in texts]

    def _answers(self, text: str, n: int) -> list[Answer]:
        """Each of several samples counts as often as it occurred; a single translation is sampled at temperature 0."""
        request = self._request(text, n)
        data = _within(self._seconds, lambda: _fetch(request, self._seconds))
        try:
            choices = msgspec.json.decode(data, type=_Reply).choices
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise Failure(f"did not answer with a chat completion: {error}") from None
        if not choices:
            raise Failure("answered without any choice")
        times = Counter(" ".join(choice.message.content.split()) for choice in choices)
        return [Answer(line, log(count / times.total())) for line, count in times.most_common(n)]

    def _request(self, text: str, n: int) -> Request:
        task = TASK.format(source=self._languages.source, target=self._languages.target)
        body: dict[str, Any] = {
            "messages": [{"role": "system", "content": task}, {"role": "user", "content": text}],
            "temperature": 0.0 if n == 1 else 1.0,
        }
        body |= {"model": self._model} if self._model else {}
        body |= {"n": n} if n > 1 else {}
        headers = {"Content-Type": "application/json", "User-Agent": "kakehashi", **_authorization()}
        return Request(self._url, json.dumps(body).encode(), headers, method="POST")


class _NoRedirects(HTTPRedirectHandler):
    """Text and key are sent only to the given address."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> None:
        return None


def _parts(url: str) -> SplitResult:
    """The parsed address; errors do not repeat it, because it may contain a secret."""
    try:
        parts = urlsplit(url)
        usable = bool(parts.hostname) and parts.port != 0 and all("!" <= sign <= "~" for sign in url)
    except ValueError:
        usable = False
    if not usable:
        raise InputError("the translator's address is not valid: write https://HOST/v1/chat/completions")
    if parts.username is not None:
        raise InputError(
            f"a translator's address must not contain a user name or password: put the key into {KEY}"
        )
    return parts


def _authorization() -> dict[str, str]:
    key = os.environ.get(KEY, "").strip()
    if not (key.isascii() and key.isprintable()):
        raise Failure(
            f"cannot be used: the key in {KEY} contains characters that are not allowed in a header"
        )
    return {"Authorization": f"Bearer {key}"} if key else {}


def _within(seconds: float, fetch: Callable[[], bytes]) -> bytes:
    """The result of `fetch`, or Failure when time is up: name lookups and slow headers have no timeout of their own."""
    late = Failure(f"did not answer within {seconds:g} seconds (--set timeout=)")
    brought: list[bytes | Failure] = []

    def work() -> None:
        try:
            brought.append(fetch())
        except Failure as failure:
            brought.append(failure)
        except TimeoutError:
            brought.append(late)
        except Exception as error:
            brought.append(Failure(f"cannot be used: {quoted(_unkeyed(str(error)))}"))

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    worker.join(seconds)
    if not brought:
        raise late
    if isinstance(brought[0], Failure):
        raise brought[0]
    return brought[0]


def _fetch(request: Request, seconds: float) -> bytes:
    """The body of an answer; TimeoutError if it is late."""
    deadline = time.monotonic() + seconds
    try:
        with build_opener(_NoRedirects).open(request, timeout=seconds) as response:
            return _read(response, deadline)
    except HTTPError as error:
        with error:
            said = _complaint(error, deadline)
        raise Failure(f"answered with status {error.code}{said}") from None
    except URLError as error:
        if _is_late(error.reason):
            raise TimeoutError from None
        raise Failure(f"cannot be reached: {quoted(str(error.reason))}") from None
    except (OSError, HTTPException) as error:
        if _is_late(error):
            raise
        raise Failure(f"closed the connection: {quoted(str(error) or type(error).__name__)}") from None


def _is_late(error: object) -> bool:
    """Whether our own time limit ended; if the system's did, the error has a number."""
    return isinstance(error, TimeoutError) and error.errno is None


def _read(response: Any, deadline: float) -> bytes:
    data = bytearray()
    while block := response.read1(BLOCK):
        data += block
        if len(data) > MOST_BYTES:
            raise Failure(f"answered with more than {MOST_BYTES:,} bytes")
        if time.monotonic() > deadline:
            raise TimeoutError
    return bytes(data)


def _complaint(error: HTTPError, deadline: float) -> str:
    """The service's reason for rejecting a request; the protocol puts it under error.message."""
    try:
        body = _read(error, deadline)
        said = json.loads(body)["error"]["message"]
    except Exception:  # any other form is treated as missing
        said = error.reason
    line = quoted(_unkeyed(str(said)))
    return f": {line}" if line else ""


def _unkeyed(text: str) -> str:
    key = os.environ.get(KEY, "").strip()
    return text.replace(key, "…") if key else text
