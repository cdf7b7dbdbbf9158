"""Analyses made more alike: every example parsed again under the grammar of the others.

Hard expectation maximisation with a beam: a morph is cheap where its unit has it in other examples,
a slot where it follows the slot before it in other words. What is printed is one grammar, while the
alignment it comes from is a mean of several.
"""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from iolai.solvers.base import Budget
from iolai.solvers.induction.printed.names import meaning_name, slot_name
from iolai.solvers.induction.printed.words import Analysis
from iolai.solvers.induction.translation.units import Unit

__all__ = ["refined", "searched"]

_ALPHA = 0.3
#: What a further morph of a unit costs beside its letters: a discount as in Pitman-Yor.
_DISCOUNT = 0.5
_LETTER = 1.9
_LONGEST = 10
_BEAM = 16
#: Paths that cost so much more than the best of the same stretch are let go (in nats).
_TOO_FAR = 9.0
_FREE = 2.0
_UNSAID_STEM = 5.0
_TOO_DEAR = 14.0
_EDGE = "#"
#: Morphs that are set for a unit everywhere: how many are tried, of one unit and in all.
_N_OF_UNIT, _N_SET, _ROUNDS = 3, 50, 2
_LEAST_ASSOCIATED = 0.3
#: How much is parsed again at most, in letters times units: some seconds.
_MOST_WORK = 200_000
_FAVOUR = 6.0

Row = tuple[tuple[str, Unit | None], ...]


@dataclass
class _Counts:
    """How often units had morphs, slots followed each other, units were said or silent."""

    morphs: Counter[tuple[str, str]] = field(default_factory=Counter)
    totals: Counter[str] = field(default_factory=Counter)
    steps: Counter[tuple[str, str]] = field(default_factory=Counter)
    rights: Counter[str] = field(default_factory=Counter)
    seen: Counter[str] = field(default_factory=Counter)
    types: Counter[str] = field(default_factory=Counter)

    def add(self, analysis: Analysis, sign: int) -> None:
        for unit in analysis.units:
            self.seen[_name(unit)] += sign
        for word in analysis.words:
            before = _EDGE
            for morph, expressed in word:
                slot = _slot(expressed) if expressed is not None else ""
                if expressed is not None:
                    key = _name(expressed), morph
                    was_known = self.morphs[key] > 0
                    self.morphs[key] += sign
                    self.totals[key[0]] += sign
                    self.types[key[0]] += (self.morphs[key] > 0) - was_known
                self.steps[before, slot] += sign
                self.rights[slot] += sign
                before = slot

    def morph_cost(self, name: str, morph: str) -> float:
        spelt = math.exp(-_LETTER * len(morph) - 0.7)
        known = self.morphs[name, morph]
        new = _ALPHA + _DISCOUNT * self.types[name]
        counted = known - _DISCOUNT if known else 0.0
        return -math.log((counted + new * spelt) / (self.totals[name] + _ALPHA))

    def new_cost(self, name: str) -> float:
        """Return the cost of a morph never seen, without its letters."""
        new = _ALPHA + _DISCOUNT * self.types[name]
        return 0.7 - math.log(new / (self.totals[name] + _ALPHA))

    def step_cost(self, before: str, slot: str) -> float:
        """Return what a slot costs after another one, given that it is there at all."""
        return -math.log((self.steps[before, slot] + 0.05) / (self.rights[slot] + 1.0))

    def silence_cost(self, unit: Unit) -> float:
        if unit.is_stem:
            return _UNSAID_STEM
        name = _name(unit)
        silent = max(0, self.seen[name] - self.totals[name])
        return -math.log((silent + 0.5) / (self.seen[name] + 1.0))

    def voice_cost(self, unit: Unit) -> float:
        if unit.is_stem:
            return 0.0
        name = _name(unit)
        silent = max(0, self.seen[name] - self.totals[name])
        return -math.log((self.seen[name] - silent + 0.5) / (self.seen[name] + 1.0))


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


def searched(analyses: Sequence[Analysis], budget: Budget) -> list[Analysis]:
    """Return the examples parsed again under morphs set for a unit wherever it is, if cheaper."""
    current, best = list(analyses), _description_length(analyses)
    work = 0
    for _ in range(_ROUNDS):
        start = best
        for name, morph in _likely_morphs(current)[:_N_SET]:
            if budget.seconds_left <= 0 or work > _MOST_WORK:
                return current
            changed = _with_morph(current, name, morph)
            work += _work(current, name, morph)
            if changed is not None and (cost := _description_length(changed)) < best - 1e-6:
                current, best = changed, cost
        if best == start:
            break
    return current


def _with_morph(analyses: Sequence[Analysis], name: str, morph: str) -> list[Analysis] | None:
    """Return the examples parsed again with a morph for a unit; None where it has it already."""
    current = list(analyses)
    counts = _Counts()
    for analysis in current:
        counts.add(analysis, 1)
    places = [
        i
        for i, analysis in enumerate(current)
        if any(_name(unit) == name for unit in analysis.units)
    ]
    within = [i for i in places if morph in _text(current[i])]
    if counts.morphs[name, morph] >= len(within):
        return None
    for favoured, sweep in (((name, morph), within), (None, places)):
        for i in sweep:
            counts.add(current[i], -1)
            current[i] = _parsed(current[i], counts, favoured)
            counts.add(current[i], 1)
    return current


def _work(analyses: Sequence[Analysis], name: str, morph: str) -> int:
    """Return about how much parsing it takes to set a morph: letters times units."""
    sizes = (
        len(_text(analysis)) * len(analysis.units) * (1 + (morph in _text(analysis)))
        for analysis in analyses
        if any(_name(unit) == name for unit in analysis.units)
    )
    return sum(sizes)


def _text(analysis: Analysis) -> str:
    return " ".join("".join(morph for morph, _ in word) for word in analysis.words)


def _likely_morphs(analyses: Sequence[Analysis]) -> list[tuple[str, str]]:
    """Return (unit, stretch) that are met together more than apart, the surest first.

    Of stretches in the same examples only the longest are likely to be a morph.
    """
    stretches = _stretches(analyses)
    units: dict[str, set[int]] = defaultdict(set)
    for i, analysis in enumerate(analyses):
        for unit in analysis.units:
            units[_name(unit)].add(i)
    found: list[tuple[float, str, str]] = []
    for name, where in units.items():
        mine = []
        for there, morphs in stretches.items():
            both = len(where & there)
            dice = both * both / (len(where) * len(there))
            if both > 1 and dice >= _LEAST_ASSOCIATED:
                mine += [(dice * math.sqrt(len(morph)), morph) for morph in morphs]
        mine.sort(key=lambda one: (-one[0], one[1]))
        found += [(value, name, morph) for value, morph in mine[:_N_OF_UNIT]]
    found.sort(key=lambda one: (-one[0], one[1], one[2]))
    return [(name, morph) for _, name, morph in found]


def _stretches(analyses: Sequence[Analysis]) -> dict[frozenset[int], list[str]]:
    """Return the longest stretches of words by the examples that they are in."""
    holders: dict[str, set[int]] = defaultdict(set)
    for i, analysis in enumerate(analyses):
        for word in _text(analysis).split(" "):
            for start in range(len(word)):
                for end in range(start + 1, min(len(word), start + _LONGEST) + 1):
                    holders[word[start:end]].add(i)
    longest: dict[frozenset[int], list[str]] = defaultdict(list)
    for morph in sorted(holders, key=lambda text: (-len(text), text)):
        same = longest[frozenset(holders[morph])]
        if not any(morph in other for other in same):
            same.append(morph)
    return dict(longest)


def _description_length(analyses: Sequence[Analysis]) -> float:
    """Return the cost of all examples, each by what was seen in those before it (in nats)."""
    counts = _Counts()
    total = 0.0
    for analysis in analyses:
        said: Counter[tuple[str, int]] = Counter()
        for word in analysis.words:
            before = _EDGE
            for morph, unit in word:
                slot = _slot(unit) if unit is not None else ""
                total += counts.step_cost(before, slot)
                if unit is None:
                    total += _FREE + _LETTER * len(morph)
                else:
                    total += counts.morph_cost(_name(unit), morph)
                    said[unit.name, unit.token] += 1
                before = slot
        for unit in analysis.units:
            if said[unit.name, unit.token]:
                said[unit.name, unit.token] -= 1
                total += counts.voice_cost(unit)
            else:
                total += counts.silence_cost(unit)
        counts.add(analysis, 1)
    return total


#: A path through the words so far: cost, units used (bits), slot before, the path before, the
#: stretch and its unit (-1 for none; a path ends a word where the stretch is "").
_Path = tuple[float, int, int, "_Path | None", str, int]


def _parsed(
    analysis: Analysis, counts: _Counts, favoured: tuple[str, str] | None = None
) -> Analysis:
    """Return the cheapest analysis of the same words with the same units.

    ``favoured`` is a unit's name with the morph that it is to have.
    """
    units = analysis.units
    slots = list(dict.fromkeys(("", _EDGE, *map(_slot, units))))
    place = {slot: i for i, slot in enumerate(slots)}
    steps = [[counts.step_cost(one, other) for other in slots] for one in slots]
    of_units = [place[_slot(unit)] for unit in units]
    words = tuple("".join(morph for morph, _ in word) for word in analysis.words)
    paths: list[_Path] = [(0.0, 0, 1, None, "", -1)]
    for word in words:
        table = _costs(word, units, counts, favoured)
        paths = _word_parsed(word, table, of_units, steps, paths)
    silent = [counts.silence_cost(unit) for unit in units]
    best = min(
        paths, key=lambda p: p[0] + sum(c for k, c in enumerate(silent) if not p[1] >> k & 1)
    )
    return Analysis(_rows(best, units), units)


def _rows(path: _Path, units: Sequence[Unit]) -> tuple[Row, ...]:
    """Return the words that a path went through."""
    rows: list[list[tuple[str, Unit | None]]] = []
    here: _Path | None = path
    while here is not None and here[3] is not None:
        _, _, _, before, morph, k = here
        if not morph:
            rows.append([])
        else:
            rows[-1].append((morph, units[k] if k >= 0 else None))
        here = before
    return tuple(tuple(reversed(row)) for row in reversed(rows))


def _word_parsed(
    text: str,
    table: dict[str, list[tuple[int, float]]],
    of_units: Sequence[int],
    steps: Sequence[Sequence[float]],
    paths: list[_Path],
) -> list[_Path]:
    """Return the paths after one more word, of those with the same units and slot the cheapest."""
    beams: list[dict[tuple[int, int], _Path]] = [{} for _ in range(len(text) + 1)]
    beams[0] = {(path[1], path[2]): path for path in paths}
    for start in range(len(text)):
        ends = range(start + 1, min(len(text), start + _LONGEST) + 1)
        options = [(beams[end], text[start:end], table[text[start:end]]) for end in ends]
        for path in _kept(beams[start]):
            so_far, used, before = path[:3]
            row = steps[before]
            for beam, morph, known in options:
                cost = so_far + _FREE + _LETTER * len(morph) + row[0]
                there = beam.get((used, 0))
                if there is None or cost < there[0]:
                    beam[used, 0] = (cost, used, 0, path, morph, -1)
                for k, dear in known:
                    if not used >> k & 1:
                        slot = of_units[k]
                        cost = so_far + dear + row[slot]
                        key = used | 1 << k, slot
                        there = beam.get(key)
                        if there is None or cost < there[0]:
                            beam[key] = (cost, key[0], slot, path, morph, k)
    ended: dict[int, _Path] = {}
    for path in _kept(beams[-1]):
        if path[1] not in ended or path[0] < ended[path[1]][0]:
            ended[path[1]] = (path[0], path[1], 1, path, "", -1)
    return list(ended.values())


@cache
def _name(unit: Unit) -> str:
    return meaning_name(unit)


@cache
def _slot(unit: Unit) -> str:
    return slot_name(unit)


def _costs(
    text: str, units: Sequence[Unit], counts: _Counts, favoured: tuple[str, str] | None
) -> dict[str, list[tuple[int, float]]]:
    """Return for each stretch of a word the units that may have it, with the cost of each."""
    names = [_name(unit) for unit in units]
    bases = [counts.new_cost(name) for name in names]
    table: dict[str, list[tuple[int, float]]] = {}
    for start in range(len(text)):
        for end in range(start + 1, min(len(text), start + _LONGEST) + 1):
            morph = text[start:end]
            if morph in table:
                continue
            spelt = _LETTER * len(morph)
            found = table[morph] = []
            for k, name in enumerate(names):
                if (name, morph) == favoured:
                    found.append((k, -_FAVOUR))
                elif counts.morphs.get((name, morph), 0):
                    found.append((k, counts.morph_cost(name, morph)))
                elif bases[k] + spelt < _TOO_DEAR:
                    found.append((k, bases[k] + spelt))
    return table


def _kept(beam: dict[tuple[int, int], _Path]) -> list[_Path]:
    """Return the cheapest paths."""
    paths = sorted(beam.values(), key=lambda path: path[0])[:_BEAM]
    return [path for path in paths if path[0] < paths[0][0] + _TOO_FAR]
