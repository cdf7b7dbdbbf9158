"""Analyses made more alike: every example parsed again under the grammar of the others.

Hard expectation maximisation with a beam: a morph is cheap where its unit has it in other examples,
a slot where it follows the slot before it in other words. What is printed is one grammar, while the
alignment it comes from is a mean of several.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from iolai.solvers.induction.printed.names import meaning_name, slot_name
from iolai.solvers.induction.printed.words import Analysis
from iolai.solvers.induction.translation.units import Unit

__all__ = ["refined"]

_ALPHA = 0.3
_LETTER = 1.9
_LONGEST = 10
_BEAM = 24
_FREE = 2.0
_UNSAID_STEM = 5.0
_TOO_DEAR = 17.0
_EDGE = "#"

Row = tuple[tuple[str, Unit | None], ...]


@dataclass
class _Counts:
    """How often units had morphs, slots followed each other, units were said or silent."""

    morphs: Counter[tuple[str, str]] = field(default_factory=Counter)
    totals: Counter[str] = field(default_factory=Counter)
    steps: Counter[tuple[str, str]] = field(default_factory=Counter)
    lefts: Counter[str] = field(default_factory=Counter)
    seen: Counter[str] = field(default_factory=Counter)

    def add(self, analysis: Analysis, sign: int) -> None:
        for unit in analysis.units:
            self.seen[meaning_name(unit)] += sign
        for word in analysis.words:
            before = _EDGE
            for morph, expressed in word:
                slot = slot_name(expressed) if expressed is not None else ""
                if expressed is not None:
                    self.morphs[meaning_name(expressed), morph] += sign
                    self.totals[meaning_name(expressed)] += sign
                self.steps[before, slot] += sign
                self.lefts[before] += sign
                before = slot
            self.steps[before, _EDGE] += sign
            self.lefts[before] += sign

    def morph_cost(self, name: str, morph: str) -> float:
        spelt = math.exp(-_LETTER * len(morph) - 0.7)
        known = self.morphs[name, morph]
        return -math.log((known + _ALPHA * spelt) / (self.totals[name] + _ALPHA))

    def step_cost(self, before: str, slot: str) -> float:
        return -math.log((self.steps[before, slot] + 0.05) / (self.lefts[before] + 1.0))

    def silence_cost(self, unit: Unit) -> float:
        if unit.is_stem:
            return _UNSAID_STEM
        name = meaning_name(unit)
        silent = max(0, self.seen[name] - self.totals[name])
        return -math.log((silent + 0.5) / (self.seen[name] + 1.0))


def refined(analyses: Sequence[Analysis], seed: int, n_sweeps: int) -> list[Analysis]:
    """Return the examples parsed again, each in every sweep, in an order drawn by the seed."""
    rng = random.Random(seed)  # noqa: S311 - a seed is wanted
    current = list(analyses)
    counts = _Counts()
    for analysis in current:
        counts.add(analysis, 1)
    for _ in range(n_sweeps):
        order = list(range(len(current)))
        rng.shuffle(order)
        for i in order:
            counts.add(current[i], -1)
            current[i] = _parsed(current[i], counts)
            counts.add(current[i], 1)
    return current


@dataclass(frozen=True, slots=True)
class _State:
    cost: float
    used: int
    before: str
    words: tuple[Row, ...]
    row: Row


def _parsed(analysis: Analysis, counts: _Counts) -> Analysis:
    """Return the cheapest analysis of the same words with the same units."""
    units = analysis.units
    states = [_State(0.0, 0, _EDGE, (), ())]
    for word in analysis.words:
        text = "".join(morph for morph, _ in word)
        states = _word_parsed(text, units, states, counts)
    best = min(
        states,
        key=lambda s: (
            s.cost + sum(counts.silence_cost(u) for k, u in enumerate(units) if not s.used >> k & 1)
        ),
    )
    return Analysis(best.words, units)


def _word_parsed(
    text: str, units: Sequence[Unit], states: list[_State], counts: _Counts
) -> list[_State]:
    """Return the states after one more word."""
    beams: list[list[_State]] = [states, *([] for _ in text)]
    table = _costs(text, units, counts)
    slots = [slot_name(unit) for unit in units]
    for start in range(len(text)):
        for state in _kept(beams[start]):
            steps = [counts.step_cost(state.before, slot) for slot in slots]
            free = _FREE + counts.step_cost(state.before, "")
            for end in range(start + 1, min(len(text), start + _LONGEST) + 1):
                morph = text[start:end]
                cost = free + _LETTER * len(morph)
                beams[end].append(_grown(state, cost, morph, None, -1, ""))
                for k, known in table[morph]:
                    if not state.used >> k & 1:
                        cost = known + steps[k]
                        beams[end].append(_grown(state, cost, morph, units[k], k, slots[k]))
    return [
        _State(s.cost + counts.step_cost(s.before, _EDGE), s.used, _EDGE, (*s.words, s.row), ())
        for s in _kept(beams[-1])
    ]


def _costs(text: str, units: Sequence[Unit], counts: _Counts) -> dict[str, list[tuple[int, float]]]:
    """Return for each stretch of a word the units that may have it, with the cost of each."""
    table: dict[str, list[tuple[int, float]]] = {}
    names = [meaning_name(unit) for unit in units]
    for start in range(len(text)):
        for end in range(start + 1, min(len(text), start + _LONGEST) + 1):
            morph = text[start:end]
            if morph not in table:
                costs = ((k, counts.morph_cost(name, morph)) for k, name in enumerate(names))
                table[morph] = [(k, cost) for k, cost in costs if cost < _TOO_DEAR]
    return table


def _grown(state: _State, cost: float, morph: str, unit: Unit | None, k: int, slot: str) -> _State:
    used = state.used | (1 << k) if k >= 0 else state.used
    return _State(state.cost + cost, used, slot, state.words, (*state.row, (morph, unit)))


def _kept(states: Sequence[_State]) -> list[_State]:
    """Return the cheapest states, one for each set of units used and slot before."""
    best: dict[tuple[int, str], _State] = {}
    for state in states:
        key = state.used, state.before
        if key not in best or state.cost < best[key].cost:
            best[key] = state
    return sorted(best.values(), key=lambda s: s.cost)[:_BEAM]
