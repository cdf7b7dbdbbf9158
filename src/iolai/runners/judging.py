"""Naming a run's outcome from how its processes ended and what it wrote.

In this order: a limit that ended the run, an exit code that is not 0, no output, a fault in it.
"""

from __future__ import annotations

from iolai.runners.base import SCRIPT, Outcome, RunOutcome, RunRequest
from iolai.runners.collect import Collected
from iolai.runners.pinning import OUTPUT_NAME
from iolai.runners.usage import Ending

__all__ = ["judge"]


def judge(
    ending: Ending, collected: Collected, request: RunRequest, *, log_tail: str, mechanism: str
) -> RunOutcome:
    """Put together what is known of a run that was not broken by the platform."""
    outcome, detail = _name(ending, collected, request)
    return RunOutcome(
        outcome,
        n_answered=collected.n_answered,
        n_tasks=len(request.task_ids),
        wall_s=round(ending.wall_s, 3),
        cpu_s=round(ending.usage.cpu_s, 3),
        peak_mib=round(ending.usage.peak_mib, 1),
        mechanism=mechanism,
        log_tail=log_tail,
        output=collected.data,
        exit_code=ending.exit_code,
        detail=detail,
    )


def _name(ending: Ending, collected: Collected, request: RunRequest) -> tuple[Outcome, str]:
    """Name a run's outcome and say it in one sentence."""
    limits, code = request.limits, ending.exit_code
    so_far = f"{collected.n_answered} of {len(request.task_ids)} tasks answered"
    if ending.reason == "memory":
        text = f"the run passed {limits.memory_mib} MiB of memory and was killed; {so_far}"
        return Outcome.OUT_OF_MEMORY, text
    if ending.reason:
        spent = f"{limits.cpu_s:g} s of CPU time" if ending.reason == "cpu" else None
        return Outcome.TIMED_OUT, f"timed out after {spent or f'{limits.wall_s:g} s'}; {so_far}"
    if all(file.path != SCRIPT for file in request.entry.files):
        return Outcome.CRASHED, f"the entry has no {SCRIPT}; {so_far}"
    if code != 0:
        return Outcome.CRASHED, f"{_why_crashed(code or 0, ending, request)}; {so_far}"
    if collected.is_missing:
        return Outcome.NO_OUTPUT, f"the entry ended well but wrote no {OUTPUT_NAME}"
    if collected.fault:
        return Outcome.BAD_OUTPUT, f"{OUTPUT_NAME}: {collected.fault}; {so_far}"
    return Outcome.OK, so_far


def _why_crashed(code: int, ending: Ending, request: RunRequest) -> str:
    said = f"{SCRIPT} ended with exit code {code}"
    if code > 128:
        said = f"{SCRIPT} was ended by signal {code - 128}"
    if ending.usage.hit_process_limit:
        said += f", having reached the limit of {request.limits.n_processes} processes"
    return said
