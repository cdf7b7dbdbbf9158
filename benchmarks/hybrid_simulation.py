"""What the hybrid's vote brings over the engine alone, with simulated models of known accuracy.

Run as ``python benchmarks/hybrid_simulation.py [N_PROBLEMS [SEED]]``; it prints a Markdown table,
the one of docs/hybrid.md. Every vote is cast by ``iolai.solvers.hybrid.joining.joined`` itself.

A problem has ten items. The engine's confidence in its answer is drawn anew for each item; the
answer is right with that probability, or with ``honesty`` times it where the engine is too sure of
itself. Where it is not, its second candidate is, as often as its weight says.

The model's accuracy is drawn for each problem from a Beta distribution; it is tried on
``n_trials`` left-out examples, of which it gets as many right as that accuracy gives, times
``bias`` where the examples are easier for it than the items. Then it answers with three passes,
whose wrong forms come from ten; those of a ``stubborn`` model always agree.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

from iolai.records import Candidate, Item, ItemAnswer, Task
from iolai.solvers.hybrid.joining import engine_ballots, joined
from iolai.solvers.hybrid.trials import Rate
from iolai.solvers.llm.draft import TaskDraft

__all__ = ["REGIMES", "Regime", "gain"]

N_ITEMS, N_PASSES, N_WRONG = 10, 3, 10
PRIOR = 0.05
_CONCENTRATION = 4.0
_SURE = 1.96


@dataclass(frozen=True, slots=True)
class Regime:
    """A simulated model beside a simulated engine; ``accuracy`` is the model's mean."""

    name: str
    accuracy: float
    n_trials: int = 4
    honesty: float = 1.0
    bias: float = 1.0
    stubborn: bool = False


REGIMES = (
    Regime("a model that is never right", 0.0),
    Regime("2% right", 0.02),
    Regime("10% right", 0.1),
    Regime("30% right", 0.3),
    Regime("60% right", 0.6),
    Regime("2% right, never tried", 0.02, n_trials=0),
    Regime("60% right, never tried", 0.6, n_trials=0),
    Regime("10% right, an engine right half as often as it says", 0.1, honesty=0.5),
    Regime("10% right, twice as often on left-out examples", 0.1, bias=2.0),
    Regime("2% right, stubborn", 0.02, stubborn=True),
    Regime("10% right, stubborn", 0.1, stubborn=True),
    Regime("30% right, stubborn", 0.3, stubborn=True),
    Regime("10% right, stubborn, twice as often on left-out examples", 0.1, 4, 1.0, 2.0, True),
    Regime("10% right, stubborn, four times as often", 0.1, 4, 1.0, 4.0, True),
)


def gain(regime: Regime, n_problems: int = 1_000, seed: int = 0) -> tuple[float, float, float]:
    """Return the engine's points in 100 items, the hybrid's gain, and half a 95% interval.

    The interval is over problems, the two solvers paired.
    """
    rng = np.random.default_rng(seed)
    before, differences = [], []
    for _ in range(n_problems):
        accuracy = _drawn(regime.accuracy, rng)
        n_right = int(rng.binomial(regime.n_trials, min(1.0, accuracy * regime.bias)))
        trust = Rate(regime.n_trials, n_right).trust(PRIOR)
        engine, hybrid = _problem(regime, accuracy, trust, rng)
        before.append(engine)
        differences.append(hybrid - engine)
    half = _SURE * float(np.std(differences)) / np.sqrt(n_problems)
    return 10 * float(np.mean(before)), 10 * float(np.mean(differences)), 10 * half


def _drawn(mean: float, rng: np.random.Generator) -> float:
    if mean <= 0:
        return 0.0
    return float(rng.beta(mean * _CONCENTRATION, (1 - mean) * _CONCENTRATION))


def _problem(
    regime: Regime, accuracy: float, trust: float, rng: np.random.Generator
) -> tuple[int, int]:
    """Return how many of a problem's items the engine gets right, and the hybrid."""
    answers, passes = [], []
    for _ in range(N_ITEMS):
        confidence = float(rng.beta(0.6, 0.8))
        weight = float(rng.random()) * min(confidence, 1 - confidence)
        drawn = rng.random() / regime.honesty
        best = "right" if drawn < confidence else "other"
        second = "right" if confidence <= drawn < confidence + weight else "another"
        candidates = (Candidate(best, confidence), Candidate(second, weight))
        answers.append(ItemAnswer(best, confidence, candidates))
        drawn_passes = [_pass(accuracy, rng) for _ in range(N_PASSES)]
        passes.append(drawn_passes[:1] * N_PASSES if regime.stubborn else drawn_passes)
    anchor, *samples = zip(*passes, strict=True)
    items = tuple(Item(str(k)) for k in range(N_ITEMS))
    task = TaskDraft(
        Task("t", "", ""),
        items,
        (),
        ("",) * N_ITEMS,
        anchor=anchor,
        samples=tuple(samples),
        others=tuple(engine_ballots(answer) for answer in answers),
    )
    chosen = [item.text for item in joined(task, trust, {}).answer("").items]
    return sum(answer.text == "right" for answer in answers), chosen.count("right")


def _pass(accuracy: float, rng: np.random.Generator) -> str:
    return "right" if rng.random() < accuracy else f"wrong {rng.integers(N_WRONG)}"


def main(n_problems: int = 1_000, seed: int = 0) -> None:
    """Print the engine's points and what the hybrid adds, for each regime."""
    print(f"n = {n_problems} problems of {N_ITEMS} items a row, seed {seed}; 95% intervals\n")
    print("| model | engine | hybrid less engine |\n|---|---|---|")
    for regime in REGIMES:
        before, difference, half = gain(regime, n_problems, seed)
        print(f"| {regime.name} | {before:.1f} | {difference:+.2f} ± {half:.2f} |", flush=True)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:3]))
