"""Run, enter, judge and study a linguistics-olympiad AI challenge, and solve its problems.

The names below are the package's door. Each is imported when it is first used, so that
``import iolai`` costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from iolai.version import __version__

if TYPE_CHECKING:
    from iolai.errors import InputError, IolaiError
    from iolai.evaluation import evaluate, lint_key, solve
    from iolai.formats import read_key, read_predictions, read_problems, read_records, read_rubric
    from iolai.metrics import chrf, score_predictions
    from iolai.reading import read_items
    from iolai.records import (
        AnswerKey,
        Prediction,
        PredictionSet,
        Problem,
        ProblemSet,
        Rubric,
        Score,
        Task,
    )

_HOMES = {
    "iolai.errors": ("InputError", "IolaiError"),
    "iolai.evaluation": ("evaluate", "lint_key", "solve"),
    "iolai.formats": (
        "read_key",
        "read_predictions",
        "read_problems",
        "read_records",
        "read_rubric",
    ),
    "iolai.metrics": ("chrf", "score_predictions"),
    "iolai.reading": ("read_items",),
    "iolai.records": (
        "AnswerKey",
        "Prediction",
        "PredictionSet",
        "Problem",
        "ProblemSet",
        "Rubric",
        "Score",
        "Task",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "AnswerKey",
    "InputError",
    "IolaiError",
    "Prediction",
    "PredictionSet",
    "Problem",
    "ProblemSet",
    "Rubric",
    "Score",
    "Task",
    "__version__",
    "chrf",
    "evaluate",
    "lint_key",
    "read_items",
    "read_key",
    "read_predictions",
    "read_problems",
    "read_records",
    "read_rubric",
    "score_predictions",
    "solve",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'iolai' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME_OF[name]), name)
