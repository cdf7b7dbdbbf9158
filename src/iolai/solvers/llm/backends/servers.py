"""Where a chat server is, and the key to it, which is never shown.

Whatever is quoted from a server, and every answer, goes through here, so that a key that a server
sends back is in no message, no record and no answer. An address that holds a secret is refused.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field
from urllib.parse import quote, urlsplit

from iolai.errors import InputError
from iolai.text import squeeze, visible

__all__ = ["Server", "key_in"]

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
#: A shorter key is a word for a server that wants none, and may stand in an answer.
_LEAST_SECRET = 8
_HIDDEN = "[key]"
_MAX_QUOTED = 200


@dataclass(frozen=True, slots=True)
class Server:
    """Where requests go: ``address`` is host and port, ``path`` stands before /chat/completions.

    The key is not part of what is shown.
    """

    address: str
    host: str
    port: int
    path: str
    is_secure: bool
    key: str = field(default="", repr=False)

    @classmethod
    def at(cls, base_url: str, key: str = "") -> Server:
        """Read an address such as ``http://127.0.0.1:8000/v1``; raises InputError for another."""
        try:
            parts = urlsplit(base_url)
            port = parts.port
        except ValueError:
            parts, port = urlsplit(""), None
        if "@" in parts.netloc or parts.query or parts.fragment:
            raise InputError(
                f"base_url {_without_secrets(base_url)!r} holds more than an address",
                hint="A user, a password, or what follows a question mark would be written down "
                "and is not sent: put the key in an environment variable and name that in "
                "api_key_env.",
            )
        is_plain = parts.path.isascii() and parts.path.isprintable() and " " not in parts.path
        if parts.scheme not in ("http", "https") or not parts.hostname or port == 0 or not is_plain:
            raise InputError(
                f"base_url cannot be {_without_secrets(base_url)!r}",
                hint="It begins with http:// or https:// and often ends with /v1.",
            )
        is_secure = parts.scheme == "https"
        port = port or (443 if is_secure else 80)
        path = parts.path.rstrip("/") + "/chat/completions"
        return cls(f"{parts.hostname}:{port}", parts.hostname, port, path, is_secure, key)

    def hide(self, text: str) -> str:
        """Return a text without the key, however it is written there."""
        if len(self.key) < _LEAST_SECRET:
            return text
        ways = {self.key, json.dumps(self.key)[1:-1], repr(self.key)[1:-1], quote(self.key, "")}
        for way in sorted(ways, key=len, reverse=True):
            text = text.replace(way, _HIDDEN)
        return text

    def quoted(self, text: str) -> str:
        """Return what a server said for a message: one short line, without the key."""
        return squeeze(visible(self.hide(text)))[:_MAX_QUOTED]


def _without_secrets(url: str) -> str:
    """Return an address for a message, without user, password and what follows ``?`` or ``#``."""
    return re.sub(r"[?#].*", "?...", re.sub(r"//.*@", "//...@", url, flags=re.S), flags=re.S)


def key_in(variable: str) -> str:
    """Return the key that an environment variable holds; empty where none is named.

    Raises InputError where there is no such variable or its text can be no key. The name is not
    repeated: it may be the key itself, by mistake.
    """
    if not variable:
        return ""
    key = os.environ.get(variable, "").strip() if _VARIABLE.fullmatch(variable) else ""
    if not key:
        raise InputError(
            "the environment variable that api_key_env names is not set",
            hint="Set it to the key. api_key_env is the name of a variable, never the key itself.",
        )
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise InputError(
            "the environment variable that api_key_env names holds no key",
            hint="A key is one line of letters, digits and signs, without blanks.",
        )
    return key
