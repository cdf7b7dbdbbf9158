"""The item metrics by name: a metric is one file in this package plus one line here."""

from __future__ import annotations

from collections.abc import Callable

from iolai.metrics.chrf import chrf
from iolai.metrics.exact_match import exact_match

__all__ = ["METRICS"]

#: Each takes two normalised texts, prediction and reference, and gives a value in [0, 1].
METRICS: dict[str, Callable[[str, str], float]] = {
    "exact_match": exact_match,
    "chrf": chrf,
}
