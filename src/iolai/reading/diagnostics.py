"""Diagnostics: what is read into which slot of a prediction, and what looks wrong with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from iolai.reading.case import Case, ScoreItem, make_case
from iolai.reading.checks import CHECKS
from iolai.reading.findings import Cost, Finding
from iolai.reading.lenient import LenientReading
from iolai.records import Item, Prediction, Task, TaskKey

__all__ = ["Slot", "TaskCheck", "diagnose"]


@dataclass(frozen=True, slots=True)
class Slot:
    """One slot: the item it belongs to, what the official reading puts there, what that scores.

    ``exact_match`` and ``chrf`` are in [0, 1], None without a key.
    """

    label: str
    asked: str
    text: str
    exact_match: float | None = None
    chrf: float | None = None


@dataclass(frozen=True, slots=True)
class TaskCheck:
    """What ``check`` says of one task.

    ``expected`` is the number of items (from the key where there is one, else from the query),
    ``read`` how many answers the official reading finds, before padding or cutting. ``score`` and
    ``lenient_score`` are the task's means by either reading, None without a key. ``row`` is the
    line of the predictions file, 0 where there is none.
    """

    id: str
    expected: int
    read: int
    slots: tuple[Slot, ...]
    findings: tuple[Finding, ...]
    row: int = 0
    lenient: LenientReading | None = None
    score: Cost | None = None
    lenient_score: Cost | None = None


def diagnose(
    task: Task | Sequence[Item],
    prediction: Prediction | str,
    key: TaskKey | None = None,
    score_item: ScoreItem | None = None,
) -> TaskCheck:
    """Look at one prediction for a task, or for items that were read already.

    With the task's ``key`` and the metric ``score_item`` findings tell what they cost, and right
    answers are never found fault with. Nothing is corrected: findings only say what is there.
    """
    text = prediction if isinstance(prediction, str) else prediction.text
    row = 0 if isinstance(prediction, str) else prediction.row
    case = make_case(task, text, key, score_item)
    checks = CHECKS[:1] if case.is_too_long else CHECKS  # how it is written says all of it
    findings = tuple(replace(finding, row=row) for check in checks for finding in check(case))
    return TaskCheck(
        id=_id_of(task, prediction, key),
        expected=case.n,
        read=case.official.n_read,
        slots=_slots(case),
        findings=findings,
        row=row,
        lenient=case.lenient,
        score=case.mean(case.official_answers),
        lenient_score=case.mean(case.answers),
    )


def _slots(case: Case) -> tuple[Slot, ...]:
    return tuple(
        Slot(answer.item.label, answer.item.text, answer.text, *(answer.score or (None, None)))
        for answer in case.official_answers
    )


def _id_of(task: Task | Sequence[Item], prediction: Prediction | str, key: TaskKey | None) -> str:
    if isinstance(task, Task):
        return task.id
    if key is not None:
        return key.id
    return "" if isinstance(prediction, str) else prediction.id
