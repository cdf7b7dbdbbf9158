"""What names are worth under many lexicons at once: arrays of meanings in, arrays of values out.

A meaning is a code: a number above 0 is that number, :data:`IDLE` says nothing, :data:`PLUS`,
:data:`TIMES` and :data:`MINUS` join what stands on both sides, ``toward(step)`` counts the smaller
side on the way to the bigger one, and ``short_of(n)`` takes what follows it from ``n``.

The order of binding is that of the arithmetic in number names (Hurford 1975): products first, then
differences, then counts toward a step, then sums.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from iolai.solvers.induction.numerals.meter import Meter

__all__ = [
    "IDLE",
    "MINUS",
    "PLUS",
    "TIMES",
    "Codes",
    "Worth",
    "is_number",
    "meaning_of",
    "names_worth",
    "short_of",
    "toward",
]

Codes = NDArray[np.signedinteger]
_Values = NDArray[np.floating]
_Mask = NDArray[np.bool_]

IDLE, PLUS, TIMES, MINUS = 0, -1, -2, -3
_TOWARD, _SHORT = -100, -10_000
_MAX_VALUE = 10.0**7
_MAX_ROW = 6
#: More roles than any morph may have.
_N_KINDS = 32
#: Steps of work: for one value of one morph, and for any reading beside that.
_CELL_STEPS, _READING_STEPS = 0.01, 30.0
#: Steps of work to tell one morph of one lexicon from others; fewer lexicons are read one by one.
_SORTING_STEPS, _FEW = 0.01, 1000
#: Kinds of lexicons are told apart where there can be at most so many for each lexicon, and where
#: the meanings of a morph lie no wider apart.
_MOST_KINDS, _WIDEST = 4, 100_000
#: A rest may be so many units.
ROOM = 1.5


def toward(step: int) -> int:
    """Return the code of a link that counts toward a step; 0 is the unit of the bigger part."""
    return _TOWARD - step


def short_of(whole: int) -> int:
    """Return the code of a morph that takes what follows it from a whole."""
    return _SHORT - whole


def is_number(code: int) -> bool:
    """Say whether a code is a number."""
    return code > 0


def meaning_of(code: int) -> int | str:
    """Return a code as a lexicon writes it: a number, ``+ * - >``, ``0``, or ``12-``."""
    if code > 0:
        return code
    if code <= _SHORT:
        return f"{_SHORT - code}-"
    if code <= _TOWARD:
        return ">"
    return {IDLE: "0", PLUS: "+", TIMES: "*", MINUS: "-"}[code]


@dataclass(frozen=True, slots=True)
class Worth:
    """One reading of a name under every lexicon: values, the units they are counted in, validity.

    The three arrays have one entry for each lexicon.
    """

    value: _Values
    unit: _Values
    valid: _Mask


@dataclass(frozen=True, slots=True)
class _Row:
    """The morphs of a name under one pattern of roles: role and values of each, work left."""

    roles: Sequence[int]
    values: Sequence[_Values]
    meter: Meter

    def take(self, n_parts: int) -> bool:
        """Take the steps of one reading of some parts; say whether any are left."""
        n = len(self.values[0]) if self.values else 0
        return self.meter.take(_READING_STEPS + _CELL_STEPS * n_parts * n)


def names_worth(morphs: Sequence[int], codes: Codes, meter: Meter) -> list[Worth]:
    """Return readings of a name, a row of columns of ``codes`` (lexicons x morphs).

    Readings are missing where the meter has no steps left.
    """
    meter.take(_SORTING_STEPS * len(set(morphs)) * len(codes))
    same = _alike(codes[:, list(dict.fromkeys(morphs))])
    if same is None:
        return _read(morphs, codes, meter)
    first, kind = same
    return [
        Worth(worth.value[kind], worth.unit[kind], worth.valid[kind])
        for worth in _read(morphs, codes[first], meter)
    ]


def _alike(codes: Codes) -> tuple[NDArray[np.intp], NDArray[np.int32]] | None:
    """Find lexicons that differ in other morphs only: the first of each kind, the kind of each.

    There is nothing where kinds are so many that telling them apart is not worth its while.
    """
    n = len(codes)
    if n < _FEW:
        return None
    kinds = np.zeros(n, dtype=np.int32)
    n_kinds = 1
    for column in codes.T:
        least = int(column.min())
        if int(column.max()) - least > _WIDEST:
            return None
        numbers, n_numbers = _numbered(column.astype(np.int32) - least)
        if n_kinds * n_numbers > _MOST_KINDS * n:
            return None
        kinds, n_kinds = _numbered(kinds * np.int32(n_numbers) + numbers)
    if 2 * n_kinds > n:
        return None
    first = np.zeros(n_kinds, dtype=np.intp)
    first[kinds[::-1]] = np.arange(n - 1, -1, -1)
    return first, kinds


def _read(morphs: Sequence[int], codes: Codes, meter: Meter) -> list[Worth]:
    """Return the readings of a name under each lexicon."""
    # No value of a reading that counts is above 10**7, and singles are exact up to 2**24.
    exact = np.float32 if codes.dtype == np.int16 else np.float64
    found: list[Worth] = []
    for rows, kinds in _patterns(list(dict.fromkeys(morphs)), codes):
        roles = [kinds[m] for m in morphs]
        values: list[_Values] = [codes[rows, m].astype(exact) for m in morphs]
        meter.take(_CELL_STEPS * len(morphs) * len(values[0]))
        possible = (w for w in _summed(_Row(roles, values, meter)) if w.valid.any())
        for slot, worth in enumerate(possible):
            if slot == len(found):
                found.append(_nothing(len(codes), exact))
            found[slot].value[rows] = worth.value
            found[slot].unit[rows] = worth.unit
            found[slot].valid[rows] = worth.valid
    return found


def _patterns(
    columns: Sequence[int], codes: Codes
) -> Iterator[tuple[NDArray[np.intp] | slice, dict[int, int]]]:
    """Part the lexicons by the roles of some morphs: yield (rows, role of each), 1 for numbers."""
    kinds = {m: np.minimum(codes[:, m], 1) for m in columns}
    fixed = {m: int(kinds[m][0]) for m in columns if len(codes) and np.ptp(kinds[m]) == 0}
    mixed = [m for m in columns if m not in fixed]
    if not mixed:
        yield slice(None), fixed
        return
    patterns, n_patterns = np.zeros(len(codes), dtype=np.int32), 1
    for m in mixed:  # numbered anew with each column, so that the numbers stay small
        roles, _ = _numbered(1 - kinds[m].astype(np.int32))
        patterns, n_patterns = _numbered(roles + patterns * np.int32(_N_KINDS))
    for number in range(n_patterns):
        rows = np.flatnonzero(patterns == number)
        yield rows, {**fixed, **{m: int(kinds[m][rows[0]]) for m in mixed}}


def _numbered(keys: NDArray[np.int32]) -> tuple[NDArray[np.int32], int]:
    """Number the keys that there are from 0, and count them; keys are small and not negative."""
    there = np.zeros(int(keys.max()) + 1, dtype=np.bool_)
    there[keys] = True
    numbers = np.cumsum(there, dtype=np.int32)
    return (numbers - 1)[keys], int(numbers[-1])


def _nothing(n: int, exact: type[np.float32 | np.float64]) -> Worth:
    return Worth(np.zeros(n, exact), np.zeros(n, exact), np.zeros(n, dtype=np.bool_))


def _summed(row: _Row) -> Iterator[Worth]:
    """Yield the readings of a row of roles, idle ones left out, sums loosest."""
    kept = [i for i, role in enumerate(row.roles) if role != IDLE]
    row = _Row([row.roles[i] for i in kept], [row.values[i] for i in kept], row.meter)
    if not row.roles:
        return
    parts = _cut(row.roles, PLUS)
    if any(not part for part in parts):
        return
    options = [[worth for worth in _stepped(row, part) if worth.valid.any()] for part in parts]
    for chosen in product(*options):
        if not row.take(len(chosen)):
            return
        yield from _chained(chosen)


def _cut(roles: Sequence[int], sign: int) -> list[range]:
    ends = [i for i, role in enumerate(roles) if role == sign]
    return [range(a + 1, b) for a, b in zip([-1, *ends], [*ends, len(roles)], strict=True)]


def _chained(parts: Sequence[Worth]) -> Iterator[Worth]:
    """Add parts up, from the big ones to the small ones or the other way."""
    if len(parts) == 1:
        yield parts[0]
        return
    total = sum((part.value for part in parts[1:]), parts[0].value)
    valid = np.logical_and.reduce([part.valid for part in parts])
    falling = np.logical_and.reduce([_fits(b, a) for a, b in pairwise(parts)])
    rising = np.logical_and.reduce([_fits(a, b) for a, b in pairwise(parts)])
    yield Worth(total, np.where(falling, parts[-1].unit, parts[0].unit), valid & (falling | rising))


def _fits(small: Worth, big: Worth) -> _Mask:
    """Say where a rest is small enough; some systems count on beyond the unit (Comrie 2013)."""
    return small.value < ROOM * big.unit


def _stepped(row: _Row, span: range) -> Iterator[Worth]:
    """Read a part without sums: counts toward a step and differences, at their first link."""
    roles = row.roles
    links = [i for i in span if roles[i] <= _TOWARD and roles[i] > _SHORT]
    links = links or [i for i in span if roles[i] == MINUS]
    if not links:
        yield from _numbers(row, span)
        return
    yield from _with_head(row, span, links[0])
    for at in dict.fromkeys((links[0], links[-1])):
        lefts = list(_stepped(row, range(span.start, at)))
        rights = list(_stepped(row, range(at + 1, span.stop)))
        for one, other in product(lefts, rights):
            if not row.take(2):
                return
            yield _lowered(one, other, roles[at])


def _with_head(row: _Row, span: range, link: int) -> Iterator[Worth]:
    """Read the numbers that stand first as a part of a sum, the rest as lowered by its link."""
    for cut in range(span.start + 1, link):
        if row.roles[cut] > 0 and row.roles[cut - 1] > 0:
            heads = list(_numbers(row, range(span.start, cut)))
            rests = list(_lowest(row, range(cut, span.stop), link))
            for head, rest in product(heads, rests):
                if not row.take(2):
                    return
                yield from _chained((head, rest))


def _lowest(row: _Row, span: range, link: int) -> Iterator[Worth]:
    lefts = list(_numbers(row, range(span.start, link)))
    rights = list(_stepped(row, range(link + 1, span.stop)))
    for one, other in product(lefts, rights):
        if not row.take(2):
            return
        yield _lowered(one, other, row.roles[link])


def _lowered(one: Worth, other: Worth, role: int) -> Worth:
    """Join two parts of which the smaller one lowers the bigger one."""
    small_first = one.value < other.value
    small = np.where(small_first, one.value, other.value)
    big = np.where(small_first, other.value, one.value)
    big_unit = np.where(small_first, other.unit, one.unit)
    unit = np.where(small_first, one.unit, other.unit)
    if role == MINUS:
        return Worth(big - small, unit, one.valid & other.valid & (small < big_unit))
    size = big_unit if role == _TOWARD else np.full_like(big, _TOWARD - role)
    fits = (small < size) & (size > 1) & (np.mod(big, np.maximum(size, 1)) == 0)
    return Worth(big - size + small, unit, one.valid & other.valid & fits)


def _numbers(row: _Row, span: range) -> Iterator[Worth]:
    """Read numbers in a row: products and sums of neighbours, ``TIMES`` said or not."""
    roles = row.roles
    atoms: list[Worth] = []
    signs: list[int] = []
    short: int | None = None
    for i in span:
        if roles[i] == TIMES:
            if short is not None or len(atoms) != len(signs) + 1:
                return
            signs.append(TIMES)
        elif roles[i] <= _SHORT:
            if short is not None:
                return
            short = _SHORT - roles[i]
        else:
            if len(atoms) == len(signs) + 1:
                signs.append(0)
            atoms.append(_atom(row.values[i], short))
            short = None
    if short is not None or not atoms or len(signs) != len(atoms) - 1 or len(atoms) > _MAX_ROW:
        return
    for chosen in _sign_rows(tuple(signs)):
        if not row.take(len(atoms)):
            return
        yield from _products(atoms, chosen)


def _atom(value: _Values, short: int | None) -> Worth:
    if short is None:
        return Worth(value, value, np.ones(len(value), dtype=np.bool_))
    rest = short - value
    return Worth(rest, rest, rest > 0)


@cache
def _sign_rows(signs: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    return tuple(product(*[(TIMES,) if sign == TIMES else (TIMES, PLUS) for sign in signs]))


def _products(atoms: Sequence[Worth], signs: Sequence[int]) -> Iterator[Worth]:
    groups: list[list[Worth]] = [[atoms[0]]]
    for sign, atom in zip(signs, atoms[1:], strict=True):
        if sign == TIMES:
            groups[-1].append(atom)
        else:
            groups.append([atom])
    yield from _chained([_multiplied(group) for group in groups])


def _multiplied(group: Sequence[Worth]) -> Worth:
    """Multiply numbers in a row: a base, and what counts it beside it."""
    made = group[0]
    for other in group[1:]:
        value = made.value * other.value
        base = np.maximum(made.unit, other.value)
        count = np.where(made.unit > other.value, other.value, made.value)
        fits = (base > 1) & (count < base**2) & (count != base) & (value < _MAX_VALUE)
        made = Worth(value, base, made.valid & other.valid & fits)
    return made
