"""Collecting what an entry wrote, as if it meant harm: nothing it left can do any.

The file is opened without following links or waiting for FIFOs, read up to a limit, and judged
row by row. What can be scored is kept, whatever the rest is.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path

from iolai.records import MAX_ANSWER, canonical_id
from iolai.runners.pinning import OUTPUT_NAME, open_regular
from iolai.runners.rows import RawRow, split_rows

__all__ = ["Collected", "collect_output", "judge_output"]

_COLUMNS = ("id", "pred")
#: What ``surrogateescape`` makes of bytes that are not UTF-8.
_NOT_UTF_8 = re.compile("[\udc80-\udcff]")


@dataclass(frozen=True, slots=True)
class Collected:
    """What came of an output file.

    ``data`` holds the header and the sound rows, byte for byte, or None where there are none.
    ``fault`` names the first rule that was broken, with its row, or is empty.
    ``is_missing`` says that there was no file at all, or an empty one.
    """

    data: bytes | None = field(default=None, repr=False)
    n_answered: int = 0
    fault: str = ""
    is_missing: bool = False


def collect_output(
    folder_fd: int, task_ids: Sequence[str], *, max_bytes: int, was_cut_short: bool
) -> Collected:
    """Read ``submission.csv`` in an open folder; never raises, never waits.

    ``was_cut_short`` says that the entry was killed: an unfinished last row is then no fault.
    """
    try:
        with _opened(folder_fd) as stream:
            size = os.fstat(stream.fileno()).st_size
            if size > max_bytes:
                fault = f"it is larger than {max_bytes >> 20} MiB"
                return Collected(fault=fault)
            data = stream.read(max_bytes)
    except FileNotFoundError:
        return Collected(is_missing=True)
    except OSError as error:
        return Collected(fault=f"it cannot be read: {error.strerror}")
    return judge_output(data, task_ids, was_cut_short=was_cut_short)


def _opened(folder_fd: int) -> BufferedReader:
    """Open the output, whatever modes the entry gave it and its folder; raises OSError."""
    try:
        return open_regular(OUTPUT_NAME, dir_fd=folder_fd)
    except PermissionError:
        _allow(folder_fd)
        return open_regular(OUTPUT_NAME, dir_fd=folder_fd)


def _allow(folder_fd: int) -> None:
    """Make the output readable to its owner; no link is followed."""
    with suppress(OSError):
        os.fchmod(folder_fd, 0o755)
        handle = os.open(OUTPUT_NAME, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder_fd)
        try:
            if stat.S_ISREG(os.fstat(handle).st_mode):
                Path(f"/proc/self/fd/{handle}").chmod(0o644)
        finally:
            os.close(handle)


def judge_output(data: bytes, task_ids: Sequence[str], *, was_cut_short: bool) -> Collected:
    """Split the text of an output file into sound rows and faults."""
    if not data.strip():
        return Collected(is_missing=True)
    text = data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    rows = split_rows(text)
    header = next(rows, None)
    names = [name.strip() for name in header.cells] if header is not None else []
    if header is None or any(name not in names for name in _COLUMNS):
        if was_cut_short and header is not None and not header.is_finished:
            return Collected(is_missing=True)
        return Collected(fault="line 1: the header must name the columns id and pred")
    if twice := [name for name in names if names.count(name) > 1]:
        return Collected(fault=f"line 1: the header names the column {twice[0]!r} twice")
    judge = _Judge(names, task_ids, was_cut_short=was_cut_short)
    kept = [header.text if header.text.endswith(("\r", "\n")) else header.text + "\n"]
    for row in rows:
        if judge.is_sound(row):
            kept.append(row.text)
        if judge.is_full:
            break
    if len(kept) == 1 or not judge.n_known:
        fault = judge.fault or "no row names a task of the test set"
        return Collected(fault="" if was_cut_short else fault, is_missing=was_cut_short)
    sound = "".join(kept).encode("utf-8")
    return Collected(sound, judge.n_answered, judge.fault)


class _Judge:
    """Judges row after row, and keeps count."""

    def __init__(self, names: list[str], task_ids: Sequence[str], *, was_cut_short: bool) -> None:
        self._names = names
        self._id, self._pred = names.index("id"), names.index("pred")
        self._has_answer: dict[str, bool] = {}
        self._known = {canonical_id(task_id) for task_id in task_ids}
        self._was_cut_short = was_cut_short
        self._max_rows = 10 * len(self._known) + 1000
        self._n_rows = 0
        self.fault = ""

    @property
    def is_full(self) -> bool:
        """Whether there were more rows than any honest output has."""
        return self._n_rows > self._max_rows

    @property
    def n_known(self) -> int:
        """How many tasks of the test set have a row."""
        return len(self._has_answer)

    @property
    def n_answered(self) -> int:
        """How many tasks have a row that counts (the last of its id) and is not blank."""
        return sum(self._has_answer.values())

    def is_sound(self, row: RawRow) -> bool:
        """Judge one row; the first fault is noted."""
        self._n_rows += 1
        fault = self._fault_of(row)
        if fault:
            is_torn_end = self._was_cut_short and not row.is_finished
            if not self.fault and not is_torn_end:
                self.fault = f"line {row.line}: {fault}"
            return False
        task_id = canonical_id(row.cells[self._id])
        if task_id in self._known:
            self._has_answer[task_id] = bool(row.cells[self._pred].strip())
        return True

    def _fault_of(self, row: RawRow) -> str:
        if self.is_full:
            return f"more than {self._max_rows} rows for {len(self._known)} tasks"
        if row.fault:
            return row.fault
        if len(row.cells) != len(self._names):
            return f"the row has {len(row.cells)} cells, the header {len(self._names)}"
        if (length := len(row.cells[self._pred])) > MAX_ANSWER:
            return f"the answer has {length} characters, more than {MAX_ANSWER}"
        if _NOT_UTF_8.search(row.text):
            return "the row is not UTF-8"
        if self._was_cut_short and not row.is_finished:
            return "the row is not finished"
        return ""
