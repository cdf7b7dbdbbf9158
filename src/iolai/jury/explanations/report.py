"""The report: every check on every explanation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from iolai.jury.explanations.base import ExplainedEntry, Whole
from iolai.jury.explanations.registry import CHECKS
from iolai.records import ExplanationFinding, ExplanationReport, ProblemSet

__all__ = ["explanation_report"]

_QUOTATION = 120


def explanation_report(
    entries: Sequence[ExplainedEntry],
    problems: ProblemSet | None = None,
    task_ids: Sequence[str] = (),
) -> ExplanationReport:
    """Look at the explanations of some entries to the tasks of some problems.

    Without problems the tasks are ``task_ids``, or else those that an entry has rows for. A check
    that needs a sheet is left out for tasks without a context, and ``not_checked`` says so.
    """
    whole = Whole.of(entries, problems, task_ids)
    bare = {row.task_id for row in whole.rows if row.task is None or not row.task.context.strip()}
    n_tasks = len({row.task_id for row in whole.rows})
    findings = [
        ExplanationFinding(
            kind=check.kind,
            entry=row.entry,
            task=row.task_id,
            quotation=_short(found.quotation),
            message=found.message,
            start=found.start,
        )
        for row in whole.rows
        for check in CHECKS
        if not (check.needs_context and row.task_id in bare)
        for found in check.find(row, whole)
    ]
    reason = "not checked: no context"
    if len(bare) < n_tasks:
        reason += f" for {len(bare)} of {n_tasks} tasks"
    return ExplanationReport(
        findings=tuple(findings),
        not_checked={one.kind: reason for one in CHECKS if one.needs_context} if bare else {},
        n_tasks=dict(Counter(row.entry for row in whole.rows)),
        n_explained=dict(Counter(row.entry for row in whole.rows if row.plain)),
    )


def _short(text: str) -> str:
    return text if len(text) <= _QUOTATION else text[: _QUOTATION - 1] + "…"
