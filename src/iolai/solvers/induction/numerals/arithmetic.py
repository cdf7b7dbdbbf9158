"""The arithmetic of number names: what a row of morphs can be worth under a lexicon.

A name is an atom, a product of a base and what counts it, a sum of a round part and a smaller rest,
a difference ("two lacking from twenty"), or a count on the way to the next step ("three toward
twenty": Hurford 1975 and Comrie's chapter of WALS describe all four). A state is a partial lexicon
with the constructions met so far; solving a name for a value extends it in every way that makes the
arithmetic true.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from math import inf, log2

from iolai.solvers.examples import similarity
from iolai.solvers.induction.numerals.meter import Meter
from iolai.solvers.induction.numerals.valuation import ROOM
from iolai.solvers.induction.segments import base, decomposed

__all__ = [
    "LINKS",
    "SHORT",
    "Construction",
    "Reading",
    "State",
    "readings",
    "solve",
    "values_of",
    "whole_of",
]

Morphs = tuple[str, ...]

#: What a morph that is no number does: joins a sum, a product, a difference, a step, or nothing.
LINKS = ("+", "*", "-", ">", "0")
#: The op of a morph that takes what follows it from a whole; its meaning is "12-" and the like.
SHORT = "short"
_SHORT_BITS = 8.0
_LINK_BITS = {"+": 3.0, "*": 5.0, "-": 6.0, ">": 6.5, "0": 6.0}
_MAX_STEP = 24
_MAX_REST = 150
_MAX_UNIT = 40
#: Steps that a landmark of unknown value may be counted in.
_SIZES = (*range(4, 21), 24, 60, 100, 144, 400, 1000)
_MAX_VALUE = 10**6
_DIGIT_BITS = 3.5
#: Readings of one name: long rows under a wrong lexicon have thousands.
_MAX_READINGS = 60
#: Steps of work: a name solved, a name read, and two parts joined.
_SOLVE_STEPS, _READ_STEPS, _JOIN_STEPS = 20.0, 10.0, 5.0


@dataclass(frozen=True, slots=True)
class Construction:
    """A way to join two parts: ``op``, whether the smaller part stands first, and its link.

    In a product the smaller part is what counts the base. ``step`` belongs to ``>``, the distance
    between landmarks (0 where it is the unit of the landmark itself), and to ``short``, the whole.
    """

    op: str
    small_first: bool
    link: str = ""
    step: int = 0


@dataclass(frozen=True, slots=True)
class Reading:
    """A value of a name, the unit it is counted in, and the constructions that make it.

    ``landmarks`` are the units of the bigger parts: bases, and what is added to.
    """

    value: int
    unit: int
    parts: tuple[Construction, ...] = ()
    landmarks: frozenset[int] = frozenset()


class Fuel:
    """How many names may still be solved, and the work of all: a search stops when it is burnt."""

    __slots__ = ("left", "meter")

    def __init__(self, left: int, meter: Meter | None = None) -> None:
        self.left = left
        self.meter = meter or Meter(inf)

    @property
    def is_burnt(self) -> bool:
        """Say whether nothing may be solved any more."""
        return self.left < 0 or self.meter.is_spent

    def burn(self) -> None:
        """Count one name solved."""
        self.left -= 1
        self.meter.take(_SOLVE_STEPS)


@dataclass(frozen=True, slots=True)
class State:
    """A partial lexicon (a value or a link's op for each morph), constructions, and bits.

    Nothing is solved at a cost above ``limit``.
    """

    lexicon: dict[str, int | str] = field(default_factory=dict)
    constructions: frozenset[Construction] = frozenset()
    landmarks: frozenset[int] = frozenset()
    cost: float = 0.0
    limit: float = inf
    fuel: Fuel = field(default_factory=lambda: Fuel(10**6), compare=False)
    cache: dict[Morphs, list[Reading]] = field(default_factory=dict, compare=False)

    def knows(self, morphs: Morphs) -> bool:
        """Say whether every morph has a meaning."""
        return all(morph in self.lexicon for morph in morphs)

    def with_morph(self, morph: str, meaning: int | str) -> State | None:
        """Give a morph its meaning; None where it has another."""
        if morph in self.lexicon:
            return self if self.lexicon[morph] == meaning else None
        bits = (
            _LINK_BITS.get(meaning, _SHORT_BITS)
            if isinstance(meaning, str)
            else self._number_bits(morph, meaning)
        )
        cost = self.cost + bits
        if cost > self.limit:
            return None
        return replace(self, lexicon={**self.lexicon, morph: meaning}, cost=cost, cache={})

    def with_parts(self, parts: Iterable[Construction], landmarks: Iterable[int]) -> State:
        """Use constructions and landmarks: new ones cost, old ones little."""
        new = [part for part in dict.fromkeys(parts) if part not in self.constructions]
        marks = [mark for mark in dict.fromkeys(landmarks) if mark not in self.landmarks]
        bits = 0.3 + sum(self._construction_bits(part) for part in new)
        bits += sum(self._landmark_bits(mark) for mark in marks)
        return State(
            self.lexicon,
            self.constructions.union(new) if new else self.constructions,
            self.landmarks.union(marks) if marks else self.landmarks,
            self.cost + bits,
            self.limit,
            self.fuel,
            {} if new else self.cache,
        )

    def _landmark_bits(self, new: int) -> float:
        """A multiple of another landmark, or a part of one, is no surprise."""
        fits = any(new % old == 0 or old % new == 0 for old in self.landmarks)
        return 2.0 if fits else 4.5

    def can_afford(self, new: Construction, morphs: Morphs) -> bool:
        """Say whether a construction and the least for a row of morphs stay within the limit."""
        unknown = len({morph for morph in morphs if morph not in self.lexicon})
        bits = 0.0 if new in self.constructions else self._construction_bits(new)
        return self.cost + bits + 3.0 * unknown <= self.limit

    def limited(self, bits: float, fuel: int) -> State:
        """Return the state with so many bits left to spend, and so many names to solve."""
        return replace(self, limit=self.cost + bits, fuel=Fuel(fuel, self.fuel.meter))

    def metered(self, meter: Meter) -> State:
        """Return the state with a meter for all that is read and solved with it."""
        return replace(self, fuel=Fuel(self.fuel.left, meter), cache={})

    def _number_bits(self, morph: str, value: int) -> float:
        bits = _DIGIT_BITS + (0.2 if value < 13 else 0.8) * log2(value)
        for other, meaning in self.lexicon.items():
            if meaning == value:
                return bits + (0.0 if _are_alike(morph, other) else 6.0)
        return bits

    def _construction_bits(self, new: Construction) -> float:
        same_op = [old for old in self.constructions if old.op == new.op]
        turned = any(old.small_first != new.small_first for old in same_op)
        return 3.0 + (3.0 if turned else 0.0) + (2.0 if new.step else 0.0)


@lru_cache(maxsize=65536)
def _are_alike(one: str, other: str) -> bool:
    """Say whether two morphs may be variants of one: equal but for marks, or most letters."""
    plain = ["".join(base(c) for c in decomposed(text) if c.isalnum()) for text in (one, other)]
    if plain[0] == plain[1] or similarity(*plain) > 0.5:
        return True
    short, long = sorted(plain, key=len)
    return len(short) > 1 and (long.startswith(short) or long.endswith(short))


# --- names whose morphs are all known -------------------------------------------------------


def readings(morphs: Morphs, state: State) -> list[Reading]:
    """Return the readings of a name under a full lexicon; no name is worth 0 or less."""
    found = state.cache.get(morphs)
    if found is None:
        state.fuel.meter.take(_READ_STEPS)
        possible = islice(_read(morphs, state), _MAX_READINGS)
        found = list(dict.fromkeys(reading for reading in possible if reading.value > 0))
        state.cache[morphs] = found
    return found


def _read(morphs: Morphs, state: State) -> Iterator[Reading]:
    first = state.lexicon[morphs[0]]
    if len(morphs) == 1:
        if isinstance(first, int):
            yield Reading(first, first)
        return
    yield from _read_edges(morphs, state)
    for left, link, right in _splits(morphs):
        op = state.lexicon[link] if link else ""
        if isinstance(op, int) or (op and op not in LINKS[:-1]):
            continue
        lefts = readings(left, state)
        rights = readings(right, state) if lefts else []
        for one in lefts:
            for other in rights:
                if not state.fuel.meter.take(_JOIN_STEPS):
                    return
                for ops in (op,) if op else ("*", "+"):
                    yield from _joined(one, other, (len(left), len(right)), ops, link, state)


def _read_edges(morphs: Morphs, state: State) -> Iterator[Reading]:
    """Read a name whose first or last morph says nothing, or takes what follows from a whole."""
    first = state.lexicon[morphs[0]]
    if first == "0":
        yield from readings(morphs[1:], state)
    if state.lexicon[morphs[-1]] == "0":
        yield from readings(morphs[:-1], state)
    whole = whole_of(first)
    made = Construction(SHORT, False, morphs[0], whole)
    for rest in readings(morphs[1:], state) if whole else ():
        if rest.value < whole:
            lacking = whole - rest.value
            parts = (*rest.parts, made)
            yield Reading(lacking, lacking, parts, rest.landmarks | {whole})


def whole_of(meaning: int | str) -> int:
    """Return the whole that a morph takes what follows it from; 0 where it does not."""
    is_short = isinstance(meaning, str) and len(meaning) > 1 and meaning.endswith("-")
    return int(str(meaning)[:-1]) if is_short else 0


def _splits(morphs: Morphs) -> Iterator[tuple[Morphs, str, Morphs]]:
    for i in range(1, len(morphs)):
        yield morphs[:i], "", morphs[i:]
        if i + 1 < len(morphs):
            yield morphs[:i], morphs[i], morphs[i + 1 :]


def _joined(
    one: Reading, other: Reading, lengths: tuple[int, int], op: str, link: str, state: State
) -> Iterator[Reading]:
    """Yield the readings of two parts joined by an operation, in both orders of their roles."""
    for small_first in (True, False):
        small, big = (one, other) if small_first else (other, one)
        if op == "*":
            n_big = lengths[1] if small_first else lengths[0]
            if n_big == 1 and big.value > 1 and _counts(small, big):
                made = Construction("*", small_first, link)
                yield _reading(small.value * big.value, big.value, made, small, big)
        elif op == ">":
            for step, size in _steps(big, link, state):
                if small.value < size:
                    made = Construction(">", small_first, link, step)
                    yield _reading(big.value - size + small.value, small.unit, made, small, big)
        elif small.value < (ROOM if op == "+" else 1) * big.unit:
            value = big.value + (small.value if op == "+" else -small.value)
            yield _reading(value, small.unit, Construction(op, small_first, link), small, big)


def _reading(value: int, unit: int, made: Construction, small: Reading, big: Reading) -> Reading:
    parts = (*small.parts, *big.parts, made)
    return Reading(value, unit, parts, small.landmarks | big.landmarks | {big.unit})


def _counts(small: Reading, big: Reading) -> bool:
    """Say whether a number may count a base: it is below it, or one above makes it a power."""
    return small.value < big.value**2 and small.value * big.value <= _MAX_VALUE


def _steps(big: Reading, link: str, state: State) -> Iterator[tuple[int, int]]:
    """Yield (step of the construction, its size): those met with the link, else all."""
    met = [c.step for c in state.constructions if c.op == ">" and c.link == link]
    for step in met or (0, *range(4, _MAX_STEP + 1)):
        size = step or big.unit
        if size > 1 and big.value % size == 0:
            yield step, size


# --- names with unknown morphs --------------------------------------------------------------


def solve(morphs: Morphs, value: int, state: State) -> Iterator[tuple[int, State]]:
    """Yield (unit, extended state) for every way a name can be worth a value."""
    state.fuel.burn()
    if value < 1 or state.fuel.is_burnt:
        return
    if state.knows(morphs):
        for reading in readings(morphs, state):
            if reading.value == value:
                yield reading.unit, state.with_parts(reading.parts, reading.landmarks)
        return
    if len(morphs) == 1:
        made = state.with_morph(morphs[0], value)
        if made is not None:
            yield value, made
        return
    yield from _solve_idle(morphs, value, state)
    yield from _solve_short(morphs, value, state)
    for split in _splits(morphs):
        link = split[1]
        for op in LINKS[:-1] if link else ("*", "+"):
            linked = state.with_morph(link, op) if link else state
            if linked is not None:
                yield from _solve_joined(split, op, value, linked)


def _solve_idle(morphs: Morphs, value: int, state: State) -> Iterator[tuple[int, State]]:
    for idle, rest in ((morphs[0], morphs[1:]), (morphs[-1], morphs[:-1])):
        made = state.with_morph(idle, "0")
        if made is not None and len(rest) > 1:
            yield from solve(rest, value, made)


def _solve_short(morphs: Morphs, value: int, state: State) -> Iterator[tuple[int, State]]:
    whole = whole_of(state.lexicon.get(morphs[0], ""))
    if whole > value:
        made = Construction(SHORT, False, morphs[0], whole)
        for _, solved in solve(morphs[1:], whole - value, state):
            yield value, solved.with_parts((made,), (whole,))


def _solve_joined(
    split: tuple[Morphs, str, Morphs], op: str, value: int, state: State
) -> Iterator[tuple[int, State]]:
    """Solve both parts of a name joined by an operation."""
    left, link, right = split
    for small_first in (True, False):
        small, big = (left, right) if small_first else (right, left)
        if op == "*" and len(big) > 1:
            continue
        for step in _possible_steps(op, link, state):
            made = Construction(op, small_first, link, step)
            if state.fuel.is_burnt or not state.can_afford(made, left + right):
                continue
            solver = _from_big if state.knows(big) else _from_small
            yield from solver(small, big, made, value, state)


def _possible_steps(op: str, link: str, state: State) -> tuple[int, ...]:
    if op != ">":
        return (0,)
    met = tuple(sorted(c.step for c in state.constructions if c.op == ">" and c.link == link))
    return met or (0, *range(4, _MAX_STEP + 1))


def _from_big(
    small: Morphs, big: Morphs, made: Construction, value: int, state: State
) -> Iterator[tuple[int, State]]:
    """Solve for the small part where the big one is known."""
    for reading in readings(big, state):
        rest = _small_value(made, value, reading)
        if rest is None or rest < 1:
            continue
        used = state.with_parts(reading.parts, reading.landmarks)
        for unit, solved in solve(small, rest, used):
            result = reading.value if made.op == "*" else unit
            yield result, solved.with_parts((made,), (reading.unit,))


def _small_value(made: Construction, value: int, big: Reading) -> int | None:
    """Return what the small part must be worth, or None where nothing will do."""
    if made.op == "*":
        fits = big.value > 1 and value % big.value == 0 and value < big.value**3
        return value // big.value if fits else None
    size = made.step or big.unit
    if made.op == ">" and (size < 2 or big.value % size):
        return None
    rest = {"+": value - big.value, "-": big.value - value, ">": value - big.value + size}[made.op]
    room = size if made.op == ">" else ROOM * big.unit if made.op == "+" else big.unit
    return rest if rest < room else None


def _from_small(
    small: Morphs, big: Morphs, made: Construction, value: int, state: State
) -> Iterator[tuple[int, State]]:
    """Enumerate the small part, and solve for the big one."""
    for rest, unit, used in values_of(small, state, _domain(made.op, value, len(small))):
        for wanted, size in _big_values(made, value, rest):
            for big_unit, solved in solve(big, wanted, used):
                if made.op == "*":
                    if wanted > 1 and value < wanted**3:
                        yield wanted, solved.with_parts((made,), (wanted,))
                elif rest < (size or _room(made, big_unit)) and (
                    not size or size in (made.step, big_unit)
                ):
                    yield unit, solved.with_parts((made,), (big_unit,))


def _room(made: Construction, unit: int) -> float:
    """Return the bound below which a rest must stay."""
    return ROOM * unit if made.op == "+" else unit


def _domain(op: str, value: int, n_morphs: int) -> Sequence[int]:
    if op == "*":
        return [n for n in range(1, min(value, _MAX_REST) + 1) if value % n == 0]
    if op == "+":
        return range(1, min(value, _MAX_REST if n_morphs > 1 else _MAX_UNIT))
    return range(1, _MAX_STEP)


def _big_values(made: Construction, value: int, rest: int) -> Iterator[tuple[int, int]]:
    """Yield (value of the big part, size of the step where there is one)."""
    if made.op == "*":
        if value % rest == 0:
            yield value // rest, 0
    elif made.op == "+":
        yield value - rest, 0
    elif made.op == "-":
        yield value + rest, 0
    else:
        for size in (made.step,) if made.step else _SIZES:
            if rest < size and (value + size - rest) % size == 0:
                yield value + size - rest, size


def values_of(
    morphs: Morphs, state: State, domain: Sequence[int]
) -> Iterator[tuple[int, int, State]]:
    """Yield (value, unit, state) of a name: its readings, or every value of a domain."""
    if state.knows(morphs):
        for reading in readings(morphs, state):
            yield reading.value, reading.unit, state.with_parts(reading.parts, reading.landmarks)
        return
    for value in domain:
        if state.fuel.is_burnt:
            return
        for unit, made in solve(morphs, value, state):
            yield value, unit, made
