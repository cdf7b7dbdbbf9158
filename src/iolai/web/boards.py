"""Boards as rendered bytes, kept until an event decides something new.

Rendering a thousand rows takes a second, and everybody looks at the board; what differs between
visitors is the frame around it alone. An entry's address is its version, so nothing stale is kept.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

__all__ = ["BoardCache", "Rendered"]

_MOST = 32


@dataclass(frozen=True, slots=True)
class Rendered:
    """The part of a board's page below its frame, and what names it in an ``ETag``.

    ``context`` is what the frame is rendered from; ``frame`` is what stands before and after for
    whoever rendered it: a visitor's frame holds nothing that is the visitor's own. ``packed`` is
    the whole page, compressed: for visitors, since a page with a secret in it must not be.
    """

    body: bytes
    tag: str
    context: dict[str, Any]
    frame: tuple[bytes, bytes]
    packed: bytes = b""


class BoardCache:
    """Rendered boards by (challenge, kind, version); one thread renders, the others wait for it."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, ...], Rendered] = OrderedDict()
        self._lock = threading.Lock()
        self._rendering: dict[tuple[str, ...], threading.Lock] = {}
        self.n_rendered = 0

    def find(self, key: tuple[str, ...]) -> Rendered | None:
        """Return what is kept under a key."""
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def lock_for(self, key: tuple[str, ...]) -> threading.Lock:
        """Return the lock to hold while rendering for a key."""
        with self._lock:
            return self._rendering.setdefault(key, threading.Lock())

    def keep(self, key: tuple[str, ...], rendered: Rendered) -> None:
        """Keep what was rendered; what was not asked for longest goes."""
        with self._lock:
            self.n_rendered += 1
            self._kept[key] = rendered
            self._rendering.pop(key, None)
            while len(self._kept) > _MOST:
                self._kept.popitem(last=False)
