"""Unordered lists: which form means what, from what forms share and what glosses share."""

from iolai.solvers.induction.matching.solver import Matching, matched_pairs

__all__ = ["Matching", "matched_pairs"]
