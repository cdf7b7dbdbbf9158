"""Is the engine as sure as it is right? Confidence against exact match, and a map that mends it.

Run as ``python benchmarks/bench_confidence.py bench-solvers.jsonl`` on what ``bench_solvers.py``
kept. For each kind of question a logistic map of the log-odds is fitted (Platt 1999), held towards
the identity; a problem's figures come from maps fitted without its fold. Prints the table and the
maps over all problems. Where the rows were recorded with a map in use, ``--mapped`` says so, and
the maps printed take its place.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from bench_solvers import fold_of, read_cache
from numpy.typing import NDArray

from iolai.solvers.induction.calibration import Map, calibrated
from iolai.solvers.induction.settings import Settings

Floats = NDArray[np.float64]
#: (what is asked, confidence, 1 where right else 0)
Item = tuple[str, float, float]
EDGES = (0.0, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
N_FOLDS = 5
#: How strongly maps are held towards the identity, in items' worth of log-likelihood.
PRIOR = 10.0
N_STEPS = 50
#: Kinds with fewer items keep what they say.
MIN_ITEMS = 25


def items_of(path: Path) -> dict[str, list[Item]]:
    """Return the items of each problem as the engine answered them, over sets and seeds."""
    found: dict[str, list[Item]] = defaultdict(list)
    for row in read_cache(path).values():
        if row["solver"] == "induction" and not row["setting"]:
            found[row["problem"]] += [(asked, said, right) for asked, said, right in row["items"]]
    return dict(found)


def fitted(items: Iterable[Item]) -> dict[str, Map]:
    """Return (offset, slope) of the log-odds for each kind of question, by Newton's method."""
    kinds: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        if item[1] > 0:
            kinds[item[0]].append(item)
    return {a: _fitted_one(rows) for a, rows in sorted(kinds.items()) if len(rows) >= MIN_ITEMS}


def _fitted_one(rows: Sequence[Item]) -> Map:
    said = np.clip([row[1] for row in rows], 0.001, 0.999)
    design = np.column_stack([np.ones(len(rows)), np.log(said / (1 - said))])
    right = np.array([row[2] for row in rows])
    identity = np.array([0.0, 1.0])

    def loss(found: Floats) -> float:
        scores = design @ found
        held = PRIOR / 2 * float(((found - identity) ** 2).sum())
        return float(np.logaddexp(0, scores).sum() - right @ scores) + held

    found = identity.copy()
    for _ in range(N_STEPS):
        made = 1 / (1 + np.exp(-design @ found))
        slope = design.T @ (right - made) - PRIOR * (found - identity)
        curve = (design * (made * (1 - made))[:, None]).T @ design + PRIOR * np.eye(2)
        step = np.linalg.solve(curve, slope)
        while loss(found + step) > loss(found) and np.abs(step).max() > 1e-9:
            step = step / 2
        found = found + step
    return float(found[0]), max(0.0, float(found[1]))


def left_out(problems: Mapping[str, Sequence[Item]]) -> list[Item]:
    """Return all items with the confidence that maps give which were fitted without them."""
    found: list[Item] = []
    for fold in range(N_FOLDS):
        others = [i for name, rows in problems.items() if fold_of(name) != fold for i in rows]
        maps = fitted(others)
        for name, rows in problems.items():
            if fold_of(name) == fold:
                found += [(a, calibrated(said, maps.get(a)), right) for a, said, right in rows]
    return found


def table_of(before: Sequence[Item], after: Sequence[Item]) -> list[str]:
    """Return the table: in each bin how sure the engine is, and how often it is right."""
    lines = [
        "| confidence | items | mean | right | mapped: items | mean | right |",
        "|---|---|---|---|---|---|---|",
        f"| none | {_cells(before, -1.0, 0.0)} | {_cells(after, -1.0, 0.0)} |",
    ]
    for low, high in pairwise(EDGES):
        lines.append(
            f"| {low:g}–{high:g} | {_cells(before, low, high)} | {_cells(after, low, high)} |"
        )
    return lines


def _cells(items: Sequence[Item], low: float, high: float) -> str:
    kept = [item for item in items if low < item[1] <= high]
    if not kept:
        return "0 | – | –"
    said, right = (sum(item[k] for item in kept) / len(kept) for k in (1, 2))
    return f"{len(kept)} | {said:.2f} | {right:.2f}"


def brier(items: Sequence[Item]) -> float:
    """Return the mean squared distance of confidence and what came of it."""
    return sum((said - right) ** 2 for _, said, right in items) / len(items)


def main() -> int:
    """Read the cache, print the table and the maps."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("cache", type=Path)
    options.add_argument("--mapped", action="store_true")
    given = options.parse_args()
    problems = items_of(given.cache)
    before = [item for rows in problems.values() for item in rows]
    after = left_out(problems)
    print("\n".join(table_of(before, after)))
    print(f"\nBrier score as recorded {brier(before):.3f}, mapped, left out {brier(after):.3f}")
    in_use = Settings().confidence if given.mapped else {}
    for asked, (offset, slope) in fitted(before).items():
        n = sum(item[0] == asked and item[1] > 0 for item in before)
        first = in_use.get(asked, (0.0, 1.0))
        print(f'    "{asked}": ({offset + slope * first[0]:.2f}, {slope * first[1]:.2f}),  # {n}')
    return 0


if __name__ == "__main__":
    sys.exit(main())
