"""Matching of unordered lists: forms with glosses, values or transcriptions."""

from iolai.solvers.induction.matching.solver import Matched, Matching, match_lists

__all__ = ["Matched", "Matching", "match_lists"]
