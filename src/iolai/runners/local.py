"""Runs an entry on this machine, in bubblewrap."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from iolai.runners.base import OnLog, Outcome, RunOutcome, RunRequest
from iolai.runners.bubblewrap import gpu_nodes
from iolai.runners.collect import collect_output
from iolai.runners.counting import AnswerCounter, OnAnswered
from iolai.runners.interpreter import usable_python
from iolai.runners.judging import judge
from iolai.runners.limiting import choose_limiter
from iolai.runners.logs import LogKeeper
from iolai.runners.preflight import require_isolation
from iolai.runners.redact import Redactor, texts_of_test_set
from iolai.runners.sandbox import sandboxed
from iolai.runners.supervise import SetupError

__all__ = ["LocalRunner"]


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
        self._python = python.absolute() if python is not None else None
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
            with sandboxed(request, limiter, log, python=python, gpus=self._gpus) as (run, staged):
                counter = AnswerCounter(self._on_answered, run.folder_fd, task_ids, max_bytes)
                ending = run.watch(request.limits, counter.look)
                collected = collect_output(
                    run.folder_fd,
                    task_ids,
                    max_bytes=max_bytes,
                    was_cut_short=bool(ending.reason) or ending.exit_code != 0,
                )
                if changed := staged.changed():
                    raise SetupError(f"{changed} was changed while the entry ran")
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
        return judge(ending, collected, request, log_tail=log.tail, mechanism=mechanism)
