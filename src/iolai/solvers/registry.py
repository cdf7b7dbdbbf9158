"""The solvers by name: a solver is one file in this package plus one line here."""

from __future__ import annotations

from collections.abc import Callable

from iolai.errors import UnknownNameError
from iolai.solvers.base import Solver
from iolai.solvers.baselines import Echo, Identity, Nearest

__all__ = ["DEFAULT_SOLVER", "FAMILIES", "SOLVERS", "get_solver"]


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


def _llm(config: str) -> Solver:
    from iolai.solvers.llm import open_solver

    return open_solver(config)


#: Solvers that hold a model, by its configuration: ``llm:CONFIG``, a name or a file's path.
FAMILIES: dict[str, Callable[[str], Solver]] = {"llm": _llm}


def get_solver(name: str) -> Solver:
    """Return a new solver; raises UnknownNameError, which lists the known names."""
    family, colon, config = name.partition(":")
    if colon and family in FAMILIES:
        return FAMILIES[family](config)
    try:
        make = SOLVERS[name]
    except KeyError:
        known = (*SOLVERS, *(f"{family}:CONFIG" for family in FAMILIES))
        raise UnknownNameError("solver", name, known) from None
    return make()
