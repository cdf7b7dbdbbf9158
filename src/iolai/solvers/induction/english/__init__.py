"""Glosses taken apart into units and put together again, by simple invertible rules of English."""

from iolai.solvers.induction.english.glosses import English, Token

__all__ = ["English", "Token"]
