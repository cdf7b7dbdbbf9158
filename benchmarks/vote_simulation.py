"""What the recipe's vote brings over the greedy anchor, on simulated models of known accuracy.

Run as ``python benchmarks/vote_simulation.py [N_ITEMS [SEED]]``; it prints a Markdown table, the
one of docs/voting.md. Every vote is cast by ``iolai.solvers.llm.voting.choose`` itself.

An item has one right form (form 0), whose probability in one pass is drawn from a Beta
distribution, and ``n_wrong`` wrong forms that share the rest by Zipf's law. Samples and greedy
pass of an item are draws from the same probabilities, so their errors are correlated as in the
beta-binomial: the intraclass correlation is 1 / (alpha + beta + 1). One wrong form takes all the
rest in a share ``trap`` of the items (a mistake that the model always falls for). ``mode`` is the
share of items whose greedy anchor is the likeliest form; in the others it is one more draw.

Two things can set the samples against the anchor: ``rho`` is an intraclass correlation of the
samples alone (they share one Dirichlet draw around the item's probabilities, of which the anchor
knows nothing), and ``astray`` the share of items whose samples all give one and the same wrong
form, whatever the anchor says.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from iolai.solvers.llm.voting import choose

__all__ = [
    "ADVERSE",
    "REGIMES",
    "SAFE",
    "Outcome",
    "Regime",
    "draw_items",
    "majority",
    "outcome",
    "recipe",
]

#: (anchor, samples) to the form that is answered
Rule = Callable[[str, Sequence[str]], str]
N_SAMPLES = (2, 3, 4, 8)
_SURE = 1.96  # of a normal distribution, 95% lies within


@dataclass(frozen=True, slots=True)
class Regime:
    """A simulated model; ``alpha`` and ``beta`` shape the accuracies of its items."""

    name: str
    mode: float = 0.0
    alpha: float = 0.5
    beta: float = 1.5
    trap: float = 0.0
    n_wrong: int = 12
    rho: float = 0.0
    astray: float = 0.0


_EVEN = {"alpha": 50.0, "beta": 150.0}  # all items as hard: correlation 0.005
_UNEVEN = {"alpha": 0.1, "beta": 0.3}  # right always or never: correlation 0.71
_WEAK = {"alpha": 0.2, "beta": 6.0, "n_wrong": 40}
#: The vote is never worse than the anchor in the first group, and may be in the second.
SAFE = (
    Regime("greedy is one more draw; correlation 0", **_EVEN),
    Regime("the same; correlation 0.33"),
    Regime("the same; correlation 0.71", **_UNEVEN),
    Regime("the same; correlation 0.33, half of the items have a trap", trap=0.5),
    Regime("greedy is the likeliest form in half of the items; correlation 0", 0.5, **_EVEN),
    Regime("the same; correlation 0.33", 0.5),
    Regime("the same; correlation 0.71", 0.5, **_UNEVEN),
    Regime("the same; correlation 0.33, half of the items have a trap", 0.5, trap=0.5),
    Regime("a weak model, greedy the likeliest in half of the items", 0.5, **_WEAK),
)
ADVERSE = (
    Regime("greedy is always the likeliest form; correlation 0.33", 1.0),
    Regime("the same; correlation 0.71", 1.0, **_UNEVEN),
    Regime("half; the samples alone correlated 0.3", 0.5, rho=0.3),
    Regime("half; the samples alone correlated 0.7", 0.5, rho=0.7),
    Regime("half; in 5% of items all samples go astray", 0.5, astray=0.05),
    Regime("half; in 20% of items all samples go astray", 0.5, astray=0.2),
)
REGIMES = (*SAFE, *ADVERSE)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Points in 100 items: the anchor's, and what a rule adds, with half a 95% interval."""

    anchor: float
    gain: float
    half_width: float
    replaced: float

    @property
    def is_worse(self) -> bool:
        """Whether the rule loses beyond noise: its 95% interval lies below 0."""
        return self.gain + self.half_width < 0


def recipe(anchor: str, samples: Sequence[str]) -> str:
    """Answer by the recipe's vote."""
    return choose(anchor, samples).form


def majority(anchor: str, samples: Sequence[str]) -> str:
    """Answer with the form that has most votes, the anchor a candidate like any other.

    Of equal votes the last met wins: nothing sets the anchor apart.
    """
    votes = Counter((*reversed(samples), anchor))
    return max(votes, key=lambda form: votes[form])


def draw_items(
    regime: Regime, n_items: int, n_samples: int, seed: int
) -> Iterator[tuple[str, list[str]]]:
    """Yield (anchor, samples) of items; the right form is ``"0"``."""
    rng = np.random.default_rng(seed)
    zipf = 1.0 / np.arange(1, regime.n_wrong + 1)
    for _ in range(n_items):
        right = rng.beta(regime.alpha, regime.beta)
        wrong = np.eye(1, regime.n_wrong)[0] if rng.random() < regime.trap else zipf
        base = np.concatenate(([right], (1 - right) * wrong / wrong.sum()))
        is_mode = rng.random() < regime.mode
        anchor = int(base.argmax()) if is_mode else int(rng.choice(len(base), p=base))
        if rng.random() < regime.astray:
            samples = [int(rng.integers(1, len(base)))] * n_samples
        else:
            samples = rng.choice(len(base), n_samples, p=_shared_draw(base, regime.rho, rng))
        yield str(anchor), [str(form) for form in samples]


def _shared_draw(
    base: NDArray[np.float64], rho: float, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return what all samples of one item are drawn from: ``base``, or one draw around it."""
    if rho == 0:
        return base
    weights = rng.gamma(np.maximum(base * (1 - rho) / rho, 1e-9))
    return base if weights.sum() == 0 else weights / weights.sum()


def outcome(
    regime: Regime, rule: Rule, *, n_samples: int, n_items: int = 20_000, seed: int = 0
) -> Outcome:
    """Measure a rule against the anchor on the same items (a paired comparison)."""
    gains, n_anchor, n_replaced = [], 0, 0
    for anchor, samples in draw_items(regime, n_items, n_samples, seed):
        form = rule(anchor, samples)
        n_anchor += anchor == "0"
        n_replaced += form != anchor
        gains.append((form == "0") - (anchor == "0"))
    spread = float(np.std(gains)) / np.sqrt(n_items)
    return Outcome(
        100 * n_anchor / n_items,
        100 * float(np.mean(gains)),
        100 * _SURE * spread,
        100 * n_replaced / n_items,
    )


def main(n_items: int = 20_000, seed: int = 0) -> None:
    """Print the anchor's accuracy and what both rules add, for each regime."""
    print(f"n = {n_items} items a row, seed {seed}; points in 100 items, 95% intervals\n")
    heads = [f"vote of {n}" for n in N_SAMPLES]
    print("| model | anchor |", " | ".join(heads), "| majority of 2 | majority of 8 |")
    print("|---" * (4 + len(N_SAMPLES)) + "|")
    for regime in REGIMES:
        cells = [
            outcome(regime, recipe, n_samples=n, n_items=n_items, seed=seed) for n in N_SAMPLES
        ]
        plain = [outcome(regime, majority, n_samples=n, n_items=n_items, seed=seed) for n in (2, 8)]
        shown = [f"{found.gain:+.2f} ± {found.half_width:.2f}" for found in (*cells, *plain)]
        print(f"| {regime.name} | {cells[0].anchor:.1f} |", " | ".join(shown), "|", flush=True)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:3]))
