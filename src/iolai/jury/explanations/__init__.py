"""The explanation report: what makes explanations worth nothing to a jury. One file is one check.

A finding is a proposal for people to look at and changes no score. The checks look for English
words where they look for words; an explanation in another language is found fewer faults with.
"""

from iolai.jury.explanations.base import Check, Explained, ExplainedEntry, Found, Whole
from iolai.jury.explanations.registry import CHECKS
from iolai.jury.explanations.report import explanation_report

__all__ = [
    "CHECKS",
    "Check",
    "Explained",
    "ExplainedEntry",
    "Found",
    "Whole",
    "explanation_report",
]
