"""Solvers: a problem in, answers out. None is ever handed an answer key."""

from iolai.solvers.base import Budget, ProblemAnswer, Solver
from iolai.solvers.registry import DEFAULT_SOLVER, SOLVERS, get_solver

__all__ = ["DEFAULT_SOLVER", "SOLVERS", "Budget", "ProblemAnswer", "Solver", "get_solver"]
