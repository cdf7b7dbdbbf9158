"""Permutation tests, and the intervals that they give when they are turned round.

Two systems measured on the same tasks are exchanged task by task (the sign of each difference is
flipped); what is tagged within a group is tagged anew among the group's members. All arrangements
are tried where there are at most 2^14 of them, else so many are drawn, with a seed. Source: E. S.
Edgington, P. Onghena, "Randomization Tests". p counts the arrangement that was seen, so that it
is never 0 (B. Phipson, G. K. Smyth 2010).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from iolai.stats.bootstrap import DEFAULT_LEVEL, DEFAULT_RESAMPLES, Interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Statistic = Callable[[Floats], Floats]

__all__ = [
    "MAX_EXACT",
    "NoTest",
    "Permutation",
    "exchange_test",
    "sign_flip_test",
    "within_groups_test",
]

#: Up to so many arrangements all of them are tried.
MAX_EXACT = 1 << 14
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Permutation:
    """A two-sided test: the ``effect`` seen, its p-value, and the interval that it gives.

    ``interval`` holds the effects that the test does not reject at 1 - level; it is None where so
    few arrangements exist that none would be rejected, or where the effect is no mean.
    ``n`` counts the pairs or the members of groups, ``n_tried`` the arrangements.
    """

    effect: float
    p: float
    n: int
    n_tried: int
    exact: bool
    seed: int
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class NoTest:
    """Why there is no test: ``"no pairs"``, ``"one pair"``, ``"no group has both"``."""

    reason: str


def sign_flip_test(
    differences: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    level: float = DEFAULT_LEVEL,
    n_tried: int = DEFAULT_RESAMPLES,
    seed: int = 0,
) -> Permutation | NoTest:
    """Test whether paired differences, shape (n,), have mean 0; ``weights`` are the tasks' points.

    Pairs without weight are left out. The interval is exact in the sense of the test: it holds
    the shifts of all differences that would not be rejected.
    """
    import numpy as np

    values = np.asarray(differences, dtype=np.float64)
    points = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=np.float64)
    values, points = values[points > 0], points[points > 0]
    if len(values) < 2:
        return NoTest(("no pairs", "one pair")[len(values)])
    points = points / points.sum()
    signs, exact = _signs(len(values), n_tried, seed)
    effect = float(values @ points)
    arranged, leverage = signs @ (values * points), signs @ points
    interval = _inverted(effect, arranged, leverage, level, seed, exact)
    p = _p_value(effect, arranged, exact)
    return Permutation(effect, p, len(values), len(signs), exact, seed, interval)


def exchange_test(
    one: ArrayLike,
    other: ArrayLike,
    weights: ArrayLike,
    statistic: Statistic,
    *,
    n_tried: int = DEFAULT_RESAMPLES,
    seed: int = 0,
) -> Permutation | NoTest:
    """Test whether two systems differ in a statistic of their mean figures.

    ``one`` and ``other`` have shape (n_tasks, n_figures), ``weights`` (n_tasks,); ``statistic``
    gets weighted means of shape (n_tried, n_figures). In each arrangement some tasks' figures are
    exchanged between the two. For a plain mean this is the sign-flip test.
    """
    import numpy as np

    first, second = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    points = np.asarray(weights, dtype=np.float64)
    first, second, points = first[points > 0], second[points > 0], points[points > 0]
    if len(points) < 2:
        return NoTest(("no pairs", "one pair")[len(points)])
    points = points / points.sum()
    signs, exact = _signs(len(points), n_tried, seed)
    middle = points @ ((first + second) / 2)
    moved = signs @ (points[:, None] * (first - second) / 2)
    half = points @ ((first - second) / 2)
    arranged = statistic(middle + moved) - statistic(middle - moved)
    seen = float((statistic((middle + half)[None]) - statistic((middle - half)[None]))[0])
    p = _p_value(seen, arranged, exact)
    return Permutation(seen, p, len(points), len(signs), exact, seed)


def within_groups_test(
    values: ArrayLike,
    tagged: Sequence[bool],
    groups: Sequence[Hashable],
    *,
    level: float = DEFAULT_LEVEL,
    n_tried: int = DEFAULT_RESAMPLES,
    seed: int = 0,
) -> Permutation | NoTest:
    """Test whether tagged members differ from the untagged ones of their own group.

    ``values`` has shape (n,). The effect is the mean over the groups that have both, weighted by
    n1 n0 / (n1 + n0) (the least-squares effect with a level of its own for each group). Members
    of groups without both are left out; they say nothing.
    """
    import numpy as np

    figures = np.asarray(values, dtype=np.float64)
    tags = np.asarray(tagged, dtype=bool)
    parts = [
        np.array(members) for members in _members(groups) if 0 < tags[members].sum() < len(members)
    ]
    if not parts:
        return NoTest("no group has both")
    designs = [tags[part].astype(np.float64) for part in parts]
    weights = np.array([d.sum() * (len(d) - d.sum()) / len(d) for d in designs])
    weights /= weights.sum()
    columns, exact = _arrangements(designs, n_tried, seed)
    arranged = np.zeros(len(columns[0]))
    leverage = np.zeros(len(columns[0]))
    effect = 0.0
    for part, design, weight, tried in zip(parts, designs, weights, columns, strict=True):
        contrast = tried / design.sum() - (1 - tried) / (len(design) - design.sum())
        seen = design / design.sum() - (1 - design) / (len(design) - design.sum())
        arranged += weight * (contrast @ figures[part])
        leverage += weight * (contrast @ design)
        effect += float(weight * (seen @ figures[part]))
    interval = _inverted(effect, arranged, leverage, level, seed, exact)
    p = _p_value(effect, arranged, exact)
    n = sum(map(len, parts))
    return Permutation(effect, p, n, len(arranged), exact, seed, interval)


def _members(groups: Sequence[Hashable]) -> list[list[int]]:
    found: dict[Hashable, list[int]] = {}
    for place, group in enumerate(groups):
        found.setdefault(group, []).append(place)
    return list(found.values())


def _signs(n: int, n_tried: int, seed: int) -> tuple[Floats, bool]:
    """Return arrangements as rows of +1 and -1, and whether they are all there are."""
    import numpy as np

    if 1 << n <= MAX_EXACT:
        codes = np.arange(1 << n)[:, None] >> np.arange(n)
        return np.asarray(1 - 2 * (codes & 1), dtype=np.float64), True
    drawn = np.random.default_rng(seed).integers(0, 2, size=(n_tried, n))
    return np.asarray(1 - 2 * drawn, dtype=np.float64), False


def _arrangements(designs: Sequence[Floats], n_tried: int, seed: int) -> tuple[list[Floats], bool]:
    """Return, for each group, the tags of every arrangement, shape (n_arrangements, n_members)."""
    import numpy as np

    choices = [math.comb(len(design), int(design.sum())) for design in designs]
    if math.prod(choices) <= MAX_EXACT:
        ways = [_ways(len(design), int(design.sum())) for design in designs]
        places = np.array(list(itertools.product(*(range(len(way)) for way in ways))))
        return [way[places[:, g]] for g, way in enumerate(ways)], True
    generator = np.random.default_rng(seed)
    return [generator.permuted(np.tile(design, (n_tried, 1)), axis=1) for design in designs], False


def _ways(n: int, n_tagged: int) -> Floats:
    import numpy as np

    ways = np.zeros((math.comb(n, n_tagged), n))
    for row, places in enumerate(itertools.combinations(range(n), n_tagged)):
        ways[row, places] = 1
    return ways


def _p_value(effect: float, arranged: Floats, exact: bool) -> float:
    hits = int((abs(arranged) >= abs(effect) - _ROUNDING).sum())
    return hits / len(arranged) if exact else (hits + 1) / (len(arranged) + 1)


def _inverted(
    effect: float, arranged: Floats, leverage: Floats, level: float, seed: int, exact: bool
) -> Interval | None:
    """Return the shifts d that the test of (values - d) does not reject at 1 - level.

    An arrangement counts against d where |arranged - d leverage| >= |effect - d|, which is so
    exactly between (effect - arranged) / (1 - leverage) and (effect + arranged) / (1 + leverage):
    both lie about the effect, so that each limit is a quantile of one end.
    """
    import numpy as np

    with np.errstate(divide="ignore", invalid="ignore"):
        ends = np.stack(
            [
                np.where(1 - leverage > _ROUNDING, (effect - arranged) / (1 - leverage), -np.inf),
                np.where(1 + leverage > _ROUNDING, (effect + arranged) / (1 + leverage), np.inf),
            ]
        )
    # The arrangement that was seen, and its mirror image, count against every shift.
    fixed = 1 - abs(leverage) <= _ROUNDING
    low, high = np.sort(ends, axis=0)
    low[fixed], high[fixed] = -np.inf, np.inf
    if not exact:
        low, high = np.append(low, -np.inf), np.append(high, np.inf)
    rank = math.floor((1 - level) * len(low) + _ROUNDING)
    lower, upper = np.sort(low)[rank], np.sort(high)[len(high) - 1 - rank]
    if not (np.isfinite(lower) and np.isfinite(upper)):
        return None
    return Interval(float(lower), float(upper), level, len(arranged), seed)
