"""Lexicons proposed by systematic enumeration: every meaning of every morph, facts as sieves.

The facts are taken one after another, the most constrained first. A fact's unknown morphs get every
meaning of their domain, and what makes the fact false is dropped; where more is left than can be
kept, the cheapest lexicons stay and a sample of the others. All lexicons are rows of one array.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from iolai.solvers.induction.numerals.equations import Equation, Fact, Term, terms_of
from iolai.solvers.induction.numerals.meter import Meter
from iolai.solvers.induction.numerals.roles import Roles
from iolai.solvers.induction.numerals.valuation import (
    IDLE,
    MINUS,
    PLUS,
    TIMES,
    Codes,
    Worth,
    meaning_of,
    names_worth,
    short_of,
)
from iolai.solvers.induction.numerals.words import Segmentation

__all__ = ["Seed", "seeds", "usable"]

_SMALL = 24
_ROUND = (25, 27, 28, 30, 32, 36, 40, 48, 50, 60, 64, 72, 80, 81, 90, 100, 120, 125, 144, 200, 216)
_LARGE = (256, 343, 400, 500, 512, 600, 729, 1000, 1296, 1728, 2000, 2401, 3600, 4096, 7776, 8000)
_LINK_BITS = {IDLE: 5.0, PLUS: 3.0, TIMES: 5.0, MINUS: 6.0}
_STEP_BITS, _SHORT_BITS = 6.5, 8.0
_MISS_BITS, _MAX_MISSES = 14.0, 2
_SAME_BITS = 6.0
#: Lexicons tried on one fact for each that is kept.
_ROWS = 300
_MAX_MORPHS = 9
#: Values of a list whose being given away is kept, one bit each.
_N_BITS = 62
#: Steps of work for one value of one lexicon, and how many values each has beside its meanings.
_CELL_STEPS, _N_FIXED = 0.01, 4
#: Steps for one way of reading all names of an equation, whatever the number of lexicons.
_READING_STEPS = 40.0
_N_TRIED = 4
_MAX_POWER = 10.0**7
_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Seed:
    """A lexicon, its bits with those for the facts it misses, and how many these are."""

    bits: float
    lexicon: dict[str, int | str]
    n_missed: int


@dataclass(frozen=True, slots=True)
class _Beam:
    """Lexicons, their bits, and which options of each group are given away.

    Codes are an array of morphs x lexicons: one morph of all lexicons is read at once.
    """

    codes: Codes
    bits: _Floats
    taken: NDArray[np.int64]
    misses: Codes

    def at(self, rows: NDArray[np.intp]) -> _Beam:
        codes = np.take(self.codes, rows, axis=1)
        return _Beam(codes, self.bits[rows], self.taken[rows], self.misses[rows])


@dataclass(frozen=True, slots=True)
class _Cut:
    """A fact and its names as rows of morphs."""

    fact: Fact
    names: tuple[tuple[str, ...], ...]

    def new(self, known: Mapping[str, int]) -> list[str]:
        """Return the morphs not known yet, each once."""
        return list(dict.fromkeys(m for name in self.names for m in name if m not in known))


@dataclass
class _Search:
    """The facts cut into morphs, the roles fixed beforehand, and how wide to search."""

    facts: list[_Cut]
    roles: Roles
    width: int
    top: int
    meter: Meter
    rng: np.random.Generator
    columns: dict[str, int] = field(default_factory=dict)
    numbers: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int16))

    @property
    def n_rows(self) -> int:
        """How many lexicons may be tried on one fact."""
        return _ROWS * self.width

    def __post_init__(self) -> None:
        options = {v for cut in self.facts for v in cut.fact.options}
        options |= {
            term.value
            for cut in self.facts
            if cut.fact.equation
            for term in cut.fact.equation.terms()
            if term.value
        }
        top = min(self.top, 2 * max(options, default=max(_LARGE)))
        large = [n for n in (*_ROUND, *_LARGE) if n <= top]
        numbers = dict.fromkeys([*range(1, _SMALL + 1), *large, *sorted(options)])
        small = max(numbers) <= np.iinfo(np.int16).max
        self.numbers = np.array(list(numbers), dtype=np.int16 if small else np.int32)

    def domain(self, morph: str) -> Codes:
        """Return what a morph may mean: its role, or any number."""
        if morph in self.roles:
            return np.array(self.roles[morph], dtype=self.numbers.dtype)
        return self.numbers


def seeds(
    facts: Sequence[Fact],
    segmentation: Segmentation,
    roles: Roles,
    effort: tuple[int, int],
    meter: Meter,
    n_best: int = 12,
) -> list[Seed]:
    """Return up to ``n_best`` lexicons that make the most facts true, the cheapest first.

    ``roles`` gives the morphs that are no numbers, ``effort`` how many lexicons are kept from one
    fact to the next and what no name is worth more than. There are none where the meter is spent
    before all facts are through.
    """
    search = _Search(
        usable(facts, segmentation),
        roles,
        *effort,
        meter,
        np.random.default_rng(meter.budget.seed),
    )
    beam = _run(search)
    if meter.is_spent:
        return []
    order = np.argsort(beam.bits, kind="stable")[:n_best]
    return [
        Seed(
            float(beam.bits[row]),
            {morph: meaning_of(int(beam.codes[at, row])) for morph, at in search.columns.items()},
            int(beam.misses[row]),
        )
        for row in order
    ]


def usable(facts: Sequence[Fact], segmentation: Segmentation) -> list[_Cut]:
    """Return the facts without blanks whose names are short enough, cut into morphs."""
    cuts = [_Cut(fact, tuple(segmentation.morphs(name) for name in fact.names())) for fact in facts]
    return [
        cut
        for cut in cuts
        if cut.names
        and all(0 < len(name) <= _MAX_MORPHS for name in cut.names)
        and not cut.fact.is_open
    ]


def _run(search: _Search) -> _Beam:
    n_groups = max((cut.fact.group for cut in search.facts), default=0) + 1
    beam = _Beam(
        np.zeros((0, 1), dtype=search.numbers.dtype),
        np.zeros(1),
        np.zeros((1, max(1, n_groups)), dtype=np.int64),
        np.zeros(1, dtype=np.int32),
    )
    left = list(search.facts)
    while left and len(beam.bits) and not search.meter.is_spent:
        cut = _next(left, beam, search)
        left.remove(cut)
        beam = _extended(beam, cut, search)
    return beam


def _next(left: Sequence[_Cut], beam: _Beam, search: _Search) -> _Cut:
    """Return the fact that leaves the fewest lexicons, among those with the fewest new morphs."""
    counts = [_n_free(cut, search) for cut in left]
    least = min(counts)
    best = [cut for cut, n in zip(left, counts, strict=True) if n == least]
    best.sort(key=lambda cut: (sum(map(len, cut.names)), repr(cut.fact)))
    if not 0 < least < 3 or len(best) == 1:
        return best[0]
    n_rows = min(len(beam.bits), 48 if least == 1 else 3)
    some = beam.at(np.sort(search.rng.permutation(len(beam.bits))[:n_rows]))
    return min(best[:_N_TRIED], key=lambda cut: _growth(some, cut, search))


def _n_free(cut: _Cut, search: _Search) -> int:
    return sum(1 for morph in cut.new(search.columns) if morph not in search.roles)


def _growth(some: _Beam, cut: _Cut, search: _Search) -> int:
    trial = replace(search, columns=dict(search.columns), facts=[])
    trial.numbers = search.numbers
    for morph in cut.new(search.columns):
        trial.columns[morph] = len(trial.columns)
        some = _crossed(some, search.domain(morph), search)
    return len(_sieved(some, cut, trial).bits)


def _extended(beam: _Beam, cut: _Cut, search: _Search) -> _Beam:
    """Give the new morphs of a fact every meaning, and keep what makes it true."""
    new = sorted(cut.new(search.columns), key=lambda morph: morph not in search.roles)
    before = beam
    for morph in new:
        search.columns[morph] = len(search.columns)
        beam = _crossed(_possible(beam, cut, search), search.domain(morph), search)
    joined = _repeated(_sieved(beam, cut, search), len(before.codes))
    if not len(joined.bits):
        joined = _joined([joined, _missed(before, len(search.columns))])
    return _cut_down(joined, search.width, search.rng)


def _possible(beam: _Beam, cut: _Cut, search: _Search) -> _Beam:
    """Keep the lexicons under which a side of an equation that is known is no nonsense."""
    equation = cut.fact.equation
    if equation is None or len(beam.bits) < _ROWS:
        return beam
    known = {
        name: row
        for name, row in zip(cut.fact.names(), cut.names, strict=True)
        if all(search.columns.get(m, len(search.columns)) < len(beam.codes) for m in row)
    }
    possible = np.ones(len(beam.bits), dtype=np.bool_)
    for side in (equation.left, equation.right):
        texts = list(dict.fromkeys(term.name for term in terms_of(side) if term.name))
        if not texts or not all(text in known for text in texts):
            continue
        worth = [
            names_worth([search.columns[m] for m in known[text]], beam.codes.T, search.meter)
            for text in texts
        ]
        fits = np.zeros(len(beam.bits), dtype=np.bool_)
        for readings in product(*worth):
            if not search.meter.take(_READING_STEPS + _CELL_STEPS * len(texts) * len(beam.bits)):
                break
            rows = np.flatnonzero(~fits)
            values = _values(texts, readings, rows)
            with np.errstate(all="ignore"):
                total = _side(side, values)
                fits[rows] = (total > 0) & (total <= search.top)
        possible &= fits
    return beam.at(np.flatnonzero(possible))


def _repeated(beam: _Beam, n_old: int) -> _Beam:
    """Make lexicons dearer by each new morph that means a number another morph means."""
    bits = beam.bits.copy()
    for morph in range(n_old, len(beam.codes)):
        new = beam.codes[morph]
        bits += _SAME_BITS * ((beam.codes[:morph] == new) & (new > 0)).any(axis=0)
    return replace(beam, bits=bits)


def _missed(beam: _Beam, n_columns: int) -> _Beam:
    """Return the lexicons with one more fact missed, where allowed; its new morphs are idle."""
    beam = beam.at(np.flatnonzero(beam.misses < _MAX_MISSES))
    idle = np.zeros((n_columns - len(beam.codes), len(beam.bits)), dtype=beam.codes.dtype)
    return _Beam(
        np.concatenate([beam.codes, idle]),
        beam.bits + _MISS_BITS + _LINK_BITS[IDLE] * len(idle),
        beam.taken,
        beam.misses + 1,
    )


def _joined(beams: Sequence[_Beam]) -> _Beam:
    return _Beam(
        np.concatenate([b.codes for b in beams], axis=1),
        np.concatenate([b.bits for b in beams]),
        np.concatenate([b.taken for b in beams]),
        np.concatenate([b.misses for b in beams]),
    )


def _cut_down(beam: _Beam, width: int, rng: np.random.Generator) -> _Beam:
    """Keep the cheapest lexicons, and a sample of the others."""
    if len(beam.bits) <= width:
        return beam
    noisy = beam.bits + rng.gumbel(0.0, 1.5, len(beam.bits))
    return beam.at(np.argpartition(noisy, width)[:width])


# --- meanings -------------------------------------------------------------------------------


@cache
def _meaning_bits(code: int) -> float:
    if code > 0:
        return 3.5 + (0.2 if code < 13 else 0.8) * float(np.log2(code))
    return _LINK_BITS.get(code, _STEP_BITS if code > short_of(0) else _SHORT_BITS)


def _crossed(beam: _Beam, domain: Codes, search: _Search) -> _Beam:
    """Return every lexicon with every meaning of one more morph."""
    size = len(domain)
    beam = _cut_down(beam, max(1, search.n_rows // size), search.rng)
    n_old, n = beam.codes.shape
    search.meter.take(_CELL_STEPS * n * size * (n_old + _N_FIXED))
    codes = np.empty((n_old + 1, n, size), dtype=beam.codes.dtype)
    codes[:n_old] = beam.codes[:, :, None]
    codes[n_old] = domain
    bits = beam.bits[:, None] + np.array([_meaning_bits(code) for code in domain.tolist()])
    return _Beam(
        codes.reshape(n_old + 1, n * size),
        bits.reshape(n * size),
        np.repeat(beam.taken, size, axis=0),
        np.repeat(beam.misses, size),
    )


# --- facts as sieves ------------------------------------------------------------------------


def _sieved(beam: _Beam, cut: _Cut, search: _Search) -> _Beam:
    """Return the lexicons under which a fact is true."""
    fact, names = cut.fact, cut.names
    if not len(beam.bits):
        return beam
    worth = {
        name: names_worth([search.columns[m] for m in name], beam.codes.T, search.meter)
        for name in dict.fromkeys(names)
    }
    for reading in (reading for readings in worth.values() for reading in readings):
        np.logical_and(reading.valid, reading.value <= search.top, out=reading.valid)
    if fact.equation is None:
        return _assigned(beam, fact, worth[names[0]])
    true = _balances(fact.equation, cut, worth, len(beam.bits), search.meter)
    return beam.at(np.flatnonzero(true))


def _assigned(beam: _Beam, fact: Fact, worth: Sequence[Worth]) -> _Beam:
    """Give a name one of the values of its group that is not given away yet."""
    options = np.array(sorted(set(fact.options)), dtype=np.float64)
    kept = []
    for reading in worth:
        place = np.minimum(np.searchsorted(options, reading.value), len(options) - 1)
        place = place.astype(np.int64)
        # Of a longer list only the first values are kept from being given twice.
        bit = np.where(place < _N_BITS, np.left_shift(np.int64(1), np.minimum(place, _N_BITS)), 0)
        free = (beam.taken[:, fact.group] & bit) == 0
        rows = np.flatnonzero(reading.valid & free & (options[place] == reading.value))
        made = beam.at(rows)
        made.taken[:, fact.group] |= bit[rows]
        kept.append(made)
    return _joined(kept) if kept else beam.at(np.zeros(0, dtype=np.intp))


def _balances(
    equation: Equation,
    cut: _Cut,
    worth: dict[tuple[str, ...], list[Worth]],
    n: int,
    meter: Meter,
) -> NDArray[np.bool_]:
    """Say for each lexicon whether an equation holds under some readings of its names."""
    of_text = dict(zip(cut.fact.names(), cut.names, strict=True))
    distinct = list(of_text)
    true = np.zeros(n, dtype=np.bool_)
    for readings in product(*[worth[of_text[text]] for text in distinct]):
        if not meter.take(_READING_STEPS + _CELL_STEPS * len(equation.terms()) * n):
            break
        # Few lexicons are read and not yet settled: the sum is done for these alone.
        rows = np.flatnonzero(np.logical_and.reduce([~true, *(r.valid for r in readings)]))
        values = _values(distinct, readings, rows)
        true[rows] = _holds(equation, values)
    return true


def _values(
    texts: Sequence[str], readings: Sequence[Worth], rows: NDArray[np.intp]
) -> dict[str, _Floats]:
    """Return what names are worth under some lexicons, as doubles: quotients need them."""
    return {t: r.value[rows].astype(np.float64) for t, r in zip(texts, readings, strict=True)}


def _holds(equation: Equation, values: dict[str, _Floats]) -> NDArray[np.bool_]:
    with np.errstate(all="ignore"):
        left, right = (_side(s, values) for s in (equation.left, equation.right))
        if equation.sign == "<":
            smaller: NDArray[np.bool_] = (left < right) & (left > 0)
            return smaller
        equal: NDArray[np.bool_] = (left == right) & (left > 0)
        return equal


def _side(side: object, values: dict[str, _Floats]) -> _Floats | np.float64:
    if isinstance(side, Term):
        if side.value is not None:
            return np.float64(side.value)
        return values.get(side.name, np.float64("nan"))
    assert isinstance(side, tuple)  # noqa: S101 - terms and operations are all there is
    return _applied(side[0], _side(side[1], values), _side(side[2], values))


def _applied(
    sign: str, one: _Floats | np.float64, other: _Floats | np.float64
) -> _Floats | np.float64:
    if sign == "+":
        return one + other
    if sign == "-":
        return one - other
    if sign == "*":
        return one * other
    if sign == "/":
        ratio = one / other
        return np.where(ratio == np.floor(ratio), ratio, np.nan)
    power = one**other
    return np.where(power < _MAX_POWER, power, np.nan)
