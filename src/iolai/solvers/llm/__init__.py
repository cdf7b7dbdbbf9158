"""The language-model solver: the recipe that won the challenge, in stages, over any backend."""

from iolai.solvers.llm.backends.registry import open_backend
from iolai.solvers.llm.config_file import load_config
from iolai.solvers.llm.solver import Llm

__all__ = ["Llm", "open_solver"]


def open_solver(config: str) -> Llm:
    """Return the recipe with the model of a configuration, by name or path; loads nothing yet."""
    return Llm(load_config(config), open_backend)
