"""The induction engine: finds the grammar that explains a problem, without a language model."""

from iolai.solvers.induction.engine import Induction

__all__ = ["Induction"]
