"""Exact match of one pair of normalised texts (rule 3 of the official score)."""

from __future__ import annotations

__all__ = ["exact_match"]


def exact_match(prediction: str, reference: str) -> float:
    """Return 1 where the two texts are equal and the reference is not empty, else 0."""
    return 1.0 if reference and prediction == reference else 0.0
