"""Runs an entry on this machine, in bubblewrap."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from iolai.runners.base import SCRIPT, OnLog, Outcome, RunOutcome, RunRequest
from iolai.runners.bubblewrap import gpu_nodes
from iolai.runners.collect import Collected, collect_output
from iolai.runners.counting import AnswerCounter, OnAnswered
from iolai.runners.limiting import choose_limiter
from iolai.runners.logs import LogKeeper
from iolai.runners.pinning import OUTPUT_NAME
from iolai.runners.preflight import require_isolation, usable_python
from iolai.runners.redact import Redactor, texts_of_test_set
from iolai.runners.sandbox import sandboxed
from iolai.runners.supervise import Ending, SetupError

__all__ = ["LocalRunner", "judge"]


class LocalRunner:
    """Runs entries in bubblewrap on this machine.

    ``python`` is the entries' interpreter: by default this one, or the system's where the run's
    uid may not read this one. ``mechanism`` picks one of ``limiting.MECHANISMS``; by default the
    best that works. ``gpus`` are device files to pass through; by default all there are.
    ``on_answered`` is told how many tasks are answered while an entry runs.
    """

    def __init__(
        self,
        *,
        python: Path | None = None,
        mechanism: str | None = None,
        gpus: Sequence[str] | None = None,
        on_answered: OnAnswered | None = None,
    ) -> None:
        self._python = python
        self._on_answered = on_answered
        self._mechanism = mechanism
        self._gpus = gpu_nodes() if gpus is None else tuple(gpus)

    def run(self, request: RunRequest, on_log: OnLog | None = None) -> RunOutcome:
        """Run an entry once, in this thread; see ``Runner``."""
        task_ids = request.task_ids
        python = usable_python(self._python)
        redactor = Redactor([*texts_of_test_set(request.test_csv), *request.secrets])
        log = LogKeeper(redactor, request.limits.log_mib << 20, on_log)
        limiter = choose_limiter(request.limits, self._mechanism)
        mechanism = f"bubblewrap, {limiter.name}"
        max_bytes = request.limits.output_mib << 20
        try:
            with sandboxed(request, limiter, log, python=python, gpus=self._gpus) as run:
                counter = AnswerCounter(self._on_answered, run.folder_fd, task_ids, max_bytes)
                ending = run.watch(request.limits, counter.look)
                collected = collect_output(
                    run.folder_fd,
                    task_ids,
                    max_bytes=max_bytes,
                    was_cut_short=bool(ending.reason) or ending.exit_code != 0,
                )
        except SetupError as error:
            require_isolation()
            return RunOutcome(
                Outcome.PLATFORM_FAULT,
                n_tasks=len(task_ids),
                mechanism=mechanism,
                log_tail=log.tail,
                detail=str(error),
            )
        finally:
            limiter.close()
            log.finish()
        outcome, detail = judge(ending, collected, request)
        return RunOutcome(
            outcome,
            n_answered=collected.n_answered,
            n_tasks=len(task_ids),
            wall_s=round(ending.wall_s, 3),
            cpu_s=round(ending.usage.cpu_s, 3),
            peak_mib=round(ending.usage.peak_mib, 1),
            mechanism=mechanism,
            log_tail=log.tail,
            output=collected.data,
            exit_code=ending.exit_code,
            detail=detail,
        )


def judge(ending: Ending, collected: Collected, request: RunRequest) -> tuple[Outcome, str]:
    """Name a run's outcome and say it in one sentence."""
    limits, code = request.limits, ending.exit_code
    so_far = f"{collected.n_answered} of {len(request.task_ids)} tasks answered"
    if ending.reason == "memory":
        text = f"the run passed {limits.memory_mib} MiB of memory and was killed; {so_far}"
        return Outcome.OUT_OF_MEMORY, text
    if ending.reason:
        spent = f"{limits.cpu_s:g} s of CPU time" if ending.reason == "cpu" else None
        return Outcome.TIMED_OUT, f"timed out after {spent or f'{limits.wall_s:g} s'}; {so_far}"
    if code != 0:
        return Outcome.CRASHED, f"{_why_crashed(code or 0, ending, request)}; {so_far}"
    if collected.is_missing:
        return Outcome.NO_OUTPUT, f"the entry ended well but wrote no {OUTPUT_NAME}"
    if collected.fault:
        return Outcome.BAD_OUTPUT, f"{OUTPUT_NAME}: {collected.fault}; {so_far}"
    return Outcome.OK, so_far


def _why_crashed(code: int, ending: Ending, request: RunRequest) -> str:
    if all(file.path != SCRIPT for file in request.entry.files):
        return f"the entry has no {SCRIPT}"
    said = f"{SCRIPT} ended with exit code {code}"
    if code > 128:
        said = f"{SCRIPT} was ended by signal {code - 128}"
    if ending.usage.hit_process_limit:
        said += f", having reached the limit of {request.limits.n_processes} processes"
    return said
