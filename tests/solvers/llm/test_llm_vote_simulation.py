"""The vote on simulated models: better than the anchor, and what a plain majority would lose."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

_PATH = Path(__file__).parents[3] / "benchmarks" / "vote_simulation.py"
N_ITEMS = 1_500


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("vote_simulation", _PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


simulation = _load()


@pytest.mark.parametrize("regime", simulation.SAFE, ids=lambda regime: regime.name)
def test_the_vote_is_never_worse_than_the_anchor_beyond_noise(regime: object) -> None:
    for n_samples in (2, 8):
        found = simulation.outcome(
            regime, simulation.recipe, n_samples=n_samples, n_items=N_ITEMS, seed=1
        )
        three_errors = 3 / 1.96 * found.half_width
        assert found.gain + three_errors > 0, found


def test_eight_samples_gain_where_greedy_decoding_is_one_more_draw() -> None:
    for regime in simulation.SAFE[:3]:
        found = simulation.outcome(regime, simulation.recipe, n_samples=8, n_items=N_ITEMS, seed=1)
        assert found.gain - found.half_width > 2, found


def test_a_plain_majority_loses_where_the_vote_does_not() -> None:
    """Fails, too, where the vote is made a plain majority: then both lose alike."""
    regime = simulation.SAFE[4]
    plain = simulation.outcome(regime, simulation.majority, n_samples=2, n_items=N_ITEMS, seed=1)
    vote = simulation.outcome(regime, simulation.recipe, n_samples=2, n_items=N_ITEMS, seed=1)
    assert plain.is_worse, plain
    assert not vote.is_worse, vote
    assert vote.replaced < 0.5 * plain.replaced


def test_where_the_vote_loses_is_known_too() -> None:
    """Samples that agree on what the anchor rightly avoids cannot be told from good ones."""
    regime = next(regime for regime in simulation.ADVERSE if regime.rho == 0.7)
    assert simulation.outcome(
        regime, simulation.recipe, n_samples=8, n_items=N_ITEMS, seed=1
    ).is_worse


@pytest.mark.parametrize(
    ("samples", "answered"),
    [
        (("b",), "a"),
        (("b", "c"), "a"),
        (("b", "b"), "b"),
        (("a", "b", "b"), "a"),
        (("a", "b", "b", "b"), "b"),
        (("b", "b", "c", "c"), "b"),
        ((), "a"),
    ],
)
def test_the_anchor_goes_only_where_two_samples_outvote_it(
    samples: tuple[str, ...], answered: str
) -> None:
    assert simulation.recipe("a", samples) == answered
