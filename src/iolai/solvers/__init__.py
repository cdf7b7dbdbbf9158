"""Solvers: a problem in, answers out. None is ever handed an answer key."""

from iolai.solvers.base import Budget, ModelSolver, ProblemAnswer, Solver, Step
from iolai.solvers.chains import Turn, interleave
from iolai.solvers.registry import DEFAULT_SOLVER, SOLVERS, get_solver

__all__ = [
    "DEFAULT_SOLVER",
    "SOLVERS",
    "Budget",
    "ModelSolver",
    "ProblemAnswer",
    "Solver",
    "Step",
    "Turn",
    "get_solver",
    "interleave",
]
