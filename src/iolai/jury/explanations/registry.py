"""The table of checks. A check is one file in this package plus one line here."""

from __future__ import annotations

from iolai.jury.explanations import (
    contradicting,
    cut,
    empty,
    foreign_forms,
    hedged,
    impossible,
    inconsistent,
    raw_reasoning,
    repeated,
    shared,
    templated,
    tour,
    unexplained,
)
from iolai.jury.explanations.base import Check

__all__ = ["CHECKS"]

CHECKS: tuple[Check, ...] = (
    empty.CHECK,
    repeated.CHECK,
    shared.CHECK,
    templated.CHECK,
    cut.CHECK,
    raw_reasoning.CHECK,
    hedged.CHECK,
    tour.CHECK,
    foreign_forms.CHECK,
    impossible.CHECK,
    unexplained.CHECK,
    contradicting.CHECK,
    inconsistent.CHECK,
)
