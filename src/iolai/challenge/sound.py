"""Whether rows from elsewhere hold what this service could have written: values, not references.

What a file says is checked by the code that checks what people hand in: settings by that of
``challenge.toml``, names and notes by that of registration. ValueError says what is wrong.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Mapping
from typing import Any

from iolai.challenge.clock import moment, stamp
from iolai.challenge.names import checked_name, checked_note
from iolai.challenge.scorebook import parse_signature, read_tasks
from iolai.challenge.settings import checked_settings
from iolai.records import (
    SPLITS,
    EventKind,
    KeyTask,
    Phase,
    ProposalState,
    RunState,
    SubmissionKind,
    TaskScore,
    TeamKind,
)
from iolai.runners import Outcome, Owner

__all__ = ["require_sound"]

_MAX_POINTS, _MAX_COUNT = 1e6, 1 << 50
#: A name that an archived team had elsewhere is shown as it was; it is no longer than this.
_MAX_ARCHIVED_NAME = 300
#: Columns with a time that may be blank.
_OPTIONAL_TIMES = ("deleted_at", "started_at", "ended_at")
_TIMES = ("created_at", "joined_at", "received_at", "queued_at", "at", *_OPTIONAL_TIMES)
_COUNTS = ("size", "n_answered", "n_tasks", "attempt")
_AMOUNTS = ("wall_s", "cpu_s", "peak_mib")
_WORDS: Mapping[tuple[str, str], Collection[str]] = {
    ("team", "kind"): tuple(TeamKind),
    ("submission", "kind"): tuple(SubmissionKind),
    ("run", "state"): tuple(RunState),
    ("proposal", "state"): tuple(ProposalState),
    ("proposal", "kind"): ("rejudge", "key"),
    ("verdict", "outcome"): (*(one.value for one in Outcome), "refused"),
    ("verdict", "owner"): tuple(one.value for one in Owner),
}


def require_sound(table: str, row: Mapping[str, Any]) -> None:
    """Raise ValueError, KeyError, TypeError or InputError where a row cannot be ours."""
    for name, value in row.items():
        if name in _TIMES:
            _time(value, may_be_blank=name in _OPTIONAL_TIMES)
        elif name in _COUNTS:
            _number(value, _MAX_COUNT, is_whole=True)
        elif name in _AMOUNTS:
            _number(value, _MAX_COUNT)
        elif (table, name) in _WORDS:
            _require(value in _WORDS[table, name], f"{name} {str(value)[:40]!r}")
    if table in _OWN:
        _OWN[table](row)


def _require(fits: object, what: str) -> None:
    if not fits:
        raise ValueError(what)


def _time(value: Any, *, may_be_blank: bool = False) -> None:
    _require((may_be_blank and value == "") or stamp(moment(value)) == value, "a time")


def _number(value: Any, most: float, *, is_whole: bool = False) -> None:
    kinds = (int,) if is_whole else (int, float)
    is_number = isinstance(value, kinds) and not isinstance(value, bool)
    _require(is_number and math.isfinite(value) and 0 <= value <= most, "a number")


def _account(row: Mapping[str, Any]) -> None:
    _require(checked_name(row["name"]) == row["name"], "a name")


def _team(row: Mapping[str, Any]) -> None:
    name, kind = row["name"], row["kind"]
    is_short = isinstance(name, str) and 0 < len(name) <= _MAX_ARCHIVED_NAME
    _require(is_short and (kind == TeamKind.ARCHIVED or checked_name(name) == name), "a name")


def _submission(row: Mapping[str, Any]) -> None:
    _require(checked_note(row["note"]) == row["note"], "a note")


def _key(row: Mapping[str, Any]) -> None:
    tasks = [KeyTask(**task) for task in json.loads(row["tasks"])]
    _require(len({task.id for task in tasks}) == len(tasks), "a task twice")
    for task in tasks:
        _require(all(isinstance(t, str) for t in (task.id, task.digest, task.task_type)), "a task")
        _require(task.split in SPLITS, "a split")
        _number(task.points, _MAX_POINTS)
        _number(task.chance, 1.0)
        _number(task.n_items, _MAX_COUNT, is_whole=True)
        _number(task.n_options, _MAX_COUNT, is_whole=True)


def _score(row: Mapping[str, Any]) -> None:
    parse_signature(row["signature"])
    figures = json.loads(row["figures"])
    names = [json.loads(line.split("\t", 1)[0]) for line in row["body"].split("\n") if line]
    _require(set(names) == set(figures) and len(set(names)) == len(names), "figures of no task")
    tasks = [KeyTask(str(name), "", "public", 1.0, "", 1) for name in names]
    for task in read_tasks(row["body"], tasks):
        _task(task)
        _require(figures[task.id] == [task.exact_match, task.chrf], "other figures")


def _task(task: TaskScore) -> None:
    for value in (task.exact_match, task.chrf):
        _number(value, 1.0)
    _number(task.n_read, _MAX_COUNT, is_whole=True)
    for item in task.items:
        _require(isinstance(item.predicted, str), "a reading")
        for value in (item.exact_match, item.chrf):
            _number(value, 1.0)


def _event(row: Mapping[str, Any]) -> None:
    kind, data = EventKind(row["kind"]), json.loads(row["data"])
    _require(isinstance(data, dict), "data")
    if kind is EventKind.CHALLENGE_DEFINED:
        checked_settings(data["settings"])
    elif kind is EventKind.PHASE_SET:
        Phase(data["phase"])


_OWN: Mapping[str, Callable[[Mapping[str, Any]], None]] = {
    "account": _account,
    "team": _team,
    "submission": _submission,
    "answer_key": _key,
    "score": _score,
    "event": _event,
}
