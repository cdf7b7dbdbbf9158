"""Check predictions against the tasks they are for: join rows with tasks, read, score, diagnose."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from iolai.errors import InputError
from iolai.formats import OnWarning, read_document, read_predictions
from iolai.metrics import score_item, score_predictions
from iolai.reading import KINDS, Cost, Finding, TaskCheck, diagnose, read_official
from iolai.records import (
    AnswerKey,
    Item,
    Prediction,
    PredictionSet,
    ProblemSet,
    Score,
    Task,
    TaskKey,
    canonical_id,
)

__all__ = ["CheckReport", "check_files", "check_predictions"]

#: What a spreadsheet makes of an id: 12026010100.0 or 1.20260101E+10.
_DECIMAL = re.compile(r"(\d+)\.0+|(\d)\.(\d{1,14})[eE]\+?(\d{2})")


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What check says of a predictions file.

    ``score`` and ``lenient_score`` are the set's scores by the official reading, and as the
    predictions were meant; None where there are no references.
    """

    tasks: tuple[TaskCheck, ...]
    score: Score | None = None
    lenient_score: Score | None = None

    @property
    def n_findings(self) -> int:
        return sum(len(task.findings) for task in self.tasks)


def check_files(
    predictions: Path,
    problems: Path,
    *,
    password: str | None = None,
    on_warning: OnWarning | None = None,
) -> CheckReport:
    """Check a predictions file against a file or folder of problems, references or both.

    ``password`` is that of an encrypted ``.zip``, be it of the predictions or of the problems;
    ``on_warning`` is told what was forgiven in reading the two. Raises InputError where a file
    cannot be read, or not one row belongs to a task of the problems (then the wrong file was
    named).
    """
    document = read_document(problems, password=password, on_warning=on_warning)
    if document.problems is None and document.key is None:
        raise InputError(
            f"{problems} holds neither problems nor references",
            hint="Name a test.csv, a solution.csv, a Linguini file, a plain-text problem, or a "
            "folder of these.",
        )
    rows = read_predictions(predictions, password=password, on_warning=on_warning)
    asked = list(_asked(document.problems, document.key))
    known = {canonical_id(ask.id) for ask in asked}
    if not any(canonical_id(name) in known for row in rows for name in (row.id, _whole(row.id))):
        raise InputError(
            f"no row of {predictions} has an id that is in {problems}",
            hint=f"Check that both belong together; the problems begin with {asked[0].id}.",
        )
    tasks = check_predictions(document.problems, document.key, rows)
    if document.key is None:
        return CheckReport(tasks)
    return CheckReport(
        tasks,
        score_predictions(rows, document.key),
        score_predictions(_as_meant(tasks), document.key),
    )


def check_predictions(
    problems: ProblemSet | None, key: AnswerKey | None, predictions: PredictionSet
) -> tuple[TaskCheck, ...]:
    """Check every task of the problems (or of the key alone), then the rows that no task claims.

    Of several rows for one task the last counts, as in the official score.
    """
    rows: dict[str, list[Prediction]] = defaultdict(list)
    for row in predictions:
        rows[canonical_id(row.id)].append(row)
    asked = list(_asked(problems, key))
    known = {canonical_id(ask.id) for ask in asked}
    spoilt: dict[str, Prediction] = {}
    for name, same in rows.items():
        whole = canonical_id(_whole(name))
        if name not in known and whole in known and whole not in rows:
            spoilt[whole] = same[-1]
    checks = [_check(ask, rows[canonical_id(ask.id)], spoilt) for ask in asked]
    claimed = known | {canonical_id(row.id) for row in spoilt.values()}
    unclaimed = (row for row in predictions if canonical_id(row.id) not in claimed)
    return (*checks, *map(_check_unknown, unclaimed))


@dataclass(frozen=True, slots=True)
class _Ask:
    """What is asked for under an id: a task, or the items of a key where there is no task."""

    id: str
    what: Task | Sequence[Item]
    key: TaskKey | None


def _asked(problems: ProblemSet | None, key: AnswerKey | None) -> Iterator[_Ask]:
    if problems is not None:
        for task in problems.tasks:
            yield _Ask(task.id, task, key.get(task.id) if key is not None else None)
        return
    for task_key in key or ():
        yield _Ask(task_key.id, (Item(""),) * task_key.n_items, task_key)


def _whole(name: str) -> str:
    """Return the id that a decimal number once was, else the id itself."""
    match = _DECIMAL.fullmatch(name.strip())
    if match is None:
        return name
    if match[1]:
        return match[1]
    return (match[2] + match[3]).ljust(int(match[4]) + 1, "0")


def _check(ask: _Ask, rows: Sequence[Prediction], spoilt: dict[str, Prediction]) -> TaskCheck:
    if not rows:
        return _check_absent(ask, spoilt.get(canonical_id(ask.id)))
    row = rows[-1]
    check = diagnose(ask.what, row, ask.key, score_item)
    findings = list(check.findings)
    if len(rows) > 1:
        lines = ", ".join(str(other.row) for other in rows)
        findings.append(_finding("duplicate-id", f"{row.id} in lines {lines}", row))
    if row.id != ask.id:
        is_shorter = len(row.id.strip()) < len(ask.id.strip())
        kind = "id-lost-zeros" if is_shorter else "id-differs"
        findings.append(_finding(kind, f"{row.id!r} for {ask.id!r}", row))
    return replace(check, id=ask.id, findings=tuple(findings))


def _check_absent(ask: _Ask, spoilt: Prediction | None) -> TaskCheck:
    """Check a task without a row, or with one whose id became a decimal number."""
    blank = diagnose(ask.what, Prediction(ask.id, ""), ask.key, score_item)
    cost = _right_answers(blank)
    if spoilt is None:
        finding = _finding("missing-row", ask.id, None, cost)
        return replace(blank, id=ask.id, findings=(finding,))
    meant = diagnose(ask.what, spoilt, ask.key, score_item)
    finding = _finding("id-decimal", f"{spoilt.id} for {ask.id}", spoilt, meant.score)
    return replace(
        blank,
        id=ask.id,
        row=spoilt.row,
        findings=(finding, *meant.findings),
        lenient=meant.lenient,
        lenient_score=meant.lenient_score,
    )


def _right_answers(blank: TaskCheck) -> Cost | None:
    if blank.score is None:
        return None
    return Cost(1 - blank.score.exact_match, 1 - blank.score.chrf)


def _check_unknown(row: Prediction) -> TaskCheck:
    kind = "unknown-id" if _whole(row.id) == row.id else "id-decimal"
    read = read_official(row.text, 0).n_read
    return TaskCheck(row.id, 0, read, (), (_finding(kind, row.id, row),), row=row.row)


def _finding(kind: str, text: str, row: Prediction | None, cost: Cost | None = None) -> Finding:
    return Finding(kind, "", text, KINDS[kind].hint, cost, row.row if row is not None else 0)


def _as_meant(tasks: Iterable[TaskCheck]) -> PredictionSet:
    """Return the items of the lenient readings as predictions."""
    return PredictionSet(
        tuple(
            Prediction.of_items(task.id, task.lenient.items)
            for task in tasks
            if task.lenient is not None
        )
    )
