"""The runners by name: a runner is one file in this package plus one line here."""

from __future__ import annotations

import importlib
import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iolai.errors import UnknownNameError
from iolai.runners.base import Runner

__all__ = ["DEFAULT_RUNNER", "RUNNERS", "RunnerOption", "get_runner", "runner_options"]

#: Where each runner's class stands; it is imported when it is asked for.
RUNNERS: dict[str, str] = {
    "local": "iolai.runners.local:LocalRunner",
    "slurm": "iolai.runners.slurm:SlurmRunner",
    "hf_jobs": "iolai.runners.hf_jobs:HfJobsRunner",
}
DEFAULT_RUNNER = "local"


#: What an option may be in a file of settings, by its annotation; what is none of these (a
#: callable) is for programs alone.
_KINDS = {"Path": "path", "str": "text", "float": "number", "Sequence[str]": "texts"}
#: Settings are exported, and shown to organisers: a token comes from the environment.
_NOT_IN_FILES = ("token",)


@dataclass(frozen=True, slots=True)
class RunnerOption:
    """An option that a file may set; ``kind`` is ``path``, ``text``, ``number`` or ``texts``."""

    name: str
    kind: str
    is_needed: bool


def runner_options(name: str) -> tuple[RunnerOption, ...]:
    """Return the options that a runner takes from a file; raises UnknownNameError."""
    taken = inspect.signature(_class(name)).parameters.values()
    kinds = {one.name: _KINDS.get(str(one.annotation).removesuffix(" | None")) for one in taken}
    return tuple(
        RunnerOption(one.name, kind, one.default is one.empty)
        for one in taken
        if (kind := kinds[one.name]) is not None and one.name not in _NOT_IN_FILES
    )


def get_runner(name: str = DEFAULT_RUNNER, **options: Any) -> Runner:
    """Return a new runner made with its own options; paths may be texts, as in a file.

    Raises UnknownNameError, which lists the known names.
    """
    made = _class(name)
    paths = {one.name for one in runner_options(name) if one.kind == "path"}
    runner: Runner = made(
        **{
            key: Path(value) if key in paths and isinstance(value, str) else value
            for key, value in options.items()
        }
    )
    return runner


def _class(name: str) -> Any:
    if name not in RUNNERS:
        raise UnknownNameError("runner", name, RUNNERS)
    module, _, class_name = RUNNERS[name].partition(":")
    return getattr(importlib.import_module(module), class_name)
