"""The hybrid's vote on simulated models: a poor one does no harm, a good one helps."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

_PATH = Path(__file__).parents[3] / "benchmarks" / "hybrid_simulation.py"


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hybrid_simulation", _PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


simulation = _load()
NAMED = {regime.name: regime for regime in simulation.REGIMES}


def test_a_model_that_is_never_right_takes_nothing_away() -> None:
    _, difference, half = simulation.gain(NAMED["a model that is never right"], 100)
    assert (difference, half) == (0, 0)


def test_models_that_are_rarely_right_do_no_harm_beyond_noise() -> None:
    for name in ("2% right", "2% right, stubborn", "2% right, never tried"):
        _, difference, half = simulation.gain(NAMED[name], 100)
        assert difference + 1.5 * half >= 0, name


def test_a_model_that_is_often_right_brings_what_it_knows() -> None:
    engine, difference, half = simulation.gain(NAMED["60% right"], 100)
    assert difference - half > 20
    assert engine + difference > 65, "better than either alone"
