"""The coverage simulation: planted differences, effects and correlations are found and covered."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import pytest

from iolai.study.coverage import (
    Covered,
    correlations_covered,
    families_erring,
    figures_covered,
    methods_covered,
    power_reached,
    techniques_covered,
)


def test_scores_differences_and_effects_are_covered() -> None:
    for row in figures_covered(14, 25, seed=1):
        assert row.mean == pytest.approx(row.truth, abs=0.04), row.what
        assert row.covered > row.nominal - 4 * math.sqrt(0.09 / 25), row.what
        assert 0 < row.width < 0.45
    nothing = row
    assert nothing.what == "difference of two equal models"
    assert nothing.rejected is not None
    assert nothing.rejected <= 0.2


def test_the_expanded_interval_covers_better_than_the_plain_one() -> None:
    rows = {
        row.what: row
        for row in methods_covered(8, 300, names=("percentile", "expanded percentile"), seed=2)
    }
    for what in ("mean", "difference"):
        plain, expanded = rows[f"{what}, percentile"], rows[f"{what}, expanded percentile"]
        assert plain.covered < 0.88
        assert expanded.covered == pytest.approx(0.9, abs=0.06)
        assert expanded.width > plain.width


def test_the_other_ways_cover_too() -> None:
    rows = methods_covered(14, 60, names=("BCa", "studentised"), seed=3)
    assert all(row.covered == pytest.approx(0.88, abs=0.12) for row in rows)


def test_correlations_are_recovered() -> None:
    for planted in (0.0, 0.8):
        row = correlations_covered(20, planted, 80, seed=1)
        assert row.mean == pytest.approx(row.truth, abs=0.08)
        assert row.covered == pytest.approx(0.9, abs=0.1)
    assert row.rejected is not None
    assert row.rejected > 0.9


def test_techniques_are_recovered_within_teams() -> None:
    row = techniques_covered(6, 5, 0.03, 60, seed=1)
    assert row.mean == pytest.approx(0.03, abs=0.004)
    assert row.covered == pytest.approx(0.9, abs=0.12)
    null = techniques_covered(6, 5, 0.0, 60, seed=2)
    assert null.rejected is not None
    assert null.rejected <= 0.15


def test_holm_errs_less_than_no_correction() -> None:
    plain, holm = families_erring(12, 25, n_models=5, seed=1)
    assert holm <= plain
    assert holm <= 0.2


def test_the_number_of_tasks_asked_for_has_the_power() -> None:
    median, law, truly = power_reached(0.1, 5, seed=1)
    assert median == pytest.approx(law, rel=0.5)
    assert 0.5 < truly < 0.98


def test_a_repeat_without_an_interval_covers_nothing() -> None:
    row = Covered("x", 3, 0.5, 0.9)
    row.add(0.5, None)
    assert (row.covered, row.width, row.rejected) == (0.0, 0.0, None)


@pytest.mark.slow
def test_the_benchmark_writes_the_page_that_is_in_the_docs(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    page = tmp_path / "page.md"
    command = [sys.executable, root / "benchmarks/bench_coverage.py", "--repeats", "4"]
    subprocess.run([*command, "--page", page], check=True)

    def headings(path: Path) -> list[str]:
        lines = path.read_text(encoding="utf-8").splitlines()
        return [line for line in lines if line.startswith(("#", "| figure", "| true d"))]

    assert headings(page) == headings(root / "docs/study-coverage.md")
