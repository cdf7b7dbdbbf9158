"""Selecting: which entries are proposed for marking. It proposes; people decide, with a reason."""

from __future__ import annotations

from collections.abc import Sequence

from iolai.errors import InputError
from iolai.records import ExplanationReport, JurySelection, Proposed, Withheld

__all__ = ["propose"]


def propose(
    entries: Sequence[str],
    report: ExplanationReport,
    n_wanted: int,
    *,
    require_all: bool = False,
) -> JurySelection:
    """Propose the first ``n_wanted`` of the entries (ranked, best first) that can be marked.

    An entry without any explanation is withheld; with ``require_all`` also one that lacks an
    explanation on a task. Every other finding of the report is for people to weigh, and is
    counted in the reason. Raises InputError where nothing is wanted.
    """
    if n_wanted < 1:
        raise InputError(f"{n_wanted} entries cannot be chosen", hint="Ask for one or more.")
    proposed: list[Proposed] = []
    withheld: list[Withheld] = []
    for rank, entry in enumerate(entries, 1):
        lacking = _why_not(entry, report, require_all=require_all)
        if lacking:
            withheld.append(Withheld(entry, rank, lacking))
        elif len(proposed) < n_wanted:
            proposed.append(Proposed(entry, rank, _account(entry, report)))
        else:
            withheld.append(Withheld(entry, rank, f"{n_wanted} entries rank above it"))
    return JurySelection(tuple(proposed), tuple(withheld))


def _why_not(entry: str, report: ExplanationReport, *, require_all: bool) -> str:
    n_tasks, n_explained = report.n_tasks.get(entry, 0), report.n_explained.get(entry, 0)
    if not n_explained:
        return "it has no explanation"
    if require_all and n_explained < n_tasks:
        return f"{n_tasks - n_explained} of its {n_tasks} tasks have no explanation"
    return ""


def _account(entry: str, report: ExplanationReport) -> str:
    n_tasks, n_explained = report.n_tasks.get(entry, 0), report.n_explained.get(entry, 0)
    kinds = sorted({one.kind for one in report.findings if one.entry == entry})
    looked_at = f"to look at: {', '.join(kinds)}" if kinds else "nothing was found in them"
    return f"explanations on {n_explained} of {n_tasks} tasks; {looked_at}"
