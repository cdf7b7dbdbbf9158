"""Joins the rooms: solve + read + score, run + collect + score, check, lint."""

from iolai.evaluation.boards import board_of_predictions, board_of_records
from iolai.evaluation.checking import CheckReport, check_files, check_predictions
from iolai.evaluation.entries import Rehearsal, check_folder, pack_entry, rehearse
from iolai.evaluation.linting import LINT_KINDS, LintFinding, lint_key, perfect_predictions
from iolai.evaluation.scoring import (
    SolverScore,
    evaluate,
    read_builtin,
    read_problems_with_key,
    score_files,
)
from iolai.evaluation.solving import Solving, solve

__all__ = [
    "LINT_KINDS",
    "CheckReport",
    "LintFinding",
    "Rehearsal",
    "SolverScore",
    "Solving",
    "board_of_predictions",
    "board_of_records",
    "check_files",
    "check_folder",
    "check_predictions",
    "evaluate",
    "lint_key",
    "pack_entry",
    "perfect_predictions",
    "read_builtin",
    "read_problems_with_key",
    "rehearse",
    "score_files",
    "solve",
]
