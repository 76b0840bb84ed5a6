"""Who is logged in to the page: a cookie that this process signed, worth no more than the token behind it."""

import base64
import hashlib
import hmac
import secrets
import time
from collections.abc import Callable

from kakehashi.serve.tokens import Token, Tokens

COOKIE = "kakehashi_session"
LASTS = 12 * 3600  # seconds


class Sessions:
    """Stateless but for a key that dies with the process; a revoked token ends its sessions at once."""

    def __init__(self, clock: Callable[[], float] = time.time):
        self._key, self._clock = secrets.token_bytes(32), clock

    def cookie_of(self, token: Token) -> str:
        name = base64.urlsafe_b64encode(token.name.encode()).decode().rstrip("=")
        said = f"{name}.{int(self._clock()) + LASTS}.{token.sha256[:16]}"
        return f"{said}.{self._sign('session', said)}"

    def token_of(self, cookie: str, tokens: Tokens) -> Token | None:
        said, _, signature = cookie.rpartition(".")
        if not hmac.compare_digest(signature.encode(), self._sign("session", said).encode()):
            return None
        name, until, sha256 = said.split(".")
        token = tokens.named(base64.urlsafe_b64decode(name + "=" * (-len(name) % 4)).decode())
        alive = token is not None and token.sha256.startswith(sha256) and self._clock() < int(until)
        return token if alive else None

    def form_key(self, cookie: str) -> str:
        """What a form of a page carries, so that no other page can send it."""
        return self._sign("form", cookie)

    def is_form_key(self, key: str, cookie: str) -> bool:
        return hmac.compare_digest(key.encode(), self.form_key(cookie).encode())

    def _sign(self, purpose: str, said: str) -> str:
        return hmac.new(self._key, f"{purpose}\0{said}".encode(), hashlib.sha256).hexdigest()
