"""Number names: figures to words, words to figures, and equations with unknown numbers."""

from iolai.solvers.induction.numerals.solver import Numerals

__all__ = ["Numerals"]
