"""From how sure a part solver is to how often such answers are right."""

from __future__ import annotations

import math
from collections.abc import Sequence

from iolai.records import Candidate

__all__ = ["Map", "calibrated", "reweighted"]

#: Offset and slope of the log-odds.
Map = tuple[float, float]
_LEAST = 0.001


def calibrated(confidence: float, found: Map | None) -> float:
    """Return a confidence in [0, 1] mapped on the log-odds; none stays none (after Platt 1999)."""
    if found is None or confidence <= 0:
        return confidence
    said = min(1 - _LEAST, max(_LEAST, confidence))
    offset, slope = found
    return 1 / (1 + math.exp(-offset - slope * math.log(said / (1 - said))))


def reweighted(candidates: Sequence[Candidate], found: Map | None) -> tuple[Candidate, ...]:
    """Return candidates whose best has its mapped weight; the others share in proportion."""
    if not candidates:
        return ()
    best, *others = candidates
    weight = calibrated(min(1.0, best.weight), found)
    if weight <= best.weight:
        factor = weight / best.weight if best.weight > 0 else 1.0
    else:
        factor = (1 - weight) / (1 - best.weight)
    return (
        Candidate(best.text, weight),
        *(Candidate(one.text, one.weight * factor) for one in others),
    )
