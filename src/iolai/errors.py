"""The error tree. Every error carries a message (what is wrong, and where) and a hint (what to do).

IolaiError
├── InputError            something handed in cannot be used; the command line exits with 2
│   ├── FormatError       a file is not what it should be: names file, row and column
│   ├── UnknownNameError  a name that is not registered; the hint lists those that are
│   ├── NotFoundError     there is no such thing in the service, or none that may be seen
│   └── ConflictError     it does not fit what stands: a closed phase, a name that is taken
│       └── QuotaError    the day's submissions are used up: says when the next day begins
├── ForbiddenError        whoever asks may not do this
├── RateError             too often: says when to try again
├── OutputError           a result could not be written; what was there before is untouched
│   └── NoRoomError       the disk, or what may be used of it, is full
└── MissingPartError      an optional library or system package is absent; the hint installs it
"""

from __future__ import annotations

import difflib
import errno
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

__all__ = [
    "ConflictError",
    "DamagedError",
    "ForbiddenError",
    "FormatError",
    "InputError",
    "IolaiError",
    "MissingPartError",
    "NoRoomError",
    "NotFoundError",
    "OutputError",
    "Place",
    "QuotaError",
    "RateError",
    "UnknownNameError",
    "why_no_answer",
]


class IolaiError(Exception):
    """The root: ``message`` says what is wrong, ``hint`` what to do about it."""

    def __init__(self, message: str, *, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class InputError(IolaiError):
    """Something the caller handed in cannot be used."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a file something stands: ``row`` counts from 1 as an editor's lines do."""

    path: Path | str
    row: int | None = None
    column: str | None = None
    #: What the column is called: a TOML file has keys.
    word: str = "column"

    def __str__(self) -> str:
        parts = [str(self.path)]
        if self.row is not None:
            parts.append(f"line {self.row}")
        if self.column is not None:
            parts.append(f"{self.word} {self.column}")
        return ", ".join(parts)


class FormatError(InputError):
    """A file does not hold what it should; ``place`` names file, row and column."""

    def __init__(self, what: str, *, place: Place, hint: str) -> None:
        super().__init__(f"{place}: {what}", hint=hint)
        self.what = what
        self.place = place


class UnknownNameError(InputError):
    """A name that no registry line defines; the hint lists the names that exist."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        close = difflib.get_close_matches(name, names, n=1)
        nearest = f"Did you mean {close[0]!r}? " if close else ""
        super().__init__(
            f"there is no {kind} named {name!r}", hint=f"{nearest}Known: {', '.join(names)}."
        )
        self.name = name


class NotFoundError(InputError):
    """There is no such thing in the service, or none that whoever asks may know of."""


class ConflictError(InputError):
    """What is asked does not fit what stands: a phase that is closed, a name that is taken."""


class QuotaError(ConflictError):
    """The day's submissions are used up; ``next_at`` is when the next day begins (UTC text)."""

    def __init__(self, message: str, *, hint: str, next_at: str) -> None:
        super().__init__(message, hint=hint)
        self.next_at = next_at


class ForbiddenError(IolaiError):
    """Whoever asks may not do this."""


class RateError(IolaiError):
    """This was tried too often; it may be tried again in ``retry_after_s`` seconds."""

    def __init__(self, message: str, *, hint: str, retry_after_s: int) -> None:
        super().__init__(message, hint=hint)
        self.retry_after_s = retry_after_s


class DamagedError(IolaiError):
    """What a service keeps of something cannot be read any more; the rest of it goes on."""


class OutputError(IolaiError):
    """A result could not be written; an older file of that name is left as it was."""


class NoRoomError(OutputError):
    """The disk is full, or what may be used of it; nothing is half written."""

    def __init__(self, where: str) -> None:
        super().__init__(
            f"there is no room left: {where}",
            hint="Nothing was kept of this. Try again when there is room on the disk.",
        )


class MissingPartError(IolaiError):
    """An optional library or system package is absent; the hint says how to install it."""


def why_no_answer(error: BaseException, peer: str) -> str:
    """Say in words why ``peer``, at the other end of a network, gave no answer, or not a good one.

    What an HTTP library says of it is made for programmers ("[Errno -3] ..."), and is another text
    in each; the errors that it came from, which it keeps as causes, are Python's own.
    """
    chain: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and link not in chain:
        chain.append(link)
        link = link.__cause__ or link.__context__
    for one in chain:
        status = getattr(getattr(one, "response", None), "status_code", None)
        if status is not None:
            return f"{peer} answered with status {status}"
    kinds = [type(one).__name__ for one in chain]
    errors = [one for one in chain if isinstance(one, OSError)]
    # By name: this module goes into entries, where `entry check` takes an imported socket for one.
    if "gaierror" in kinds:
        return f"the name of {peer} is not found (is there a network?)"
    if any(isinstance(one, TimeoutError) for one in errors) or "Timeout" in " ".join(kinds):
        return f"{peer} did not answer in time"
    if any(one.errno in (errno.ENOSPC, errno.EDQUOT) for one in errors):
        return "there is no room left on the disk"
    if errors or "Connect" in " ".join(kinds):
        return f"no connection to {peer}"
    return f"the exchange with {peer} failed ({kinds[0]})"
