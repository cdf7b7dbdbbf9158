"""Running an entry nobody trusts: pinned, isolated, limited, and ended with a named outcome."""

from iolai.runners.base import (
    SCRIPT,
    TEST_CSV,
    AttachableRunner,
    Limits,
    OnLog,
    Outcome,
    Owner,
    Runner,
    RunOutcome,
    RunRequest,
)
from iolai.runners.interpreter import usable_python
from iolai.runners.pinning import OUTPUT_NAME, PinnedEntry, PinnedFile, pin_entry
from iolai.runners.redact import Redactor
from iolai.runners.registry import (
    DEFAULT_RUNNER,
    RUNNERS,
    RunnerOption,
    get_runner,
    runner_options,
)
from iolai.runners.trusted import TrustedRunner

__all__ = [
    "DEFAULT_RUNNER",
    "OUTPUT_NAME",
    "RUNNERS",
    "SCRIPT",
    "TEST_CSV",
    "AttachableRunner",
    "Limits",
    "OnLog",
    "Outcome",
    "Owner",
    "PinnedEntry",
    "PinnedFile",
    "Redactor",
    "RunOutcome",
    "RunRequest",
    "Runner",
    "RunnerOption",
    "TrustedRunner",
    "get_runner",
    "pin_entry",
    "runner_options",
    "usable_python",
]
