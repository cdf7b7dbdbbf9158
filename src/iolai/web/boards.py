"""Boards as rendered bytes, kept until an event decides something new.

Rendering a page of rows takes a moment, and everybody looks at the board; what differs between
visitors is the frame around it alone. An entry's address is its version, so nothing stale is kept.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

__all__ = ["BoardCache", "Rendered"]

_MOST = 96


@dataclass(frozen=True, slots=True)
class Rendered:
    """The part of a board's page below its frame, and what names it in an ``ETag``.

    ``context`` is what the frame is rendered from; ``frame`` is what stands before and after for
    whoever rendered it: a visitor's frame holds nothing that is the visitor's own. ``packed`` is
    the whole page, compressed: for visitors, since a page with a secret in it must not be.
    ``kind`` is the board's, ``public`` or ``final``.
    """

    body: bytes
    tag: str
    context: dict[str, Any]
    frame: tuple[bytes, bytes]
    kind: str
    packed: bytes = b""


class BoardCache:
    """Rendered pages of boards by challenge, kind, version, role and page.

    One thread renders a page, the others wait for it.
    """

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

    @contextmanager
    def rendering(self, key: tuple[str, ...]) -> Iterator[None]:
        """Hold back others who would render for a key; nothing is left of it, whatever happens."""
        with self._lock:
            lock = self._rendering.setdefault(key, threading.Lock())
        try:
            with lock:
                yield
        finally:
            with self._lock:
                self._rendering.pop(key, None)

    def keep(self, key: tuple[str, ...], rendered: Rendered) -> None:
        """Keep what was rendered; what was not asked for longest goes."""
        with self._lock:
            self.n_rendered += 1
            self._kept[key] = rendered
            while len(self._kept) > _MOST:
                self._kept.popitem(last=False)
