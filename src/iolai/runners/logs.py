"""The log of a run while it is written: bounded, passed on line by line, its end kept."""

from __future__ import annotations

from iolai.runners.base import OnLog
from iolai.runners.redact import Redactor, plain_text

__all__ = ["LOG_TAIL_BYTES", "LogKeeper"]

#: How much of a log's end comes back to the team.
LOG_TAIL_BYTES = 32 << 10
_LONGEST_LINE = 8 << 10
#: So much of what was passed on is looked at again: a secret may be printed a word at a time.
_BEFORE = 1 << 10


class LogKeeper:
    """Takes a log's bytes as they come, passes redacted lines on, and keeps the tail.

    Past ``max_bytes`` nothing is passed on any more; the tail still follows, so that the last
    words of a run are kept.
    """

    def __init__(self, redactor: Redactor, max_bytes: int, on_log: OnLog | None) -> None:
        self._redactor, self._on_log = redactor, on_log
        self._max_bytes = max_bytes
        self._n_bytes = 0
        self._tail = bytearray()
        self._line = bytearray()
        self._before = ""

    @property
    def is_full(self) -> bool:
        """Whether the log has grown past its limit."""
        return self._n_bytes > self._max_bytes

    def feed(self, data: bytes) -> None:
        """Take the next bytes."""
        was_full = self.is_full
        self._n_bytes += len(data)
        self._tail += data
        if len(self._tail) > 2 * LOG_TAIL_BYTES:
            del self._tail[:-LOG_TAIL_BYTES]
        if self._on_log is None or was_full:
            return
        self._line += data
        end = max(self._line.rfind(b"\n"), self._line.rfind(b"\r")) + 1
        if not end and len(self._line) >= _LONGEST_LINE:
            end = len(self._line)
        self._pass_on(end)
        if self.is_full:
            self._pass_on(len(self._line))
            self._on_log(f"[the log is past {self._max_bytes >> 20} MiB: no more of it is shown]\n")

    def finish(self) -> None:
        """Pass on what is left of a last line."""
        self._pass_on(len(self._line))

    def _pass_on(self, end: int) -> None:
        piece = bytes(self._line[:end])
        del self._line[:end]
        if piece and self._on_log is not None:
            text = plain_text(piece)
            self._on_log(self._redactor.redact(text, self._before))
            self._before = (self._before + text)[-_BEFORE:]

    @property
    def tail(self) -> str:
        """The end of the log, redacted, beginning with a whole line where it was cut."""
        data = bytes(self._tail[-LOG_TAIL_BYTES:])
        if len(data) < self._n_bytes:
            cut = data.find(b"\n") + 1
            data = b"[...]\n" + data[cut:]
        return self._redactor.redact(plain_text(data))
