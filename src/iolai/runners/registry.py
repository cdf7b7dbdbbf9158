"""The runners by name: a runner is one file in this package plus one line here."""

from __future__ import annotations

import importlib
from typing import Any

from iolai.errors import UnknownNameError
from iolai.runners.base import Runner

__all__ = ["DEFAULT_RUNNER", "RUNNERS", "get_runner"]

#: Where each runner's class stands; it is imported when it is asked for.
RUNNERS: dict[str, str] = {
    "local": "iolai.runners.local:LocalRunner",
    "slurm": "iolai.runners.slurm:SlurmRunner",
    "hf_jobs": "iolai.runners.hf_jobs:HfJobsRunner",
}
DEFAULT_RUNNER = "local"


def get_runner(name: str = DEFAULT_RUNNER, **options: Any) -> Runner:
    """Return a new runner made with its own options.

    Raises UnknownNameError, which lists the known names.
    """
    if name not in RUNNERS:
        raise UnknownNameError("runner", name, RUNNERS)
    module, _, class_name = RUNNERS[name].partition(":")
    runner: Runner = getattr(importlib.import_module(module), class_name)(**options)
    return runner
