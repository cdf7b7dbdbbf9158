"""The solvers by name: a solver is one file in this package plus one line here."""

from __future__ import annotations

from collections.abc import Callable

from iolai.errors import UnknownNameError
from iolai.solvers.base import Solver
from iolai.solvers.baselines import Echo, Identity, Nearest

__all__ = ["DEFAULT_SOLVER", "SOLVERS", "get_solver"]


def _induction() -> Solver:
    from iolai.solvers.induction import Induction  # takes numpy: imported where used

    return Induction()


SOLVERS: dict[str, Callable[[], Solver]] = {
    "echo": Echo,
    "identity": Identity,
    "nearest": Nearest,
    "induction": _induction,
}
DEFAULT_SOLVER = "induction"


def get_solver(name: str) -> Solver:
    """Return a new solver; raises UnknownNameError, which lists the known names."""
    try:
        make = SOLVERS[name]
    except KeyError:
        raise UnknownNameError("solver", name, SOLVERS) from None
    return make()
