"""Confidence as a rate of being right: the map, what it does to candidates, how it is fitted."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iolai.records import Candidate, Problem, Task
from iolai.solvers import Budget
from iolai.solvers.induction import Induction
from iolai.solvers.induction.calibration import calibrated, reweighted
from iolai.solvers.induction.settings import Settings

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))

import bench_confidence as bench

MAPS = st.tuples(st.floats(-3, 3), st.floats(0.1, 3))


def test_the_identity_and_none_change_nothing() -> None:
    assert calibrated(0.3, None) == 0.3
    assert calibrated(0.3, (0.0, 1.0)) == pytest.approx(0.3)
    assert calibrated(0.0, (2.0, 1.0)) == 0.0
    assert calibrated(0.5, (1.0, 1.0)) == pytest.approx(0.7311, abs=1e-4)


@given(st.lists(st.floats(0.001, 1), min_size=1, max_size=5), MAPS)
def test_candidates_stay_in_order_and_weigh_at_most_one(
    weights: list[float], found: tuple[float, float]
) -> None:
    total = max(1.0, sum(weights))
    rows = sorted((w / total for w in weights), reverse=True)
    made = reweighted([Candidate(str(i), w) for i, w in enumerate(rows)], found)
    assert [one.text for one in made] == [str(i) for i in range(len(rows))]
    assert sum(one.weight for one in made) <= 1 + 1e-9
    if made[0].weight <= rows[0]:
        assert all(one.weight <= made[0].weight + 1e-9 for one in made)


def test_the_engine_says_what_its_map_says() -> None:
    pairs = "mako su | the dog slept\ntiri su | the bird slept\nmako la | the dog sang"
    problem = Problem("p", (Task("t", pairs, "Translate into English:\n\n4. tiri la"),))
    said = []
    for maps in ({}, {"translate to gloss": (-1.0, 1.0)}):
        *_, (task,) = Induction(Settings(confidence=maps)).solve(problem, Budget())
        said.append(task.items[0])
    assert said[0].text == said[1].text
    assert said[0].confidence is not None
    assert said[1].confidence == pytest.approx(
        calibrated(said[0].confidence, (-1.0, 1.0)), abs=1e-3
    )
    assert said[1].candidates[0].weight == pytest.approx(said[1].confidence, abs=1e-3)


def test_a_fit_finds_what_made_the_items() -> None:
    rng = random.Random(0)  # noqa: S311 - a seed is wanted
    said = [rng.uniform(0.02, 0.98) for _ in range(4000)]
    items = [("x", s, float(rng.random() < calibrated(s, (-1.0, 0.5)))) for s in said]
    offset, slope = bench.fitted(items)["x"]  # 4000 items outweigh the prior
    assert offset == pytest.approx(-1.0, abs=0.15)
    assert slope == pytest.approx(0.5, abs=0.1)
    assert bench.fitted([("y", 0.5, 1.0)] * 3) == {}, "too few to say anything"
    turned = [("z", s, float(s < 0.5)) for s in said[:500]]
    assert bench.fitted(turned)["z"][1] == 0, "surer is never taken for less sure"


def test_no_problem_is_mapped_by_what_it_says_itself() -> None:
    problems = {f"p{i}": [("x", 0.5, 0.0)] * 5 for i in range(40)}
    odd = next(name for name in problems if bench.fold_of(name) == 1)
    problems[odd] = [("x", 0.5, 1.0)] * 400
    mapped = [one for one in bench.left_out(problems) if one[2] == 1.0]
    assert len(mapped) == 400
    assert all(said < 0.25 for _, said, _ in mapped)


def test_the_sure_pairs_of_a_list_are_told_from_the_others() -> None:
    found = Settings().confidence["match to gloss"]
    assert calibrated(1.0, found) > 0.8
    assert calibrated(0.15, found) < 0.2
