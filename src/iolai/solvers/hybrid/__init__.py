"""The induction engine and language models together: each answer by whoever is likelier right."""

from iolai.solvers.hybrid.config import load_hybrid
from iolai.solvers.hybrid.solver import Hybrid
from iolai.solvers.llm.backends.registry import open_backend

__all__ = ["Hybrid", "open_solver"]


def open_solver(config: str) -> Hybrid:
    """Return the hybrid of a configuration, by name or path; loads nothing yet."""
    return Hybrid(load_hybrid(config), open_backend)
