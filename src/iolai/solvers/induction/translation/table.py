"""A form's spans against units: how well any set of units explains the form."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from iolai.solvers.induction.translation.spans import (
    Link,
    Span,
    best_path,
    gaps_of,
    linked,
    posteriors,
)
from iolai.solvers.induction.translation.units import Unit

__all__ = ["Table"]

Floats = NDArray[np.float64]
#: What a unit costs that no example has, in nats; two units fused are often met for the first time.
_UNATTESTED = 0.7


class Table:
    """A form's spans against units: how well any subset of the units explains the form."""

    def __init__(
        self,
        form: str,
        spans: tuple[Span, ...],
        names: Sequence[str],
        probabilities: Floats,
        spelled: Floats,
        usage: dict[str, float],
    ) -> None:
        self.form, self.spans = form, spans
        self._columns = {name: j for j, name in enumerate(names)}
        self.probabilities = probabilities
        self._spelled = spelled
        self._usage = usage
        self._gaps = gaps_of(form)
        self.free = probabilities[:, -1]

    def score(self, names: Sequence[str]) -> float:
        """Return the log-probability of the form from units, each of them expressed or not."""
        known = [name for name in dict.fromkeys(names) if name in self._columns]
        n_unknown = sum("&" not in name for name in set(names) - set(known))
        if not self.spans:
            return -100.0
        columns = [self._columns[name] for name in known]
        weighted = self.probabilities[:, columns]
        weights = np.ones(len(columns))
        total, use = -1e9, np.zeros(len(columns))
        for _ in range(2):
            scores = (weighted * weights).sum(axis=1) + self.free
            inside, log_total = posteriors(self.spans, scores, len(self.form), self._gaps)
            use = (weighted * weights * (inside / np.maximum(scores, 1e-300))[:, None]).sum(axis=0)
            total = log_total
            if use.size == 0 or use.max() < 1.15:
                break
            weights *= np.clip(1.0 / np.maximum(use, 1e-6), 0.05, 1.0)
        return total + self._expressed(known, use) - _UNATTESTED * n_unknown

    def _expressed(self, names: Sequence[str], use: Floats) -> float:
        """Return the cost of units unexpressed that should be, and the other way round."""
        total = 0.0
        for name, used in zip(names, use, strict=True):
            rate = min(0.98, max(0.02, self._usage[name]))
            share = min(1.0, float(used))
            total += share * math.log(rate) + (1 - share) * math.log(1 - rate)
        return total

    def uses(self) -> dict[str, float]:
        """Return the expected use of every unit when all may be used."""
        scores = self.probabilities.sum(axis=1)
        if not self.spans:
            return {}
        inside, _ = posteriors(self.spans, scores, len(self.form), self._gaps)
        use = (self.probabilities * (inside / np.maximum(scores, 1e-300))[:, None]).sum(axis=0)
        return {name: float(use[j]) for name, j in self._columns.items()}

    def parse(self, units: Sequence[Unit]) -> tuple[Link, ...]:
        """Return the best cut of the form into morphs, each linked to a unit or to none."""
        if not self.spans:
            return ()
        names = [unit.name for unit in units if unit.name in self._columns]
        names = list(dict.fromkeys(names))
        columns = [self._columns[name] for name in names]
        weights = np.ones(len(columns))
        for _ in range(4):
            weighted = self.probabilities[:, columns] * weights
            scores = weighted.sum(axis=1) + self.free
            inside, _ = posteriors(self.spans, scores, len(self.form), self._gaps)
            use = (weighted * (inside / np.maximum(scores, 1e-300))[:, None]).sum(axis=0)
            weights *= np.clip(1.0 / np.maximum(use, 1e-6), 0.05, 1.0)
        whole = np.column_stack([self.probabilities[:, columns] * weights, self.free])
        best = whole.argmax(axis=1)
        path = best_path(self.spans, whole.max(axis=1), len(self.form), self._gaps)
        return linked(self.spans, path, best, names, units)
