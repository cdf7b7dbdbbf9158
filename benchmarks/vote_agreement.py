"""Whether agreement, which needs no key, says where the recipe's vote loses: what was tried.

Run as ``python benchmarks/vote_agreement.py [N_ITEMS]`` (4,000: five minutes of a core). For every
simulated model of ``vote_simulation``, and for 51 more that mix its faults, sets of N items are
drawn, and the vote is taken only where ``r``, how often samples agree with the anchor over how
often they agree with each other, lies between two bounds in the set; else its anchors stand.
Where the greedy pass is one more draw r is 1; where samples share an error that the anchor lacks
it is less; where greedy decoding finds the likeliest form it is more. See docs/voting.md.
"""

from __future__ import annotations

import sys
from collections import Counter

import numpy as np
from numpy.typing import NDArray
from vote_simulation import ADVERSE, REGIMES, SAFE, Regime, draw_items, recipe

SIZES = (30, 200)  # items of one problem, of a problem set
N_SAMPLES = (2, 4, 8)
N_DRAWN = {30: 600, 200: 100}
BOUNDS = ((0.0, 99.0), (0.8, 99.0), (0.85, 99.0), (0.9, 99.0), (0.85, 1.4))
SHAPES = {
    "correlation 0": {"alpha": 50.0, "beta": 150.0},
    "correlation 0.33": {},
    "correlation 0.71": {"alpha": 0.1, "beta": 0.3},
}
FAULTS = ((0.3, 0.0), (0.7, 0.0), (0.0, 0.05), (0.0, 0.2))  # rho, astray
WORSE = -0.5  # points in 100 items: beyond the noise of 4,000 items

Floats = NDArray[np.float64]


def mixed() -> list[Regime]:
    """Return the models that are not among those of the page: each anchor with each fault."""
    found = [
        Regime(f"mode {mode:g}, {shape}, rho {rho:g}, astray {astray:g}", mode, **more, rho=rho,
               astray=astray)
        for mode in (0.0, 0.5, 0.8, 1.0)
        for shape, more in SHAPES.items()
        for rho, astray in FAULTS
    ]  # fmt: skip
    return [*found, *(Regime(f"mode 0.8, {shape}", 0.8, **more) for shape, more in SHAPES.items())]


def measured(regime: Regime, n_items: int, n_samples: int, seed: int) -> Floats:
    """Return for each item the vote's gain and both agreements, shape (n_items, 3)."""
    rows = []
    for anchor, samples in draw_items(regime, n_items, n_samples, seed):
        form, counts = recipe(anchor, samples), Counter(samples)
        pairs = sum(n * (n - 1) for n in counts.values()) / (n_samples * (n_samples - 1))
        gain = (form == "0") - (anchor == "0")
        rows.append((100.0 * gain, counts[anchor] / n_samples, pairs))
    return np.array(rows)


def in_sets(items: Floats, size: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return of many sets drawn from the items the mean gain and r."""
    means = items[rng.integers(0, len(items), (N_DRAWN[size], size))].mean(axis=1)
    return means[:, 0], means[:, 1] / np.maximum(means[:, 2], 1e-9)


def main(n_items: int = 4000) -> None:
    """Print a row for each size of a set, number of samples and pair of bounds."""
    regimes = [*REGIMES, *mixed()]
    n_safe, n_page = len(SAFE), len(REGIMES)
    shared = [n_safe + k for k, r in enumerate(ADVERSE) if r.rho or r.astray > 0.1]
    likeliest = [n_safe + k for k, r in enumerate(ADVERSE) if r.mode == 1]
    pools = {
        (n, k): measured(regime, n_items, n, 7 * k + n)
        for n in N_SAMPLES
        for k, regime in enumerate(regimes)
    }
    rng = np.random.default_rng(1)
    print("| items | samples | vote where r is | gains | errors shared | likeliest | mixed worse |")
    print("|---|---|---|---|---|---|---|")
    for size in SIZES:
        for n in N_SAMPLES:
            sets = [in_sets(pools[n, k], size, rng) for k in range(len(regimes))]
            for low, high in BOUNDS:
                of = np.array([(g * ((r >= low) & (r <= high))).mean() for g, r in sets])
                cells = [
                    f"{of[:n_safe].mean():+.2f}",
                    ", ".join(f"{x:+.2f}" for x in of[shared]),
                    ", ".join(f"{x:+.2f}" for x in of[likeliest]),
                    f"{(of[n_page:] < WORSE).sum()} of {len(regimes) - n_page}, "
                    f"to {of[n_page:].min():+.1f}",
                ]
                print(f"| {size} | {n} | {low:g} to {high:g} |", " | ".join(cells), "|")


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:2]))
