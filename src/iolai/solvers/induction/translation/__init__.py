"""Translation both ways: alignment of morphs with units, then substitution into examples."""

from iolai.solvers.induction.translation.solver import Translation

__all__ = ["Translation"]
