"""Numerals both ways, by exact arithmetic over the morphs of number words."""

from iolai.solvers.induction.numerals.solver import Numerals

__all__ = ["Numerals"]
