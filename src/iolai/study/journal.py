"""The journal of a study: every finished call, kept for ever.

JSON lines, only ever appended to. A line ``{"begun": CALL}`` is written before a model is asked,
a line with the result when it has answered; each is flushed to the disk before anything else
happens. A last line that a kill cut off is dropped when the journal is read, and taken out of the
file before anything is appended. A call that was begun and has no result was under way when the
study was stopped: it is asked again, and said so.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from iolai.errors import ConflictError, FormatError, OutputError, Place
from iolai.records.study import CALL_STATES

__all__ = ["Answered", "CallResult", "Journal", "JournalWriter", "read_journal"]

_HINT = "A journal is written by `iolai bench` alone; restore the file, or begin the study anew."


@dataclass(frozen=True, slots=True)
class Answered:
    """What a call brought for one task: the whole ``reply``, or a solver's ``text`` as it is.

    ``text`` is None where the prediction is yet to be taken from the reply.
    """

    task: str
    reply: str = ""
    text: str | None = None
    explanation: str = ""
    confidence: tuple[float, ...] = ()
    consistency: float | None = None


@dataclass(frozen=True, slots=True)
class CallResult:
    """How one call ended (``state`` is one of ``CALL_STATES``), what it brought and cost.

    ``seconds`` are of the clock, of the last try; ``n_tries`` counts those that a rate limit sent
    back too; ``at`` is when it ended (ISO 8601, UTC). ``ready_seconds`` are those that a model of
    ours took to load before, which are on no budget.
    """

    call: str
    state: str
    answers: tuple[Answered, ...] = ()
    detail: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    n_tries: int = 1
    at: str = ""
    ready_seconds: float = 0.0


@dataclass(frozen=True)
class Journal:
    """What a journal holds: results by call, the last of each, and calls cut off under way."""

    results: Mapping[str, CallResult] = field(default_factory=dict)
    interrupted: tuple[str, ...] = ()


def read_journal(path: Path) -> Journal:
    """Read a journal; one that does not exist is empty.

    Raises FormatError where a line before the last is damaged.
    """
    results: dict[str, CallResult] = {}
    begun: dict[str, None] = {}
    for number, line in _whole_lines(path):
        entry = _parsed(line, Place(path, number))
        if isinstance(entry, str):
            begun[entry] = None
        else:
            results[entry.call] = entry
            begun.pop(entry.call, None)
    return Journal(results, tuple(begun))


def _whole_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that were written to their end."""
    if not path.exists():
        return
    data = path.read_bytes()
    for number, line in enumerate(data.split(b"\n")[:-1], start=1):
        if line.strip():
            yield number, line


_RESULT = {spec.name for spec in fields(CallResult)}


def _parsed(line: bytes, place: Place) -> CallResult | str:
    try:
        data = json.loads(line)
        if isinstance(data, dict) and set(data) == {"begun"}:
            return str(data["begun"])
        if not isinstance(data, dict) or set(data) - _RESULT or data["state"] not in CALL_STATES:
            raise ValueError("it is neither a result nor a beginning")
        answers = (
            Answered(**{**answer, "confidence": tuple(answer.get("confidence", ()))})
            for answer in data.pop("answers", ())
        )
        return CallResult(**data, answers=tuple(answers))
    except (ValueError, TypeError, KeyError) as error:
        raise FormatError(f"a damaged line: {error}", place=place, hint=_HINT) from error


class JournalWriter:
    """Appends to a journal; one process at a time. Use it as a context."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO | None = None

    def __enter__(self) -> JournalWriter:
        """Open the journal; raises ConflictError where another process has it open."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            file = self._path.open("ab")
        except OSError as error:
            raise OutputError(
                f"{self._path} cannot be written: {error.strerror}",
                hint="Put the study in a folder that you may write to.",
            ) from error
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            file.close()
            raise ConflictError(
                f"{self._path} is being written by another run of this study",
                hint="Wait until it is over, or end it.",
            ) from error
        self._file = file
        self._drop_torn_line()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the journal and let others write."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _drop_torn_line(self) -> None:
        data = self._path.read_bytes()
        if data and not data.endswith(b"\n"):
            os.truncate(self._path, data.rfind(b"\n") + 1)

    def begin(self, call: str) -> None:
        """Note that a call is about to be made."""
        self._append({"begun": call})

    def finish(self, result: CallResult) -> None:
        """Keep a result; it is on the disk when this returns."""
        self._append(asdict(result))

    def _append(self, entry: Mapping[str, Any]) -> None:
        if self._file is None:
            raise ValueError("the journal is not open")
        text = json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
        line = text.encode("utf-8", "backslashreplace") + b"\n"
        with self._explained():
            self._file.write(line)
            self._file.flush()
            os.fsync(self._file.fileno())

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise OutputError(
                f"{self._path} cannot be written: {error.strerror}",
                hint="Make room on the disk; the study goes on where it stopped.",
            ) from error
