"""Kinship: terms defined by the ways in which persons of a family are related."""

from iolai.solvers.induction.kinship.data import KinData, kin_examples, read_kin
from iolai.solvers.induction.kinship.solver import KinTerms

__all__ = ["KinData", "KinTerms", "kin_examples", "read_kin"]
