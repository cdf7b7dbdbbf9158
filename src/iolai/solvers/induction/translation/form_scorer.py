"""How well a form, word by word, expresses a gloss: units explained, order, usual letters.

The words of a form are looked up once and kept, so that many forms made of the same words can be
compared quickly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from iolai.solvers.induction.english import Token
from iolai.solvers.induction.translation.corpus import Corpus
from iolai.solvers.induction.translation.spans import Span, posteriors
from iolai.solvers.induction.translation.units import Unit, token_class

__all__ = ["FormScorer"]

Floats = NDArray[np.float64]
EXPLAINED_WEIGHT = 0.5
EXPRESSED_WEIGHT = 1.0
LETTERS_WEIGHT = 6.0
LENGTH_WEIGHT = 0.05
ORDER_WEIGHT = 0.7
_LEAST = 1e-300
_STEM_RATE = 0.9995
_REPEATED_STEM = 1.5
_REPEATED = 0.4


class FormScorer:
    """Scores forms (tuples of words) against the units of one gloss."""

    def __init__(self, corpus: Corpus, tokens: Sequence[Token], units: Sequence[Unit]) -> None:
        self._corpus = corpus
        self._tokens = tokens
        known = set(corpus.lexicons.names())
        self._names = [n for n in dict.fromkeys(unit.name for unit in units) if n in known]
        content = {unit.name for unit in units if unit.slot in ("stem:n", "stem:v", "stem:adj")}
        self._rates = np.array(
            [
                _STEM_RATE if name in content else min(0.98, max(0.02, corpus.lexicons.usage[name]))
                for name in self._names
            ]
        )
        column = {name: j for j, name in enumerate(self._names)}
        self._stems = [
            (column[unit.name], unit.token)
            for unit in units
            if unit.is_stem and unit.name in column
        ]
        stems = {column for column, _ in self._stems}
        self._repeat_costs = np.array(
            [_REPEATED_STEM if j in stems else _REPEATED for j in range(len(self._names))]
        )
        self._words: dict[str, tuple[tuple[Span, ...], Floats, Floats]] = {}
        self._scores: dict[tuple[str, ...], float] = {}

    def score(self, words: tuple[str, ...]) -> float:
        """Return the score of a form (log), comparable between forms of one gloss."""
        if words not in self._scores:
            self._scores[words] = self._score(words) if words else -1e6
        return self._scores[words]

    def _score(self, words: tuple[str, ...]) -> float:
        weights = np.ones(len(self._names))
        total, use = 0.0, np.zeros((len(words), len(self._names)))
        repeated = 0.0
        for sweep in range(2):
            total = 0.0
            for w, word in enumerate(words):
                spans, probabilities, free = self._table(word)
                weighted = probabilities * weights
                scores = weighted.sum(axis=1) + free
                inside, log_total = posteriors(spans, scores, len(word), ())
                use[w] = (inside / np.maximum(scores, _LEAST)) @ weighted
                total += log_total
            summed = use.sum(axis=0)
            if sweep == 0:
                repeated = float(np.maximum(0.0, summed - 1.0) @ self._repeat_costs)
            if summed.size == 0 or summed.max() < 1.15:
                break
            weights *= np.clip(1.0 / np.maximum(summed, 1e-6), 0.05, 1.0)
        shares = np.minimum(1.0, use.sum(axis=0))
        expressed = shares @ np.log(self._rates) + (1 - shares) @ np.log(1 - self._rates)
        form = " ".join(words)
        ratio = self._corpus.letters.score(form)
        letters = ratio / (len(form) + 1) + LENGTH_WEIGHT * ratio
        order = self._order(use)
        return float(
            EXPLAINED_WEIGHT * total
            + EXPRESSED_WEIGHT * expressed
            - repeated
            + LETTERS_WEIGHT * letters
            + ORDER_WEIGHT * order
        )

    def _table(self, word: str) -> tuple[tuple[Span, ...], Floats, Floats]:
        if word not in self._words:
            table = self._corpus.lexicons.table(word, self._names)
            self._words[word] = (table.spans, table.probabilities[:, :-1], table.free)
        return self._words[word]

    def _order(self, use: Floats) -> float:
        """Return the log-probability of the order of the words that hold the stems."""
        place = {
            token: int(use[:, column].argmax())
            for column, token in self._stems
            if use[:, column].max(initial=0.0) > 0.3
        }
        total = 0.0
        linked = sorted(place)
        for i, one in enumerate(linked):
            for other in linked[i + 1 : i + 4]:
                if place[one] == place[other]:
                    continue
                classes = token_class(self._tokens[one]), token_class(self._tokens[other])
                same, turned = self._corpus.order.get(classes, (0.0, 0.0))
                seen = same if place[one] < place[other] else turned
                total += math.log((seen + 0.3) / (same + turned + 0.6))
        return total
