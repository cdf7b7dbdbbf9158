"""Several fits of one lexicon from random starts, averaged: the better ones count more."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from iolai.solvers.base import Budget
from iolai.solvers.induction.translation.lexicon import Example, Lexicon, Settings
from iolai.solvers.induction.translation.spans import Link, best_path, gaps_of, linked, spans_of
from iolai.solvers.induction.translation.table import Table

__all__ = ["Lexicons"]

_TEMPERATURE = 4.0


class Lexicons:
    """What several fits say together about morphs, uses and examples."""

    def __init__(
        self,
        examples: Sequence[Example],
        settings: Settings,
        seeds: Sequence[int],
        budget: Budget | None = None,
    ) -> None:
        fits: list[Lexicon] = []
        for seed in seeds:
            if fits and budget is not None and budget.seconds_left <= 0:
                break  # fewer fits, where time has run out
            fits.append(Lexicon(examples, settings, seed))
        best = max(fit.quality for fit in fits)
        weights = [math.exp((fit.quality - best) / _TEMPERATURE) for fit in fits]
        total = sum(weights)
        self.examples = fits[0].examples
        self.quality = best
        self._fits = [(fit, weight / total) for fit, weight in zip(fits, weights, strict=True)]
        self.usage = self._mean([(fit.usage, weight) for fit, weight in self._fits])
        self._morphs: dict[str, dict[str, float]] = {}
        for fit, weight in self._fits:
            for name in fit.names():
                found = self._morphs.setdefault(name, {})
                for text, count in fit.morphs(name, 8):
                    found[text] = found.get(text, 0.0) + weight * count

    @staticmethod
    def _mean(parts: Sequence[tuple[dict[str, float], float]]) -> dict[str, float]:
        total: dict[str, float] = defaultdict(float)
        for values, weight in parts:
            for name, value in values.items():
                total[name] += weight * value
        return dict(total)

    def names(self) -> tuple[str, ...]:
        """Return every unit's name."""
        return tuple(self._morphs)

    def morphs(self, name: str, n_best: int = 3) -> list[tuple[str, float]]:
        """Return a unit's morphs with their mean counts, the most used first."""
        found = self._morphs.get(name, {})
        return sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))[:n_best]

    def parse_example(self, place: int) -> tuple[Link, ...]:
        """Return the cut of an example that all fits together expect most, morph by morph."""
        example = self.examples[place]
        spans = spans_of(example.form)
        names = self._fits[0][0].links[place][0]
        mean = np.zeros((len(spans), len(names)))
        for fit, weight in self._fits:
            mean += weight * fit.links[place][1]
        if not spans:
            return ()
        lengths = np.array([len(span.text) for span in spans], dtype=float)
        gain = np.exp(np.minimum(50.0, lengths * mean.max(axis=1)))
        path = best_path(spans, gain, len(example.form), gaps_of(example.form))
        return linked(spans, path, mean.argmax(axis=1), names[:-1], example.units)

    def table(self, form: str, names: Sequence[str]) -> Table:
        """Return a form's spans against units, ready to be scored with any subset of them."""
        grid = self._fits[0][0].grid(form, names)
        mean = np.zeros(grid.ids.shape)
        for fit, weight in self._fits:
            mean += weight * fit.fill(grid)
        usage = {name: self.usage.get(name, 0.5) for name in grid.names}
        return Table(form, grid.spans, grid.names, mean, grid.spelled, usage)
